"""A trained translator as one HTML page that translates in the browser, without a server and without the network."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from jinja2 import Environment, Template
from markupsafe import Markup
from safetensors.torch import save
from torch import Tensor

from course_lib.corpus import detokenize, generate, tokenize
from course_lib.translator.saved import SavedTranslator

FOLDER = Path(__file__).parent
#: the script that turns text into tokens and back
WORDS, SUBWORDS = "words.js", "subwords.js"
#: the size of a page that can be sent by mail
LARGEST = 3_000_000

#: the first examples; each shows something different that word-by-word translation would get wrong
EXAMPLES = (
    "The old woman doesn't see the black cat.",
    "Do your brothers like the red apples?",
    "We wait for the plane because we are hungry.",
    "My sister's friend is never tired.",
    "Why does the child cry?",
    "The king gives a letter to the queen.",
)
#: known words in a pattern that the grammar does not have
OUTSIDE = "She likes to sing."
#: sentences that never occurred in training, with their translations
UNSEEN, SEED = 60, 2026


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


def make_page(saved: SavedTranslator, by: str = "", half: bool = False) -> str:
    """Return the page of a translator of words, with everything escaped.

    Args:
        saved: the translator.
        by: who trained it.
        half: whether its weights are rounded to 16 bits.
    """
    words = set(saved.english)
    failing = {"too-long": _too_long(), "outside": (OUTSIDE, "")}
    can = (
        f"It knows {len(saved.english) - 4:,} English words and the sentences that a small grammar makes of them, 3 to "
        f"14 words long: statements, questions, negations, relative clauses, present and past.{_score(saved)}"
    )
    return page_of(
        Exported(
            cut_by=WORDS,
            title=title(saved, by),
            lead=_lead(saved, by),
            can=can,
            cannot="It knows no word but these, and nothing of the world. Outside its grammar it is wrong and does not "
            "notice.",
            languages=(("en", "English"), ("fr", "French")),
            tokens=(saved.english, saved.french),
            configuration=saved.configuration,
            weights=saved.weights,
            facts=_facts(saved, by, half),
            # only sentences whose words it knows
            examples=[text for text in EXAMPLES if words.issuperset(tokenize(text, "en"))],
            unseen=[pair for pair in _unseen() if words.issuperset(pair[0].split())],
            failing={name: pair for name, pair in failing.items() if words.issuperset(tokenize(pair[0], "en"))},
            half=half,
        )
    )


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


def title(saved: SavedTranslator, by: str) -> str:
    """Return the page's title, which says whose translator it is."""
    if not saved.yours:
        return "A small translator"
    return f"{by}’s translator" if by else "A translator of my own"


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


def _lead(saved: SavedTranslator, by: str) -> str:
    who = by or ("the person who made this page" if saved.yours else "")
    trained = f"trained from scratch by {who}" if who and saved.yours else "the one that comes with the course"
    return (
        f"A Transformer of {saved.parameters:,} parameters, {trained}. It runs here, in this page: "
        "type a sentence, and watch where it looks while it writes."
    )


def _facts(saved: SavedTranslator, by: str, half: bool) -> list[tuple[str, str]]:
    settings, training = saved.configuration, saved.training
    mine = by or "The person who made this page, on their own computer"
    theirs = "The authors of the course, not whoever made this page"
    rows = [
        ("Trained by", mine if saved.yours else theirs),
        ("Parameters", f"{saved.parameters:,}" + (", rounded to 16 bits for this page" if half else "")),
        (
            "Shape",
            f"{settings['num_layers']} layers of encoder and of decoder, {settings['num_heads']} heads, "
            f"width {settings['d_model']}, {'pre' if settings['norm_first'] else 'post'}‑norm",
        ),
        ("Words", f"{len(saved.english) - 4:,} English, {len(saved.french) - 4:,} French"),
    ]
    if "steps" in training:
        rows.append(
            (
                "Training",
                f"{training['steps']:,.0f} steps, {training['cpu_seconds']:,.0f} seconds on one processor core",
            )
        )
    if not saved.yours and by:
        rows.append(("Page made by", by))
    return rows


def _score(saved: SavedTranslator) -> str:
    if "right" not in saved.training:
        return ""
    right = f"{saved.training['right']:.0%}"
    return f" Of sentences that its training never showed, it translates {right} right to the last word."


def _unseen() -> list[tuple[str, str]]:
    """Return sentences that never occurred in training, and their translations, as tokens."""
    return [(" ".join(p.source), " ".join(p.target)) for p in islice(generate(SEED, "held_out", distinct=True), UNSEEN)]


def _too_long() -> tuple[str, str]:
    """Return a sentence longer than any in training, and its translation; it fits on two lines."""
    pair = next(pair for pair in generate(SEED, "longer", distinct=True) if 18 <= len(pair.source) <= 22)
    english, french = detokenize(pair.source, "en"), detokenize(pair.target, "fr")
    return english[:1].upper() + english[1:], french[:1].upper() + french[1:]


def _own(name: str) -> Markup:
    """Return a file of ours, for the page to include unchanged."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert "</" not in text, f"{name} would end the element it stands in"
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
