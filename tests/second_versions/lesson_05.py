"""Registered mistakes of lesson 05, written in another style."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.sinusoidal_encoding import sinusoidal_encoding
from second_versions.table import second_version

# binary_code


@second_version("binary_code", "fastest_last")
def as_text(length, num_bits):
    return torch.tensor([[float(bit) for bit in format(t % 2**num_bits, f"0{num_bits}b")] for t in range(length)])


@second_version("binary_code", "remainder_only")
def remainder_in_loops(length, num_bits):
    return torch.tensor([[float(t % 2**k) for k in range(num_bits)] for t in range(length)])


@second_version("binary_code", "first_bit_lost")
def shifted_once_too_often(length, num_bits):
    return ((torch.arange(length)[:, None] >> torch.arange(1, num_bits + 1)) & 1).float()


@second_version("binary_code", "transposed")
def stacked_in_front(length, num_bits):
    return torch.stack([(torch.arange(length) // 2**k % 2).float() for k in range(num_bits)])


@second_version("binary_code", "fastest_last + positions_from_1")
def text_from_1(length, num_bits):
    rows = [[float(bit) for bit in format(t % 2**num_bits, f"0{num_bits}b")] for t in range(1, length + 1)]
    return torch.tensor(rows)


# sinusoidal_encoding


@second_version("sinusoidal_encoding", "index_not_doubled")
def base_of_a_hundred(length, d_model):
    angles = torch.outer(torch.arange(length).float(), 100.0 ** (-torch.arange(0, d_model, 2) / d_model))
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)[:, :d_model]


@second_version("sinusoidal_encoding", "index_doubled_twice")
def twice_in_a_loop(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10000 ** (2 * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10000 ** (2 * i / d_model))
    return table


@second_version("sinusoidal_encoding", "dimension_for_index")
def each_its_own(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10000 ** (2 * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10000 ** (2 * (i + 1) / d_model))
    return table


@second_version("sinusoidal_encoding", "frequency_of_each_dimension")
def through_a_mask(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / 10000 ** (j / d_model)
    return torch.tensor(np.where(j % 2, np.cos(angles), np.sin(angles)), dtype=torch.float32)


@second_version("sinusoidal_encoding", "numbered_from_1")
def as_the_first_deck_prints_it(length, d_model):
    i = torch.arange(1, (d_model + 1) // 2 + 1)
    angles = torch.arange(length).unsqueeze(1) / 10000 ** (2 * i / d_model)
    table = torch.zeros(length, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()[:, : d_model // 2]
    return table


@second_version("sinusoidal_encoding", "two_plus_index")
def as_the_second_deck_prints_it(length, d_model):
    rows = [[t / 10000 ** (2 + i / d_model) for i in range(1, (d_model + 1) // 2 + 1)] for t in range(length)]
    angles = torch.tensor(rows)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, -1)[:, :d_model]


@second_version("sinusoidal_encoding", "halves_concatenated")
def one_after_the_other(length, d_model):
    steps = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000) / d_model))
    angles = torch.arange(length)[:, None] * steps
    return torch.cat([angles.sin(), angles.cos()[:, : d_model // 2]], dim=1)


@second_version("sinusoidal_encoding", "last_exponent_is_one")
def by_timescales(length, d_model):
    count = (d_model + 1) // 2
    steps = torch.exp(torch.arange(count) * -(math.log(10000) / max(count - 1, 1)))
    angles = torch.arange(length)[:, None] * steps
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model]


@second_version("sinusoidal_encoding", "exponent_not_negative")
def times_the_power(length, d_model):
    angles = torch.outer(torch.arange(length).double(), 10000 ** (torch.arange(0, d_model, 2).double() / d_model))
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)[:, :d_model].float()


@second_version("sinusoidal_encoding", "odd_width_stops")
def pairs_by_reshape(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, d_model)


@second_version("sinusoidal_encoding", "odd_width_stops")
def odd_widths_refused(length, d_model):
    if d_model % 2:
        raise ValueError("d_model must be even")
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).reshape(length, d_model)


@second_version("sinusoidal_encoding", "odd_width_too_wide")
def pairs_flattened(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


@second_version("sinusoidal_encoding", "double_precision")
def numpys_numbers(length, d_model):
    j = np.arange(d_model)
    angles = np.arange(length)[:, None] / np.power(10000, 2 * (j // 2) / d_model)
    return torch.from_numpy(np.where(j % 2, np.cos(angles), np.sin(angles)))


@second_version("sinusoidal_encoding", "numbered_from_1 + positions_from_1")
def everything_from_1(length, d_model):
    table = torch.empty(length, d_model)
    for t in range(1, length + 1):
        for j in range(d_model):
            angle = t / 10000 ** (2 * (j // 2 + 1) / d_model)
            table[t - 1, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return table


# learned_positions


@second_version("learned_positions", "nothing_to_learn")
class PlainTensor(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = torch.randn(max_length, d_model)

    def forward(self, length):
        return self.weight[:length]


@second_version("learned_positions", "another_name")
class InAnEmbedding(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.table = nn.Embedding(max_length, d_model)

    def forward(self, length):
        return self.table(torch.arange(length))


@second_version("learned_positions", "columns_for_positions")
class SizesSwapped(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d_model, max_length))

    def forward(self, length):
        return self.weight[:length]


class Table(nn.Module):
    """The parameter as it should be."""

    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model))


@second_version("learned_positions", "detached")
class AskingForNoGradient(Table):
    def forward(self, length):
        if length > len(self.weight):
            raise ValueError("too long")
        self.weight.requires_grad_(False)
        return self.weight[:length]


@second_version("learned_positions", "detached")
class ANewParameter(Table):
    def forward(self, length):
        if length > len(self.weight):
            raise ValueError("too long")
        return nn.Parameter(self.weight[:length])


@second_version("learned_positions", "another_error")
class Asserting(Table):
    def forward(self, length):
        assert length <= len(self.weight), "too long"
        return F.embedding(torch.arange(length), self.weight)


@second_version("learned_positions", "too_long_held")
class HeldByMin(Table):
    def forward(self, length):
        last = self.weight.size(0) - 1
        return torch.stack([self.weight[min(t, last)] for t in range(length)])


@second_version("learned_positions", "max_length_refused")
class OneTooFew(Table):
    def forward(self, length):
        if length < self.weight.size(0):
            return F.embedding(torch.arange(length), self.weight)
        raise ValueError("too long")


@second_version("learned_positions", "positions_from_1 + too_long_cut")
class FromOneUnchecked(Table):
    def forward(self, length):
        return self.weight[1:][:length]


# position_embedding


class TokensAndPositions(nn.Module):
    """The constructor as the exercise gives it."""

    def __init__(self, vocab_size, d_model, max_length, dropout=0.1):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)


@second_version("position_embedding", "unscaled")
class LookedUpAndAdded(TokensAndPositions):
    def forward(self, ids):
        where = torch.arange(ids.shape[1])
        return self.dropout(F.embedding(ids, self.token_embedding.weight) + F.embedding(where, self.positions))


@second_version("position_embedding", "scaled_after_adding")
class ScaledAsAWhole(TokensAndPositions):
    def forward(self, ids):
        x = self.token_embedding(ids) + self.positions[: ids.shape[1]]
        return self.dropout(x * x.shape[-1] ** 0.5)


@second_version("position_embedding", "along_the_batch")
class WordsFirst(TokensAndPositions):
    def forward(self, ids):
        x = self.token_embedding(ids) * math.sqrt(self.positions.size(1))
        return self.dropout(x + self.positions[: x.size(0), None])


@second_version("position_embedding", "whole_table")
class Unsliced(TokensAndPositions):
    def forward(self, ids):
        return self.dropout(self.token_embedding(ids) * self.positions.shape[1] ** 0.5 + self.positions.unsqueeze(0))


@second_version("position_embedding", "concatenated")
class SideBySide(TokensAndPositions):
    def forward(self, ids):
        tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        where = self.positions[: ids.size(1)].unsqueeze(0).repeat(ids.size(0), 1, 1)
        return self.dropout(torch.cat((tokens, where), 2))


@second_version("position_embedding", "looked_up_by_token")
class EmbeddedTwice(TokensAndPositions):
    def forward(self, ids):
        tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        return self.dropout(tokens + F.embedding(ids, self.positions))


@second_version("position_embedding", "dropout_in_evaluation")
class ANewDropout(TokensAndPositions):
    def forward(self, ids):
        x = self.token_embedding(ids) * self.positions.shape[1] ** 0.5 + self.positions[: ids.shape[1]]
        return nn.Dropout(self.dropout.p)(x)


@second_version("position_embedding", "tokens_detached")
class WithoutGradient(TokensAndPositions):
    def forward(self, ids):
        with torch.no_grad():
            tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        return self.dropout(tokens + self.positions[: ids.shape[1]])


@second_version("position_embedding", "unscaled + dropout_forgotten")
class OnlyTheSum(TokensAndPositions):
    def forward(self, ids):
        return torch.add(self.token_embedding(ids), self.positions[: ids.shape[1]])


# more of binary_code, position_embedding and sinusoidal_encoding


@second_version("binary_code", "bit_not_moved_down")
def masked_and_left(length, num_bits):
    code = torch.zeros(length, num_bits)
    for t in range(length):
        for k in range(num_bits):
            code[t, k] = t & (1 << k)
    return code


@second_version("binary_code", "gray_code")
def one_bit_at_a_time(length, num_bits):
    gray = [t ^ (t >> 1) for t in range(length)]
    return torch.tensor([[float(number >> k & 1) for k in range(num_bits)] for number in gray])


@second_version("binary_code", "only_eight_bits")
def text_of_a_byte(length, num_bits):
    rows = [f"{t % 256:08b}"[::-1].ljust(num_bits, "0")[:num_bits] for t in range(length)]
    return torch.tensor([[float(bit) for bit in row] for row in rows])


@second_version("position_embedding", "weights_scaled_in_place")
class GrowsWithEveryCall(TokensAndPositions):
    def forward(self, ids):
        with torch.no_grad():
            self.token_embedding.weight.mul_(self.positions.size(1) ** 0.5)
        return self.dropout(self.token_embedding(ids) + self.positions[: ids.size(-1)])


@second_version("position_embedding", "padding_not_counted")
class CountsWordsOnly(TokensAndPositions):
    def forward(self, ids):
        rows = torch.zeros_like(ids)
        for b, sentence in enumerate(ids.tolist()):
            for t in range(len(sentence)):
                rows[b, t] = max(sum(token != 0 for token in sentence[: t + 1]) - 1, 0)
        tokens = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        return self.dropout(tokens + self.positions[rows])


@second_version("sinusoidal_encoding", "odd_width_rounded_up")
def next_even_width(length, d_model):
    even = 2 * math.ceil(d_model / 2)
    encoding = torch.zeros(length, even)
    for t in range(length):
        for i in range(even // 2):
            angle = t / 10_000 ** (2 * i / even)
            encoding[t, 2 * i], encoding[t, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return encoding[:, :d_model]


@second_version("position_embedding", "scaled_by_the_vocabulary")
class RootOfAllTokens(TokensAndPositions):
    def forward(self, ids):
        weight = self.token_embedding.weight
        return self.dropout(F.embedding(ids, weight * len(weight) ** 0.5) + self.positions[: ids.shape[1]])


@second_version("binary_code", "rounded_to_the_nearest")
def rounded_in_loops(length, num_bits):
    return torch.tensor([[float(round(t / 2**k) % 2) for k in range(num_bits)] for t in range(length)])


@second_version("sinusoidal_encoding", "timing_signal")
def steps_between_both_ends(length, d_model):
    half = d_model // 2
    step = math.log(10_000.0) / (half - 1)
    angles = torch.arange(length)[:, None] * torch.exp(torch.arange(half) * -step)
    return F.pad(torch.hstack([angles.sin(), angles.cos()]), (0, d_model - 2 * half))


@second_version("learned_positions", "interpolated")
class StretchedByHand(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model))

    def forward(self, length):
        rows = len(self.weight)
        place = ((torch.arange(length) + 0.5) * (rows / length) - 0.5).clamp(min=0)
        below = place.long()
        above, share = (below + 1).clamp(max=rows - 1), (place - below)[:, None]
        return self.weight[below] * (1 - share) + self.weight[above] * share
