"""Registered mistakes of lesson 07, written in another style."""

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.causal_mask import causal_mask
from course_lib.components.encoder import Encoder
from course_lib.components.position_embedding import PositionEmbedding
from second_versions.table import second_version

# causal_mask


@second_version("causal_mask", "own_token_hidden")
def strictly_lower(length):
    return torch.ones(length, length).tril(diagonal=-1).bool()


@second_version("causal_mask", "one_ahead_visible")
def upper_from_the_second_diagonal(length):
    return ~torch.ones(length, length, dtype=torch.bool).triu(2)


@second_version("causal_mask", "future_only")
def upper_triangle(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool))


@second_version("causal_mask", "true_means_blocked")
def as_torchs_modules_have_it(length):
    return nn.Transformer.generate_square_subsequent_mask(length).bool()


@second_version("causal_mask", "others_only")
def all_but_the_diagonal(length):
    return torch.ones(length, length, dtype=torch.bool).fill_diagonal_(False)


@second_version("causal_mask", "numbers_not_booleans")
def triangle_of_whole_numbers(length):
    return torch.tril(torch.ones(length, length, dtype=torch.int32))


@second_version("causal_mask", "added_to_scores")
def torchs_own(length):
    return nn.Transformer.generate_square_subsequent_mask(length)


@second_version("causal_mask", "axis_of_batch_already")
def with_a_batch_in_front(length):
    return torch.tril(torch.ones(1, length, length)) == 1


# decoder_mask


@second_version("decoder_mask", "one_of_both_is_enough")
def torchs_logical_or(ids, pad_id):
    return torch.logical_or((ids != pad_id).unsqueeze(1), causal_mask(ids.size(1)))


@second_version("decoder_mask", "padding_forgotten")
def repeated_triangle(ids, pad_id):
    return causal_mask(ids.size(1)).repeat(len(ids), 1, 1)


@second_version("decoder_mask", "future_forgotten")
def repeated_padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None].repeat(1, ids.size(1), 1)


@second_version("decoder_mask", "queries_masked")
def padding_as_a_column(ids, pad_id):
    return causal_mask(ids.size(1)) & ids.ne(pad_id).unsqueeze(-1)


@second_version("decoder_mask", "padded_queries_hidden_too")
def outer_product_of_the_real(ids, pad_id):
    real = (ids != pad_id).long()
    return (real[:, :, None] * real[:, None, :]).bool().tril()


@second_version("decoder_mask", "padding_only")
def torchs_padding_mask(ids, pad_id):
    return (ids == pad_id)[:, None, :] & causal_mask(ids.size(1))


@second_version("decoder_mask", "sentences_as_queries")
def padding_as_a_matrix(ids, pad_id):
    return (ids != pad_id) & causal_mask(ids.size(1))


@second_version("decoder_mask", "true_means_blocked")
def blocked_are_joined(ids, pad_id):
    return ids.eq(pad_id).unsqueeze(1) | torch.ones(ids.size(1), ids.size(1)).triu(1).bool()


@second_version("decoder_mask", "zero_assumed")
def truth_of_the_ids(ids, pad_id):
    return ids.bool()[:, None] & causal_mask(ids.size(1))


@second_version("decoder_mask", "as_long_as_the_real_ones")
def lengths_of_sentences(ids, pad_id):
    mask = torch.zeros(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)
    for sentence, length in zip(mask, (ids != pad_id).sum(1).tolist(), strict=True):
        sentence[:, :length] = causal_mask(ids.size(1))[:, :length]
    return mask


# causal_language_model


