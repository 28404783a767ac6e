"""Make HTML from templates, which are next to the module that fills them. All values are escaped."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from course_lib.checking.formatting import inline, number


def render(template: Path, **values: Any) -> str:
    """Fill in a template.

    Templates can use three extra filters: ``inline`` for a sentence with `code` and *emphasis*, ``number`` for points,
    and ``breakable`` for an identifier that may be broken at its underscores.

    Raises:
        jinja2.UndefinedError: the template uses a value that was not passed.
    """
    return _read(template).render(values)


@cache
def _read(template: Path) -> Template:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["inline"] = _inline
    environment.filters["number"] = number
    environment.filters["breakable"] = _breakable
    return environment.from_string(template.read_text(encoding="utf-8"))


def _inline(sentence: str) -> Markup:
    return Markup(inline(sentence))  # `inline` has escaped it


def _breakable(identifier: str) -> Markup:
    return Markup(str(escape(identifier)).replace("_", "_<wbr>"))
