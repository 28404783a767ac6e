"""Exercise `residual_sublayer`: a sub-layer's output is added to its input, normalised before or after."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.values import Value
from course_lib.components.layer_norm import LayerNorm
from course_lib.components.residual import ResidualSublayer


def _weights(draw: Draw, d_model: int) -> dict[str, Tensor]:
    return {
        "norm.gamma": 1 + draw.tensor(d_model, scale=0.5),
        "norm.beta": draw.tensor(d_model, scale=0.5),
    }


def _question(
    name: str,
    norm_first: bool,
    weights: dict[str, Tensor],
    x: Tensor,
    matrix: Tensor,
    dropout: float = 0.0,
    shift: Tensor | None = None,
    **more: Value,
) -> Question:
    build = {"d_model": matrix.size(0), "dropout": dropout, "norm_first": norm_first}
    calls = [{"x": x, "matrix": matrix} | ({} if shift is None else {"shift": shift})]
    given = {"build": build, "weights": weights, "calls": calls, "returns": ["output"], **more}
    return Question(name, probes.around_a_sublayer, given)


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, dropout with a share of 1 and gradients, each with pre-norm and post-norm.

    The sub-layer multiplies what it is given by a matrix that comes with the question. The inputs are small:
    post-norm hides a factor on the sum, but for the ε under the root, and beside large numbers ε is nothing.
    """
    weights = {
        "norm.gamma": torch.tensor([1.0, 2.0, 1.0]).double(),
        "norm.beta": torch.tensor([0.0, 0.0, 1.0]).double(),
    }
    matrix = torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]).double()
    x = torch.tensor([[[0.1, 0.2, 0.6], [0.0, 0.4, 0.2]]]).double() + draw.tensor(1, 2, 3, scale=0.03).round(decimals=2)
    yield _question("pre_by_hand", True, weights, x, matrix)
    yield _question("post_by_hand", False, weights, x, matrix)
    (b, t), (d_model,) = draw.sizes(2), draw.shuffled(((4,), (7,), (8,)))[0]
    weights, x, matrix = _weights(draw, d_model), draw.tensor(b, t, d_model, scale=0.1), draw.tensor(d_model, d_model)
    yield _question("pre", True, weights, x, matrix)
    yield _question("post", False, weights, x, matrix)
    shift = draw.tensor(d_model)  # so that a sub-layer makes something of zeros too
    yield _question("pre_training", True, weights, x, matrix, dropout=1.0, shift=shift, training=True)
    yield _question("post_training", False, weights, x, matrix, dropout=1.0, shift=shift, training=True)
    yield _question("evaluation", True, weights, x, matrix, dropout=1.0)
    upstream = {"output": draw.tensor(b, t, d_model)}
    yield _question("pre_gradients", True, weights, x, matrix, upstream=upstream)
    yield _question("post_gradients", False, weights, x, matrix, upstream=upstream)


OUTPUT = {"fields": ["calls/0/output"]}
GRADIENTS = {"fields": [f"gradients/{name}" for name in ("x", "matrix", "norm.gamma", "norm.beta")]}

LAWS = (
    Law("pre_by_hand", equals_reference, "pre_by_hand", "pre-norm: two tokens of width 3 come out right, where the sub-layer is `y @ matrix`", 0.5, OUTPUT),
    Law("post_by_hand", equals_reference, "post_by_hand", "post-norm: the same two tokens come out right", 0.5, OUTPUT),
    Law("pre", equals_reference, "pre", "pre-norm: a batch of longer sentences comes out right", 0.75, OUTPUT),
    Law("post", equals_reference, "post", "post-norm: the same batch comes out right", 0.75, OUTPUT),
    Law("pre_dropout", equals_reference, "pre_training", "pre-norm, in training: `dropout=1.0` drops everything that the sub-layer returns, and `x` is left", 0.25, OUTPUT, needs="pre"),
    Law("post_dropout", equals_reference, "post_training", "post-norm, in training: what is left is `x`, normalised", 0.25, OUTPUT, needs="post"),
    Law("dropout_in_evaluation", equals_reference, "evaluation", "in evaluation nothing is dropped", 0.25, OUTPUT),
    Law("pre_gradients", equals_reference, "pre_gradients", "pre-norm: the gradients are right, those of the sub-layer too", 0.25, GRADIENTS),
    Law("post_gradients", equals_reference, "post_gradients", "post-norm: the gradients are right, those of the sub-layer too", 0.25, GRADIENTS),
    Law("inputs_unchanged", inputs_unchanged, "pre", "your input stays as it was", 0.25, {"arguments": "calls/0"}, needs="pre"),
)  # fmt: skip

