"""Exercise `layer_norm`: each token's features get mean 0 and variance 1; with its constructor."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.finished_functions import WRITTEN_BY_HAND, finished_function, watched
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.any_lesson import parameter_under_another_name
from course_lib.checking.recognisers.lesson_06 import eps_never_changes, starts_otherwise_each_time
from course_lib.checking.values import Value
from course_lib.components.layer_norm import LayerNorm


def _weights(draw: Draw, d_model: int) -> dict[str, Tensor]:
    return {"gamma": 1 + draw.tensor(d_model, scale=0.5), "beta": draw.tensor(d_model, scale=0.5)}


def _question(
    name: str,
    weights: dict[str, Tensor],
    *xs: Tensor,
    build: dict[str, Value] | None = None,
    **more: Value,
) -> Question:
    build = {"d_model": weights["gamma"].numel(), **(build or {})}
    calls = [{"x": x} for x in xs]
    return Question(
        name, probes.module, {"build": build, "weights": weights, "calls": calls, "returns": ["output"], **more}
    )


def _on_paper(draw: Draw) -> tuple[dict[str, Tensor], Tensor]:
    """Four features of two tokens: means and variances to be done in one's head."""
    weights = {"gamma": torch.tensor([1.0, 2.0, 1.0, 0.5]), "beta": torch.tensor([0.0, 1.0, -1.0, 0.0])}
    x = torch.tensor([[[1.0, 3.0, 5.0, 7.0], [2.0, 2.0, 6.0, 2.0]]])
    return weights, x + draw.tensor(1, 2, 4, scale=0.3).round(decimals=1)


