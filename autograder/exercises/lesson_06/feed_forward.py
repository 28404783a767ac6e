"""Exercise `feed_forward`: the lesson's first, two layers with a ReLU between them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.feed_forward import FeedForward

WEIGHTS = ("w_1.weight", "w_1.bias", "w_2.weight", "w_2.bias")


def _weights(draw: Draw, d_model: int, d_ff: int) -> dict[str, Tensor]:
    shapes = ((d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,))
    return {name: draw.tensor(*shape, scale=0.6) for name, shape in zip(WEIGHTS, shapes, strict=True)}


def _question(name: str, weights: dict[str, Tensor], *xs: Tensor, dropout: float = 0.0, **more: Value) -> Question:
    d_ff, d_model = weights["w_1.weight"].shape
    build = {"d_model": d_model, "d_ff": d_ff, "dropout": dropout}
    calls = [{"x": x} for x in xs]
    return Question(
        name, probes.module, {"build": build, "weights": weights, "calls": calls, "returns": ["output"], **more}
    )


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, one token without a batch, dropout; and a square, to name what crashes.

    Dropout is asked with a share of 1, in training and in evaluation: what it does then is no matter of chance.
    """
    weights = {
        "w_1.weight": torch.tensor([[1.0, 0.0], [-1.0, 1.0], [0.0, -2.0]]),
        "w_1.bias": torch.tensor([0.0, 0.5, 1.0]),
        "w_2.weight": torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]]),
        "w_2.bias": torch.tensor([0.5, -0.5]),
    }
    x = torch.tensor([[[2.0, 1.0], [-1.0, 3.0]]]) + draw.tensor(1, 2, 2, scale=0.3).round(decimals=1)
    yield _question("by_hand", weights, x)
    (b, t), (d_model, d_ff) = draw.sizes(2), draw.shuffled(((4, 7), (7, 4), (4, 8)))[0]
    weights, x = _weights(draw, d_model, d_ff), draw.tensor(b, t, d_model)
    other = torch.cat([x[:, :1], draw.tensor(b, t - 1, d_model)], dim=1)
    yield _question("plain", weights, x)
    yield _question("one_token", weights, draw.tensor(d_model))
    yield _question("changed", weights, x, other)
    yield _question("training", weights, x, dropout=1.0, training=True)
    yield _question("evaluation", weights, x, dropout=1.0)
    upstream = {"output": draw.tensor(b, t, d_model)}
    yield _question("gradients", weights, draw.tensor(b, t, d_model), upstream=upstream)
    yield _question("square", _weights(draw, 4, 4), draw.tensor(2, 3, 4))


OUTPUT = {"fields": ["calls/0/output"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two tokens of width 2 come out right, with 3 hidden activations each", 0.75, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.75, OUTPUT, also=("square",)),
    Law("one_token", equals_reference, "one_token", "so does a single token (D,), without batch and sentence", 0.25, OUTPUT),
    Law("tokens_apart", unmoved, "changed", "changing the tokens behind it leaves the first token's output unchanged", 0.25,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [None, 0]}, needs="equals_plain"),
    Law("dropout_in_training", equals_reference, "training", "in training, `dropout=1.0` drops every hidden activation: only the bias of `w_2` is left", 0.25, OUTPUT),
    Law("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation nothing is dropped", 0.25, OUTPUT),
    Law("gradients", equals_reference, "gradients", "the gradients of the input and of both layers are right", 0.5,
        {"fields": ["gradients/x", *(f"gradients/{name}" for name in WEIGHTS)]}),
)  # fmt: skip

HIDDEN = "torch.relu(self.w_1(x))"
DROP = "self.dropout(hidden)"
OUT = "self.w_2(self.dropout(hidden))"

