"""A trained translator as one HTML page that translates in the browser, without a server and without the network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
from jinja2 import Environment, Template
from markupsafe import Markup
from safetensors.torch import save
from torch import Tensor

FOLDER = Path(__file__).parent
#: the script that turns text into tokens and back
WORDS, SUBWORDS = "words.js", "subwords.js"


@dataclass(frozen=True)
class Exported:
    """The contents of a page.

    Attributes:
        cut_by: the script that turns text into tokens and back.
        title, lead: the text at the top.
        can, cannot: what the translator can do and what it can't, in sentences.
        languages: source and target, as ``(("en", "English"), ("fr", "French"))``.
        tokens: of the two languages, in the order of their ids.
        configuration: the arguments of `Transformer`.
        weights: by the names of its parameters, and ``positions`` (L, D); if both languages share a table, only the
            target's is needed.
        facts: facts about it, by name.
        examples: sentences that are offered first.
        unseen: sentences that are offered one after the other, with their translations.
        failing: sentences that usually fail, likewise, by the id of their button.
        half: whether the weights are rounded to 16 bits.
    """

    cut_by: str
    title: str
    lead: str
    can: str
    cannot: str
    languages: tuple[tuple[str, str], tuple[str, str]]
    tokens: tuple[Sequence[str], Sequence[str]]
    configuration: dict[str, Any]
    weights: dict[str, Tensor]
    facts: list[tuple[str, str]]
    examples: Sequence[str] = ()
    unseen: Sequence[tuple[str, str]] = ()
    failing: dict[str, tuple[str, str]] = field(default_factory=dict)
    half: bool = False


def page_of(exported: Exported) -> str:
    """Return the page, with everything escaped."""
    style = _own("page.css")
    scripts = [_own(name) for name in ("network.js", exported.cut_by, "ask.js", "look.js")]
    settings = {
        name: exported.configuration[name]
        for name in ("d_model", "num_heads", "num_layers", "max_length", "norm_first")
    }
    source, target = exported.tokens
    data = {
        "settings": settings,
        "languages": [code for code, _ in exported.languages],
        "target_language": exported.languages[1][1],
        "source": list(source),
        "target": [] if target is source else list(target),  # one list is enough if both share the tokens
        "examples": list(exported.examples),
        "unseen": list(exported.unseen),
        "failing": exported.failing,
    }
    (code, language), (target_code, target_language) = exported.languages
    return _template().render(
        page=exported,
        code=code,
        language=language,
        target_code=target_code,
        target_language=target_language,
        lists_words=exported.cut_by == WORDS,
        layers=settings["num_layers"],
        heads=settings["num_heads"],
        width=settings["d_model"],
        source_tokens=len(source) - 4,
        target_tokens=len(target) - 4,
        policy=_policy(style, scripts),
        style=style,
        scripts=scripts,
        data=data,
        weights=embedded(exported.weights, exported.half),
    )


def embedded(weights: dict[str, Tensor], half: bool = False) -> str:
    """Return the weights as a file of the safetensors format, in base64.

    Weights take 16 bits if that loses nothing, as for the shipped ones, or if ``half`` asks for it.
    """
    exact = all(torch.equal(w.half().float(), w) for name, w in weights.items() if name != "positions")
    tensors: dict[str, Tensor] = {
        name: weight.half() if (half or exact) and name != "positions" else weight.float()
        for name, weight in weights.items()
    }
    return base64.b64encode(save({name: tensor.contiguous() for name, tensor in tensors.items()})).decode()


def _own(name: str) -> Markup:
    """Return a file of ours, for the page to include unchanged."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert "</" not in text, f"{name} would end the element that contains it"
    return Markup(text)


def _policy(style: str, scripts: list[Markup]) -> str:
    """Forbid fetching anything from anywhere, and allow only these scripts to run."""
    runs = " ".join(_fingerprint(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {runs}; style-src {_fingerprint(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _fingerprint(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _template() -> Template:
    return Environment(autoescape=True).from_string((FOLDER / "page.html").read_text(encoding="utf-8"))
