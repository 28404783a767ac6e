"""Registered mistakes of lesson 06, written in another style."""

import torch
from torch import nn
from torch.nn import functional as F

from course_lib.components.encoder_layer import EncoderLayer
from course_lib.components.feed_forward import FeedForward
from course_lib.components.layer_norm import LayerNorm
from course_lib.components.multi_head_attention import MultiHeadAttention
from course_lib.components.residual import ResidualSublayer
from second_versions.table import second_version

# feed_forward


class ANetwork(nn.Module):
    """The constructor that is given."""

    def __init__(self, d_model, d_ff, dropout=0.0):
        super().__init__()
        self.w_1, self.w_2, self.dropout = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model), nn.Dropout(dropout)


@second_version("feed_forward", "no_nonlinearity")
class OneMatrix(ANetwork):
    def forward(self, x):
        hidden = F.dropout(F.linear(x, self.w_1.weight, self.w_1.bias), self.dropout.p, self.training)
        return F.linear(hidden, self.w_2.weight, self.w_2.bias)


@second_version("feed_forward", "relu_at_the_end")
class ClampedAtTheEnd(ANetwork):
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x))).clamp(min=0)


@second_version("feed_forward", "relu_twice")
class ActivatedTwice(ANetwork):
    def forward(self, x):
        activate = nn.ReLU()
        return activate(self.w_2(self.dropout(activate(self.w_1(x)))))


@second_version("feed_forward", "gelu")
class Gelu(ANetwork):
    def forward(self, x):
        return self.w_2(self.dropout(nn.GELU()(self.w_1(x))))


@second_version("feed_forward", "dropout_forgotten")
class NothingDropped(ANetwork):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(hidden * (hidden > 0))


@second_version("feed_forward", "dropout_on_the_output")
class DroppedLast(ANetwork):
    def forward(self, x):
        return F.dropout(self.w_2(self.w_1(x).relu()), self.dropout.p, self.training)


@second_version("feed_forward", "residual_added")
class AddedToTheInput(ANetwork):
    def forward(self, x):
        output = self.w_2(self.dropout(F.relu(self.w_1(x))))
        output = output + x
        return output


@second_version("feed_forward", "hidden_detached")
class HiddenAsData(ANetwork):
    def forward(self, x):
        return self.w_2(self.dropout(F.relu(self.w_1(x)).data))


# layer_norm