MISTAKES = (
    # the nonlinearity
    mistake(
        "no_nonlinearity",
        "There is no nonlinearity between your two layers. Two linear layers in a row are one linear layer, because the product of their matrices is a matrix again.",
        (
            "Give your network x and 2x, with biases of 0. Is the second answer twice the first?",
            "The formula in the docstring has a `max(0, …)`. Where is it in your code?",
            "`hidden = torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "self.w_1(x)"),
        group="nonlinearity",
    ),
    mistake(
        "relu_at_the_end",
        "Your ReLU comes after the second layer instead of between the two. So no output can be negative, and the two layers in front of it are one linear layer.",
        (
            "Is any number of your output negative?",
            "`max(0, x W_1 + b_1)`: which of the two layers stands inside the brackets?",
            "`hidden = torch.relu(self.w_1(x))`, and the second layer's output as it is.",
        ),
        (HIDDEN, "self.w_1(x)"),
        (OUT, f"torch.relu({OUT})"),
        group="nonlinearity",
    ),
    mistake(
        "relu_twice",
        "You use ReLU after both layers. So no output can be negative, and the network could never lower a feature of a word.",
        (
            "Is any number of your output negative?",
            "How many `max` does the formula in the docstring have?",
            "One ReLU, after `w_1`. What `w_2` gives is returned as it is.",
        ),
        (OUT, f"torch.relu({OUT})"),
        group="nonlinearity",
    ),
    mistake(
        "relu_on_the_input",
        "You apply ReLU to the *input*, before the first layer. What is negative in a token is lost, and the two layers behind it are one linear layer.",
        (
            "Give a token whose numbers are all negative, and another one. Do you get the same output?",
            "`max(0, x W_1 + b_1)`: what is inside the brackets?",
            "First the layer, then the ReLU: `torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "self.w_1(torch.relu(x))"),
        group="nonlinearity",
    ),
    mistake(
        "gelu",
        "You use GELU, as BERT and GPT do. The formula here has max(0, ·), which is ReLU.",
        (
            "What does your nonlinearity turn −1 and 1 into?",
            "Compare its name with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "F.gelu(self.w_1(x))"),
        group="nonlinearity",
    ),
    mistake(
        "tanh",
        "You use tanh, which keeps every hidden activation between −1 and 1. The formula here has max(0, ·), which is ReLU.",
        (
            "What does your nonlinearity turn −1 and 3 into?",
            "Compare its name with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "torch.tanh(self.w_1(x))"),
        group=ALONE,
    ),
    mistake(
        "sigmoid",
        "You use the sigmoid, which keeps every hidden activation between 0 and 1. The formula here has max(0, ·), which is ReLU.",
        (
            "What does your nonlinearity turn −1 and 3 into?",
            "Compare its name with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "torch.sigmoid(self.w_1(x))"),
        group=ALONE,
    ),
    mistake(
        "softmax",
        "You put a softmax between the layers, so the hidden activations of a token sum to 1. Here each of them is on its own, and ReLU only sets the negative ones to 0.",
        (
            "Add up the hidden activations of one token.",
            "Compare what stands between your layers with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "torch.softmax(self.w_1(x), dim=-1)"),
        group="nonlinearity",
    ),
    # dropout
    mistake(
        "dropout_forgotten",
        "You never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "The constructor makes `self.dropout`. Where in `forward` do you use it?",
            "`self.w_2(self.dropout(hidden))`.",
        ),
        (DROP, "hidden"),
        group="dropout",
    ),
    mistake(
        "dropout_on_the_output",
        "You apply dropout to the output. Here it's applied to the hidden activations only; the residual sub-layer around this network takes care of the output.",
        (
            "With `dropout=1.0`, in training: what do you return, and where has the bias of `w_2` gone?",
            "Look at what you hand to `self.dropout`.",
            "`self.w_2(self.dropout(hidden))`.",
        ),
        (OUT, "self.dropout(self.w_2(hidden))"),
        group="dropout",
    ),
    mistake(
        "dropout_on_the_input",
        "You apply dropout to the input, before the first layer. Here it's applied to the hidden activations.",
        (
            "With `dropout=1.0`, in training, only the bias of `w_2` should be left. What is left in yours?",
            "Look at what you hand to `self.dropout`.",
            "`self.w_2(self.dropout(hidden))`.",
        ),
        ("self.w_1(x)", "self.w_1(self.dropout(x))"),
        (DROP, "hidden"),
        group=ALONE,
    ),
    mistake(
        "dropout_in_evaluation",
        "You apply dropout in evaluation, too: the same sentence would be translated differently each time. `F.dropout` doesn't know your module's mode unless you pass it.",
        (
            "Call your module twice after `.eval()`, with `dropout=0.5`. Is the output the same?",
            "`F.dropout` has a parameter `training`, which is True unless you say otherwise.",
            "`self.dropout(hidden)`: a module knows its mode. Or `F.dropout(hidden, self.dropout.p, self.training)`.",
        ),
        (DROP, "F.dropout(hidden, self.dropout.p)"),
        group=ALONE,
    ),
    # everything else
    mistake(
        "residual_added",
        "You add the input to the output. That is a residual connection, and it belongs around this network, not inside it.",
        (
            "If `w_2` were all zeros, what should your module return? What does it return?",
            "Compare your last line with the formula in the docstring. Which term is not in it?",
            "Return what `w_2` gives, and nothing added.",
        ),
        (OUT, f"x + {OUT}"),
        group="residual",
    ),
    mistake(
        "biases_left_out",
        "You multiply by the layers' weights and leave out their biases.",
        (
            "What does your network turn a token of zeros into?",
            "Do you use `.weight` somewhere? What else does an `nn.Linear` hold?",
            "Call the layers: `self.w_1(x)` is `x @ self.w_1.weight.T + self.w_1.bias`.",
        ),
        (HIDDEN, "torch.relu(x @ self.w_1.weight.T)"),
        (OUT, "self.dropout(hidden) @ self.w_2.weight.T"),
        group=ALONE,
    ),
    mistake(
        "weights_not_transposed",
        "You multiply by the weights as they are stored. An `nn.Linear` stores its weight as (out, in), and computes `x @ weight.T + bias`.",
        (
            "Print the shape of `self.w_1.weight`. Which product does it fit: x W, or x Wᵀ?",
            "Your product only exists where D = F. What has to happen to the weight first?",
            "Call the layers: `self.w_1(x)`.",
        ),
        (HIDDEN, "torch.relu(x @ self.w_1.weight + self.w_1.bias)"),
        (OUT, "self.dropout(hidden) @ self.w_2.weight + self.w_2.bias"),
        group=ALONE,
    ),
    mistake(
        "tokens_averaged",
        "You average over the tokens, so all tokens of a sentence get the same output. Here each token passes through the network by itself.",
        (
            "Give two different tokens in one sentence. Are their outputs different?",
            "Look for a `mean` or a `sum`, and at its `dim`.",
            "No operation here needs another axis than the last: two layers and a ReLU.",
        ),
        (HIDDEN, f"{HIDDEN}.mean(dim=-2, keepdim=True).expand(*x.shape[:-1], -1)"),
        group=ALONE,
    ),
    mistake(
        "hidden_detached",
        "Your numbers are right, but the hidden activations are cut out of the graph, so neither `w_1` nor anything before it can learn.",
        (
            "What is `module.w_1.weight.grad` after a backward pass?",
            "Between the layers the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "`torch.relu(self.w_1(x))`, and nothing that cuts.",
        ),
        (HIDDEN, f"{HIDDEN}.detach()"),
        group=ALONE,
    ),
    mistake(
        "leaky_relu",
        "You use a leaky ReLU, which lets a hundredth of each negative number through. The formula here has max(0, ·), which lets none of it through.",
        (
            "What does your nonlinearity turn −1 into?",
            "Compare what stands between your layers with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "nn.functional.leaky_relu(self.w_1(x))"),
        group="nonlinearity",
    ),
    mistake(
        "input_changed_by_relu",
        "You apply ReLU to the input in place, before the first layer. The caller's tensor is changed, and the two layers behind it are one linear layer.",
        (
            "Print `x` before and after your call.",
            "A method that ends in `_` changes its tensor in place, as `inplace=True` does. And where does the formula have its ReLU: on the input, or on the hidden activations?",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "self.w_1(x.relu_())"),
        group=ALONE,
    ),
    mistake(
        "silu",
        "You use SiLU, also called swish, as later models do. The formula here has max(0, ·), which is ReLU.",
        (
            "What does your nonlinearity turn −1 into? And what is max(0, −1)?",
            "Compare what stands between your layers with the formula in the docstring.",
            "`torch.relu(self.w_1(x))`.",
        ),
        (HIDDEN, "nn.functional.silu(self.w_1(x))"),
        group="nonlinearity",
    ),
)  # fmt: skip


class InOneExpression(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(F.relu(self.w_1(x))))


class WrittenOut(FeedForward):
    def forward(self, x):
        h = x @ self.w_1.weight.T + self.w_1.bias
        h = torch.maximum(h, torch.zeros_like(h))
        h = F.dropout(h, self.dropout.p, self.training)
        return h @ self.w_2.weight.T + self.w_2.bias


class DroppedBeforeTheReLU(FeedForward):
    def forward(self, x):
        h = self.dropout(self.w_1(x))
        return self.w_2(h * (h > 0))


class TokenByToken(FeedForward):
    def forward(self, x):
        tokens = x.reshape(-1, x.size(-1))
        done = [self.w_2(self.dropout(self.w_1(token).clamp(min=0))) for token in tokens]
        return torch.stack(done).reshape(x.shape)


class ByEinsum(FeedForward):
    def forward(self, x):
        hidden = nn.ReLU()(torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias)
        return torch.einsum("...f,df->...d", self.dropout(hidden), self.w_2.weight) + self.w_2.bias


class SumOfHiddenUnits(FeedForward):
    def forward(self, x):
        hidden = self.dropout(torch.relu(self.w_1(x)))
        return sum((hidden[..., f, None] * w for f, w in enumerate(self.w_2.weight.T)), self.w_2.bias)


class stub(FeedForward):
    def forward(self, x):
        raise NotImplementedError


class Zeros(FeedForward):
    def forward(self, x):
        return x * 0


class TheInputItself(FeedForward):
    def forward(self, x):
        return x


class TheBias(FeedForward):
    def forward(self, x):
        return self.w_2.bias.expand_as(x)


class Noise(FeedForward):
    def forward(self, x):
        return torch.rand(x.shape)


FEED_FORWARD = define(
    id="feed_forward",
    lesson="06_encoder_block",
    place=0,
    module="course_lib.components.feed_forward",
    symbol="FeedForward",
    minutes=5,
    laws=LAWS,
    hints=(
        "Take one word of width 2 from the lesson's table and follow it on paper: three hidden activations, the negative ones set to 0, then two numbers again.",
        "Four steps: the first layer, ReLU, dropout, the second layer. Print the shape after each.",
        "`hidden = torch.relu(self.w_1(x))`, then `self.w_2(self.dropout(hidden))`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WrittenOut, DroppedBeforeTheReLU, TokenByToken, ByEinsum, SumOfHiddenUnits),
    lazy=(stub, Zeros, TheInputItself, TheBias, Noise),
    write=("forward",),
    switches=("nonlinearity", "dropout"),
)


# the mistakes again, in another style: each must get the same name


@FEED_FORWARD.second_version("no_nonlinearity")
class OneMatrix(FeedForward):
    def forward(self, x):
        hidden = F.dropout(F.linear(x, self.w_1.weight, self.w_1.bias), self.dropout.p, self.training)
        return F.linear(hidden, self.w_2.weight, self.w_2.bias)


@FEED_FORWARD.second_version("relu_at_the_end")
class ClampedAtTheEnd(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x))).clamp(min=0)


@FEED_FORWARD.second_version("relu_twice")
class ActivatedTwice(FeedForward):
    def forward(self, x):
        activate = nn.ReLU()
        return activate(self.w_2(self.dropout(activate(self.w_1(x)))))


@FEED_FORWARD.second_version("gelu")
class Gelu(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(nn.GELU()(self.w_1(x))))


@FEED_FORWARD.second_version("dropout_forgotten")
class NothingDropped(FeedForward):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(hidden * (hidden > 0))


@FEED_FORWARD.second_version("dropout_on_the_output")
class DroppedLast(FeedForward):
    def forward(self, x):
        return F.dropout(self.w_2(self.w_1(x).relu()), self.dropout.p, self.training)


@FEED_FORWARD.second_version("residual_added")
class AddedToTheInput(FeedForward):
    def forward(self, x):
        output = self.w_2(self.dropout(F.relu(self.w_1(x))))
        output = output + x
        return output


@FEED_FORWARD.second_version("hidden_detached")
class HiddenAsData(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(F.relu(self.w_1(x)).data))


@FEED_FORWARD.second_version("leaky_relu")
class LeaksALittle(FeedForward):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(self.dropout(torch.where(hidden > 0, hidden, 0.01 * hidden)))


@FEED_FORWARD.second_version("input_changed_by_relu")
class ActivatesItsInput(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(nn.ReLU(inplace=True)(x))))


@FEED_FORWARD.second_version("silu")
class Swish(FeedForward):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(self.dropout(hidden * torch.sigmoid(hidden)))
