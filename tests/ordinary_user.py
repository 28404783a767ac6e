"""Run code as an ordinary user, because most instructors grade as one.

If the tests run as root, the code runs as another user in its own mount namespace. There it can create folders that a
shared machine may have, such as an exchange in /usr/local, and they disappear afterwards.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

USER = 12_345  #: an account that no machine has

#: root's home folder may contain Python, but other users can't enter it
_OPEN_HOMES = """
for home in $HOMES; do
  inner=$(mktemp -d) && mount --bind "$home" "$inner" && mount -t tmpfs -o mode=755 none "$home"
  for name in $(ls -A "$inner"); do
    if [ -d "$inner/$name" ]; then mkdir "$home/$name" && mount --bind "$inner/$name" "$home/$name"; fi
  done
done
"""
_MAKE = """
set -e
mount --make-rprivate /
{homes}
for folder in $EMPTIED; do mkdir -p "$folder"; mount -t tmpfs -o mode=755,uid=$SOMEONE none "$folder"; done
exec setpriv --reuid=$SOMEONE --regid=$SOMEONE --clear-groups "$@"
"""


def run_as_ordinary_user(source: str, home: Path, emptied: tuple[str, ...] = ()) -> str:
    """Run a Python program as an ordinary user, and return what it printed.

    Args:
        home: a folder that the user will own.
        emptied: folders that are empty and writable for this program only.
    """
    command = [sys.executable, "-c", source]
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    if os.geteuid() != 0:
        pytest.skip("only root can give an ordinary user folders of their own in /usr")
    if not all(map(shutil.which, ("unshare", "setpriv", "mount"))):
        pytest.skip("unshare, setpriv or mount is missing")
    os.chown(home, USER, USER)
    closed = [str(p) for p in Path(sys.base_prefix).parents if p.stat().st_mode & 0o005 != 0o005]
    environment |= {"HOMES": " ".join(closed), "EMPTIED": " ".join(emptied), "SOMEONE": str(USER)}
    script = _MAKE.format(homes=_OPEN_HOMES)
    ran = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", *command],
        env=environment,
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
