"""What a notebook's first cell does if the notebook was opened without the course, as in Colab."""

from __future__ import annotations

_INSTALL = """\
    import subprocess
    import sys

    print("Installing the course, which takes about a minute.")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "{package}"], check=True)"""

_EXPLAIN = """\
    raise ModuleNotFoundError(
        "Install the course as its README says, then open this notebook with: course lab"
    ) from None"""


def with_installation(source: str, package: str) -> str:
    """Put in front of a cell what installs a missing course, or says how to install it if no URL is known.

    Args:
        package: the URL that pip installs, from `course.toml`.
    """
    missing = _INSTALL.format(package=package) if package else _EXPLAIN
    missing_course = "except ModuleNotFoundError:  # this notebook was opened without the course"
    return f"try:\n    import course_lib\n{missing_course}\n{missing}\n\n{source}"
