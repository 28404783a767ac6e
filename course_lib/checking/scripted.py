"""Models whose every word is laid down beforehand, so that one knows what decoding must find."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class ScriptedModel(nn.Module):
    """Has the methods of a `Transformer`, and reads what it says from a table.

    What comes next depends on the sentence, on the place and on the token that stands there. So whoever hands it
    another sentence's memory, a token too few or one at another place, is told something else. A sentence is known by
    the sum of its ids that are not masked.

    Args:
        table: (N, L, V, V): of sentence number ``sum % N``, at place t (from L on, as at L - 1), after each token the
            logits of the next.
        pad_id: the id of the padding token.
    """

    def __init__(self, table: Tensor, pad_id: int) -> None:
        super().__init__()
        self.table, self.pad_id = table, pad_id
        self.encodings = 0  # how often something was encoded

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The ids themselves as memory (B, S, 1), and which of them are real, (B, 1, 1, S)."""
        self.encodings += 1
        return source.unsqueeze(-1).to(self.table.dtype), (source != self.pad_id)[:, None, None]

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """The logits (B, T, V) after each of the target ids (B, T)."""
        batch, length = target.shape
        # as attention would, it takes one memory for all, or one for each
        memory = memory.expand(batch, -1, -1)  # (B, S, 1)
        real = memory_mask.expand(batch, 1, 1, memory.size(1))  # (B, 1, 1, S)
        sentence = (memory[:, :, 0] * real[:, 0, 0]).sum(dim=1).long() % self.table.size(0)  # (B,)
        place = torch.arange(length).clamp(max=self.table.size(1) - 1)  # (T,)
        return self.table[sentence.unsqueeze(1), place, target]  # (B, T, V)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The logits (B, T, V) at every place of a target."""
        return self.decode(target, *self.encode(source))


class ScriptedLanguageModel(nn.Module):
    """A language model that reads what it says from a table.

    What comes next depends on the last token that it reads, and on the sum of all of them. So whoever lets it read a
    token too many or too few is told something else.

    Args:
        table: (N, V, V): where the ids read so far sum to ``n``, of script number ``n % N``, after each token the
            logits of the next.
    """

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.table = table

    def forward(self, ids: Tensor) -> Tensor:
        """The logits (B, T, V) after each of the ids (B, T)."""
        return self.table[ids.cumsum(dim=1) % self.table.size(0), ids]


def the_likeliest(logits: Tensor) -> Tensor:
    """The id of the largest of the logits (B, V), for each row."""
    return logits.argmax(dim=-1)


def the_second_likeliest(logits: Tensor) -> Tensor:
    """The id of the second largest of the logits (B, V), for each row."""
    return logits.topk(2, dim=-1).indices[:, 1]


def the_last_above_zero(logits: Tensor) -> Tensor:
    """The greatest id whose logit, of (B, V), is above 0, for each row; 0 where none is."""
    return ((logits > 0) * torch.arange(logits.size(1))).amax(dim=-1)


def by_row(logits: Tensor) -> Tensor:
    """The id of the largest of the logits (B, V) for the first row, of the second largest for the second, and so on."""
    rows = torch.arange(len(logits))
    return logits.argsort(dim=-1, descending=True)[rows, rows % logits.size(1)]


#: ways to choose a token, by what a question calls them
CHOICES: dict[str, Callable[[Tensor], Tensor]] = {
    "takes the likeliest": the_likeliest,
    "takes the second likeliest": the_second_likeliest,
    "takes the last whose logit is above 0": the_last_above_zero,
    "takes the likeliest for the first row, the second likeliest for the second, and so on": by_row,
}
