"""Put a measured number into digits or words, as a lesson's sentence needs it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal

#: the direction in which a number is rounded: down, to the nearest, or up
DOWN, NEAREST, UP = -1, 0, 1

_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FRACTIONS = {
    1 / 10: "a tenth", 1 / 5: "a fifth", 1 / 4: "a quarter", 1 / 3: "a third", 1 / 2: "half",
    2 / 3: "two thirds", 3 / 4: "three quarters", 4 / 5: "four fifths", 9 / 10: "nine tenths",
}  # fmt: skip
#: the numbers n for which a share is said as "one in n"
_ONE_IN = (2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 50, 100, 200, 500, 1000)

_DIGITS = re.compile(r"(,?)\.(\d)([f%])")


def form(name: str) -> Callable[[float, int], str] | None:
    """Return the function that writes a number in a form, rounding it in a direction; None if there is no such form.

    A function raises ``ValueError`` for a number that the form can't express.
    """
    if digits := _DIGITS.fullmatch(name):
        comma, places, kind = digits.groups()
        return lambda value, way: _digits(value, way, comma, int(places), kind == "%")
    return _FORMS.get(name)


def known_forms() -> str:
    """Return the names of all forms, for a message."""
    return ", ".join((".0f, .2f, ,.0f, .0%", *_FORMS))


def between(low: str, high: str) -> str:
    """Return a range in words: ``4.3 to 6.2``, ``1 to 2 %``, or one of them if they are equal."""
    unit = " %" if low.endswith(" %") and high.endswith(" %") else ""
    return high if low == high else f"{low.removesuffix(unit)} to {high}"


def _digits(value: float, way: int, comma: str, places: int, percent: bool) -> str:
    exact = Decimal(repr(value)) * (100 if percent else 1)
    rounding = {DOWN: ROUND_FLOOR, NEAREST: ROUND_HALF_EVEN, UP: ROUND_CEILING}[way]
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding)
    return format(rounded, f"{comma}.{places}f") + (" %" if percent else "")


def _words(value: float, way: int) -> str:
    whole = int(_digits(value, way, "", 0, percent=False))
    return _WORDS[whole] if 0 <= whole < len(_WORDS) else f"{whole:,}"


def _fraction(value: float, way: int) -> str:
    return _FRACTIONS[_nearest(value, way, list(_FRACTIONS))]


def _one_in(value: float, way: int) -> str:
    share = _nearest(value, way, [1 / n for n in _ONE_IN])
    return f"one in {_words(1 / share, NEAREST)}"


def _power(value: float, way: int) -> str:
    if value <= 0:
        raise ValueError
    exponent = _digits(math.log10(value), way, "", 0, percent=False)
    return f"10^{{{exponent}}}"


def _nearest(value: float, way: int, choices: Sequence[float]) -> float:
    """Return the choice with the nearest ratio to a value, below or above it if a direction is given.

    Raises:
        ValueError: the value is not between the choices, or more than a third away from all of them.
    """
    fitting = [choice for choice in choices if way == NEAREST or (choice - value) * way >= -1e-9]
    if value <= 0 or not fitting:
        raise ValueError
    best = min(fitting, key=lambda choice: abs(math.log(choice / value)))
    if way == NEAREST and abs(math.log(best / value)) > math.log(4 / 3):
        raise ValueError
    return best


_FORMS: dict[str, Callable[[float, int], str]] = {
    "words": _words, "fraction": _fraction, "one in": _one_in, "power of ten": _power,
}  # fmt: skip
