"""How a lesson's notebook begins."""

from __future__ import annotations

import random

import numpy as np
import torch

from course_lib.checking.answer_key import KEYS
from course_lib.contents import public_exercises
from course_lib.kernel.alone import show_diagrams
from course_lib.kernel.definitions import watch_definitions
from course_lib.kernel.unwritten import watch_unwritten
from course_lib.plugins import plugins
from course_lib.session import CURRENT
from course_lib.stand_ins import STAND_INS
from course_lib.version import __version__

#: the seed of every lesson
SEED = 2017


def begin(lesson: str, version: str) -> None:
    """Make a notebook repeatable: seed every generator, use one thread, and note what its cells define.

    The lessons' tensors are small: a second thread costs more than it brings, and on a busy
    machine with two cores it can make them several times slower. If answer keys are not released with the library,
    those of the lesson are made now if they are missing. If it was released without components of lessons that still
    accepted work, the student's own take their place. A notebook without its folder of diagrams shows them here.

    Args:
        lesson: the lesson's name.
        version: the course version the notebook was made for; a difference is said, not hidden.
    """
    CURRENT.lesson = lesson
    for prepare in plugins("course.prepare") if not KEYS.is_dir() else ():
        prepare([entry.id for entry in public_exercises() if entry.lesson == lesson])
    if STAND_INS:
        from course_lib.own_parts.use import use  # which imports all that judges a part

        print(use(False).summary)
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    watch_definitions()
    watch_unwritten()
    show_diagrams(lesson)
    if version != __version__:
        print(
            f"This notebook of {lesson} is of course version {version}, the installed course_lib is {__version__}. "
            "Checks may say other things than your grader. Get the notebook and the library from one release."
        )