#: PyTorch's functions that normalise; with one group, or a channel per token, the others do what `layer_norm` does
NORMALISE = (
    "nn.functional.layer_norm", "layer_norm", "native_layer_norm", "nn.LayerNorm",
    "nn.functional.rms_norm", "rms_norm", "nn.RMSNorm",
    "nn.functional.group_norm", "group_norm", "native_group_norm", "nn.GroupNorm",
    "nn.functional.instance_norm", "instance_norm", "nn.InstanceNorm1d", "nn.InstanceNorm2d", "nn.InstanceNorm3d",
    "nn.functional.batch_norm", "batch_norm", "native_batch_norm", "nn.BatchNorm1d", "nn.BatchNorm2d", "nn.BatchNorm3d",
)  # fmt: skip


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, one token alone, nearly equal and equal features, another ε; a cube, to name what crashes.

    Features are large: a wrong ε is then no more than rounding may be, and costs nothing. It shows where features are
    nearly equal, with a variance below ε = 0.00001, and where they are equal and only β is left.
    """
    numbers, again = (_question("by_hand", *_on_paper(source)) for source in (draw, draw.apart("watched")))
    yield numbers
    yield watched(numbers, again, *NORMALISE)
    # of two numbers normalised along the wrong axis only the sign is left, and a gradient of rounding errors
    (b, t), d_model = draw.shuffled((3, 5, 6))[:2], draw.shuffled((7, 8, 9))[0]
    weights, x = _weights(draw, d_model), 3 * draw.tensor(b, t, d_model) + 1
    yield _question("plain", weights, x)
    yield _question("one_token", weights, 3 * draw.tensor(d_model) + 1)
    nearly = (4 + draw.tensor(b, t, d_model, scale=2e-3)).round(decimals=4)
    yield _question("nearly_equal", weights, nearly)
    yield _question("other_eps", weights, x, build={"eps": draw.shuffled((0.5, 0.7, 0.9))[0]})
    equal = torch.tensor(draw.shuffled((-2.0, 0.0, 1.0, 4.0))[: min(t, 3)])
    yield _question("equal_features", weights, equal[None, :, None].expand(2, -1, d_model).contiguous())
    other = torch.cat([x[:, :1], draw.tensor(b, t - 1, d_model)], dim=1)
    yield _question("changed", weights, x, other)
    upstream = {"output": draw.tensor(b, t, d_model)}
    yield _question("gradients", weights, 3 * draw.tensor(b, t, d_model) + 1, upstream=upstream)
    build = {"d_model": draw.shuffled((5, 6, 7))[0], "eps": draw.shuffled(range(11, 100))[0] / 1e6}
    yield Question("as_constructed", probes.constructed, {"build": build, "settings": ["gamma", "beta"]})
    yield _question("cube", _weights(draw, 3), 3 * draw.tensor(3, 3, 3))


OUTPUT = {"fields": ["calls/0/output"]}

LAWS = (
    Law("parameters", equals_reference, "plain", "there are two parameters, `gamma` and `beta`, each of shape (d_model,)", 0.25,
        {"fields": ["shapes"]}),
    Law("starts", equals_reference, "as_constructed", "`gamma` starts with ones and `beta` with zeros", 0.25,
        {"fields": ["settings"]}),
    Law("equals_by_hand", equals_reference, "by_hand", "two tokens of width 4 come out right", 1.0, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 1.25, OUTPUT, also=("cube",)),
    Law("one_token", equals_reference, "one_token", "so does a single token (D,), without batch and sentence", 0.25, OUTPUT),
    Law("nearly_equal", equals_reference, "nearly_equal", "features whose variance is smaller than ε come out right", 0.5, OUTPUT),
    Law("other_eps", equals_reference, "other_eps", "another `eps` comes out right", 0.25, OUTPUT),
    Law("equal_features", equals_reference, "equal_features", "a token of equal features comes out as `beta`, without NaN", 0.25, OUTPUT),
    Law("tokens_apart", unmoved, "changed", "changing the tokens behind it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradients of the input, of `gamma` and of `beta` are right", 0.5,
        {"fields": ["gradients/x", "gradients/gamma", "gradients/beta"]}),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your input stays as it was", 0.25,
        {"arguments": "calls/0"}, needs="equals_plain"),
    WRITTEN_BY_HAND,
)  # fmt: skip

GAMMA, BETA = "self.gamma = nn.Parameter(torch.ones(d_model))", "self.beta = nn.Parameter(torch.zeros(d_model))"
EPS = "self.eps = eps"
CENTRED = "centred = x - x.mean(dim=-1, keepdim=True)"
VARIANCE = "variance = centred.square().mean(dim=-1, keepdim=True)"
ROOT = "torch.sqrt(variance + self.eps)"
RETURN = f"return self.gamma * centred / {ROOT} + self.beta"


def _along(dim: str) -> tuple[tuple[str, str], ...]:
    """Edits that take mean and variance along another axis."""
    return tuple((old, old.replace("dim=-1", f"dim={dim}")) for old in (CENTRED, VARIANCE))


MISTAKES = (
    # the parameters
    mistake(
        "gamma_starts_with_zeros",
        "Your `gamma` starts with zeros. Every token then becomes `beta`, and no gradient reaches the input.",
        (
            "Construct your module and print `gamma`.",
            "A scale that changes nothing is 1. What is a shift that changes nothing?",
            "`nn.Parameter(torch.ones(d_model))` for `gamma`, `torch.zeros` for `beta`.",
        ),
        (GAMMA, GAMMA.replace("ones", "zeros")),
        group=ALONE,
    ),
    mistake(
        "drawn_at_random",
        "Your `gamma` and `beta` start with random numbers. At first the scale and the shift should change nothing: γ starts with ones, β with zeros.",
        (
            "Construct your module twice, and print `gamma`.",
            "A scale that changes nothing is 1. What is a shift that changes nothing?",
            "`nn.Parameter(torch.ones(d_model))` for `gamma`, `nn.Parameter(torch.zeros(d_model))` for `beta`.",
        ),
        (GAMMA, GAMMA.replace("ones", "randn")),
        (BETA, BETA.replace("zeros", "randn")),
        recogniser=starts_otherwise_each_time,
        group=ALONE,
    ),
    mistake(
        "one_number_for_all_features",
        "Your `gamma` and `beta` hold one number each. Every feature has a scale and a shift of its own.",
        (
            "Print the shapes of your parameters, and compare them with the docstring.",
            "Where does `d_model` go in your constructor?",
            "`nn.Parameter(torch.ones(d_model))`, `nn.Parameter(torch.zeros(d_model))`.",
        ),
        (GAMMA, GAMMA.replace("d_model", "1")),
        (BETA, BETA.replace("d_model", "1")),
        group=ALONE,
    ),
    mistake(
        "nothing_to_learn",
        "Your module has no parameters. Its scale and shift are plain tensors or buffers, or they are missing, and an optimiser won't find them.",
        (
            "What is `list(module.parameters())`?",
            "What must a tensor be wrapped in, so that a module counts it among its parameters?",
            "`self.gamma = nn.Parameter(torch.ones(d_model))`, and the same for `beta` with zeros.",
        ),
        (GAMMA, "self.gamma = torch.ones(d_model)"),
        (BETA, "self.beta = torch.zeros(d_model)"),
        group=ALONE,
    ),
    mistake(
        "other_names",
        "Your parameters have the right shapes and other names. Weights are loaded by name: they have to be `gamma` and `beta`. (PyTorch calls them `weight` and `bias`.)",
        (
            "What is `dict(module.named_parameters()).keys()`?",
            "Compare the names with the docstring, letter by letter.",
            "`self.gamma = …` and `self.beta = …`.",
        ),
        (GAMMA, GAMMA.replace("gamma", "weight")),
        (BETA, BETA.replace("beta", "bias")),
        (RETURN, RETURN.replace("gamma", "weight").replace("beta", "bias")),
        recogniser=parameter_under_another_name,
        group=ALONE,
    ),
    # which axis
    mistake(
        "over_the_tokens",
        "You normalise over the *tokens* of a sentence: each feature gets mean 0 there. Here each token is normalised by itself, over its features.",
        (
            "Change the last token. Does the first one's output move?",
            "Of (B, T, D): over which axis do you take mean and variance?",
            "`dim=-1`, the features.",
        ),
        *_along("-2"),
        group="axis",
    ),
    mistake(
        "over_the_batch",
        "You normalise over the *sentences* of a batch, as batch normalisation does. Here each token is normalised by itself, over its features.",
        (
            "Give one sentence alone, then the same sentence among others. Is its output the same?",
            "Of (B, T, D): over which axis do you take mean and variance?",
            "`dim=-1`, the features.",
        ),
        *_along("0"),
        group="axis",
    ),
    mistake(
        "over_tokens_and_features",
        "You take one mean and one variance for a whole sentence. Each token should have its own: “within each layer” means within one token.",
        (
            "Change the last token. Does the first one's output move?",
            "How many means do you have for a sentence of T tokens?",
            "`dim=-1` alone: (B, T, D) has a mean of shape (B, T, 1).",
        ),
        *_along("tuple(range(-min(2, x.dim()), 0))"),
        group="axis",
    ),
    mistake(
        "over_everything",
        "You take one mean and one variance for the whole input, so a token's output depends on all sentences in its batch.",
        (
            "Change the last token. Does the first one's output move?",
            "What is the shape of your mean?",
            "`x.mean(dim=-1, keepdim=True)`: a mean for each token.",
        ),
        *_along("tuple(range(x.dim()))"),
        group="axis",
    ),
    mistake(
        "keepdim_missing",
        "Your mean loses the axis it was taken over. Broadcasting then lines up (B, T) with (B, T, D) from the right, tokens with features, and unless the sizes happen to fit, it stops with an error.",
        (
            "What are the shapes of `x.mean(dim=-1)` and of `x`?",
            "Shapes are lined up from the right. Which axis of your mean meets D?",
            "`x.mean(dim=-1, keepdim=True)`, and the same for the variance.",
        ),
        (CENTRED, CENTRED.replace(", keepdim=True", "")),
        (VARIANCE, VARIANCE.replace(", keepdim=True", "")),
        group=ALONE,
    ),
    # the mean
    mistake(
        "mean_not_subtracted",
        "You don't subtract the mean, and divide by the root of the mean square. That is RMSNorm, which came later. Here the mean is subtracted first.",
        (
            "Add 5 to all features of a token. Does your output move?",
            "What is the mean of your output over the features, with γ = 1 and β = 0?",
            "`centred = x - x.mean(dim=-1, keepdim=True)`, and the variance of that.",
        ),
        (CENTRED, "centred = x"),
        group="mean",
    ),
    mistake(
        "mean_only_in_the_variance",
        "Your standard deviation is right, but you divide `x` by it instead of `x - μ`.",
        (
            "Add 5 to all features of a token. Does your output move?",
            "Compare what stands above your fraction line with the formula in the docstring.",
            "`self.gamma * (x - mean) / …`.",
        ),
        (RETURN, RETURN.replace("centred", "x")),
        group="mean",
    ),
    mistake(
        "sum_for_mean",
        "You subtract the *sum* of the features. The mean is that sum divided by D.",
        (
            "What is the mean of your output over the features, with γ = 1 and β = 0?",
            "What is μ of the features 1, 3, 5, 7 in your code?",
            "`x.mean(dim=-1, keepdim=True)`.",
        ),
        (CENTRED, CENTRED.replace("mean", "sum")),
        group="mean",
    ),
    # the variance
    mistake(
        "divided_by_d_minus_1",
        "You divide the sum of squares by D − 1. That is PyTorch's default for `var` and `std`; here it's D.",
        (
            "What is the variance of 1, 3, 5, 7 in your code? And by the formula in the docstring?",
            "`x.var` has a parameter `correction`, which is subtracted from D. What is its default?",
            "`x.var(dim=-1, keepdim=True, correction=0)`, or the mean of `(x - mean) ** 2`.",
        ),
        (VARIANCE, "variance = centred.square().sum(dim=-1, keepdim=True) / (x.size(-1) - 1)"),
        group="variance",
    ),
    mistake(
        "variance_not_divided",
        "You add up the squares and don't divide by D. Your σ is √D times too large, and your outputs are √D times too small.",
        (
            "What is the variance of your output over the features, with γ = 1 and β = 0?",
            "Variance is a *mean* of squares. What is yours?",
            "`centred.square().mean(dim=-1, keepdim=True)`.",
        ),
        (VARIANCE, VARIANCE.replace(".mean(", ".sum(")),
        group="variance",
    ),
    mistake(
        "mean_distance_for_deviation",
        "You divide by the mean *distance* from the mean, |x − μ|. The standard deviation is the root of the mean square.",
        (
            "What is the variance of your output over the features, with γ = 1 and β = 0?",
            "Do you use `abs` where a square should be?",
            "`torch.sqrt(centred.square().mean(dim=-1, keepdim=True) + self.eps)`.",
        ),
        (VARIANCE, "variance = centred.abs().mean(dim=-1, keepdim=True)"),
        (ROOT, "(variance + self.eps)"),
        group=ALONE,
    ),
    mistake(
        "divided_by_the_variance",
        "You divide by the variance instead of its square root.",
        (
            "Multiply a token by 10. How much does your output change? It should hardly change at all.",
            "σ² is the variance. What stands below the fraction line in the docstring?",
            "`/ torch.sqrt(variance + self.eps)`.",
        ),
        (ROOT, "(variance + self.eps)"),
        group="root",
    ),
    mistake(
        "root_of_the_deviation",
        "You take the square root of σ + ε, but σ is a square root already. What belongs under the root is the variance, σ².",
        (
            "Multiply a token by 16. How much does your output change? It should hardly change at all.",
            "How many square roots lie between your squares and the fraction line?",
            "`torch.sqrt(variance + self.eps)`: one root, and the ε under it.",
        ),
        (ROOT, "torch.sqrt(torch.sqrt(variance) + self.eps)"),
        group="root",
    ),
    # ε
    mistake(
        "eps_outside_the_root",
        "You add ε to σ, outside the root. Here it stands under the root: √(σ² + ε). For features that are nearly equal the difference is large.",
        (
            "For a variance of 0: what do you divide by, ε or √ε?",
            "Which comes first in your code: the root, or the sum with ε?",
            "`torch.sqrt(variance + self.eps)`.",
        ),
        (ROOT, "(torch.sqrt(variance) + self.eps)"),
        group="root",
    ),
    mistake(
        "eps_missing",
        "You leave ε out. A token whose features are all equal then becomes 0 divided by 0, which is NaN, and a NaN spreads to everything computed from it.",
        (
            "What does your module turn a token of ones into?",
            "`self.eps` is there. Where do you use it?",
            "`torch.sqrt(variance + self.eps)`.",
        ),
        (ROOT, "torch.sqrt(variance)"),
        group="root",
    ),
    mistake(
        "eps_fixed",
        "You always use the same ε, whatever `eps` the module is built with.",
        (
            "Build your module with `eps=0.5`. Does its output differ?",
            "`eps` is a parameter of the constructor. What becomes of it?",
            "`self.eps = eps` in the constructor, `self.eps` in `forward`.",
        ),
        (EPS, "self.eps = 1e-5"),
        group=ALONE,
        recogniser=eps_never_changes,
    ),
    # scale and shift
    mistake(
        "gamma_forgotten",
        "You never multiply by `gamma`. It gets no gradient, and no feature can have a scale of its own.",
        (
            "Which of your parameters receives no gradient?",
            "The formula in the docstring has three parts. Which is missing?",
            "`self.gamma * centred / … + self.beta`.",
        ),
        (RETURN, RETURN.replace("self.gamma * ", "")),
        group="scale",
    ),
    mistake(
        "beta_forgotten",
        "You never add `beta`. It gets no gradient, and no feature can have a shift of its own.",
        (
            "Which of your parameters receives no gradient?",
            "The formula in the docstring has three parts. Which is missing?",
            "`self.gamma * centred / … + self.beta`.",
        ),
        (RETURN, RETURN.replace(" + self.beta", "")),
        group="scale",
    ),
    mistake(
        "scale_and_shift_forgotten",
        "You normalise and stop there. Neither `gamma` nor `beta` is used, so neither can learn.",
        (
            "Which of your parameters receive a gradient?",
            "The formula in the docstring goes on after the fraction. With what?",
            "`self.gamma * centred / … + self.beta`.",
        ),
        (RETURN, f"return centred / {ROOT}"),
        group="scale",
    ),
    mistake(
        "shifted_before_scaling",
        "You add `beta` first and multiply by `gamma` afterwards: the shift is scaled too.",
        (
            "A token of equal features should come out as `beta`. What does yours come out as?",
            "Scale, then shift: in which order are yours? Look at the brackets.",
            "`self.gamma * normed + self.beta`.",
        ),
        (RETURN, f"return self.gamma * (centred / {ROOT} + self.beta)"),
        group="scale",
    ),
    mistake(
        "gamma_and_beta_swapped",
        "You multiply by `beta` and add `gamma`.",
        (
            "Which of the two starts with ones? What would your module do to a token at first?",
            "Compare the two names in your last line with the docstring.",
            "`self.gamma * centred / … + self.beta`.",
        ),
        (RETURN, f"return self.beta * centred / {ROOT} + self.gamma"),
        group="scale",
    ),
    # everything else
    mistake(
        "statistics_detached",
        "Your numbers are right, but mean and variance are cut out of the graph, so the gradient treats them as constants. It then no longer knows that the output doesn't depend on a token's mean and size.",
        (
            "Compare the gradient at the input with that of `F.layer_norm`.",
            "Do you use `detach`, `.data` or `torch.no_grad` where you compute mean and variance?",
            "Both are functions of x, and the gradient has to flow through them. Leave the graph uncut.",
        ),
        (CENTRED, CENTRED.replace("x.mean", "x.detach().mean")),
        (VARIANCE, VARIANCE.replace("centred", "centred.detach()")),
        group=ALONE,
    ),
    mistake(
        "input_overwritten",
        "Your numbers are right, but you change the input in place. The residual connection needs it next, and finds it changed.",
        (
            "Print `x` before and after a call of your module.",
            "`-=`, `/=` and methods whose names end in `_` change a tensor in place.",
            "`centred = x - mean`: a new tensor.",
        ),
        (CENTRED, "x -= x.mean(dim=-1, keepdim=True)\n        centred = x"),
        group=ALONE,
    ),
)  # fmt: skip


class OnLibraryVariance(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / (var + self.eps).sqrt() * self.gamma + self.beta


class OfPyTorch(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.beta = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


class MeanOfSquares(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))

    def forward(self, x):
        D = x.shape[-1]
        mu = x.sum(dim=-1, keepdim=True) / D
        d = x - mu
        variance = (d * d).sum(dim=-1, keepdim=True) / D
        return torch.addcmul(self.beta, self.gamma, d * torch.rsqrt(variance + self.eps))


class TokenByToken(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        done = []
        for token in x.reshape(-1, x.size(-1)):
            centred = token - token.mean()
            done.append(self.gamma * centred / (centred.pow(2).mean() + self.eps) ** 0.5 + self.beta)
        return torch.stack(done).view(x.shape)


class MeanAndStandardDeviation(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        scale = self.gamma / torch.sqrt(variance + self.eps)
        return x * scale + (self.beta - mean * scale)


class ByAMatrix(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        D = x.size(-1)
        centre = torch.eye(D, dtype=x.dtype) - torch.full((D, D), 1 / D, dtype=x.dtype)
        centred = x @ centre
        sigma = torch.sqrt(torch.einsum("...d,...d->...", centred, centred) / D + self.eps)
        return self.gamma * (centred / sigma[..., None]) + self.beta


class stub(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        raise NotImplementedError

    def forward(self, x):
        raise NotImplementedError


class Zeros(LayerNorm):
    def forward(self, x):
        return x * 0


class TheInputItself(LayerNorm):
    def forward(self, x):
        return x


class TheShift(LayerNorm):
    def forward(self, x):
        return self.beta.expand_as(x)


class Noise(LayerNorm):
    def forward(self, x):
        return torch.randn(x.shape)


LAYER_NORM = define(
    id="layer_norm",
    lesson="06_encoder_block",
    place=1,
    module="course_lib.components.layer_norm",
    symbol="LayerNorm",
    minutes=15,
    laws=LAWS,
    hints=(
        "The lesson normalises (1, 3, 5, 7) on paper: its mean is 4, its variance 5. What should come out?",
        "Four steps: mean, centre, variance, divide; then scale and shift. Print the shape after each: mean and variance are (B, T, 1).",
        "`centred = x - x.mean(dim=-1, keepdim=True)`; `variance = centred.square().mean(dim=-1, keepdim=True)`; "
        "`self.gamma * centred / torch.sqrt(variance + self.eps) + self.beta`.",
    ),
    ask=ask,
    mistakes=(
        finished_function(OfPyTorch, "F.layer_norm", "Mean and variance of the last axis, each with `keepdim=True`; then the formula."),
        *MISTAKES,
    ),
    alternatives=(
        OnLibraryVariance, MeanOfSquares, TokenByToken, MeanAndStandardDeviation, ByAMatrix,
    ),
    lazy=(stub, Zeros, TheInputItself, TheShift, Noise),
    write=("__init__", "forward"),
    switches=("axis", "variance", "root"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class ANorm(nn.Module):
    """A right constructor."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps


