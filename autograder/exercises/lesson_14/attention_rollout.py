"""Exercise `attention_rollout`: the weights of all layers followed down to the words."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, sums_to_one


def _question(name: str, weights: Tensor) -> Question:
    return Question(name, probes.call, {"arguments": {"weights": weights}, "returns": ["shares"]})


def _weights(draw: Draw, *shape: int) -> Tensor:
    return torch.softmax(2 * draw.tensor(*shape), dim=-1)


def ask(draw: Draw) -> Iterator[Question]:
    """Two layers on paper, one layer, several, one head, causal weights, layers that only copy, a long sentence."""
    rows = ([1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.25, 0.75, 0.0])
    paper = [[[draw.shuffled(row) for row in rows]] for _ in range(2)]
    yield _question("by_hand", torch.tensor(paper, dtype=torch.float64))
    layers, heads, t = sorted(draw.sizes(3))
    yield _question("one_layer", _weights(draw, 1, heads, t, t))
    yield _question("plain", _weights(draw, layers, heads, t, t))
    yield _question("more_layers", _weights(draw, t, layers, heads, heads))
    yield _question("one_head", _weights(draw, heads, 1, t, t))
    causal = 2 * draw.tensor(layers, heads, t, t)
    causal = causal.masked_fill(~torch.ones(t, t, dtype=torch.bool).tril(), -torch.inf).softmax(dim=-1)
    yield _question("causal", causal)
    yield _question("copies", torch.eye(t).double().expand(layers, heads, t, t).clone())
    yield _question("long", _weights(draw, layers, 2, 40, 40))


SHARES = {"fields": ["shares"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two layers on paper come out right", 0.5, SHARES),
    Law("one_layer", equals_reference, "one_layer", "a single layer comes out right", 0.25, SHARES),
    Law("equals_plain", equals_reference, "plain", "several layers and heads come out right", 0.75, SHARES,
        also=("more_layers", "one_head")),
    Law("long", equals_reference, "long", "a long sentence comes out right", 0.25, SHARES),
    Law("causal", equals_reference, "causal", "where nobody sees the future, none of it arrives", 0.25, SHARES),
    Law("copies", equals_reference, "copies", "where every word looks at itself alone, each position is its own word", 0.25, SHARES),
    Law("rows_sum_to_one", sums_to_one, "plain", "the shares of each position sum to 1", 0.5, {"field": "shares"},
        needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the weights are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip

START = "came_from = torch.eye(size, dtype=weights.dtype)"
LOOP = "for layer in weights.mean(dim=1):"
STEP = "came_from = (layer + torch.eye(size, dtype=weights.dtype)) / 2 @ came_from"


def head_by_head(weights: Tensor) -> Tensor:
    identity = torch.eye(weights.size(-1), dtype=weights.dtype)
    rolled = identity.expand(weights.size(1), -1, -1)
    for layer in weights:
        rolled = (layer + identity) / 2 @ rolled
    return rolled.mean(dim=0)


MISTAKES = (
    mistake(
        "layers_multiplied_backwards",
        "You multiply the layers in the wrong order, as if the words came in at the last layer and left at the first.",
        (
            "With two layers: where does the *top* layer look, and whose row does it pick up there?",
            "What is at position t after a layer is a mixture of *rows* of what was there before. On which side of the product do the new weights stand?",
            "`(layer + identity) / 2 @ came_from`, from the first layer to the last.",
        ),
        (STEP, "came_from = came_from @ ((layer + torch.eye(size, dtype=weights.dtype)) / 2)"),
        group="order",
    ),
    mistake(
        "residual_forgotten",
        "You multiply the weights alone. In every layer, what was at a position before stays there, too, by the residual connection.",
        (
            "What is left of a word at its own position, if it never looks at itself?",
            "Which term of the layer do the weights know nothing of?",
            "`(layer + identity) / 2`.",
        ),
        (STEP, "came_from = layer @ came_from"),
        group="residual",
    ),
    mistake(
        "not_halved",
        "You add the identity and don't divide by 2: the rows sum to 2 after one layer, to 4 after two.",
        (
            "Add up one row of your result.",
            "Half is what was there before, half is what the heads bring.",
            "`(layer + identity) / 2`.",
        ),
        (STEP, "came_from = (layer + torch.eye(size, dtype=weights.dtype)) @ came_from"),
        group="residual",
    ),
    mistake(
        "residual_once",
        "You add the identity once, at the end, and not in every layer.",
        (
            "What is left of a word at its own position after two layers, if it never looks at itself? A quarter should be.",
            "How many residual connections are there?",
            "`(layer + identity) / 2` inside the loop.",
        ),
        (STEP, "came_from = layer @ came_from"),
        ("return came_from", "return (came_from + torch.eye(size, dtype=weights.dtype)) / 2"),
        group="residual",
    ),
    mistake(
        "heads_summed",
        "You add up the heads instead of taking their mean, so rows sum to more than 1.",
        (
            "Add up one row of your result.",
            "The heads' shares have to sum to 1 together. What does that make of each head's?",
            "`weights.mean(dim=1)`.",
        ),
        (LOOP, "for layer in weights.sum(dim=1):"),
        group="heads",
    ),
    mistake(
        "largest_of_the_heads",
        "For each pair of words you take the largest weight of any head. Rows sum to more than 1 then.",
        (
            "Add up one row of your result.",
            "All heads count alike.",
            "`weights.mean(dim=1)`.",
        ),
        (LOOP, "for layer in weights.amax(dim=1):"),
        group="heads",
    ),
    mistake(
        "first_head_only",
        "You follow the first head of every layer, and no other.",
        (
            "Change the weights of the last head. Does your result move?",
            "All heads count alike.",
            "`weights.mean(dim=1)`.",
        ),
        (LOOP, "for layer in weights[:, 0]:"),
        group="heads",
    ),
    mistake(
        "last_layer_only",
        "Your result is that of the last layer alone. What the layers below have mixed is not followed.",
        (
            "Change the weights of the first layer. Does your result move?",
            "What does a position hold when the last layer looks at it?",
            "Multiply with `came_from`, layer by layer.",
        ),
        (STEP, "came_from = (layer + torch.eye(size, dtype=weights.dtype)) / 2"),
        group="layers",
    ),
    mistake(
        "last_layer_left_out",
        "You leave out the last layer.",
        (
            "With a single layer, what does your code return?",
            "How often does your loop run?",
            "Go through all L layers.",
        ),
        (LOOP, "for layer in weights.mean(dim=1)[:-1]:"),
        group="layers",
    ),
    mistake(
        "mean_over_layers",
        "You average the layers. Layers follow each other: what one looks at has been mixed by the one below.",
        (
            "With two layers: where does what the top layer looks at come from?",
            "Is a path through two layers a sum of two weights or a product?",
            "Multiply, layer by layer: `(layer + identity) / 2 @ came_from`.",
        ),
        (START, "came_from = torch.zeros(size, size, dtype=weights.dtype)"),
        (STEP, "came_from = came_from + (layer + torch.eye(size, dtype=weights.dtype)) / 2 / len(weights)"),
        group=ALONE,
    ),
    mistake(
        "number_by_number",
        "You multiply the layers number by number. A path goes through *any* word in between: that is a matrix product.",
        (
            "Which paths lead from word s to position t through two layers? How many are there?",
            "`*` or `@`?",
            "`(layer + identity) / 2 @ came_from`.",
        ),
        (START, "came_from = torch.ones(size, size, dtype=weights.dtype)"),
        (STEP, "came_from = (layer + torch.eye(size, dtype=weights.dtype)) / 2 * came_from"),
        group=ALONE,
    ),
    mistake(
        "transposed",
        "Your result is transposed: a row of yours says where a word *went*, and it should say where a position's content *came from*.",
        (
            "Add up a row of your result, then a column. Which should be 1?",
            "Rows of weights are queries. Which are rows of your result?",
            "Leave the transposition out.",
        ),
        ("return came_from", "return came_from.T"),
        group="transposed",
    ),
    mistake(
        "heads_followed_apart",
        "You follow each head by itself through all layers, and average at the end. What one head brings, *all* heads of the next layer look at.",
        (
            "Through which heads may a path with two layers go? How many such paths are there, with two heads each?",
            "When are the heads of a layer brought together: in that layer, or after the last?",
            "`weights.mean(dim=1)` first, then the loop over layers.",
        ),
        source=head_by_head,
        group=ALONE,
    ),
    mistake(
        "largest_of_the_heads_normalised",
        "For each pair of words you take the largest weight of any head, and bring the rows back to 1. (Much code for images does.) Here all heads count alike.",
        (
            "With one layer, compare yours with the mean of the heads on paper.",
            "Which heads have no say where another one's weight is larger?",
            "`weights.mean(dim=1)`. Its rows sum to 1 by themselves.",
        ),
        (LOOP, "for layer in weights.amax(dim=1):"),
        (STEP, "step = layer + torch.eye(size, dtype=weights.dtype)\n        came_from = step / step.sum(dim=-1, keepdim=True) @ came_from"),
        group=ALONE,
    ),
    mistake(
        "columns_sum_to_one",
        "You bring the *columns* to a sum of 1. A row of weights belongs to a query, and it is the rows that sum to 1.",
        (
            "Add up a row of your result, then a column. Which should be 1?",
            "Along which axis do you divide?",
            "Halving is enough: `(layer + identity) / 2`.",
        ),
        (STEP, "step = layer + torch.eye(size, dtype=weights.dtype)\n        came_from = step / step.sum(dim=0) @ came_from"),
        group="residual",
    ),
    mistake(
        "first_layer_left_out",
        "You leave out the first layer.",
        (
            "With a single layer, what does your code return?",
            "Where does your loop begin, and with what?",
            "Start with the identity, and go through all L layers.",
        ),
        (LOOP, "for layer in weights.mean(dim=1)[1:]:"),
        group="layers",
    ),
    mistake(
        "layers_averaged_for_heads",
        "You average over the layers and multiply the heads. The first axis of `weights` is the layers, the second the heads.",
        (
            "What is the shape of `weights`? What does `mean(dim=0)` leave?",
            "Which follow each other, and which stand side by side?",
            "`weights.mean(dim=1)`.",
        ),
        (LOOP, "for layer in weights.mean(dim=0):"),
        group="heads",
    ),
)  # fmt: skip


def by_reduce(weights):
    steps = 0.5 * weights.mean(1) + 0.5 * torch.eye(weights.shape[-1], dtype=weights.dtype)
    result = steps[0]
    for step in steps[1:]:
        result = torch.matmul(step, result)
    return result


def from_the_top_down(weights):
    looks = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in reversed(weights):
        averaged = sum(layer) / len(layer)
        looks = (looks + looks @ averaged) / 2
    return looks


def by_chain(weights):
    identity = torch.eye(weights.size(-1), dtype=weights.dtype)
    steps = [(identity + torch.einsum("hts->ts", layer) / layer.size(0)) * 0.5 for layer in weights]
    return torch.linalg.multi_dot([*steps[::-1], identity]) if len(steps) > 1 else steps[0]


def diagonal_added(weights):
    mixed = weights.mean(dim=1) / 2
    mixed = mixed + torch.diag_embed(torch.full(mixed.shape[:-1], 0.5, dtype=weights.dtype))
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for level in range(len(weights)):
        result = torch.einsum("tm,ms->ts", mixed[level], result)
    return result


def stub(weights):
    raise NotImplementedError


def identity(weights):
    return torch.eye(weights.size(-1), dtype=weights.dtype)


def uniform(weights):
    return torch.full(weights.shape[-2:], 1 / weights.size(-1), dtype=weights.dtype)


def noise(weights):
    return torch.rand(weights.shape[-2:], dtype=weights.dtype).softmax(dim=-1)


ATTENTION_ROLLOUT = define(
    id="attention_rollout",
    lesson="14_reading",
    place=2,
    module="course_lib.components.attention_rollout",
    symbol="attention_rollout",
    minutes=15,
    laws=LAWS,
    hints=(
        "Do the two layers of the table on paper. What is at position t after the first layer, and what does the second layer make of it?",
        "Start with the identity: before the first layer, each position is its own word. For each layer, take the mean of its heads, add the identity, halve.",
        "In the loop: `came_from = (layer + identity) / 2 @ came_from`, with `layer` one of `weights.mean(dim=1)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_reduce, from_the_top_down, by_chain, diagonal_added),
    lazy=(stub, identity, uniform, noise),
    switches=("order", "residual", "heads"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ATTENTION_ROLLOUT.second_version("layers_multiplied_backwards")
def top_layer_first(weights):
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in weights.mean(1).flip(0):
        result = (layer / 2 + torch.eye(len(layer), dtype=layer.dtype) / 2) @ result
    return result


@ATTENTION_ROLLOUT.second_version("residual_forgotten")
def weights_alone(weights):
    result = weights[0].mean(0)
    for layer in weights[1:]:
        result = layer.mean(0) @ result
    return result


@ATTENTION_ROLLOUT.second_version("last_layer_only")
def on_top(weights):
    return (weights[-1].mean(0) + torch.eye(weights.size(-1), dtype=weights.dtype)) / 2


@ATTENTION_ROLLOUT.second_version("heads_summed")
def all_heads_in_full(weights):
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for layer in weights:
        result = (torch.einsum("hts->ts", layer) + torch.eye(weights.size(-1), dtype=weights.dtype)) / 2 @ result
    return result


@ATTENTION_ROLLOUT.second_version("heads_followed_apart")
def a_rollout_for_each_head(weights):
    identity = torch.eye(weights.size(-1), dtype=weights.dtype)
    rollouts = []
    for head in weights.unbind(dim=1):
        result = identity
        for layer in head:
            result = (0.5 * layer + 0.5 * identity) @ result
        rollouts.append(result)
    return torch.stack(rollouts).mean(dim=0)


@ATTENTION_ROLLOUT.second_version("layers_averaged_for_heads")
def mean_over_axis_0(weights):
    result = torch.eye(weights.size(-1), dtype=weights.dtype)
    for matrix in weights.mean(0):
        result = (matrix / 2 + torch.eye(len(matrix), dtype=matrix.dtype) / 2) @ result
    return result
