"""Beam search over a whole batch, with a decoder that caches its keys and values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

#: of one layer: keys and values, (R, H, T, Dh) each
Kept = tuple[Tensor, Tensor]


class BatchedDecoder:
    """The decoder of a `Transformer`, run on several hypotheses at once, one token of each at a time.

    It computes the same as `Transformer.decode`. Keys and values of the memory are computed once, and those of written
    tokens when they are written.

    Args:
        network: a `Transformer` in evaluation mode, any number of layers, pre-norm or post-norm.
        memory: (B, S, D), from its ``encode``.
        memory_mask: (B, 1, 1, S), from its ``encode``.
        beams: K, the number of hypotheses per sentence; from here on, there are (B K) rows.
    """

    def __init__(self, network: Any, memory: Tensor, memory_mask: Tensor, beams: int) -> None:
        self.network, self.beams, self.length = network, beams, 0
        self.mask = memory_mask  # (B, 1, 1, S)
        self.memory: list[Kept] = []
        for layer in network.decoder.layers:
            attention = layer.cross_attention
            self.memory.append((_heads(attention.w_k(memory), attention), _heads(attention.w_v(memory), attention)))
        self.written: list[Kept | None] = [None] * len(self.memory)

    def step(self, token: Tensor) -> Tensor:
        """Read one more token of each hypothesis, (B K,), and return the logits (B K, V) of the next."""
        embedding = self.network.target_embedding
        x = embedding.token_embedding(token.unsqueeze(1))  # (B K, 1, D)
        x = x * math.sqrt(x.size(-1)) + embedding.positions[self.length]  # (B K, 1, D)
        self.length += 1
        for number, layer in enumerate(self.network.decoder.layers):
            x = layer.self_attention_residual(
                x, lambda y, n=number, at=layer.self_attention: self._to_written(y, n, at)
            )
            x = layer.cross_attention_residual(
                x, lambda y, n=number, at=layer.cross_attention: self._to_memory(y, n, at)
            )
            x = layer.feed_forward_residual(x, layer.feed_forward)
        decoded = self.network.decoder.norm(x).squeeze(1)  # (B K, D)
        return F.linear(decoded, embedding.token_embedding.weight)

    def reorder(self, rows: Tensor) -> None:
        """Continue with these rows, (B K,), of the current hypotheses; a row may be used several times."""
        self.written = [kept and (kept[0][rows], kept[1][rows]) for kept in self.written]

    def keep(self, sentences: Tensor) -> None:
        """Continue with only these sentences, given by index, and with all hypotheses of each."""
        rows = (sentences.unsqueeze(1) * self.beams + torch.arange(self.beams, device=sentences.device)).flatten()
        self.reorder(rows)
        self.memory = [(keys[sentences], values[sentences]) for keys, values in self.memory]
        self.mask = self.mask[sentences]

    def _to_written(self, y: Tensor, number: int, attention: Any) -> Tensor:
        query, key, value = (_heads(w(y), attention) for w in (attention.w_q, attention.w_k, attention.w_v))
        before = self.written[number]
        if before is not None:
            key, value = torch.cat([before[0], key], dim=2), torch.cat([before[1], value], dim=2)
        self.written[number] = key, value
        return _merged(F.scaled_dot_product_attention(query, key, value), attention)

    def _to_memory(self, y: Tensor, number: int, attention: Any) -> Tensor:
        # the K hypotheses of a sentence query the same memory: K queries in one row, not K copies of the memory
        query = attention.w_q(y).view(-1, self.beams, y.size(-1))  # (B, K, D)
        keys, values = self.memory[number]
        attended = F.scaled_dot_product_attention(_heads(query, attention), keys, values, self.mask)  # (B, H, K, Dh)
        return _merged(attended, attention).reshape(y.shape)


def _heads(x: Tensor, attention: Any) -> Tensor:
    return x.view(*x.shape[:2], attention.num_heads, -1).transpose(1, 2)  # (R, H, T, Dh)


def _merged(attended: Tensor, attention: Any) -> Tensor:
    output: Tensor = attention.w_o(attended.transpose(1, 2).flatten(2))  # (R, T, D)
    return output


#: how to compute a score from a sum of log-probabilities and a length
Penalty = Callable[[Tensor], Tensor]


def by_power(alpha: float) -> Penalty:
    """Divide by ``length^alpha``, as `beam_search` does."""
    return lambda length: length**alpha


def as_google(alpha: float) -> Penalty:
    """Divide by ``((5 + length) / 6)^alpha``: Wu et al. 2016, eq. 14."""
    return lambda length: ((5 + length) / 6) ** alpha


@torch.no_grad()
def search(
    network: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int | Tensor, width: int, penalty: Penalty
) -> tuple[list[list[int]], list[float]]:
    """Translate a batch with the ``width`` best hypotheses of each sentence; width 1 is greedy decoding.

    The results are identical to `beam_search`, but each token is read only once, and a finished sentence leaves the
    batch.

    Args:
        network: a `Transformer` in evaluation mode.
        source: (B, S) token ids, padded.
        bos_id: what every target starts with.
        eos_id: what a target ends with.
        max_length: the most tokens to write, including ``eos_id``: for all sentences, or for each, (B,).
        width: K.
        penalty: maps a length to the divisor of the sum of log-probabilities.

    Returns:
        The best translation of each sentence, with its end if it has one, and its score.
    """
    memory, memory_mask = network.encode(source)  # (B, S, D), (B, 1, 1, S)
    count, device = source.size(0), source.device
    decoder = BatchedDecoder(network, memory, memory_mask, width)
    numbers = torch.arange(count, device=device)  # (B,): which sentences are still running
    written = torch.full((count, width, 1), bos_id, device=device)  # (B, K, t)
    total = memory.new_full((count, width), -torch.inf)  # (B, K)
    total[:, 0] = 0.0  # at first there is one hypothesis, not K identical ones
    length = torch.zeros_like(total)  # (B, K)
    ended = torch.zeros_like(total, dtype=torch.bool)  # (B, K)
    limits = torch.as_tensor(max_length, device=device).expand(count)  # (B,)
    found: list[list[int]] = [[] for _ in range(count)]
    scores = [0.0] * count
    while len(numbers):
        logits = decoder.step(written[:, :, -1].flatten())  # (B K, V)
        steps = torch.log_softmax(logits.to(total.dtype), dim=-1).view(len(numbers), width, -1)  # (B, K, V)
        vocabulary = steps.size(2)
        stay = torch.full_like(steps[0, 0], -torch.inf)  # (V,): after an end,
        stay[network.pad_id] = 0.0  # padding follows with probability 1
        totals = total.unsqueeze(2) + torch.where(ended.unsqueeze(2), stay, steps)  # (B, K, V)
        length = length + ~ended  # (B, K)
        score, best = (totals / penalty(length).unsqueeze(2)).flatten(1).topk(width, dim=1)  # (B, K) each
        parent, token = best // vocabulary, best % vocabulary  # (B, K)
        history = written.gather(1, parent.unsqueeze(2).expand(-1, -1, written.size(2)))  # (B, K, t)
        written = torch.cat([history, token.unsqueeze(2)], dim=2)  # (B, K, t + 1)
        total, length = totals.flatten(1).gather(1, best), length.gather(1, parent)  # (B, K)
        ended = ended.gather(1, parent) | (token == eos_id)  # (B, K)
        if width > 1:
            rows = parent + torch.arange(len(numbers), device=device).unsqueeze(1) * width
            decoder.reorder(rows.flatten())
        # a hypothesis that does not exist, for lack of words, has also ended
        over = (ended | total.isinf()).all(dim=1) | (written.size(2) > limits[numbers])  # (B,)
        if over.any():
            for row in over.nonzero().flatten().tolist():
                n = int(numbers[row])
                found[n] = written[row, 0, 1 : int(length[row, 0]) + 1].tolist()
                scores[n] = float(score[row, 0])
            going = (~over).nonzero().flatten()
            decoder.keep(going)
            numbers, written, total = numbers[going], written[going], total[going]
            length, ended = length[going], ended[going]
    return found, scores


def in_batches(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Group sentence indices by similar length, the longest first, with at most ``tokens`` tokens per batch."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    batches: list[list[int]] = []
    for number in order:
        if not batches or lengths[batches[-1][0]] * (len(batches[-1]) + 1) > tokens:
            batches.append([])
        batches[-1].append(number)
    return batches
