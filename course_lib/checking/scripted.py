"""Small models for questions: a check knows what decoding must find with them, or what their outputs depend on."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn


class ScriptedModel(nn.Module):
    """A stand-in for a `Transformer` with the same methods, which looks up its logits in a table.

    The next token depends on the sentence, on the position and on the token at that position. So code that passes
    another sentence's memory, one token too few or a token at another position gets different logits. A sentence is
    identified by the sum of its unmasked ids.

    Args:
        table: (N, L, V, V): for sentence number ``sum % N`` and position t (from L on, the same as L - 1), the logits
            that follow each token.
        pad_id: the id of the padding token.
    """

    def __init__(self, table: Tensor, pad_id: int) -> None:
        super().__init__()
        self.table, self.pad_id = table, pad_id
        self.encodings = 0  # the number of calls of `encode`

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Return the ids themselves as memory (B, S, 1), and which of them are real, (B, 1, 1, S)."""
        self.encodings += 1
        return source.unsqueeze(-1).to(self.table.dtype), (source != self.pad_id)[:, None, None]

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Return the logits (B, T, V) after each of the target ids (B, T)."""
        batch, length = target.shape
        # like attention, accept one memory for all rows or one for each
        memory = memory.expand(batch, -1, -1)  # (B, S, 1)
        sentence = self.number_of(memory, memory_mask.expand(batch, 1, 1, memory.size(1)))  # (B,)
        place = torch.arange(length).clamp(max=self.table.size(1) - 1)  # (T,)
        return self.table[sentence.unsqueeze(1), place, target]  # (B, T, V)

    def number_of(self, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Return the sentence's number in the table, (B,), for memory (B, S, 1) and mask (B, 1, 1, S)."""
        return (memory[:, :, 0] * memory_mask[:, 0, 0]).sum(dim=1).long() % self.table.size(0)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits (B, T, V) at every position of a target."""
        return self.decode(target, *self.encode(source))


class ScriptedLanguageModel(nn.Module):
    """A language model that looks up its logits in a table.

    The next token depends on the last token that the model reads, and on the sum of all of them. So code that lets it
    read one token too many or too few gets different logits.

    Args:
        table: (N, V, V): for script number ``n % N``, where ``n`` is the sum of the ids read so far, the logits that
            follow each token.
    """

    def __init__(self, table: Tensor) -> None:
        super().__init__()
        self.table = table

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits (B, T, V) after each of the ids (B, T)."""
        return self.table[ids.cumsum(dim=1) % self.table.size(0), ids]


class WeighingModel(nn.Module):
    """A model whose outputs depend on its tokens exactly as its weights say: each output is a weighted sum of the ids.

    Args:
        weights: (T, T, V): for the output at position i, the weight of the token at position j in each of V numbers.
    """

    def __init__(self, weights: Tensor) -> None:
        super().__init__()
        self.weights = weights

    def forward(self, ids: Tensor) -> Tensor:
        """Return the outputs (B, T, V) for ids (B, T)."""
        return torch.einsum("ijv,bj->biv", self.weights, ids.to(self.weights.dtype))

    def extra_repr(self) -> str:
        """Return the weights."""
        return f"weights={self.weights.tolist()}"


def the_likeliest(logits: Tensor) -> Tensor:
    """Return the id of the largest of the logits (B, V), for each row."""
    return logits.argmax(dim=-1)


def the_second_likeliest(logits: Tensor) -> Tensor:
    """Return the id of the second largest of the logits (B, V), for each row."""
    return logits.topk(2, dim=-1).indices[:, 1]


def the_last_above_zero(logits: Tensor) -> Tensor:
    """Return the greatest id whose logit (B, V) is above 0, for each row; 0 if there is none."""
    return ((logits > 0) * torch.arange(logits.size(1))).amax(dim=-1)


def by_row(logits: Tensor) -> Tensor:
    """Return the id of the largest of the logits (B, V) for the first row, of the second largest for the second, ..."""
    rows = torch.arange(len(logits))
    return logits.argsort(dim=-1, descending=True)[rows, rows % logits.size(1)]


#: ways to choose a token, by the name that a question uses
CHOICES: dict[str, Callable[[Tensor], Tensor]] = {
    "takes the likeliest": the_likeliest,
    "takes the second likeliest": the_second_likeliest,
    "takes the last whose logit is above 0": the_last_above_zero,
    "takes the likeliest for the first row, the second likeliest for the second, and so on": by_row,
}