PRE = "x + self.dropout(sublayer(self.norm(x)))"
POST = "self.norm(x + self.dropout(sublayer(x)))"
IF = "if self.norm_first:"
SHOW_PRE = f"Pre-norm: `{PRE}`."
SHOW_POST = f"Post-norm: `{POST}`."
SHOW_BOTH = f"Pre-norm: `{PRE}`. Post-norm: `{POST}`."

MISTAKES = (
    # which of the two
    mistake(
        "always_pre_norm",
        "You normalise before the sub-layer, whatever `norm_first` says. If it's False, the normalisation belongs after the sum.",
        (
            "Build your module with `norm_first=True` and `False`. Does the output differ?",
            "`self.norm_first` is there. Where do you use it?",
            SHOW_BOTH,
        ),
        (IF, "if True:"),
        group="order",
    ),
    mistake(
        "always_post_norm",
        "You normalise after the sum, whatever `norm_first` says. If it's True, the normalisation belongs before the sub-layer.",
        (
            "Build your module with `norm_first=True` and `False`. Does the output differ?",
            "`self.norm_first` is there. Where do you use it?",
            SHOW_BOTH,
        ),
        (IF, "if False:"),
        group="order",
    ),
    mistake(
        "the_two_swapped",
        "You have swapped pre-norm and post-norm: when `norm_first` is True, you normalise last.",
        (
            "What comes first, according to the name `norm_first`?",
            "Compare your two branches with the two formulas in the lesson.",
            SHOW_BOTH,
        ),
        (IF, "if not self.norm_first:"),
        group="order",
    ),
    # the residual connection
    mistake(
        "residual_missing",
        "You return what the sub-layer returns, and don't add the input to it.",
        (
            "Hand in a sub-layer that returns zeros. What should come out? What does?",
            "Each formula in the lesson has a plus. Where is it in your code?",
            SHOW_BOTH,
        ),
        (PRE, "self.dropout(sublayer(self.norm(x)))"),
        (POST, "self.norm(self.dropout(sublayer(x)))"),
        group="residual",
    ),
    mistake(
        "residual_missing_pre_norm",
        "Your post-norm is right. With pre-norm you do not add the input to what the sub-layer returns.",
        (
            "With pre-norm, hand in a sub-layer that returns zeros. What should come out? What does?",
            "Both formulas in the lesson have a plus. Where is it in your first branch?",
            SHOW_PRE,
        ),
        (PRE, "self.dropout(sublayer(self.norm(x)))"),
        group=ALONE,
    ),
    mistake(
        "residual_missing_post_norm",
        "Your pre-norm is right. With post-norm you do not add the input to what the sub-layer returns.",
        (
            "With post-norm, hand in a sub-layer that returns zeros. What should come out? What does?",
            "Both formulas in the lesson have a plus. Where is it in your second branch?",
            SHOW_POST,
        ),
        (POST, "self.norm(self.dropout(sublayer(x)))"),
        group=ALONE,
    ),
    mistake(
        "normalised_input_added",
        "With pre-norm you add the *normalised* input to what the sub-layer returns. The stream `x` itself should pass unchanged: only what the sub-layer reads is normalised.",
        (
            "With pre-norm, hand in a sub-layer that returns zeros. Does `x` come out?",
            "Do you overwrite `x` with `self.norm(x)`? What is `x` in your sum then?",
            SHOW_PRE,
        ),
        (PRE, "self.norm(x) + self.dropout(sublayer(self.norm (x)))"),
        group="residual",
    ),
    mistake(
        "residual_detached",
        "Your numbers are right, but the input that you add is cut out of the graph, so the gradient only comes back through the sub-layer. The direct path is closed.",
        (
            "Hand in a sub-layer that returns zeros. Which gradient reaches `x`?",
            "Do you use `detach`, `clone().detach()` or `.data` to keep `x` for later?",
            "Add `x` itself. Keeping it in another name needs no copy.",
        ),
        (PRE, PRE.replace("x +", "x.detach() +")),
        (POST, POST.replace("x +", "x.detach() +")),
        group="residual",
    ),
    mistake(
        "averaged",
        "You take the mean of the input and what the sub-layer returns. They should be added.",
        (
            "Hand in a sub-layer that returns zeros. What comes out?",
            "Do you divide your sum by 2?",
            SHOW_BOTH,
        ),
        (PRE, f"({PRE}) / 2"),
        (POST, POST.replace("x +", "x / 2 + 0.5 *")),
        group=ALONE,
    ),
    # the normalisation
    mistake(
        "not_normalised",
        "You never normalise. `self.norm` isn't used, and the residual stream grows from layer to layer.",
        (
            "Which parameters receive no gradient?",
            "The constructor makes `self.norm`. Where do you use it?",
            SHOW_BOTH,
        ),
        (PRE, PRE.replace("self.norm(x)", "x")),
        (POST, "x + self.dropout (sublayer(x))"),
        group="normalised",
    ),
    mistake(
        "pre_norm_not_normalised",
        "Your post-norm is right. With pre-norm the sub-layer gets the input as it is, and nothing is normalised.",
        (
            "With pre-norm, multiply the input by 10. By what factor does the amount you add grow?",
            "What do you hand to `sublayer` when `norm_first` is True?",
            SHOW_PRE,
        ),
        (PRE, PRE.replace("self.norm(x)", "x")),
        group=ALONE,
    ),
    mistake(
        "sublayer_output_normalised",
        "You normalise what the sub-layer *returns*, and add the input after that. Pre-norm normalises what goes into the sub-layer, post-norm the sum.",
        (
            "What is the mean of what you add to `x`? And of the whole output?",
            "A norm could stand before the sub-layer, after it, or after the sum. Which two of these are pre-norm and post-norm?",
            SHOW_BOTH,
        ),
        (PRE, "x + self.dropout(self.norm(sublayer(x)))"),
        (POST, "x + self.norm(self.dropout(sublayer(x)))"),
        group="normalised",
    ),
    mistake(
        "post_norm_inside",
        "Your pre-norm is right. With post-norm you normalise what the sub-layer returns and add the input after that; the *sum* should be normalised.",
        (
            "With post-norm and γ = 1, β = 0: what is the variance of your output?",
            "What do the brackets of your norm enclose: the sum, or the sub-layer?",
            SHOW_POST,
        ),
        (POST, "x + self.norm(self.dropout(sublayer(x)))"),
        group=ALONE,
    ),
    mistake(
        "pre_norm_normalised_twice",
        "With pre-norm you normalise before the sub-layer and the sum once more. That isn't pre-norm any more: the sum should pass unchanged.",
        (
            "With pre-norm, hand in a sub-layer that returns zeros. Does `x` come out?",
            "How many times do you use `self.norm` when `norm_first` is True?",
            SHOW_PRE,
        ),
        (PRE, "self.norm (x + self.dropout(sublayer(self.norm(x))))"),
        group=ALONE,
    ),
    mistake(
        "post_norm_normalised_twice",
        "With post-norm you normalise before the sub-layer too. There the sub-layer reads its input as it is, because the sub-layer before has normalised its sum already.",
        (
            "With post-norm, multiply the input by 10. Does what the sub-layer returns grow?",
            "How many times do you use `self.norm` when `norm_first` is False?",
            SHOW_POST,
        ),
        (POST, POST.replace("sublayer(x)", "sublayer(self.norm(x))")),
        group=ALONE,
    ),
    # dropout
    mistake(
        "dropout_forgotten",
        "You never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "The constructor makes `self.dropout`. Where in `forward` do you use it?",
            SHOW_BOTH,
        ),
        (PRE, PRE.replace("self.dropout(sublayer(self.norm(x)))", "sublayer(self.norm(x))")),
        (POST, POST.replace("self.dropout(sublayer(x))", "sublayer(x)")),
        group="dropout",
    ),
    mistake(
        "dropout_on_the_sum",
        "You apply dropout to the *sum*, so parts of the input are lost as well, which the residual connection should have carried past the sub-layer.",
        (
            "With `dropout=1.0`, in training and pre-norm: what is left? It should be `x`.",
            "What do the brackets of your dropout enclose: the sub-layer, or the sum?",
            SHOW_BOTH,
        ),
        (PRE, "self.dropout(x + sublayer(self.norm(x)))"),
        (POST, "self.norm(self.dropout(x + sublayer(x)))"),
        group="dropout",
    ),
    mistake(
        "dropout_before_the_sublayer",
        "You apply dropout to what goes *into* the sub-layer. It belongs on what comes out.",
        (
            "Hand in a sub-layer that returns ones whatever it gets, with `dropout=1.0`, in training. What is left?",
            "What do you hand to `self.dropout`?",
            SHOW_BOTH,
        ),
        (PRE, "x + sublayer(self.dropout(self.norm(x)))"),
        (POST, "self.norm(x + sublayer(self.dropout(x)))"),
        group=ALONE,
    ),
    mistake(
        "dropout_in_evaluation",
        "You apply dropout in evaluation, too: the same sentence would be translated differently each time. `F.dropout` doesn't know your module's mode unless you pass it.",
        (
            "Call your module twice after `.eval()`, with `dropout=0.5`. Is the output the same?",
            "`F.dropout` has a parameter `training`, which is True unless you say otherwise.",
            "`self.dropout(...)`: a module knows its mode. Or `F.dropout(..., self.dropout.p, self.training)`.",
        ),
        (PRE, "x + F.dropout(sublayer(self.norm(x)), self.dropout.p)"),
        (POST, "self.norm(x + F.dropout(sublayer(x), self.dropout.p))"),
        group=ALONE,
    ),
    # everything else
    mistake(
        "sublayer_left_out",
        "You never call the sub-layer.",
        (
            "Hand in another sub-layer. Does your output differ?",
            "`sublayer` is a function. Where do you call it?",
            SHOW_BOTH,
        ),
        (PRE, "x + self.dropout(self.norm(x))"),
        (POST, "self.norm(x + self.dropout(x))"),
        group=ALONE,
    ),
    mistake(
        "input_overwritten",
        "Your numbers are right, but you add to the input in place, so the caller's tensor is changed.",
        (
            "Print `x` before and after a call of your module.",
            "`x += y` changes the tensor that was handed in; `x = x + y` makes a new one.",
            "Write the sum with `+`.",
        ),
        (PRE, "x.add_(self.dropout(sublayer(self.norm(x))))"),
        (POST, "self.norm(x.add_(self.dropout(sublayer(x))))"),
        group=ALONE,
    ),
    mistake(
        "dropout_before_the_norm",
        "You apply dropout to the input before it is normalised. It belongs on what the sub-layer returns.",
        (
            "Hand in a sub-layer that returns ones whatever it gets, with `dropout=1.0`, in training. What is left?",
            "What do you hand to `self.dropout`?",
            f"{SHOW_BOTH}",
        ),
        (PRE, "x + sublayer(self.norm(self.dropout(x)))"),
        (POST, "self.norm(x + sublayer(self.dropout(x)))"),
        group=ALONE,
    ),
    mistake(
        "pre_norm_behind_the_sublayer",
        "Your post-norm is right. With pre-norm you normalise what the sub-layer *returns*. What it reads should be normalised.",
        (
            "With pre-norm, what is the mean of what you add to `x`?",
            "The name says *pre*. Before what?",
            f"{SHOW_PRE}",
        ),
        (PRE, "x + self.dropout(self.norm(sublayer(x)))"),
        group=ALONE,
    ),
    mistake(
        "post_norm_not_normalised",
        "Your pre-norm is right. With post-norm you return the sum without normalising it.",
        (
            "With `norm_first=False`, which parameters receive no gradient?",
            "Look at the branch for post-norm. Where is `self.norm`?",
            f"{SHOW_POST}",
        ),
        (IF, f"{IF}  # in the other branch nothing is normalised"),
        ("output = self.norm(x + ", "output = (x + "),
        group="normalised",
    ),
    mistake(
        "pre_norm_averaged",
        "Your post-norm is right. With pre-norm you take the mean of the input and what the sub-layer returns. They should be added.",
        (
            "Hand in a sub-layer that returns zeros. What comes out with pre-norm?",
            "Do you divide your sum by 2?",
            f"{SHOW_PRE}",
        ),
        (PRE, f"({PRE}) / 2"),
        group=ALONE,
    ),
    mistake(
        "dropout_only_with_post_norm",
        "With pre-norm you never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and `norm_first=True` and call it in training mode. What is left?",
            "Compare your two branches. Where is `self.dropout` in each?",
            f"{SHOW_PRE}",
        ),
        ("x + self.dropout(sublayer(self.norm(x)))", "x + sublayer(self.norm(x))"),
        group=ALONE,
    ),
    mistake(
        "dropout_only_with_pre_norm",
        "With post-norm you never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and `norm_first=False` and call it in training mode. What is left?",
            "Compare your two branches. Where is `self.dropout` in each?",
            f"{SHOW_POST}",
        ),
        (POST, POST.replace("self.dropout(sublayer(x))", "sublayer(x)")),
        group=ALONE,
    ),
    mistake(
        "dropout_on_the_sum_post_norm",
        "Your pre-norm is right. With post-norm you apply dropout to the *sum*, so parts of the input are lost as well, which the residual connection should have carried past the sub-layer.",
        (
            "With `dropout=1.0`, in training and post-norm: what is left? It should be `x`, normalised.",
            "Compare your two branches. What does the dropout enclose in each: the sub-layer, or the sum?",
            SHOW_POST,
        ),
        (POST, "self.norm(self.dropout(x + sublayer(x)))"),
        group=ALONE,
    ),
    mistake(
        "dropout_on_the_sum_pre_norm",
        "Your post-norm is right. With pre-norm you apply dropout to the *sum*, so parts of the input are lost as well, which the residual connection should have carried past the sub-layer.",
        (
            "With `dropout=1.0`, in training and pre-norm: what is left? It should be `x`.",
            "Compare your two branches. What does the dropout enclose in each: the sub-layer, or the sum?",
            SHOW_PRE,
        ),
        (PRE, "self.dropout(x + sublayer(self.norm(x)))"),
        group=ALONE,
    ),
)  # fmt: skip


