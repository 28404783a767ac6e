"""A beam of two on a language of two words: the tree grows at every step, and most of it is cut."""

from __future__ import annotations

from dataclasses import dataclass

from course_lib.diagrams.canvas import SMALL, Canvas, Kind

#: the possible next words (at the beginning: first words), with their probabilities; "." is the end
SAYS = {
    "": {"a": 0.55, "b": 0.40, ".": 0.05},
    "a": {"a": 0.42, "b": 0.34, ".": 0.24},
    "b": {"a": 0.06, "b": 0.04, ".": 0.90},
}
BEAM, STEPS = 2, 3
WIDE, TALL, TOP, PITCH = 118.0, 34.0, 62.0, 44.0
LEFT = (12.0, 156.0, 306.0, 456.0)


@dataclass(frozen=True)
class Hypothesis:
    """A sentence so far, its probability, and the index of its parent in the previous step."""

    words: str
    probability: float
    parent: int
    kept: bool = False


def grow(width: int, steps: int) -> list[list[Hypothesis]]:
    """Return all candidates, step by step; only the ``width`` likeliest are kept and continued."""
    levels = [[Hypothesis("", 1.0, 0, kept=True)]]
    for _ in range(steps):
        candidates = []
        for place, parent in enumerate(levels[-1]):
            if parent.kept and parent.words.endswith("."):
                candidates.append(Hypothesis(parent.words, parent.probability, place))
            elif parent.kept:
                following = SAYS[parent.words[-1:]].items()
                candidates += [Hypothesis(parent.words + w, parent.probability * p, place) for w, p in following]
        least = sorted((one.probability for one in candidates), reverse=True)[width - 1]
        levels.append([Hypothesis(c.words, c.probability, c.parent, c.probability >= least) for c in candidates])
    return levels


def draw() -> Canvas:
    """Draw a column for each step; kept boxes are filled, dropped ones dashed, and the winner is marked."""
    levels = grow(BEAM, STEPS)
    steps = "; ".join(
        f"step {number}: " + ", ".join(f"{_said(c)} {'kept' if c.kept else 'dropped'}" for c in level)
        for number, level in enumerate(levels)
        if number
    )
    canvas = Canvas(
        TOP + 6 * PITCH + 46,
        "A beam of two: what grows, what is kept, what is dropped",
        f"Four columns, from the begin to step {STEPS}. {steps}. The winner is b. with 0.360, which greedy decoding "
        "dropped at the first step.",
    )
    for number, left in enumerate(LEFT):
        canvas.text(left + WIDE / 2, 24, f"step {number}" if number else "begin", SMALL, look="soft")
    tops = [_tops(level) for level in levels]
    for number, level in enumerate(levels[1:], start=1):
        for place, one in enumerate(level):
            begin = (LEFT[number - 1] + WIDE, tops[number - 1][one.parent] + TALL / 2)
            end = (LEFT[number] - 2, tops[number][place] + TALL / 2)
            canvas.arrow(begin, end, look="" if one.kept else "faint")
    for number, level in enumerate(levels):
        for place, one in enumerate(level):
            won = number == STEPS and one.words == "b."
            kind: Kind = "point" if won else "yours" if one.kept else "later"
            text = _said(one) if number else "bos 1.000"
            canvas.box(LEFT[number], tops[number][place], WIDE, TALL, text, kind=kind, size=SMALL)
    canvas.text(12, canvas.height - 20, "filled: kept · dashed: dropped · orange: the winner", SMALL, "start", "soft")
    return canvas


def _said(one: Hypothesis) -> str:
    word = one.words.removesuffix(".")
    return f"{f'*{word}*' if word else ''}{'.' if one.words.endswith('.') else ''} {one.probability:.3f}"


def _tops(level: list[Hypothesis]) -> list[float]:
    """Return the tops of a column's boxes, so that every column has its middle at one height."""
    first = TOP + (6 - len(level)) * PITCH / 2
    return [first + place * PITCH for place in range(len(level))]
