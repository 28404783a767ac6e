"""`mistakes.md` is read as it is laid out, and a slip in it is one sentence that says where it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.exercises.mistakes import Mistake, read_mistakes

TEXT = """# The shift

## not_shifted
part: shift

You exponentiate the scores as they are: `exp` overflows.

- What is `np.exp(1000)`?
- Which constant makes it safe?
- Subtract the largest score.

`scores - top` → `scores`

# The end

## twice
matcher: memory_is_shared

You divide twice.

- How often do you divide?
- Count the lines.

```python
shares = powers / total
    return shares
```
→
```python
shares = powers / total

    # once more
    return shares / total
```

`total = sum(powers)` → nothing

## written_out

You return zeros.

- What do you return?
- Which line does the work?
- Return the shares.
"""


def read(text: str, folder: Path) -> tuple[Mistake, ...]:
    path = folder / "mistakes.md"
    path.write_text(text, encoding="utf-8")
    return read_mistakes(path, "Divide once.")


def test_a_section_is_a_mistake(tmp_path: Path) -> None:
    first, second, third = read(TEXT, tmp_path)
    assert first.name == "not_shifted" and first.part == "shift"
    assert first.misconception.sentence == "You exponentiate the scores as they are: `exp` overflows."
    assert first.misconception.hints[2] == "Subtract the largest score."
    assert first.edits == (("scores - top", "scores"),)
    assert not third.edits and not third.part and third.misconception.matcher is None
    assert second.misconception.matcher is not None
    assert second.misconception.matcher.__name__ == "memory_is_shared"


def test_edits_are_made_in_the_order_in_which_they_are_written(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path)[1].edits == (
        (
            "shares = powers / total\n    return shares",
            "shares = powers / total\n\n    # once more\n    return shares / total",
        ),
        ("total = sum(powers)", ""),
    )


def test_two_hints_are_followed_by_the_exercises_last(tmp_path: Path) -> None:
    assert read(TEXT, tmp_path)[1].misconception.hints == (
        "How often do you divide?",
        "Count the lines.",
        "Divide once.",
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "- What is `np.exp(1000)`?\n- Which constant makes it safe?\n",
            "",
            "two or three hints are required; there are 1",
        ),
        ("You divide twice.\n", "", "twice: the sentence for the student is missing"),
        ("matcher: memory_is_shared", "matcher: memory_is_share", "no matcher 'memory_is_share'; did you mean"),
        (
            "`scores - top` → `scores`",
            "`scores - top` -> `scores`",
            "neither a hint nor an edit: '`scores - top` -> `scores`'",
        ),
    ],
)
def test_a_slip_is_one_sentence_that_says_where_it_is(old: str, new: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"mistakes\.md: ") as error:
        read(TEXT.replace(old, new), tmp_path)
    assert said in str(error.value)
