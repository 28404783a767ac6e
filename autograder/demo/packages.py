"""Install a Debian package for the demo."""

from __future__ import annotations

import os
import subprocess


def install_with_apt(package: str) -> str:
    """Update apt's list of packages, then install one. Return why that failed, or an empty string.

    A failed update doesn't stop the installation, because the old list may be enough. Its reason is part of the result.
    """
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    reasons = []
    for arguments in (["update"], ["install", "-y", package]):
        try:
            done = subprocess.run(
                ["apt-get", *arguments], env=environment, capture_output=True, text=True, errors="replace", check=False
            )
        except OSError as error:
            return f"apt-get can't be run: {error.strerror or error}."
        said = [line for line in done.stderr.splitlines() if line.startswith(("E:", "W: Failed"))]
        if done.returncode or said:
            reasons.append(f"apt-get {' '.join(arguments)}: {(said or ['no reason given'])[0]}")
    return " ".join(reasons) if done.returncode else ""
