"""The drawing of the whole Transformer, with the student's own passing parts lit."""

from __future__ import annotations

from course_lib.diagrams.canvas import Canvas


def so_far() -> Canvas:
    """Draw the Transformer so far: your passing parts are lit, and parts of later lessons are dashed.

    Parts of this lesson are those that this notebook has checked; parts of earlier ones are found in their notebooks,
    as `course parts` does.
    """
    from course_lib.diagrams import transformer
    from course_lib.own_parts.passed import passed
    from course_lib.session import CURRENT

    return transformer.draw(passed(transformer.EXERCISES), CURRENT.lesson)