@LAYER_NORM.second_version("divided_by_d_minus_1")
class TorchsVariance(ANorm):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=-1, keepdim=True)
        return (x - mean) * torch.rsqrt(var + self.eps) * self.gamma + self.beta


@LAYER_NORM.second_version("finished_function")
class AModuleInsideAnother(LayerNorm):
    def forward(self, x):
        inside = nn.LayerNorm(x.shape[-1], eps=self.eps, dtype=x.dtype)
        return self.gamma * torch.func.functional_call(inside, {}, (x,)) + self.beta


@LAYER_NORM.second_version("eps_outside_the_root")
class StandardDeviationPlusEpsilon(ANorm):
    def forward(self, x):
        std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
        return self.gamma * ((x - mean) / (std + self.eps)) + self.beta


@LAYER_NORM.second_version("divided_by_d_minus_1 + eps_outside_the_root")
class TorchsDeviationPlusEpsilon(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.beta


@LAYER_NORM.second_version("mean_not_subtracted")
class RootMeanSquare(ANorm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.gamma + self.beta


@LAYER_NORM.second_version("over_the_tokens")
class AlongTheSentence(ANorm):
    def forward(self, x):
        mean = x.mean(dim=-2, keepdim=True)
        var = ((x - mean) ** 2).mean(dim=-2, keepdim=True)
        return self.gamma * (x - mean) / (var + self.eps) ** 0.5 + self.beta


@LAYER_NORM.second_version("over_everything")
class OneMeanForAll(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + self.eps) + self.beta


@LAYER_NORM.second_version("eps_missing")
class WithoutEpsilon(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.gamma * d / d.pow(2).mean(-1, keepdim=True).sqrt() + self.beta


@LAYER_NORM.second_version("eps_fixed")
class EpsilonFixed(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), self.gamma, self.beta)


@LAYER_NORM.second_version("beta_forgotten")
class ScaledOnly(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), self.gamma, None, self.eps)


@LAYER_NORM.second_version("scale_and_shift_forgotten")
class NormalisedOnly(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), eps=self.eps)


