"""Registered mistakes of lesson 08, written in another style."""

import functools
import math

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.decoder import Decoder
from course_lib.components.decoder_layer import DecoderLayer
from course_lib.components.encoder import Encoder
from course_lib.components.feed_forward import FeedForward
from course_lib.components.layer_norm import LayerNorm
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.components.residual import ResidualSublayer
from second_versions.table import second_version

# cross_attention


class CrossInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


@second_version("cross_attention", "memory_asks")
class NamesExchanged(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x=memory, memory=x)


@second_version("cross_attention", "memory_ignored")
class ItselfOnly(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, x)


@second_version("cross_attention", "keys_from_x")
class MemoryAsValuesOnly(CrossInSteps):
    def roles(self, x, memory):
        return self.w_q(x), self.w_k(x), self.w_v(memory)


@second_version("cross_attention", "memory_cut_to_the_target")
class AsPrinted(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, memory.narrow(1, 0, min(x.size(1), memory.size(1))))


@second_version("cross_attention", "values_by_w_k")
class KeysAreValues(CrossInSteps):
    def roles(self, x, memory):
        q, k, _ = super().roles(x, memory)
        return q, k, k


@second_version("cross_attention", "mask_not_passed")
class NothingHidden(CrossInSteps):
    def hide(self, scores, mask):
        return scores


@second_version("cross_attention", "mask_inverted")
class TrueIsBlocked(CrossInSteps):
    def hide(self, scores, mask):
        return scores if mask is None else torch.where(mask, -1e9, scores)


@second_version("cross_attention", "only_earlier_source_words")
class TriangleAdded(CrossInSteps):
    def hide(self, scores, mask):
        return super().hide(scores + torch.full(scores.shape[1:], -1e9).triu(1), mask)


@second_version("cross_attention", "softmax_over_queries")
class DownTheColumns(CrossInSteps):
    def spread(self, scores):
        return scores.transpose(1, 2).softmax(-1).transpose(1, 2)


@second_version("cross_attention", "residual_added")
class AddedAtTheEnd(CrossInSteps):
    def finish(self, mixed, x):
        return torch.add(self.w_o(mixed), x)


@second_version("cross_attention", "weights_first")
class TableFirst(CrossInSteps):
    def hand_over(self, output, weights, need_weights):
        return (weights, output) if need_weights else output


@second_version("cross_attention", "queries_not_projected")
class AsksAsItIs(CrossInSteps):
    def roles(self, x, memory):
        return x, *super().roles(x, memory)[1:]


@second_version("cross_attention", "keys_not_projected")
class ComparedAsItIs(CrossInSteps):
    def roles(self, x, memory):
        query, _, value = super().roles(x, memory)
        return query, memory, value


@second_version("cross_attention", "values_not_projected")
class AveragedAsItIs(CrossInSteps):
    def roles(self, x, memory):
        return *super().roles(x, memory)[:2], memory


@second_version("cross_attention", "mask_on_the_weights_alone")
class TwoTables(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        output = super().forward(x, memory)
        return (output, super().forward(x, memory, mask, True)[1]) if need_weights else output


@second_version("cross_attention", "scores_returned_as_weights")
class BeforeTheSoftmax(CrossInSteps):
    def hide(self, scores, mask):
        self.scores = super().hide(scores, mask)
        return self.scores

    def hand_over(self, output, weights, need_weights):
        return super().hand_over(output, self.scores, need_weights)


@second_version("cross_attention", "drops_in_evaluation")
class DropsAlways(CrossInSteps):
    def spread(self, scores):
        return nn.Dropout(0.2)(super().spread(scores))


# decoder_layer


class LayerInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm_first = norm_first
        self.make(d_model, num_heads, d_ff, dropout)

    def make(self, d_model, num_heads, d_ff, dropout):
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, dropout, self.norm_first))

    def around(self, residual, x, function):
        inside = residual.norm(x) if self.norm_first else x
        total = x + residual.dropout(function(inside))
        return total if self.norm_first else residual.norm(total)

    def look_back(self, x, mask):
        return self.around(self.self_attention_residual, x, lambda y: self.self_attention(y, y, y, mask))

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)

    def think(self, x):
        return self.around(self.feed_forward_residual, x, self.feed_forward)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.think(self.look_across(self.look_back(x, mask), memory, memory_mask))