class InTwoMethods(ResidualSublayer):
    def pre(self, x, f):
        return x + self.dropout(f(self.norm(x)))

    def post(self, x, f):
        return self.norm(x + self.dropout(f(x)))

    def forward(self, x, sublayer):
        return (self.pre if self.norm_first else self.post)(x, sublayer)


class StepByStep(ResidualSublayer):
    def forward(self, x, sublayer):
        residual = x
        if self.norm_first:
            x = self.norm(x)
        x = sublayer(x)
        x = self.dropout(x)
        x = residual + x
        if not self.norm_first:
            x = self.norm(x)
        return x


class WithIdentities(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm, self.dropout = LayerNorm(d_model), nn.Dropout(dropout)
        self.before = self.norm.forward if norm_first else (lambda x: x)
        self.after = (lambda x: x) if norm_first else self.norm.forward

    def forward(self, x, sublayer):
        added = F.dropout(sublayer(self.before(x)), self.dropout.p, training=self.training)
        return self.after(torch.add(x, added))


class AddedInPlace(ResidualSublayer):
    def forward(self, x, sublayer):
        total = x.clone()
        total += self.dropout(sublayer(self.norm(x) if self.norm_first else x))
        if self.norm_first:
            return total
        return self.norm(total)


class stub(ResidualSublayer):
    def forward(self, x, sublayer):
        raise NotImplementedError


class Zeros(ResidualSublayer):
    def forward(self, x, sublayer):
        return x * 0


class TheInputItself(ResidualSublayer):
    def forward(self, x, sublayer):
        return x


class TheSublayerAlone(ResidualSublayer):
    def forward(self, x, sublayer):
        return sublayer(x)


class Noise(ResidualSublayer):
    def forward(self, x, sublayer):
        return torch.rand(x.shape)


RESIDUAL_SUBLAYER = define(
    id="residual_sublayer",
    lesson="06_encoder_block",
    place=2,
    module="course_lib.components.residual",
    symbol="ResidualSublayer",
    minutes=10,
    laws=LAWS,
    hints=(
        "Hand in a sub-layer that returns zeros. What is left with pre-norm, and what with post-norm?",
        "There are four steps: normalise, call the sub-layer, apply dropout, add. In which order do they come if `norm_first` is True, and in which if it's False?",
        SHOW_BOTH,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InTwoMethods, StepByStep, WithIdentities, AddedInPlace),
    lazy=(stub, Zeros, TheInputItself, TheSublayerAlone, Noise),
    write=("forward",),
    switches=("order", "normalised", "dropout"),
    builds_on=("layer_norm",),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@RESIDUAL_SUBLAYER.second_version("normalised_input_added")
class NameOverwritten(ResidualSublayer):
    def forward(self, x, sublayer):
        if self.norm_first:
            x = self.norm(x)
        x = x + self.dropout(sublayer(x))
        return x if self.norm_first else self.norm(x)


@RESIDUAL_SUBLAYER.second_version("always_post_norm")
class AsInThePaper(ResidualSublayer):
    def forward(self, x, sublayer):
        return self.norm(self.dropout(sublayer(x)) + x)


@RESIDUAL_SUBLAYER.second_version("the_two_swapped")
class BranchesExchanged(ResidualSublayer):
    def forward(self, x, sublayer):
        y = self.dropout(sublayer(x if self.norm_first else self.norm(x)))
        return self.norm(x + y) if self.norm_first else x + y


@RESIDUAL_SUBLAYER.second_version("dropout_on_the_sum")
class SumDropped(ResidualSublayer):
    def forward(self, x, sublayer):
        total = x + sublayer(self.norm(x) if self.norm_first else x)
        total = F.dropout(total, self.dropout.p, self.training)
        return total if self.norm_first else self.norm(total)


@RESIDUAL_SUBLAYER.second_version("sublayer_output_normalised")
class NormBehindTheSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.norm_first:
            return self.dropout(self.norm(y)) + x
        return self.norm(self.dropout(y)) + x


@RESIDUAL_SUBLAYER.second_version("residual_detached")
class KeptForLater(ResidualSublayer):
    def forward(self, x, sublayer):
        kept = x.data.clone()
        y = self.dropout(sublayer(self.norm(x) if self.norm_first else x))
        return kept + y if self.norm_first else self.norm(kept + y)


@RESIDUAL_SUBLAYER.second_version("residual_missing")
class OnlyTheSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        x = self.norm(x) if self.norm_first else x
        x = self.dropout(sublayer(x))
        return x if self.norm_first else self.norm(x)


@RESIDUAL_SUBLAYER.second_version("not_normalised")
class NormLeftOut(ResidualSublayer):
    def forward(self, x, sublayer):
        return torch.add(self.dropout(sublayer(x)), x)


@RESIDUAL_SUBLAYER.second_version("dropout_forgotten")
class NeverDropped(ResidualSublayer):
    def forward(self, x, sublayer):
        total = x + sublayer(self.norm(x) if self.norm_first else x)
        return total if self.norm_first else self.norm(total)


@RESIDUAL_SUBLAYER.second_version("pre_norm_normalised_twice")
class AlwaysNormalisedAtTheEnd(ResidualSublayer):
    def forward(self, x, sublayer):
        y = self.norm(x) if self.norm_first else x
        return self.norm(self.dropout(sublayer(y)) + x)


@RESIDUAL_SUBLAYER.second_version("post_norm_inside")
class BracketTooEarly(ResidualSublayer):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x))) + x
        return self.dropout(sublayer(self.norm(x))) + x


