"""Registered mistakes of lesson 10, written in another style."""

from typing import ClassVar

import torch
from torch.nn import functional as F

from course_lib.components.attention import scaled_dot_product_attention
from course_lib.components.cached_layer import CachedLayer
from course_lib.components.merge_heads import merge_heads
from course_lib.components.split_heads import split_heads
from course_lib.experiments.mystery_beam import mystery_beam_search
from second_versions.table import second_version

# greedy_decode


def greedy_in_lists(
    name, begin="bos", fill="pad", from_=1, more=0, stop=all, shown=slice(None), choose=lambda x: x.argmax(-1), end=True
):
    """Greedy decoding in Python lists, one thing changed."""

    def decode(model, source, bos_id, eos_id, max_length):
        ids = {"bos": bos_id, "pad": model.pad_id, "eos": eos_id, "zero": 0}
        memory, mask = model.encode(source)
        rows, done = [[ids[begin]] for _ in source], [False] * len(source)
        for _ in range(max_length + more):
            logits = model.decode(torch.tensor([row[shown] for row in rows]), memory, mask)[:, -1]
            for i, token in enumerate(choose(logits).tolist()):
                rows[i].append(ids[fill] if done[i] and fill else token)
                done[i] = done[i] or token == eos_id
            if stop(done):
                break
        written = torch.tensor([row[from_:] for row in rows])
        return written if end else torch.where(written == eos_id, model.pad_id, written)

    decode.__name__ = f"in_lists_{name}"
    second_version("greedy_decode", name)(decode)


greedy_in_lists("goes_on_after_the_end", fill=None)
greedy_in_lists("filled_with_the_end", fill="eos")
greedy_in_lists("filled_with_zeros", fill="zero")
greedy_in_lists("stops_with_the_first", stop=any)
greedy_in_lists("never_stops_early", stop=lambda done: False)
greedy_in_lists("begin_kept", from_=0)
greedy_in_lists("one_token_too_few", more=-1)
greedy_in_lists("one_token_too_many", more=1)
greedy_in_lists("only_the_last_token", shown=slice(-1, None))
greedy_in_lists("begins_with_padding", begin="pad")
greedy_in_lists("begins_with_the_end", begin="eos")
greedy_in_lists("end_left_out", end=False)
greedy_in_lists("least_likely", choose=lambda x: (-x).softmax(-1).max(-1).indices)
greedy_in_lists("drawn_by_chance", choose=lambda x: torch.distributions.Categorical(logits=x).sample())


@second_version("greedy_decode", "end_remembered_one_step")
def the_last_token_tells(model, source, bos_id, eos_id, max_length):
    memory, mask = model.encode(source)
    columns = [source.new_full((len(source),), bos_id)]
    while len(columns) <= max_length:
        token = model.decode(torch.stack(columns, dim=1), memory, mask)[:, -1].argmax(-1)
        columns.append(torch.where(columns[-1] == eos_id, model.pad_id, token))
        if (torch.stack(columns) == eos_id).any(dim=0).all():
            break
    return torch.stack(columns[1:], dim=1)


@second_version("greedy_decode", "encoded_at_every_step")
def the_model_itself_is_called(model, source, bos_id, eos_id, max_length):
    written = source.new_full((len(source), 1), bos_id)
    ended = torch.zeros(len(source), 1, dtype=torch.bool)
    for _ in range(max_length):
        token = model(source, written)[:, -1:].argmax(-1).masked_fill(ended, model.pad_id)
        written, ended = torch.cat([written, token], dim=1), ended | (token == eos_id)
        if ended.all():
            break
    return written[:, 1:]


# beam_search


def beam_in_lists(
    name,
    logs=lambda x: x.log_softmax(-1),
    score=lambda total, length, alpha: total / length**alpha,
    last=None,
    keep=lambda width: width,
    fill="pad",
    from_=1,
    more=0,
):
    """Beam search in Python lists, sentence by sentence, one thing changed."""

    def search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
        ids = {"pad": model.pad_id, "eos": eos_id, "zero": 0}
        winners = []
        for sentence in source:
            memory, mask = model.encode(sentence[None])
            beam = [(0.0, [bos_id], 0.0)]
            for _ in range(max_length + more):
                grown = [h for h in beam if h[1][-1] == eos_id]
                for _, tokens, total in (h for h in beam if h[1][-1] != eos_id):
                    steps = logs(model.decode(torch.tensor([tokens]), memory, mask)[0, -1]).tolist()
                    for token, step in enumerate(steps):
                        grown.append((score(total + step, len(tokens), alpha), [*tokens, token], total + step))
                beam = sorted(grown, key=lambda h: -h[0])[: keep(width)]
            if last:
                beam = [(last(total, len(tokens) - 1, alpha), tokens, total) for _, tokens, total in beam]
            winners.append(max(beam, key=lambda h: h[0]))
        longest = max(len(tokens) for _, tokens, _ in winners)
        rows = [tokens[from_:] + [ids[fill]] * (longest - len(tokens)) for _, tokens, _ in winners]
        return torch.tensor(rows), torch.tensor([s for s, _, _ in winners])

    search.__name__ = f"in_lists_{name}"
    second_version("beam_search", name)(search)


