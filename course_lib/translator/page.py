"""The page of a translator of words: what it says about itself, and the sentences that it offers."""

from __future__ import annotations

from itertools import islice

from course_lib.corpus import detokenize, generate, tokenize
from course_lib.export.page import WORDS, Exported, page_of
from course_lib.translator.saved import SavedTranslator

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


def title(saved: SavedTranslator, by: str) -> str:
    """Return the page's title, which says whose translator it is."""
    if not saved.yours:
        return "A small translator"
    return f"{by}’s translator" if by else "A translator of my own"


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
    theirs = "The authors of the course, not the person who made this page"
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