@second_version("decoder_layer", "one_attention_made")
class OneAttention(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention

    def look_across(self, x, memory, mask):
        function = lambda y: self.self_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@second_version("decoder_layer", "two_residuals_made")
class ResidualsOfAnEncoder(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        del self.cross_attention_residual

    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(y, memory, memory, mask)  # noqa: E731
        return self.around(self.self_attention_residual, x, function)


@second_version("decoder_layer", "d_ff_ignored")
class FourTimesAsWide(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, 4 * d_model, dropout)


@second_version("decoder_layer", "one_head")
class OneHead(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, 1, d_ff, dropout)


@second_version("decoder_layer", "norm_first_inverted")
class TheOtherWayRound(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, not norm_first)


@second_version("decoder_layer", "norm_first_not_handed_on")
class AlwaysPreNorm(LayerInSteps):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout)


@second_version("decoder_layer", "dropout_not_handed_to_the_residuals")
class ATenthIsDropped(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for module in self.modules():
            if isinstance(module, ResidualSublayer):
                module.dropout.p = 0.1


@second_version("decoder_layer", "memory_asks")
class TheMemoryAsks(LayerInSteps):
    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(memory, key=y, value=y, mask=mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@second_version("decoder_layer", "target_looks_at_itself_twice")
class SelfAttentionTwice(LayerInSteps):
    def look_across(self, x, memory, mask):
        return self.around(self.cross_attention_residual, x, lambda y: self.cross_attention(y, y, y, mask))


@second_version("decoder_layer", "keys_not_normalised")
class OnlyTheQueryIsNormalised(LayerInSteps):
    def look_back(self, x, mask):
        return self.around(self.self_attention_residual, x, lambda y: self.self_attention(y, key=x, value=x, mask=mask))


@second_version("decoder_layer", "causal_mask_for_both")
class OneMask(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, mask)


@second_version("decoder_layer", "masks_exchanged")
class MasksTheOtherWay(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, memory_mask, mask)


@second_version("decoder_layer", "memory_unmasked")
class PadsOfTheSourceSeen(LayerInSteps):
    def look_across(self, x, memory, mask):
        return super().look_across(x, memory, None)


@second_version("decoder_layer", "cross_before_self")
class SourceFirst(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.think(self.look_back(self.look_across(x, memory, memory_mask), mask))


@second_version("decoder_layer", "feed_forward_left_out")
class NoThought(LayerInSteps):
    def think(self, x):
        return x


@second_version("decoder_layer", "memory_detached")
class MemoryAsData(LayerInSteps):
    def look_across(self, x, memory, mask):
        return super().look_across(x, memory.data, mask)


def hears_nothing_of_norm_first(residual):
    """A layer one of whose residual sub-layers is pre-norm, whatever is asked for."""

    @second_version("decoder_layer", f"norm_first_not_handed_to_{residual}")
    class PreNormInOnePlace(LayerInSteps):
        def around(self, used, x, function):
            if used is getattr(self, residual):
                return x + used.dropout(function(used.norm(x)))
            return super().around(used, x, function)


for residual in ("self_attention_residual", "cross_attention_residual", "feed_forward_residual"):
    hears_nothing_of_norm_first(residual)


@second_version("decoder_layer", "memory_asked_without_normalisation")
class AsksWithTheSum(LayerInSteps):
    def look_across(self, x, memory, mask):
        function = lambda y: self.cross_attention(x, memory, memory, mask)  # noqa: E731
        return self.around(self.cross_attention_residual, x, function)


@second_version("decoder_layer", "feed_forward_first")
class ThinksFirst(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_across(self.look_back(self.think(x), mask), memory, memory_mask)


@second_version("decoder_layer", "reversed_order")
class FromTheEnd(LayerInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.look_back(self.look_across(self.think(x), memory, memory_mask), mask)


@second_version("decoder_layer", "network_normalises_in_post_norm_too")
class NetworkBehindItsNorm(LayerInSteps):
    def think(self, x):
        residual = self.feed_forward_residual
        total = x + residual.dropout(self.feed_forward(residual.norm(x)))
        return total if self.norm_first else residual.norm(total)


# decoder


class StackInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.layers = self.make(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.last(d_model, norm_first)

    def make(self, num_layers, *sizes):
        return nn.ModuleList(DecoderLayer(*sizes) for _ in range(num_layers))

    def last(self, d_model, norm_first):
        self.norm = LayerNorm(d_model) if norm_first else None

    def end(self, x):
        return x if self.norm is None else self.norm(x)

    def through(self, x, memory, mask, memory_mask):
        return functools.reduce(lambda y, layer: layer(y, memory, mask, memory_mask), self.layers, x)

    def forward(self, x, memory, mask=None, memory_mask=None):
        return self.end(self.through(x, memory, mask, memory_mask))


@second_version("decoder", "one_layer_repeated")
class TheSameAgain(StackInSteps):
    def make(self, num_layers, *sizes):
        layers = super().make(1, *sizes)
        return nn.ModuleList([layers[0] for _ in range(num_layers)])


@second_version("decoder", "plain_list")
class ATupleOfLayers(StackInSteps):
    def make(self, num_layers, *sizes):
        return tuple(super().make(num_layers, *sizes))


@second_version("decoder", "last_norm_not_made")
class NoLastNorm(StackInSteps):
    def last(self, d_model, norm_first):
        self.norm = None


@second_version("decoder", "norm_first_not_handed_on")
class PreNormLayers(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, dropout)


@second_version("decoder", "dropout_not_handed_on")
class DefaultDropout(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, 0.1, norm_first)


@second_version("decoder", "only_the_last_layer")
class EachFromTheStart(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return [layer(x, memory, mask, memory_mask) for layer in self.layers][-1]


@second_version("decoder", "layers_backwards")
class FromTheTop(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers[::-1]:
            x = layer(x, memory, mask, memory_mask)
        return x


@second_version("decoder", "memory_replaced")
class LooksAtWhatIsWritten(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        for layer in self.layers:
            x = memory = layer(x, memory, mask, memory_mask)
        return x


@second_version("decoder", "masks_exchanged")
class MemoryMaskFirst(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return super().through(x, memory, memory_mask, mask)


@second_version("decoder", "last_norm_not_applied")
class LastNormForgotten(StackInSteps):
    def end(self, x):
        return x


@second_version("decoder", "input_added")
class AroundTheStack(StackInSteps):
    def forward(self, x, memory, mask=None, memory_mask=None):
        return super().forward(x, memory, mask, memory_mask) + x


@second_version("decoder", "settings_not_handed_on")
class SizesAlone(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, *_):
        return super().make(num_layers, d_model, num_heads, d_ff)


@second_version("decoder", "residual_around_the_stack")
class AddedBeforeTheEnd(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        return super().through(x, memory, mask, memory_mask).add(x)


# transformer


class ModelInSteps(nn.Module):
    """Right; each second version below changes one method of it."""

    def __init__(
        self, source_vocab_size, target_vocab_size, d_model, num_heads, num_layers, d_ff, max_length,
        dropout=0.1, norm_first=True, pad_id=0,
    ):  # fmt: skip
        super().__init__()
        sizes = num_layers, d_model, num_heads, d_ff, dropout, norm_first
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder, self.decoder, self.pad_id = Encoder(*sizes), Decoder(*sizes), pad_id

    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


@second_version("transformer", "source_padding_seen_by_the_encoder")
class EncoderSeesPads(ModelInSteps):
    def read(self, source, real):
        return self.encoder(self.source_embedding(source), None)


@second_version("transformer", "source_padding_seen_by_the_decoder")
class DecoderSeesPads(ModelInSteps):
    def decode(self, target, memory, memory_mask):
        return super().decode(target, memory, torch.ones_like(memory_mask))


@second_version("transformer", "future_seen")
class SeesTheFuture(ModelInSteps):
    def earlier(self, length):
        return torch.tensor(True)


@second_version("transformer", "masks_inverted")
class PadsOnly(ModelInSteps):
    def real(self, ids):
        return (ids == self.pad_id)[:, None, None]

    def decode(self, target, memory, memory_mask):
        mask = ~(~self.real(target) & self.earlier(target.size(1)))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))


@second_version("transformer", "pad_id_assumed_to_be_0")
class ZeroIsPadding(ModelInSteps):
    def real(self, ids):
        return ids.bool()[:, None, None]


@second_version("transformer", "encoder_sees_earlier_words_only")
class CausalEncoder(ModelInSteps):
    def read(self, source, real):
        return super().read(source, real & self.earlier(source.size(1)))


@second_version("transformer", "target_positions_left_out")
class WithoutPlaces(ModelInSteps):
    def look_up(self, target):
        return self.target_embedding(target) - self.target_embedding.positions[: target.size(1)]


@second_version("transformer", "target_read_with_the_source_s_table")
class OneEmbeddingForBoth(ModelInSteps):
    def look_up(self, target):
        return self.source_embedding(target)


@second_version("transformer", "memory_of_the_first_layer")
class TheLowestLayer(ModelInSteps):
    def read(self, source, real):
        return next(iter(self.encoder.layers))(self.source_embedding(source), real)


@second_version("transformer", "logits_scaled_up")
class WrittenTimesTheRoot(ModelInSteps):
    def words(self, decoded):
        return super().words(decoded * math.sqrt(decoded.size(-1)))


@second_version("transformer", "probabilities_returned")
class ExponentialsOverTheirSum(ModelInSteps):
    def words(self, decoded):
        powers = super().words(decoded).exp()
        return powers / powers.sum(-1, keepdim=True)


@second_version("transformer", "tied_to_the_source_s_table")
class WritesEnglish(ModelInSteps):
    def words(self, decoded):
        return decoded @ self.source_embedding.token_embedding.weight.mT


@second_version("transformer", "memory_detached")
class MemoryWithoutGradient(ModelInSteps):
    def encode(self, source):
        with torch.no_grad():
            return super().encode(source)


@second_version("transformer", "words_before_places")
class ForCrossEntropy(ModelInSteps):
    def words(self, decoded):
        return torch.einsum("btd,vd->bvt", decoded, self.target_embedding.token_embedding.weight)


@second_version("transformer", "axis_for_heads_missing")
class MasksOfThreeAxes(ModelInSteps):
    def real(self, ids):
        return (ids != self.pad_id)[:, None]


@second_version("transformer", "axis_for_heads_missing_in_the_target_s_mask")
class ThreeAxesForTheTarget(ModelInSteps):
    def decode(self, target, memory, memory_mask):
        mask = (target != self.pad_id)[:, None] & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))


# parameter_count


def counted(
    source_vocab_size, target_vocab_size, d_model, num_layers, d_ff, norm_first=True,
    tables=2, attention=1.0, biases=True, norms=5, ends=2,
):  # fmt: skip
    """Right as it is; each second version below changes one of its numbers."""
    d, f, bias = d_model, d_ff, int(biases)
    words = source_vocab_size + (tables - 1) * target_vocab_size
    layers = 3 * attention * 4 * (d * d + d) + 2 * (2 * d * f + bias * (d + f)) + norms * 2 * d
    return round(words * d + num_layers * layers + ends * 2 * d * norm_first)


@second_version("parameter_count", "output_layer_counted")
def three_tables(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, tables=3)


@second_version("parameter_count", "one_embedding_counted")
def one_table(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, tables=1)


@second_version("parameter_count", "three_matrices")
def without_w_o(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=3 / 4)


@second_version("parameter_count", "cross_attention_not_counted")
def two_attentions(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=2 / 3)


@second_version("parameter_count", "network_without_biases")
def matrices_of_the_network(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, biases=False)


@second_version("parameter_count", "two_norms_in_the_decoder")
def four_norms(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, norms=4)


@second_version("parameter_count", "decoder_layers_like_encoder_layers")
def twice_an_encoder(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, attention=2 / 3, norms=4)


@second_version("parameter_count", "last_norms_not_counted")
def no_ends(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, ends=0)


@second_version("parameter_count", "last_norms_always_counted")
def ends_everywhere(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, True)


@second_version("parameter_count", "one_last_norm")
def one_end(source, target, d, n, f, norm_first=True):
    return counted(source, target, d, n, f, norm_first, ends=1)


def of_another_formula(name, formula):
    """A second version of ``formula``, in which ``layers`` are those of both stacks."""

    @second_version("parameter_count", name)
    def number(source, target, d, n, f, norm_first=True):
        attention, network = 4 * d * (d + 1), 2 * d * f + d + f
        encoder, decoder = attention + network + 4 * d, 2 * attention + network + 6 * d
        layers = n * (encoder + decoder)
        return formula(source, target, d, n, f, norm_first, encoder, decoder, layers)


of_another_formula(
    "one_table_for_both_languages",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s if s > t else t) * d + layers + 4 * d * pre,
)
of_another_formula(
    "source_embedding_not_counted",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: t * d + layers + 4 * d * pre,
)
of_another_formula(
    "network_biases_both_narrow",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 2 * n * (d - f) + 4 * d * pre,
)
of_another_formula(
    "network_biases_both_wide",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 2 * n * (f - d) + 4 * d * pre,
)
of_another_formula(
    "last_norms_for_post_norm",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (s + t) * d + layers + 4 * d * (not pre),
)
of_another_formula(
    "layers_split_between_the_stacks",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: (
        (s + t) * d + n // 2 * encoder + (n + 1) // 2 * decoder + 4 * d * pre
    ),
)
of_another_formula(
    "in_millions",
    lambda s, t, d, n, f, pre, encoder, decoder, layers: ((s + t) * d + layers + 4 * d * pre) / 10**6,
)


@second_version("cross_attention", "values_of_the_projected_keys")
class KeysUnderTheNameOfTheMemory(CrossInSteps):
    def roles(self, x, memory):
        q, k, _ = super().roles(x, memory)
        return q, k, self.w_v(k)


@second_version("cross_attention", "masked_after_softmax")
class HiddenTooLate(CrossInSteps):
    def hide(self, scores, mask):
        self.mask = mask
        return scores

    def spread(self, scores):
        weights = super().spread(scores)
        return weights if self.mask is None else torch.where(self.mask, weights, 0.0)


@second_version("cross_attention", "mask_only_with_weights")
class MaskForTheLookersOn(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, mask if need_weights else None, need_weights)


@second_version("cross_attention", "mask_only_without_weights")
class NoMaskForTheLookersOn(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, None if need_weights else mask, need_weights)


@second_version("parameter_count", "heads_of_64")
def head_by_head(source, target, d, n, f, norm_first=True):
    attention = sum(3 * (d + 1) * 64 + 64 * d for _ in range(d // 64)) + d
    return counted(source, target, d, n, f, norm_first) + n * 3 * (attention - 4 * (d * d + d))


# more of cross_attention, decoder_layer and decoder


@second_version("cross_attention", "projected_only_without_weights")
class ReturnsTooEarly(CrossInSteps):
    def finish(self, mixed, x):
        self.mixed = mixed
        return super().finish(mixed, x)

    def hand_over(self, output, weights, need_weights):
        return (self.mixed, weights) if need_weights else output


@second_version("cross_attention", "scaled_by_num_keys")
class RootOfTheSource(CrossInSteps):
    def roles(self, x, memory):
        q, k, v = super().roles(x, memory)
        return q * (x.size(-1) / memory.size(1)) ** 0.5, k, v


@second_version("decoder_layer", "causal_mask_where_none_is_given")
class CausalUnlessTold(LayerInSteps):
    def look_back(self, x, mask):
        places = torch.arange(x.size(1))
        return super().look_back(x, places[:, None] >= places if mask is None else mask)


@second_version("decoder_layer", "network_output_not_dropped_in_post_norm")
class ThoughtIsKept(LayerInSteps):
    def think(self, x):
        if self.norm_first:
            return super().think(x)
        return self.feed_forward_residual.norm(self.feed_forward(x) + x)


@second_version("decoder_layer", "dropout_and_norm_first_swapped")
class SettingsTheOtherWay(LayerInSteps):
    def make(self, d_model, num_heads, d_ff, dropout):
        super().make(d_model, num_heads, d_ff, dropout)
        for name in ("self_attention", "cross_attention", "feed_forward"):
            setattr(self, f"{name}_residual", ResidualSublayer(d_model, self.norm_first, dropout))

    def around(self, residual, x, function):
        return residual(x, function)


@second_version("decoder", "dropout_and_norm_first_swapped")
class LayersHearTheOtherWay(StackInSteps):
    def make(self, num_layers, d_model, num_heads, d_ff, dropout, norm_first):
        return super().make(num_layers, d_model, num_heads, d_ff, norm_first, dropout)


@second_version("decoder", "causal_mask_where_none_is_given")
class StackCausalUnlessTold(StackInSteps):
    def through(self, x, memory, mask, memory_mask):
        if mask is None:
            mask = ~torch.triu(torch.ones(x.size(1), x.size(1), dtype=torch.bool), diagonal=1)
        return super().through(x, memory, mask, memory_mask)
