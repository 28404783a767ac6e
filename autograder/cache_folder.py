"""Where this user's machine keeps what can be made again: answer keys and released libraries."""

from __future__ import annotations

from pathlib import Path

import platformdirs


def cache_folder() -> Path:
    """The course's folder among the user's caches; on Linux ``XDG_CACHE_HOME`` names another place for all of them."""
    return Path(platformdirs.user_cache_dir("attention-course", appauthor=False))