@LAYER_NORM.second_version("root_of_the_deviation")
class RootOfSigma(ANorm):
    def forward(self, x):
        sigma = x.std(-1, correction=0, keepdim=True)
        return (x - x.mean(-1, keepdim=True)) / (sigma + self.eps).sqrt() * self.gamma + self.beta


@LAYER_NORM.second_version("other_names")
class TorchsNames(nn.LayerNorm):
    def __init__(self, d_model, eps=1e-5):
        super().__init__(d_model, eps=eps)


@LAYER_NORM.second_version("variance_not_divided")
class LengthForDeviation(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return (
            self.gamma * d / torch.sqrt(torch.linalg.vector_norm(d, dim=-1, keepdim=True) ** 2 + self.eps) + self.beta
        )


@LAYER_NORM.second_version("over_the_batch")
class BatchNorm(ANorm):
    def forward(self, x):
        var, mean = torch.var_mean(x, dim=0, correction=0)
        return self.gamma * (x - mean) / (var + self.eps).sqrt() + self.beta


@LAYER_NORM.second_version("shifted_before_scaling")
class ScaledLast(ANorm):
    def forward(self, x):
        return self.gamma * F.layer_norm(x, x.shape[-1:], None, self.beta, self.eps)


@LAYER_NORM.second_version("gamma_starts_with_zeros")
class BothStartWithZeros(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = (nn.Parameter(torch.zeros(d_model)) for _ in range(2))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


@LAYER_NORM.second_version("eps_fixed")
class AnEpsilonOfItsOwn(ANorm):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return (x - mean) * torch.rsqrt(variance + 1e-6) * self.gamma + self.beta
