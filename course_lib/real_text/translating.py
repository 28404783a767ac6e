"""Translating lines of text with a trained network, in batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.utils.rnn import pad_sequence

from course_lib.real_text.decoding import as_google, in_batches, search

if TYPE_CHECKING:
    from course_lib.real_text.run import Run

#: source positions per batch, for one hypothesis
_TOKENS = 6000


@dataclass(frozen=True)
class Translated:
    """A line's translation.

    Attributes:
        text: the translation; empty if the line is empty or too long.
        ids: its subwords, with the end.
        score: its score in the search.
        too_long: by how many subwords the line is too long; 0 if it fits.
    """

    text: str
    ids: list[int]
    score: float
    too_long: int = 0


def translate_lines(
    network: Any,
    run: Run,
    lines: Sequence[str],
    width: int = 5,
    alpha: float = 1.0,
    device: str = "cpu",
    done: Callable[[int], object] = lambda count: None,
) -> list[Translated]:
    """Translate each line by itself; lines of similar length share a batch.

    Args:
        network: a `Transformer` in evaluation mode.
        run: provides the subwords.
        lines: lines of text, one sentence each.
        width: the beam width; 1 is greedy decoding.
        alpha: the length penalty of Wu et al. 2016.
        done: called now and then with the number of lines translated since the last call.
    """
    most, subwords = run.settings.max_length, run.subwords
    rows = [subwords.encode(line)[1:-1] for line in lines]
    found = [Translated("", [], 0.0, max(0, len(row) - most)) for row in rows]
    fitting = [number for number, row in enumerate(rows) if 0 < len(row) <= most]
    for batch in in_batches([len(rows[number]) for number in fitting], max(1, _TOKENS // width)):
        chosen = [fitting[place] for place in batch]
        source = pad_sequence([torch.tensor(rows[number]) for number in chosen], True, subwords.pad_id).to(device)
        lengths = torch.tensor([len(rows[number]) for number in chosen], device=device)
        longest = (2 * lengths + 10).clamp(max=most)  # (B,): for each line separately
        written, scores = search(network, source, subwords.bos_id, subwords.eos_id, longest, width, as_google(alpha))
        for number, ids, score in zip(chosen, written, scores, strict=True):
            found[number] = Translated(subwords.decode(ids), ids, score)
        done(len(chosen))
    done(len(lines) - len(fitting))
    return found