@RESIDUAL_SUBLAYER.second_version("dropout_before_the_sublayer")
class DropsWhatGoesIn(ResidualSublayer):
    def forward(self, x, sublayer):
        y = self.dropout(self.norm(x) if self.norm_first else x)
        x = x + sublayer(y)
        return x if self.norm_first else self.norm(x)


@RESIDUAL_SUBLAYER.second_version("dropout_before_the_norm")
class DropsFirst(ResidualSublayer):
    def forward(self, x, sublayer):
        y = F.dropout(x, self.dropout.p, self.training)
        return x + sublayer(self.norm(y)) if self.norm_first else self.norm(x + sublayer(y))


@RESIDUAL_SUBLAYER.second_version("pre_norm_behind_the_sublayer")
class NormTooLate(ResidualSublayer):
    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.norm_first:
            y = self.norm(y)
            return x + self.dropout(y)
        return self.norm(x + self.dropout(y))


@RESIDUAL_SUBLAYER.second_version("post_norm_not_normalised")
class NormOnlyFirst(ResidualSublayer):
    def forward(self, x, sublayer):
        y = self.norm(x) if self.norm_first else x
        return x + self.dropout(sublayer(y))


@RESIDUAL_SUBLAYER.second_version("pre_norm_averaged")
class HalfOfEach(ResidualSublayer):
    def forward(self, x, sublayer):
        if self.norm_first:
            return 0.5 * x + 0.5 * self.dropout(sublayer(self.norm(x)))
        return self.norm(x + self.dropout(sublayer(x)))


@RESIDUAL_SUBLAYER.second_version("dropout_only_with_post_norm")
class NothingDroppedBefore(ResidualSublayer):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x)) + x)
        return sublayer(self.norm(x)) + x


@RESIDUAL_SUBLAYER.second_version("dropout_only_with_pre_norm")
class NothingDroppedAfter(ResidualSublayer):
    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x))) + x
        return self.norm(sublayer(x) + x)


@RESIDUAL_SUBLAYER.second_version("dropout_on_the_sum_post_norm")
class SumDroppedBeforeTheNorm(ResidualSublayer):
    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x))) + x
        x = x + sublayer(x)
        x = self.dropout(x)
        return self.norm(x)


@RESIDUAL_SUBLAYER.second_version("dropout_on_the_sum_pre_norm")
class SumDroppedWithoutANorm(ResidualSublayer):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x)) + x)
        x = x + sublayer(self.norm(x))
        return self.dropout(x)
