"""Lessons 01 and 02: recurrent translators on the course's corpus, without attention and with it.

How they were tuned, on seed 0, by the loss after 200 to 600 steps. With attention: words of the decoder times sqrt(D)
or not, read-out tied or not, widths 64 and 96, batches of 32 and 64, learning rates 0.006, 0.012 and 0.020, the
encoder's words drawn with standard deviation 0.3 and 1. Without: learning rates 0.008, 0.010, 0.015 and 0.016, the
source read forwards and backwards, a forget bias of 0 and 1. What helped most: sqrt(D) for both, and without attention
to read the source backwards (loss 1.15 instead of 1.61 after 600 steps). A forget bias of 1 did about as much (1.22),
and is left to lesson 01 to find.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.experiments import translation
from course_lib.experiments.translation import LONGEST_GRADIENT as LONGEST_GRADIENT
from course_lib.experiments.translation import SHORT as SHORT
from course_lib.experiments.translation import agreement as agreement
from course_lib.experiments.translation import alignments as alignments
from course_lib.experiments.translation import exact_match as exact_match
from course_lib.experiments.translation import first_steps as first_steps
from course_lib.experiments.translation import gap as gap
from course_lib.experiments.translation import learn as learn
from course_lib.experiments.translation import pairs as pairs
from course_lib.experiments.translation import run as run
from course_lib.experiments.translation import run_with_attention as run_with_attention
from course_lib.experiments.translation import translate as translate
from course_lib.experiments.translation import vocabularies as vocabularies

#: training steps of a translator with attention (additive, Luong's form), of one without, and of one that is given the
#: last state at every step: about the same CPU time. A number of steps, not of seconds: what is measured then does
#: not hang on how busy a machine is
STEPS, STEPS_WITHOUT_ATTENTION, STEPS_WITH_CONTEXT = 1900, 2650, 2400
#: the width of embeddings and states
WIDTH = 96
#: the highest learning rate
LEARNING_RATE = 15e-3


@dataclass(frozen=True)
class Parts(translation.Parts):
    """A recurrent translator, a `RecurrentTranslator` or `AttentionalTranslator`, and what it is trained with."""

    learning_rate: float = LEARNING_RATE
    steps: int = STEPS
