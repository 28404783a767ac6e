"""Lesson 08: translators without one of their sub-layers, and a decoder with a mistake: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.translators import TRANSLATORS
from course_lib.components import Decoder, Transformer, Vocabulary, clip_gradients, teacher_forced_loss
from course_lib.experiments import ablation, written_backwards
from course_lib.experiments.series import Series
from course_lib.translator import load_translator

#: what is left out of lesson 09's Transformer; without cross-attention it knows nothing of the source
LEFT_OUT = tuple(arm for arm in ablation.ARMS if arm != "decoder: cross-attention")
PARTS = ablation.Parts(Transformer, teacher_forced_loss, clip_gradients, Vocabulary)


def as_it_stands(seed: int) -> Series:
    """What is left of the finished translator: there is one, and each seed draws other sentences."""
    return ablation.as_it_stands(Vocabulary, load_translator(Transformer).network, seed)


SUBLAYERS: dict[str, Callable[[int], Series]] = {
    "as_it_stands": as_it_stands,
    "backwards": lambda seed: written_backwards.learn_backwards(Transformer, seed)[1],
    "mystery": partial(written_backwards.mystery, Transformer, Decoder),
    **{name: partial(run, PARTS) for name, run in ablation.EXPERIMENTS.items()},
    **{
        f"until flat: {arm}": partial(ablation.until_flat, arm, TRANSLATORS["two_minutes"], Transformer)
        for arm in LEFT_OUT
    },
}
