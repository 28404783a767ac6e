"""Lessons 01 and 02: recurrent translators on the course's corpus, without attention and with it.

How they were tuned on seed 0. First, by the loss after 200 to 600 steps. With attention: decoder embeddings times
sqrt(D) or not, output projection tied or not, widths 64 and 96, batches of 32 and 64, encoder embeddings with standard
deviation 0.3 and 1. Without: the source read forwards and backwards, a forget bias of 0 and 1. Two changes helped most:
sqrt(D) for both, and reading the source backwards without attention (loss 1.4 instead of 1.6 after 600 steps). A
forget bias of 1 helped about as much then (1.22), but not after full training. Then, by the share that is right
after about 65 CPU seconds: learning rates of 0.0035, 0.005, 0.007 and 0.010, for both. With attention (3,200 steps):
94.4, 95.5, 95.5 and 93.6 %. Without (4,000 steps, and 4,600 at the lowest): 79.1, 77.9, 76.2 and 69.4 %. The best rate
after 600 steps, 0.015, is far behind after 3,200.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.experiments import translation

#: training steps of a translator with attention (additive, Luong's form), of one without, of one that gets the last
#: state at every step, and of one with attention to a bidirectional encoder: about the same CPU time. Steps are
#: counted, not seconds, so the result does not depend on how busy the machine is
STEPS, STEPS_WITHOUT_ATTENTION, STEPS_WITH_CONTEXT, STEPS_BOTH_WAYS = 3600, 4500, 4200, 3400
#: the width of embeddings and states
WIDTH = 96
#: the highest learning rate
LEARNING_RATE = 5e-3


@dataclass(frozen=True)
class Parts(translation.Parts):
    """A recurrent translator, a `RecurrentTranslator` or `AttentionalTranslator`, and its training settings."""

    learning_rate: float = LEARNING_RATE
    steps: int = STEPS
