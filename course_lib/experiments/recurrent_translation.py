"""Lessons 01 and 02: recurrent translators on the course's corpus, without attention and with it.

How they were tuned, on seed 0. By the loss after 200 to 600 steps. With attention: words of the decoder times sqrt(D)
or not, read-out tied or not, widths 64 and 96, batches of 32 and 64, the encoder's words drawn with standard deviation
0.3 and 1. Without: the source read forwards and backwards, a forget bias of 0 and 1. What helped most: sqrt(D) for
both, and without attention to read the source backwards (loss 1.4 instead of 1.6 after 600 steps). A forget bias of
1 did about as much (1.22), and is left to lesson 01 to find. Then by the share that is right after about 65 CPU
seconds, learning rates of 0.0035, 0.005, 0.007 and 0.010, for both. With attention (3,200 steps): 94.4, 95.5, 95.5 and
93.6 %. Without (4,000 steps, and 4,600 at the lowest): 79.1, 77.9, 76.2 and 69.4 %. A rate that wins after 600 steps,
0.015, is far behind after 3,200.
"""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.experiments import translation

#: training steps of a translator with attention (additive, Luong's form), of one without, and of one that is given the
#: last state at every step: about the same CPU time. A number of steps, not of seconds: what is measured then does
#: not hang on how busy a machine is
STEPS, STEPS_WITHOUT_ATTENTION, STEPS_WITH_CONTEXT = 3600, 4500, 4200
#: the width of embeddings and states
WIDTH = 96
#: the highest learning rate
LEARNING_RATE = 5e-3


@dataclass(frozen=True)
class Parts(translation.Parts):
    """A recurrent translator, a `RecurrentTranslator` or `AttentionalTranslator`, and what it is trained with."""

    learning_rate: float = LEARNING_RATE
    steps: int = STEPS