class ANorm(nn.Module):
    """A right constructor."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps


@second_version("layer_norm", "divided_by_d_minus_1")
class TorchsVariance(ANorm):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.gamma + self.beta


@second_version("layer_norm", "finished_function")
class AModuleInsideAnother(LayerNorm):
    def forward(self, x):
        inside = nn.LayerNorm(x.shape[-1], eps=self.eps, dtype=x.dtype)
        return self.gamma * torch.func.functional_call(inside, {}, (x,)) + self.beta


@second_version("layer_norm", "eps_outside_the_root")
class StandardDeviationPlusEpsilon(ANorm):
    def forward(self, x):
        std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
        return self.gamma * ((x - mean) / (std + self.eps)) + self.beta


@second_version("layer_norm", "divided_by_d_minus_1 + eps_outside_the_root")
class TorchsDeviationPlusEpsilon(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.beta


@second_version("layer_norm", "mean_not_subtracted")
class RootMeanSquare(ANorm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.gamma + self.beta


@second_version("layer_norm", "over_the_tokens")
class AlongTheSentence(ANorm):
    def forward(self, x):
        mean = x.mean(dim=-2, keepdim=True)
        var = ((x - mean) ** 2).mean(dim=-2, keepdim=True)
        return self.gamma * (x - mean) / (var + self.eps) ** 0.5 + self.beta


@second_version("layer_norm", "over_everything")
class OneMeanForAll(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + self.eps) + self.beta


@second_version("layer_norm", "eps_missing")
class WithoutEpsilon(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.gamma * d / d.pow(2).mean(-1, keepdim=True).sqrt() + self.beta


@second_version("layer_norm", "eps_fixed")
class EpsilonFixed(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), self.gamma, self.beta)


@second_version("layer_norm", "beta_forgotten")
class ScaledOnly(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), self.gamma, None, self.eps)


@second_version("layer_norm", "scale_and_shift_forgotten")
class NormalisedOnly(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), eps=self.eps)


@second_version("layer_norm", "root_of_the_deviation")
class RootOfSigma(ANorm):
    def forward(self, x):
        sigma = x.std(-1, correction=0, keepdim=True)
        return (x - x.mean(-1, keepdim=True)) / (sigma + self.eps).sqrt() * self.gamma + self.beta


@second_version("layer_norm", "other_names")
class TorchsNames(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps=eps)


@second_version("layer_norm", "variance_not_divided")
class LengthForDeviation(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return (
            self.gamma * d / torch.sqrt(torch.linalg.vector_norm(d, dim=-1, keepdim=True) ** 2 + self.eps) + self.beta
        )


@second_version("layer_norm", "over_the_batch")
class BatchNorm(ANorm):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=0, correction=0)
        return self.gamma * (x - mean) / (var + self.eps).sqrt() + self.beta


@second_version("layer_norm", "shifted_before_scaling")
class ScaledLast(ANorm):
    def forward(self, x):
        return self.gamma * F.layer_norm(x, x.shape[-1:], None, self.beta, self.eps)


@second_version("layer_norm", "gamma_starts_with_zeros")
class BothStartWithZeros(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = (nn.Parameter(torch.zeros(d_model)) for _ in range(2))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


# residual_sublayer


class AResidual(nn.Module):
    """The constructor that is given."""

    def __init__(self, d_model, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm, self.dropout, self.norm_first = LayerNorm(d_model), nn.Dropout(dropout), norm_first


@second_version("residual_sublayer", "normalised_input_added")
class NameOverwritten(AResidual):
    def forward(self, x, sublayer):
        if self.norm_first:
            x = self.norm(x)
        x = x + self.dropout(sublayer(x))
        return x if self.norm_first else self.norm(x)


@second_version("residual_sublayer", "always_post_norm")
class AsInThePaper(AResidual):
    def forward(self, x, sublayer):
        return self.norm(self.dropout(sublayer(x)) + x)


@second_version("residual_sublayer", "the_two_swapped")
class BranchesExchanged(AResidual):
    def forward(self, x, sublayer):
        y = self.dropout(sublayer(x if self.norm_first else self.norm(x)))
        return self.norm(x + y) if self.norm_first else x + y


@second_version("residual_sublayer", "dropout_on_the_sum")
class SumDropped(AResidual):
    def forward(self, x, sublayer):
        total = x + sublayer(self.norm(x) if self.norm_first else x)
        total = F.dropout(total, self.dropout.p, self.training)
        return total if self.norm_first else self.norm(total)


@second_version("residual_sublayer", "sublayer_output_normalised")
class NormBehindTheSublayer(AResidual):
    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.norm_first:
            return self.dropout(self.norm(y)) + x
        return self.norm(self.dropout(y)) + x


@second_version("residual_sublayer", "residual_detached")
class KeptForLater(AResidual):
    def forward(self, x, sublayer):
        kept = x.data.clone()
        y = self.dropout(sublayer(self.norm(x) if self.norm_first else x))
        return kept + y if self.norm_first else self.norm(kept + y)


@second_version("residual_sublayer", "residual_missing")
class OnlyTheSublayer(AResidual):
    def forward(self, x, sublayer):
        x = self.norm(x) if self.norm_first else x
        x = self.dropout(sublayer(x))
        return x if self.norm_first else self.norm(x)


@second_version("residual_sublayer", "not_normalised")
class NormLeftOut(AResidual):
    def forward(self, x, sublayer):
        return torch.add(self.dropout(sublayer(x)), x)


@second_version("residual_sublayer", "dropout_forgotten")
class NeverDropped(AResidual):
    def forward(self, x, sublayer):
        total = x + sublayer(self.norm(x) if self.norm_first else x)
        return total if self.norm_first else self.norm(total)


@second_version("residual_sublayer", "pre_norm_normalised_twice")
class AlwaysNormalisedAtTheEnd(AResidual):
    def forward(self, x, sublayer):
        y = self.norm(x) if self.norm_first else x
        return self.norm(self.dropout(sublayer(y)) + x)


@second_version("residual_sublayer", "post_norm_inside")
class BracketTooEarly(AResidual):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x))) + x
        return self.dropout(sublayer(self.norm(x))) + x


# encoder_layer


class ALayer(nn.Module):
    """A right constructor."""

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = ResidualSublayer(d_model, dropout, norm_first)
        self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)


@second_version("encoder_layer", "only_queries_normalised")
class KeysFromOutside(ALayer):
    def forward(self, x, mask=None):
        memory = x
        x = self.self_attention_residual(x, lambda q: self.self_attention(q, memory, memory, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "mask_not_passed")
class MaskIgnored(ALayer):
    def forward(self, x, mask=None):
        def attend(y):
            return self.self_attention(query=y, key=y, value=y)

        return self.feed_forward_residual(self.self_attention_residual(x, attend), self.feed_forward)


@second_version("encoder_layer", "network_first")
class ThinksFirst(ALayer):
    def forward(self, x, mask=None):
        thought = self.feed_forward_residual(x, self.feed_forward)
        return self.self_attention_residual(thought, lambda y: self.self_attention(y, y, y, mask))


@second_version("encoder_layer", "attention_left_out")
class AttentionForgotten(ALayer):
    def forward(self, x, mask=None):
        self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "looks_only_back")
class Causal(ALayer):
    def forward(self, x, mask=None):
        places = torch.arange(x.size(1))
        back = places[None, :] <= places[:, None]
        mask = back if mask is None else mask & back
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "one_residual_for_both")
class OneNormOnly(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.self_attention_residual = self.feed_forward_residual = ResidualSublayer(d_model, dropout, norm_first)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "norm_first_not_passed_on")
class NormFirstAlways(ALayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first=True)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "mask_inverted")
class TorchsPolarity(ALayer):
    def forward(self, x, mask=None):
        blocked = mask.logical_not() if mask is not None else None
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, blocked))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "network_left_out")
class OnlyAttends(ALayer):
    def forward(self, x, mask=None):
        return self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))


@second_version("encoder_layer", "no_residuals")
class Chained(ALayer):
    def forward(self, x, mask=None):
        return self.feed_forward(self.self_attention(x, x, x, mask))


@second_version("encoder_layer", "added_twice")
class AddedOnceMore(ALayer):
    def forward(self, x, mask=None):
        attended = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask)) + x
        return self.feed_forward_residual(attended, self.feed_forward) + attended


@second_version("encoder_layer", "sublayers_without_dropout")
class DropsOnlyAround(ALayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, 0.0, norm_first)
        self.self_attention_residual.dropout = nn.Dropout(dropout)
        self.feed_forward_residual.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder_layer", "the_layers_input_added_again")
class EmbeddingsAddedBack(ALayer):
    def forward(self, x, mask=None):
        first, second = self.self_attention_residual, self.feed_forward_residual
        attended = first(x, lambda y: self.self_attention(y, y, y, mask))
        return second(x, lambda _: self.feed_forward(attended))


# encoder


class AStack(nn.Module):
    """A right constructor."""

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__()
        layers = [EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
        return x if self.norm is None else self.norm(x)


@second_version("encoder", "one_layer_for_all")
class Repeated(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(1, d_model, num_heads, d_ff, dropout, norm_first)
        one = self.layers[0]
        for _ in range(num_layers - 1):
            self.layers.append(one)


@second_version("encoder", "plain_list")
class ATuple(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        nn.Module.__init__(self)
        self.layers = tuple(EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers))
        self.norm = LayerNorm(d_model) if norm_first else None


@second_version("encoder", "last_norm_not_used")
class NormForgotten(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return x


@second_version("encoder", "mask_in_the_first_layer_only")
class FirstLayerMasked(AStack):
    def forward(self, x, mask=None):
        for number, layer in enumerate(self.layers):
            x = layer(x, mask) if number == 0 else layer(x)
        return x if self.norm is None else self.norm(x)


@second_version("encoder", "each_layer_gets_the_input")
class NeverPassedOn(AStack):
    def forward(self, x, mask=None):
        outputs = [layer(x, mask) for layer in self.layers]
        return outputs[-1] if self.norm is None else self.norm(outputs[-1])


@second_version("encoder", "residual_around_layers")
class AddedAround(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask) + x
        return x if self.norm is None else self.norm(x)


@second_version("encoder", "last_norm_not_made")
class WithoutALastNorm(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = None


@second_version("encoder", "norm_with_post_norm_too")
class AlwaysALastNorm(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.norm = LayerNorm(d_model)


@second_version("encoder", "normalised_after_every_layer")
class NormInTheLoop(AStack):
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask)
            if self.norm is not None:
                x = self.norm(x)
        return x


@second_version("encoder", "last_layer_left_out")
class StoppedEarly(AStack):
    def forward(self, x, mask=None):
        for number in range(len(self.layers) - 1):
            x = self.layers[number](x, mask)
        return x if self.norm is None else self.norm(x)


@second_version("encoder", "layers_summed")
class LayersAdded(AStack):
    def forward(self, x, mask=None):
        total = torch.stack([layer(x, mask) for layer in self.layers]).sum(dim=0)
        return total if self.norm is None else self.norm(total)


# more of feed_forward, layer_norm and residual_sublayer


@second_version("feed_forward", "leaky_relu")
class LeaksALittle(ANetwork):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(self.dropout(torch.where(hidden > 0, hidden, 0.01 * hidden)))


@second_version("feed_forward", "input_changed_by_relu")
class ActivatesItsInput(ANetwork):
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(nn.ReLU(inplace=True)(x))))


@second_version("layer_norm", "eps_fixed")
class AnEpsilonOfItsOwn(ANorm):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + 1e-6) * self.gamma + self.beta


@second_version("residual_sublayer", "dropout_before_the_sublayer")
class DropsWhatGoesIn(AResidual):
    def forward(self, x, sublayer):
        y = self.dropout(self.norm(x) if self.norm_first else x)
        x = x + sublayer(y)
        return x if self.norm_first else self.norm(x)


@second_version("residual_sublayer", "dropout_before_the_norm")
class DropsFirst(AResidual):
    def forward(self, x, sublayer):
        y = F.dropout(x, self.dropout.p, self.training)
        return x + sublayer(self.norm(y)) if self.norm_first else self.norm(x + sublayer(y))


@second_version("residual_sublayer", "pre_norm_behind_the_sublayer")
class NormTooLate(AResidual):
    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.norm_first:
            y = self.norm(y)
            return x + self.dropout(y)
        return self.norm(x + self.dropout(y))


@second_version("residual_sublayer", "post_norm_not_normalised")
class NormOnlyFirst(AResidual):
    def forward(self, x, sublayer):
        y = self.norm(x) if self.norm_first else x
        return x + self.dropout(sublayer(y))


@second_version("residual_sublayer", "pre_norm_averaged")
class HalfOfEach(AResidual):
    def forward(self, x, sublayer):
        if self.norm_first:
            return 0.5 * x + 0.5 * self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


# more of encoder_layer and encoder


@second_version("encoder_layer", "norm_first_as_dropout")
class ArgumentsMovedUp(ALayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout)
        self.self_attention_residual, self.feed_forward_residual = (
            ResidualSublayer(d_model, norm_first) for _ in range(2)
        )

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


@second_version("encoder", "norm_first_and_dropout_not_passed_on")
class LayersOfDefaults(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(0, d_model, num_heads, d_ff, dropout, norm_first)
        for _ in range(num_layers):
            self.layers.append(EncoderLayer(d_model, num_heads, d_ff))


@second_version("encoder", "source_added_after_each_layer")
class SourceCarriedAlong(AStack):
    def forward(self, x, mask=None):
        memory = x
        for layer in self.layers:
            memory = torch.add(layer(memory, mask), x)
        return memory if self.norm is None else self.norm(memory)


@second_version("feed_forward", "silu")
class Swish(ANetwork):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(self.dropout(hidden * torch.sigmoid(hidden)))


@second_version("residual_sublayer", "dropout_only_with_post_norm")
class NothingDroppedBefore(AResidual):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x)) + x)
        return sublayer(self.norm(x)) + x


@second_version("residual_sublayer", "dropout_only_with_pre_norm")
class NothingDroppedAfter(AResidual):
    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x))) + x
        return self.norm(sublayer(x) + x)


# dropout on one side, and arguments in another order


@second_version("residual_sublayer", "dropout_on_the_sum_post_norm")
class SumDroppedBeforeTheNorm(AResidual):
    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x))) + x
        x = x + sublayer(x)
        x = self.dropout(x)
        return self.norm(x)


@second_version("residual_sublayer", "dropout_on_the_sum_pre_norm")
class SumDroppedWithoutANorm(AResidual):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x)) + x)
        x = x + sublayer(self.norm(x))
        return self.dropout(x)


@second_version("encoder_layer", "dropout_and_norm_first_swapped")
class SettingsTheOtherWay(ALayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(d_model, num_heads, d_ff, dropout, norm_first)
        for name in ("self_attention_residual", "feed_forward_residual"):
            setattr(self, name, ResidualSublayer(d_model, dropout=norm_first, norm_first=dropout))

    def forward(self, x, mask=None):
        x = self.self_attention_residual(x, lambda y: self.self_attention(y, y, y, mask))
        return self.feed_forward_residual(x, self.feed_forward)


class PostNormByHand(ALayer):
    """Right; each second version below forgets one dropout of its post-norm half."""

    keep_attention = keep_network = False

    def forward(self, x, mask=None):
        one, two = self.self_attention_residual, self.feed_forward_residual
        if one.norm_first:
            return two(one(x, lambda y: self.self_attention(y, y, y, mask)), self.feed_forward)
        seen = self.self_attention(x, x, x, mask)
        x = one.norm(x + (seen if self.keep_attention else one.dropout(seen)))
        thought = self.feed_forward(x)
        return two.norm(x + (thought if self.keep_network else two.dropout(thought)))


@second_version("encoder_layer", "network_output_not_dropped_in_post_norm")
class ThoughtIsKept(PostNormByHand):
    keep_network = True


@second_version("encoder_layer", "attention_output_not_dropped_in_post_norm")
class WhatIsSeenIsKept(PostNormByHand):
    keep_attention = True


@second_version("encoder", "dropout_and_norm_first_swapped")
class LayersHearTheOtherWay(AStack):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm_first=True):
        super().__init__(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        self.layers = nn.ModuleList(EncoderLayer(**sizes, dropout=norm_first, norm_first=dropout) for _ in self.layers)
