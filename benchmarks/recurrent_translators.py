"""The recurrent translators of lessons 01 and 02, each trained for the same CPU time: functions of a seed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from course_lib.components import (
    AdditiveScores,
    AttentionalDecoder,
    AttentionalTranslator,
    BidirectionalEncoder,
    RecurrentDecoder,
    RecurrentEncoder,
    RecurrentTranslator,
    Vocabulary,
    attend,
    clip_gradients,
    dot_scores,
    teacher_forced_loss,
)
from course_lib.experiments import translation
from course_lib.experiments.recurrent_translation import (
    STEPS_BOTH_WAYS,
    STEPS_WITH_CONTEXT,
    STEPS_WITHOUT_ATTENTION,
    WIDTH,
    Parts,
)
from course_lib.experiments.series import Series


def without_attention(source: int, target: int, with_context: bool = False) -> nn.Module:
    """All that the decoder knows of the source is one state: at its start, or at every step."""
    decoder = RecurrentDecoder(target, WIDTH, with_context=with_context)
    return RecurrentTranslator(RecurrentEncoder(source, WIDTH), decoder, backwards=True)


def additive(source: int, target: int, decoder: type[nn.Module] = AttentionalDecoder) -> nn.Module:
    """Attention with additive scores, in Luong's form or Bahdanau's."""
    scores = AdditiveScores(WIDTH, WIDTH, WIDTH // 2)
    return AttentionalTranslator(RecurrentEncoder(source, WIDTH), decoder(target, WIDTH, scores, attend))


def dot(source: int, target: int, encoder: type[nn.Module] = RecurrentEncoder) -> nn.Module:
    """Attention with dot-product scores, in Luong's form: lesson 02's translator, asking for all words at once."""
    return AttentionalTranslator(encoder(source, WIDTH), AttentionalDecoder(target, WIDTH, dot_scores, attend))


def forget_bias_1(source: int, target: int) -> nn.Module:
    """Return a translator without attention whose LSTMs start with 1 added to the bias of their forget gates."""
    translator = without_attention(source, target)
    for lstm in (module for module in translator.modules() if isinstance(module, nn.LSTM)):
        with torch.no_grad():
            lstm.bias_ih_l0.chunk(4)[1].add_(1)  # the order is i, f, g, o
    return translator


def parts(translator: Callable[[int, int], nn.Module], **settings: Any) -> Parts:
    """A translator with the loss, the clipping and the vocabulary that all are trained with."""
    return Parts(translator, teacher_forced_loss, clip_gradients, Vocabulary, **settings)


RECURRENT_TRANSLATORS: dict[str, Callable[[int], Series]] = {
    "without_attention": partial(translation.run, parts(without_attention, steps=STEPS_WITHOUT_ATTENTION)),
    "context_at_every_step": partial(
        translation.run, parts(partial(without_attention, with_context=True), steps=STEPS_WITH_CONTEXT)
    ),
    "additive": partial(translation.run_with_attention, parts(additive)),
    "forget_bias_1": partial(translation.run, parts(forget_bias_1, steps=STEPS_WITHOUT_ATTENTION)),
    "one_way": partial(translation.run_with_attention, parts(dot)),
    "both_ways": partial(
        translation.run_with_attention,
        parts(partial(dot, encoder=BidirectionalEncoder), steps=STEPS_BOTH_WAYS),
    ),
    "first_steps": partial(translation.first_steps, parts(additive)),
}
