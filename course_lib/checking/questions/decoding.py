"""Questions that let a function write with a model that follows a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from course_lib.checking.questions.question import Question, as_tuple, named
from course_lib.checking.scripted import CHOICES, ScriptedLanguageModel, ScriptedModel
from course_lib.checking.values import Value, copy


@dataclass(frozen=True)
class Script(Question):
    """A question whose model returns a scripted word at every step.

    The answer contains ``calls``: the named returns of each call; ``after``: the arguments of the last call afterwards.

    Attributes:
        table: the script.
        calls: arguments of each call, passed in order, by position. The first, ``model``, is only a description, and
            the scripted model is passed instead.
    """

    table: Tensor
    calls: Sequence[Mapping[str, Value]]

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments of each call."""
        return self.calls


@dataclass(frozen=True)
class TranslationScript(Script):
    """Let a function translate with a `ScriptedModel`.

    Attributes:
        pad_id: the model's padding id.
        likeliest: for each sentence of the table, the tokens that the model finds likeliest, as text. If it is given,
            it describes the model, for the rows of each call's source.
        count_encodings: whether to add ``encodings`` to the named returns: how often a source was encoded so far.
    """

    pad_id: int = field(kw_only=True)
    count_encodings: bool = field(default=False, kw_only=True)
    likeliest: Sequence[str] = field(default=(), kw_only=True)

    @property
    def inputs(self) -> Sequence[Mapping[str, Value]]:
        """The arguments of each call. The model is a description."""
        return (
            [{**call, "model": self._described(call["source"])} for call in self.calls]
            if self.likeliest
            else self.calls
        )

    def _described(self, source: Value) -> str:
        model = self._model()
        rows = model.number_of(*model.encode(source)).tolist() if isinstance(source, Tensor) else []
        return "; ".join(f"finds likeliest for row {row}: {self.likeliest[n]}" for row, n in enumerate(rows))

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments of one call as a named tuple."""
        return as_tuple({**copy(self.arguments_of(number)), "model": self._model()})

    def _model(self) -> ScriptedModel:
        return ScriptedModel(self.table, self.pad_id).eval()

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Let the function translate with the same model in each call."""
        model = self._model()
        outcomes: list[dict[str, Value]] = []
        given: dict[str, Value] = {}
        for arguments in self.inputs:
            given = copy(dict(arguments))
            others = [value for name, value in given.items() if name != "model"]
            outcomes.append(named(implementation(model, *others), self.returns))
            if self.count_encodings:
                outcomes[-1]["encodings"] = model.encodings
        return {"calls": outcomes, "after": given}


@dataclass(frozen=True)
class ContinuationScript(Script):
    """Let a function continue prompts with a `ScriptedLanguageModel`.

    In each call, ``choose`` is the name of one of `CHOICES`.
    """

    def live(self, implementation: Any, number: int = 0) -> Any:
        """Return the arguments of one call as a named tuple."""
        return as_tuple(self._filled_in(copy(self.arguments_of(number))))

    def _filled_in(self, arguments: Mapping[str, Value]) -> dict[str, Any]:
        """Return the arguments of a call with the model and the function that chooses."""
        model = ScriptedLanguageModel(self.table).eval()
        return {**arguments, "model": model, "choose": CHOICES[str(arguments["choose"])]}

    def __call__(self, implementation: Any) -> dict[str, Value]:
        """Let the function continue the prompts of each call."""
        outcomes: list[dict[str, Value]] = []
        given: dict[str, Value] = {}
        for arguments in self.calls:
            given = copy(dict(arguments))
            outcomes.append(named(implementation(*self._filled_in(given).values()), self.returns))
        return {"calls": outcomes, "after": given}
