"""The Transformer of lesson 09, and the short runs of its experiments: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from torch import nn

from benchmarks import recurrent_translators
from benchmarks.recurrent_translators import additive, without_attention
from course_lib.components import (
    AdamW,
    Transformer,
    Vocabulary,
    clip_gradients,
    corpus_bleu,
    label_smoothed_loss,
    teacher_forced_loss,
    train_step,
    warmup_schedule,
)
from course_lib.experiments import training, translation
from course_lib.experiments.mystery_loss import mystery_loss
from course_lib.experiments.recurrent_translation import STEPS_WITHOUT_ATTENTION
from course_lib.experiments.series import Series
from course_lib.experiments.transformer_translator import TRAINING, translator_of
from course_lib.experiments.translation import Parts


def transformer_parts(**settings: Any) -> Parts:
    """The reference Transformer with what it is trained with; ``settings`` take the place of those of `TRAINING`."""
    # nothing is smoothed, and then `label_smoothed_loss` is `teacher_forced_loss`, which takes less time
    merged = {**TRAINING, **settings}
    return Parts(translator_of(Transformer), teacher_forced_loss, clip_gradients, Vocabulary, **merged)


#: learning rates that were tried on the sentences to choose by
RATES = (2e-3, 3e-3, 4.5e-3)


def chosen(seed: int) -> Series:
    """The share of the sentences to choose by that the Transformer gets right, in percent, by learning ``rate``."""
    tried = (transformer_parts(learning_rate=rate) for rate in RATES)
    return {"rate": list(RATES), "right": [100 * translation.on_development(parts, seed) for parts in tried]}


#: what is trained. By length, the recurrent translators are recorded for lessons 01 and 02
TRANSLATORS: dict[str, Parts] = {
    "transformer": transformer_parts(),
    "two_minutes": transformer_parts(steps=2 * TRAINING["steps"], count=200_000),
    "four_minutes": transformer_parts(steps=4 * TRAINING["steps"], count=400_000),
    "one_state": recurrent_translators.parts(without_attention, steps=STEPS_WITHOUT_ATTENTION),
    "additive": recurrent_translators.parts(additive),
}


@cache
def trained(name: str, seed: int) -> tuple[nn.Module, float]:
    """A translator after its training, and the CPU seconds that took. What is measured of it shares one training."""
    model, history = translation.learn(TRANSLATORS[name], seed)
    return model, history.seconds[-1]


def by_length(name: str, seed: int) -> Series:
    """`exact_match` of a translator, and the CPU ``seconds`` of its training."""
    model, seconds = trained(name, seed)
    return translation.exact_match(TRANSLATORS[name], model, seed) | {"seconds": [seconds]}


def by_split(name: str, seed: int) -> Series:
    """`scores_by_split` of a translator."""
    return translation.scores_by_split(TRANSLATORS[name], trained(name, seed)[0], corpus_bleu, seed)


def agreement(seed: int) -> Series:
    """`agreement_by_head` of the Transformer on 300 held-out sentences: the diagonal, then by layer the heads' mean."""
    chosen = translation.pairs("held_out", 20_000 + seed, 300)
    shares = training.agreement_by_head(trained("transformer", seed)[0], Vocabulary, chosen)
    return {name: heads[-1:] for name, heads in shares.items()}


def first_steps(seed: int) -> Series:
    """The loss in the first 40 steps of `train_step`: short enough to be tried on every change of the course."""
    _, history = training.learn(train_step, Transformer, Vocabulary, seed, steps=40, count=4000)
    averaged = history.averaged(points=5)
    return {"step": averaged["step"], "loss": averaged["loss"]}


EXPERIMENTS: dict[str, Callable[[int], Series]] = {
    "transformer": partial(by_length, "transformer"),
    "two_minutes": partial(by_length, "two_minutes"),
    "four_minutes": partial(by_length, "four_minutes"),
    **{f"{name}_by_split": partial(by_split, name) for name in TRANSLATORS},
    "transformer_chosen": chosen,
    "agreement": agreement,
    **{
        name: partial(training.schedule_curve, train_step, Transformer, Vocabulary, schedule)
        for name, schedule in training.schedules(warmup_schedule).items()
    },
    "norms_kept": partial(training.norms_kept, train_step, AdamW, Transformer, Vocabulary),
    "smoothed": partial(training.loss_curve, label_smoothed_loss, clip_gradients, Transformer, Vocabulary),
    "mystery": partial(training.loss_curve, mystery_loss, clip_gradients, Transformer, Vocabulary),
    "first_steps": first_steps,
}