beam_in_lists("probabilities_added", logs=lambda x: x.softmax(-1))
beam_in_lists("logits_added", logs=lambda x: x)
beam_in_lists("penalty_multiplied", score=lambda total, length, alpha: total * length**alpha)
beam_in_lists("penalty_ignored", score=lambda total, length, alpha: total)
beam_in_lists("always_the_mean", score=lambda total, length, alpha: total / length)
beam_in_lists("penalty_of_wu", score=lambda total, length, alpha: total / ((5 + length) / (5 + 1)) ** alpha)
beam_in_lists("begin_counts", score=lambda total, length, alpha: total / (length + 1) ** alpha)
beam_in_lists(
    "penalty_at_the_end_only",
    score=lambda total, length, alpha: total,
    last=lambda total, length, alpha: total / length**alpha,
)
beam_in_lists("greedy_whatever_the_width", keep=lambda width: 1)
beam_in_lists("filled_with_the_end", fill="eos")
beam_in_lists("filled_with_zeros", fill="zero")
beam_in_lists("begin_kept", from_=0)
beam_in_lists("one_token_too_few", more=-1)
beam_in_lists("one_token_too_many", more=1)
second_version("beam_search", "ended_ones_grow_longer")(mystery_beam_search)


# cached_layer


class LayerInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, layer, memory, memory_mask):
        self.layer, self.memory, self.memory_mask = layer, memory, memory_mask
        self.pairs, self.of_memory = [], self.project(layer.cross_attention, memory)

    def project(self, attention, x):
        return tuple(split_heads(w(x), attention.num_heads) for w in (attention.w_k, attention.w_v))

    def mix(self, attention, y, keys, values, mask=None):
        query = split_heads(attention.w_q(y), attention.num_heads)
        return attention.w_o(merge_heads(scaled_dot_product_attention(query, keys, values, mask)[0]))

    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs, strict=True))

    def attend_to_written(self, y):
        attention = self.layer.self_attention
        self.pairs.append(self.project(attention, y))
        return self.mix(attention, y, *self.kept())

    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory, self.memory_mask)

    def step(self, x):
        x = self.layer.self_attention_residual(x, self.attend_to_written)
        x = self.layer.cross_attention_residual(x, self.attend_to_memory)
        return self.layer.feed_forward_residual(x, self.layer.feed_forward)


@second_version("cached_layer", "nothing_kept")
class OnlyTheNewest(LayerInOnePiece):
    def kept(self):
        return self.pairs[-1]


@second_version("cached_layer", "two_tokens_remembered")
class TheLastTwo(LayerInOnePiece):
    def kept(self):
        return (torch.cat(x, dim=2) for x in zip(*self.pairs[-2:], strict=True))


@second_version("cached_layer", "own_key_missing")
class KeptTooLate(LayerInOnePiece):
    def attend_to_written(self, y):
        attention = self.layer.self_attention
        if not self.pairs:
            self.pairs.append(tuple(x[:, :, :0] for x in self.project(attention, y)))
        mixed = self.mix(attention, y, *self.kept())
        self.pairs.append(self.project(attention, y))
        return mixed


@second_version("cached_layer", "keys_without_values")
class KeysOnly(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return torch.cat(keys, dim=2), values[-1]


@second_version("cached_layer", "values_without_keys")
class ValuesOnly(LayerInOnePiece):
    def kept(self):
        keys, values = zip(*self.pairs, strict=True)
        return keys[-1], torch.cat(values, dim=2)


@second_version("cached_layer", "worked_out_again")
class KeepsVectors(LayerInOnePiece):
    def attend_to_written(self, y):
        self.pairs.append(y)
        return self.layer.self_attention(y, torch.cat(self.pairs, dim=1), torch.cat(self.pairs, dim=1))

    def attend_to_memory(self, y):
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)


