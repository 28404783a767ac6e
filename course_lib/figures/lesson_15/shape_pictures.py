"""Some of the pictures to classify, with the right answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course_lib.figures.picture import Picture
from course_lib.figures.style import entitle, new_figure


def shape_pictures(pictures: Any, answers: Sequence[bool], question: str) -> Picture:
    """Draw one panel per picture, with its answer below.

    Args:
        pictures: (B, 1, H, W); at most 6 are shown.
        answers: B of them.
        question: the question.
    """
    shown = min(len(answers), 6)
    figure, panels = new_figure(1.6 * shown, 2.2, columns=shown)
    for axes, picture, answer in zip(panels, pictures, answers, strict=False):
        axes.imshow(picture[0], cmap="gray_r", vmin=-0.3, vmax=1.3)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_xlabel("yes" if answer else "no", fontsize=12)
    panels[0].set_ylabel(f"{pictures.shape[-2]} pixels")
    entitle(figure, question)
    told = ", ".join("yes" if answer else "no" for answer in answers[:shown])
    return Picture(figure, question, f"{shown} noisy grey pictures of two shapes each. {question} {told}.")
