"""The Transformer of lesson 09, and the recurrent translators beside it: functions of a seed."""

from __future__ import annotations

from functools import partial
from typing import Any

from course_lib.components import Transformer, Vocabulary, clip_gradients, label_smoothed_loss
from course_lib.experiments.transformer_translator import SMOOTHING, TRAINING, translator_of
from course_lib.experiments.translation import Parts


def transformer_parts(**settings: Any) -> Parts:
    """The reference Transformer with what it is trained with; ``settings`` take the place of those of `TRAINING`."""
    loss = partial(label_smoothed_loss, smoothing=SMOOTHING)
    return Parts(translator_of(Transformer), loss, clip_gradients, Vocabulary, **{**TRAINING, **settings})
