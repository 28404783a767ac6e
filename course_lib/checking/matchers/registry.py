"""What matchers share: finding them by name, and the comparison that most of them make."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path

from course_lib.checking.answers import Answers, same_answer
from course_lib.checking.exercise import Matcher

_MARKED = re.compile(r"^@matcher\ndef (\w+)", re.MULTILINE)


def matcher(function: Matcher) -> Matcher:
    """Mark a function of this package as a matcher, so that `MATCHERS` finds it."""
    return function


class _Matchers(Mapping[str, Matcher]):
    """The matchers by the name that an answer key uses. The module of each is imported when it is first used."""

    def __getitem__(self, name: str) -> Matcher:
        found: Matcher = getattr(import_module(f"{__package__}.{self._modules[name]}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The module of each matcher, by a search in the text of all of them."""
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))}
        return {name: module for module, text in texts.items() for name in _MARKED.findall(text)}


MATCHERS = _Matchers()


def stops_only_with(messages: Mapping[str, str], answers: Answers, reference: Answers) -> bool:
    """Return whether each answer is right or an error with its question's message, and at least one is an error."""
    errors = {name: answer.error.message for name, answer in answers.items() if answer.error}
    return (
        bool(errors)
        and all(name in messages and messages[name] in message for name, message in errors.items())
        and all(
            same_answer(right, answers[name]) for name, right in reference.items() if name in answers.keys() - errors
        )
    )