@second_version("cached_layer", "memory_worked_out_again")
class MemoryEveryTime(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.layer.cross_attention(y, self.memory, self.memory, self.memory_mask)


@second_version("cached_layer", "memory_mask_left_out")
class NoMask(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory)


@second_version("cached_layer", "memory_by_the_wrong_attention")
class MemoryByTheSelfAttention(LayerInOnePiece):
    def __init__(self, layer, memory, memory_mask):
        super().__init__(layer, memory, memory_mask)
        self.of_memory = self.project(layer.self_attention, memory)


@second_version("cached_layer", "memory_kept_with_the_written")
class BeginsWithTheMemory(LayerInOnePiece):
    def __init__(self, layer, memory, memory_mask):
        super().__init__(layer, memory, memory_mask)
        self.pairs.append(self.of_memory)


@second_version("cached_layer", "own_key_missing_but_first")
class OthersOnceThereAreAny(LayerInOnePiece):
    def attend_to_written(self, y):
        attention, new = self.layer.self_attention, self.project(self.layer.self_attention, y)
        mixed = self.mix(attention, y, *(self.kept() if self.pairs else new))
        self.pairs.append(new)
        return mixed


@second_version("cached_layer", "first_sentence_for_all")
class PairsOfTheFirstSentence(LayerInOnePiece):
    def kept(self):
        return (torch.cat(x, dim=2)[0] for x in zip(*self.pairs, strict=True))


@second_version("cached_layer", "written_worked_out_again")
class KeepsVectorsOfTheWritten(LayerInOnePiece):
    def attend_to_written(self, y):
        self.pairs.append(y)
        return self.layer.self_attention(y, torch.cat(self.pairs, dim=1), torch.cat(self.pairs, dim=1))


@second_version("cached_layer", "memory_mask_inverted")
class MaskMeansPadding(LayerInOnePiece):
    def attend_to_memory(self, y):
        return self.mix(self.layer.cross_attention, y, *self.of_memory, self.memory_mask.eq(False))


@second_version("cached_layer", "memory_output_projection_left_out")
class MemoryStraightOut(LayerInOnePiece):
    def attend_to_memory(self, y):
        cross = self.layer.cross_attention
        query = split_heads(cross.w_q(y), cross.num_heads)
        return F.scaled_dot_product_attention(query, *self.of_memory, self.memory_mask).transpose(1, 2).flatten(2)


@second_version("cached_layer", "normalised_twice")
class EachNormalisesAgain(LayerInOnePiece):
    def attend_to_written(self, y):
        return super().attend_to_written(self.layer.self_attention_residual.norm(y))

    def attend_to_memory(self, y):
        return super().attend_to_memory(self.layer.cross_attention_residual.norm(y))


@second_version("cached_layer", "keys_scaled_too")
class ScaledBeforeItIsKept(LayerInOnePiece):
    def kept(self):
        keys, values = super().kept()
        return keys * keys.shape[-1] ** -0.5, values


@second_version("cached_layer", "token_added_again")
class WithItsOwnResidual(LayerInOnePiece):
    def attend_to_written(self, y):
        return y + super().attend_to_written(y)


# cached_decoder


class DecoderInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, model, memory, memory_mask):
        self.model, self.memory, self.memory_mask, self.tokens = model, memory, memory_mask, []
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]

    def embed(self):
        return self.model.target_embedding(torch.stack(self.tokens, dim=1))[:, -1:]

    def through(self, x):
        for layer in self.layers:
            x = layer.step(x)
        return x

    def say(self, x):
        return (self.model.decoder.norm(x) @ self.model.target_embedding.token_embedding.weight.mT)[:, 0]

    def step(self, token):
        self.tokens.append(token)
        return self.say(self.through(self.embed()))


@second_version("cached_decoder", "positions_restart")
class OneTokenIsEmbedded(DecoderInOnePiece):
    def embed(self):
        return self.model.target_embedding(self.tokens[-1].unsqueeze(1))


@second_version("cached_decoder", "positions_left_out")
class WordsAlone(DecoderInOnePiece):
    def embed(self):
        table = self.model.target_embedding.token_embedding
        return table(self.tokens[-1].unsqueeze(1)) * table.embedding_dim**0.5


@second_version("cached_decoder", "words_unscaled")
class Unscaled(DecoderInOnePiece):
    def embed(self):
        embedding = self.model.target_embedding
        return (embedding.token_embedding(self.tokens[-1]) + embedding.positions[len(self.tokens) - 1]).unsqueeze(1)


