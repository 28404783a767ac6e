"""Recognise calls of PyTorch's finished functions, as a named mistake, in exercises that students write by hand."""

from __future__ import annotations

from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, Watched
from course_lib.checking.rules import calls_none

#: the name of the mistake
FINISHED = "finished_function"
#: for an exercise with `watched`: whether a finished function was called during the question
WRITTEN_BY_HAND = Check(
    "written_by_hand", calls_none, "written_by_hand",
    "written by hand: no finished function of PyTorch does the work", gate=True,
)  # fmt: skip
#: PyTorch's normalising functions. With one group, or a channel per token, the others can replace `layer_norm`
NORMALISE = (
    "nn.functional.layer_norm", "layer_norm", "native_layer_norm", "nn.LayerNorm",
    "nn.functional.rms_norm", "rms_norm", "_fused_rms_norm", "nn.RMSNorm",
    "nn.functional.group_norm", "group_norm", "native_group_norm", "nn.GroupNorm",
    "nn.functional.instance_norm", "instance_norm", "nn.InstanceNorm1d", "nn.InstanceNorm2d", "nn.InstanceNorm3d",
    "nn.functional.batch_norm", "batch_norm", "native_batch_norm", "nn.BatchNorm1d", "nn.BatchNorm2d", "nn.BatchNorm3d",
)  # fmt: skip


def watched(question: Question, own: Question, *functions: str) -> Question:
    """Return a question of the same kind with other inputs, during which calls of functions are noticed.

    No other question has these inputs, so no implementation can remember what a finished function returned for them.
    This question is asked first, and its answer must be right if the answer to ``question`` is.

    Args:
        question: a question whose answer takes all of the work.
        own: the same question with other inputs, whose numbers `Draw.apart` samples.
        functions: names below ``torch``, such as ``"nn.functional.layer_norm"``, and the names of all functions that
            these call, which a student may call instead. Names of modules are searched for in the student's source.
    """
    if type(own) is not type(question) or own.default_dtype != question.default_dtype:
        raise ValueError(f"{own.name}: a watched question must be of the same kind as {question.name}")
    return Watched("written_by_hand", question.name, own, functions)
