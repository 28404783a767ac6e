"""nbgrader, run in this folder, grades as the course does: see autograder/nbgrader_commands/config.py."""

from autograder.nbgrader_commands.config import configure

c = get_config()  # type: ignore[name-defined]  # noqa: F821
configure(c)