@second_version("cached_decoder", "everything_read_again")
class FullForward(DecoderInOnePiece):
    def step(self, token):
        self.tokens.append(token)
        return self.model.decode(torch.stack(self.tokens, dim=1), self.memory, self.memory_mask)[:, -1]


@second_version("cached_decoder", "last_norm_left_out")
class StraightToTheOutput(DecoderInOnePiece):
    def say(self, x):
        return F.linear(x.squeeze(1), self.model.target_embedding.token_embedding.weight)


@second_version("cached_decoder", "axis_of_one_token")
class OneTokenAxis(DecoderInOnePiece):
    def say(self, x):
        return super().say(x)[:, None]


@second_version("cached_decoder", "log_probabilities")
class LogProbabilities(DecoderInOnePiece):
    def say(self, x):
        return F.log_softmax(super().say(x), -1)


@second_version("cached_decoder", "layers_backwards")
class LastLayerFirst(DecoderInOnePiece):
    def through(self, x):
        for i in range(len(self.layers) - 1, -1, -1):
            x = self.layers[i].step(x)
        return x


@second_version("cached_decoder", "positions_stop_at_padding")
class CountsWholeBatches(DecoderInOnePiece):
    def embed(self):
        embedding, pad = self.model.target_embedding, self.model.pad_id
        words = embedding.token_embedding(self.tokens[-1]) * embedding.token_embedding.embedding_dim**0.5
        before = sum(1 for token in self.tokens[:-1] if not (token == pad).any())
        return (words + embedding.positions[before]).unsqueeze(1)


@second_version("cached_decoder", "count_shared_by_all_translations")
class CountsOnAndOn(DecoderInOnePiece):
    read: ClassVar[list[int]] = []

    def __init__(self, model, memory, memory_mask):
        super().__init__(model, memory, memory_mask)
        if len(memory) == 1:  # the first question of all: another draw begins
            self.read.clear()

    def embed(self):
        embedding = self.model.target_embedding
        words = embedding.token_embedding(self.tokens[-1]) * embedding.token_embedding.embedding_dim**0.5
        self.read.append(1)
        return (words + embedding.positions[len(self.read) - 1]).unsqueeze(1)


@second_version("cached_decoder", "first_cached_layer_for_all")
class TheFirstAgainAndAgain(DecoderInOnePiece):
    def through(self, x):
        for _ in self.layers:
            x = self.layers[0].step(x)
        return x


@second_version("cached_decoder", "norm_after_each_layer")
class NormalisedEachTime(DecoderInOnePiece):
    def through(self, x):
        for layer in self.layers[:-1]:
            x = self.model.decoder.norm(layer.step(x))
        return self.layers[-1].step(x)


@second_version("cached_decoder", "logits_scaled")
class ScaledOnTheWayOutToo(DecoderInOnePiece):
    def say(self, x):
        return super().say(x) * x.size(-1) ** 0.5


@second_version("cached_decoder", "probabilities")
class Probabilities(DecoderInOnePiece):
    def say(self, x):
        return F.softmax(super().say(x), -1)


@second_version("cached_layer", "memory_queries_by_the_self_attention")
class OneQueryForBoth(LayerInOnePiece):
    def attend_to_memory(self, y):
        own, cross = self.layer.self_attention, self.layer.cross_attention
        query = split_heads(own.w_q(y), own.num_heads)
        return cross.w_o(merge_heads(scaled_dot_product_attention(query, *self.of_memory, self.memory_mask)[0]))


@second_version("cached_layer", "memory_cut_by_view")
class MemoryReshapedAtOnce(LayerInOnePiece):
    def project(self, attention, x):
        if x is not self.memory:
            return super().project(attention, x)
        shape = (len(x), attention.num_heads, x.size(1), x.size(2) // attention.num_heads)
        return tuple(w(x).reshape(shape) for w in (attention.w_k, attention.w_v))


@second_version("cached_layer", "first_row_of_the_causal_mask")
class FirstRowOfTheTriangle(LayerInOnePiece):
    def attend_to_written(self, y):
        attention = self.layer.self_attention
        self.pairs.append(self.project(attention, y))
        later = torch.triu(torch.ones(1, len(self.pairs), dtype=torch.bool), diagonal=1)
        return self.mix(attention, y, *self.kept(), ~later)


@second_version("cached_decoder", "every_axis_of_one_squeezed")
class SqueezedAtTheEnd(DecoderInOnePiece):
    def say(self, x):
        table = self.model.target_embedding.token_embedding.weight
        return torch.einsum("btd,vd->btv", self.model.decoder.norm(x), table).squeeze()