class ALanguageModel(nn.Module):
    """The constructor that is given, and two methods that are right."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, d_ff, max_length, dropout=0.1, pad_id=0):
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


@second_version("causal_language_model", "no_mask")
class AnEncoderThatPredicts(ALanguageModel):
    def mask(self, ids):
        return None


@second_version("causal_language_model", "padding_hidden_only")
class PaddingForEveryQuery(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id).view(len(ids), 1, 1, -1).expand(-1, -1, ids.size(1), -1)


@second_version("causal_language_model", "padding_visible")
class OneTriangleForAll(ALanguageModel):
    def mask(self, ids):
        return causal_mask(ids.size(1))[None, None]


@second_version("causal_language_model", "one_ahead_visible")
class TriangleMovedByOne(ALanguageModel):
    def mask(self, ids):
        length = ids.size(1)
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(length + 1)[1:, :length]


@second_version("causal_language_model", "mask_turned_round")
class AsTorchWantsIt(ALanguageModel):
    def mask(self, ids):
        return (ids == self.pad_id)[:, None, None, :] | ~causal_mask(ids.size(1))


@second_version("causal_language_model", "axis_of_heads_missing")
class NoAxisForTheHeads(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, :] & causal_mask(ids.size(1))


@second_version("causal_language_model", "nothing_shifted")
class LabelsAreWhatIsRead(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids).flatten(0, 1), ids.flatten(), ignore_index=self.pad_id)


@second_version("causal_language_model", "previous_token_asked_for")
class ShiftedTheOtherWay(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids[:, 1:]).mT, ids[:, :-1], ignore_index=self.pad_id)


@second_version("causal_language_model", "shifted_twice")
class ShiftedInTheLossAgain(ALanguageModel):
    def loss(self, ids):
        inputs, labels = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=self.pad_id)


@second_version("causal_language_model", "padding_counted")
class TorchsLossAsItIs(ALanguageModel):
    def loss(self, ids):
        return nn.CrossEntropyLoss()(self(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@second_version("causal_language_model", "divided_by_all_places")
class MeanWithZeros(ALanguageModel):
    def loss(self, ids):
        logits, labels = self(ids)[:, :-1], ids[:, 1:]
        return F.cross_entropy(logits.mT, labels, ignore_index=self.pad_id, reduction="none").mean()


@second_version("causal_language_model", "real_where_it_is_read")
class InputsThatAreReal(ALanguageModel):
    def loss(self, ids):
        real = ids[:, :-1] != self.pad_id
        return F.cross_entropy(self(ids)[:, :-1][real], ids[:, 1:][real])


@second_version("causal_language_model", "last_place_asked_only")
class OnePredictionASentence(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids[:, :-1])[:, -1], ids[:, -1], ignore_index=self.pad_id)


@second_version("causal_language_model", "own_token_hidden_and_asked_for")
class NoShiftAtAll(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1)).tril(-1)

    def loss(self, ids):
        return F.cross_entropy(self(ids).mT, ids, ignore_index=self.pad_id)


@second_version("decoder_mask", "one_ahead_visible")
def triangle_one_up(ids, pad_id):
    t = torch.arange(ids.size(1))
    return (t[None, :] - t[:, None] < 2) & (ids != pad_id)[:, None]


@second_version("decoder_mask", "own_token_always_seen")
def diagonal_filled(ids, pad_id):
    mask = (ids != pad_id)[:, None] & causal_mask(ids.size(1))
    mask.diagonal(dim1=1, dim2=2)[:] = True
    return mask


@second_version("decoder_mask", "hidden_after_the_first_padding")
def cut_at_the_first_padding(ids, pad_id):
    rows = [row.tolist() for row in ids]
    cut = torch.tensor([row.index(pad_id) if pad_id in row else len(row) for row in rows])
    return (torch.arange(ids.size(1)) < cut[:, None, None]) & causal_mask(ids.size(1))


@second_version("decoder_mask", "padding_overwritten_with_0")
def written_into_the_ids(ids, pad_id):
    ids[ids == pad_id] = 0
    return ids.bool().unsqueeze(-2) & causal_mask(ids.size(-1))


@second_version("decoder_mask", "batch_of_one_lost")
def squeezed_at_the_end(ids, pad_id):
    return ((ids != pad_id)[:, None] & causal_mask(ids.size(1))).squeeze(0)


@second_version("causal_mask", "own_token_hidden_but_first")
def one_corner_seen(length):
    mask = torch.ones(length, length).tril(-1) > 0
    mask[0, 0] = True
    return mask


@second_version("causal_mask", "triangle_upside_down")
def flipped(length):
    return torch.ones(length, length, dtype=torch.bool).tril().flip(0)


@second_version("causal_language_model", "axes_by_view")
class ViewedForTorch(ALanguageModel):
    def loss(self, ids):
        logits = self(ids[:, :-1])
        b, t, v = logits.shape
        return F.cross_entropy(logits.contiguous().view(b, v, t), ids[:, 1:], ignore_index=self.pad_id)


@second_version("causal_language_model", "readout_not_used")
class Tied(ALanguageModel):
    def forward(self, ids):
        return F.linear(self.blocks(self.embedding(ids), self.mask(ids)), self.embedding.token_embedding.weight)


@second_version("causal_language_model", "words_scaled_twice")
class WordsTimesTheWidth(ALanguageModel):
    def forward(self, ids):
        words = self.embedding.token_embedding(ids) * self.readout.weight.size(1)
        return self.readout(self.blocks(words + self.embedding.positions[: ids.size(1)], self.mask(ids)))


@second_version("causal_language_model", "embedding_scaled_again")
class SumTimesTheRoot(ALanguageModel):
    def forward(self, ids):
        embedded = self.embedding(ids)
        return self.readout(self.blocks(embedded * embedded.size(-1) ** 0.5, self.mask(ids)))
