"""nbgrader, run in this folder, grades as the course does: see autograder/nbgrader_config.py."""

from autograder.nbgrader_config import configure

c = get_config()  # type: ignore[name-defined]  # noqa: F821
configure(c)
