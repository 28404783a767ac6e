"""Compile pages from the lessons and other documents: misreadings, references, terms and topics."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autograder.building.lesson import read_lesson
from course_lib.contents import public_lessons
from course_lib.course import Course

#: the technical terms that the lessons explain. Each is in bold at its first explanation
TERMS = (
    "additive", "ALiBi", "alignment error rate", "attention", "attention rollout", "attentional state",
    "backpropagation through time", "batch normalisation", "beam search", "BLEU", "bottleneck", "brevity penalty",
    "byte-pair encoding", "causal mask", "cell state", "context", "corpus", "cross-attention", "dropout",
    "encoder layer", "equivariant", "exact match", "feed-forward network", "fine-tuning", "FlashAttention", "gates",
    "gold alignment", "gradient clipping", "greedy decoding", "grouped-query attention", "head", "Jacobian",
    "key/value cache", "label smoothing", "language model", "layer normalisation", "learned positional embedding",
    "length penalty", "linear attention", "local attention", "logit", "long short-term memory", "Mamba", "mask",
    "masked language model", "masked self-attention", "memory", "multi-query attention", "n-grams",
    "nucleus sampling", "online softmax", "output projection", "padding", "patches", "path length", "perplexity",
    "post-norm", "pre-norm", "prefix language model", "pretraining", "rank collapse", "recurrent neural network",
    "relative position", "residual connection", "residual stream", "RMSNorm", "rotary position embedding", "RWKV",
    "scaled dot-product attention", "self-attention", "sequence to sequence", "sinusoidal encoding",
    "sliding window", "soft look-up", "softmax", "Spearman's rank correlation", "sub-layer", "SwiGLU",
    "teacher forcing", "temperature", "tied embeddings", "top k", "top p", "vision Transformer", "vocabulary",
    "warm-up",
)  # fmt: skip

_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)
#: a link in docs/topics.md: the lesson's number, the section's heading and the lesson
_TOPIC = re.compile(r"\[(\d\d, (.+?))\]\(\.\./notebooks/(\w+)/\3\.ipynb\)")


def misreadings(course: Course) -> str:
    """Return the page of common misreadings, by lesson."""
    about = "Sentences, formulas and lines of code that are easily misread, from the end of each lesson."
    return _by_lesson(course, "Common misreadings", about, "Common misreadings")


def references(course: Course) -> str:
    """Return the page of further reading and sources, by lesson."""
    about = "Papers and texts that the lessons recommend, and the lectures that they are based on."
    return _by_lesson(course, "References", about, "Read on", "The end, and where to go from here")


def terms(course: Course) -> str:
    """Return the page of terms, with the section that first explains each."""
    first: dict[str, tuple[str, str]] = {}
    wanted = {term.lower(): term for term in TERMS}
    for lesson in public_lessons():
        _, *parts = _HEADING.split("\n\n".join(_prose(course, lesson.name)))
        for section, text in zip(parts[::2], parts[1::2], strict=True):
            for bold in _BOLD.findall(text):
                if (term := bold.lower()) in wanted:
                    first.setdefault(term, (lesson.name, section))
    if missing := set(wanted) - set(first):
        raise LookupError(f"No lesson sets these terms in bold: {', '.join(sorted(missing))}.")
    rows = (
        f"| {wanted[term]} | [{name[:2]}, {section}]({page_of(name, section)}) |"
        for term, (name, section) in sorted(first.items())
    )
    return "\n".join(
        [
            "# Terms",
            "",
            "Where each technical term is first explained.",
            "",
            "| term | lesson |",
            "|---|---|",
            *rows,
            "",
        ]
    )


def topics(course: Course) -> str:
    """Return the page of the lectures' topics, with links to the book's pages."""
    text = (course.root / "docs" / "topics.md").read_text(encoding="utf-8")
    return _TOPIC.sub(lambda found: f"[{found[1]}]({page_of(found[3], found[2])})", text)


#: the functions that make pages, each named after its page
PAGES = (misreadings, references, terms, topics)


def page_of(lesson: str, section: str = "") -> str:
    """Return the link to a lesson's page, or to a section in it, relative to the front page."""
    return f"lessons/{lesson}/{lesson}.ipynb" + (f"#{_anchor(section)}" if section else "")


def _anchor(heading: str) -> str:
    """Return the anchor of a heading in MyST, which is the same as GitHub's. Ignore formulas."""
    words = re.sub(r"\$[^$]*\$|[`*]", "", heading).lower()
    return re.sub(r"[^\w-]", "", words.replace(" ", "-"))


def _by_lesson(course: Course, title: str, about: str, *headings: str) -> str:
    parts = [f"# {title}", about]
    for lesson in public_lessons():
        if found := "\n\n".join(_sections(course, lesson.name, headings)):
            parts += [f"## [Lesson {lesson.number}, {lesson.title}]({page_of(lesson.name)})", found]
    return "\n\n".join(parts) + "\n"


def _sections(course: Course, lesson: str, headings: Sequence[str]) -> Iterator[str]:
    """Yield the prose of sections, each up to its first code cell, without sentences that only introduce the next."""
    for text in _prose(course, lesson):
        for part in re.split(r"^(?=## )", text, flags=re.MULTILINE):
            heading, _, body = part.partition("\n")
            if heading.removeprefix("## ") in headings:
                lines = (
                    line for line in body.split("\n**Next:")[0].splitlines() if not line.startswith("The cell below")
                )
                yield "\n".join(lines).strip().replace("](../", "](lessons/")


def _prose(course: Course, lesson: str) -> Iterator[str]:
    for cell in read_lesson(course.lesson_text(lesson)):
        if cell.kind == "prose":
            yield cell.source
