"""The drawing of the whole Transformer, lit where the student's own parts pass at this moment."""

from __future__ import annotations

from course_lib.diagrams.canvas import Canvas


def so_far() -> Canvas:
    """The Transformer so far: what you wrote and passes is lit, what a later lesson builds is dashed.

    Parts of this lesson are those that this notebook has checked; parts of earlier ones are found in their notebooks,
    as `course parts` finds them.
    """
    from course_lib.diagrams import transformer
    from course_lib.own_parts.passed import passed
    from course_lib.session import CURRENT

    return transformer.draw(passed(transformer.EXERCISES), CURRENT.lesson)
