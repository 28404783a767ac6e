"""Exercise `attentional_state`: the decoder's state and what it found, in one vector."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_02 import context_alone, state_alone, state_and_context_added
from course_lib.checking.values import Value
from course_lib.components.attend import attend
from course_lib.components.attentional_state import AttentionalState
from course_lib.components.dot_scores import dot_scores


def _inputs(draw: Draw, b: int, s: int, d_state: int, d_value: int) -> dict[str, Value]:
    """State (B, D), keys (B, S, D), of such a size that several keys get weight, and values (B, S, Dv)."""
    return {
        "state": draw.tensor(b, d_state, scale=0.6),
        "keys": draw.tensor(b, s, d_state, scale=0.6),
        "values": draw.tensor(b, s, d_value),
    }


def _weight(draw: Draw, d_state: int, d_value: int) -> Tensor:
    """Small enough that no tanh is flat."""
    return draw.tensor(d_state, d_value + d_state, scale=0.2)


def _question(
    name: str, weight: Tensor, *calls: dict[str, Value], returns: tuple[str, ...] = ("output",), **more: Value
) -> Question:
    d_state, both = weight.shape
    build = {"d_state": d_state, "d_value": both - d_state}
    given = {"build": build, "weights": {"w.weight": weight}, "calls": list(calls), "returns": list(returns)}
    return Question(name, probes.module, {**given, **more})


def _on_paper(draw: Draw) -> tuple[Tensor, dict[str, Value]]:
    """One sentence of four keys, a state of width 2, values of width 3: each output adds one entry of each."""
    weight = torch.tensor([[1.0, 0.0, 0.0, 0.5, 0.0], [0.0, 1.0, -1.0, 0.0, 0.5]])
    keys = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [-1.0, 0.0]]])
    values = torch.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]])
    state = torch.tensor([[1.0, -1.0]]) + draw.tensor(1, 2, scale=0.4).round(decimals=1)
    return weight, {"state": state, "keys": keys, "values": values}


def ask(draw: Draw) -> Iterator[Question]:
    """Numbers for paper, distinct sizes, weights too, another second sentence, a mask; and values as wide as states, to name what crashes."""
    b, s = sorted(draw.sizes(2))
    d_state, d_value = draw.widths(2)
    weight, given = _on_paper(draw)
    yield _question("by_hand", weight, given)
    yield _question("with_weights", weight, {**given, "need_weights": True}, returns=("output", "weights"))
    weight, first, other = _weight(draw, d_state, d_value), *(_inputs(draw, b, s, d_state, d_value) for _ in range(2))
    other = {name: torch.cat([first[name][:1], other[name][1:]]) for name in first}
    yield _question("plain", weight, first, other)
    yield _question("masked", weight, {**_inputs(draw, b, s, d_state, d_value), "mask": draw.mask(b, s)})
    mask, nothing = draw.mask(b, s), _inputs(draw, b, s, d_state, d_value)
    mask[draw.order(b)[0]] = False
    nothing |= {"mask": mask, "need_weights": True}
    yield _question("nothing_to_see", weight, nothing, returns=("output", "weights"))
    b, s, d_state, d_value = draw.sizes(4)  # small: an answer holds a gradient for each number given
    weight, given = _weight(draw, d_state, d_value), _inputs(draw, b, s, d_state, d_value)
    yield _question("gradients", weight, given, upstream={"output": draw.tensor(b, d_state)})
    yield _question("square", _weight(draw, 4, 4), _inputs(draw, 2, 3, 4, 4))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "a sentence of four keys comes out right", 0.5,
        {"fields": ["calls/0/output"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of wider states comes out right", 0.75,
        {"fields": ["calls/0/output"]}, also=("square",)),
    Law("returns_weights", equals_reference, "with_weights", "`need_weights=True` returns output and weights", 0.4,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Law("masked", equals_reference, "masked", "a mask (B, S) comes out right", 0.4,
        {"fields": ["calls/0/output"]}),
    Law("nothing_to_see", equals_reference, "nothing_to_see", "a sentence whose keys are all masked has weights of 0 and finds zeros", 0.1,
        {"fields": ["calls/0/output", "calls/0/weights"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of state, keys, values and W are right", 0.4,
        {"fields": [f"gradients/{name}" for name in ("state", "keys", "values", "w.weight")]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's output as it is", 0.2,
        {"before": "calls/0/output", "after": "calls/1/output", "index": [0]}, needs="equals_plain"),
    Law("everything_learns", every_gradient_flows, "gradients", "W, state, keys and values each receive a gradient", 0.15,
        needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "masked", "your inputs are left as they were, the mask too", 0.1,
        {"arguments": "calls/0"}, needs="masked"),
)  # fmt: skip

SCORES = "dot_scores(state, keys)"
ATTEND = "attend(scores, values, mask)"
FOUND = f"context, weights = {ATTEND}"
BOTH = "torch.cat([context, state], dim=-1)"
LAST = "torch.tanh(self.w(both))"
RETURN = "return (output, weights) if need_weights else output"

MISTAKES = (
    # what stands side by side
    mistake(
        "state_first",
        "You put the state first and the context after it. The formula has `[a; s]`, context first: weights that were trained for one order are noise in the other.",
        (
            "Which columns of `self.w.weight` meet the context, and which the state?",
            "Compare the order in your `torch.cat` with the docstring's.",
            f"`{BOTH}`.",
        ),
        (BOTH, "torch.cat([state, context], dim=-1)"),
        group="both",
    ),
    mistake(
        "context_twice",
        "You concatenate the context with itself. The state, which knows what has been said so far, is left out. The shapes fit only because both are of one width.",
        (
            "Change nothing but the state's part in W. Does your output move?",
            "Which two tensors are in your `torch.cat`?",
            f"`{BOTH}`.",
        ),
        (BOTH, "torch.cat([context, context], dim=-1)"),
        group="both",
    ),
    mistake(
        "state_twice",
        "You concatenate the state with itself. What attention found is left out: this is the decoder without attention, and its bottleneck is back.",
        (
            "Change the values. Does your output move?",
            "Which two tensors are in your `torch.cat`?",
            f"`{BOTH}`.",
        ),
        (BOTH, "torch.cat([state, state], dim=-1)"),
        group="both",
    ),
    mistake(
        "added_not_concatenated",
        "You add context and state. `[a; s]` with a semicolon means one *after* the other; W is wide enough for both.",
        (
            "How many columns has W, in terms of Dv and D? How many numbers do you hand to it?",
            "What does the semicolon in `W [a; s]` do?",
            f"`{BOTH}`.",
        ),
        (BOTH, "context + state"),
        group="both",
        recogniser=state_and_context_added,
    ),
    mistake(
        "context_alone",
        "You hand only the context to W. The state belongs beside it: without it the decoder forgets what it has said.",
        (
            "How many columns has W, in terms of Dv and D? How many numbers do you hand to it?",
            "Which of the two in `W [a; s]` is missing?",
            f"`{BOTH}`.",
        ),
        (BOTH, "context"),
        group="both",
        recogniser=context_alone,
    ),
    mistake(
        "state_alone",
        "You hand only the state to W. What attention found belongs beside it.",
        (
            "How many columns has W, in terms of Dv and D? How many numbers do you hand to it?",
            "Which of the two in `W [a; s]` is missing?",
            f"`{BOTH}`.",
        ),
        (BOTH, "state"),
        group="both",
        recogniser=state_alone,
    ),
    mistake(
        "context_detached",
        "Your numbers are right, but the context is cut out of the graph: keys and values, and with them the encoder, learn nothing from attention.",
        (
            "Which of state, keys and values receive a gradient?",
            "Between attention and `torch.cat` the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            "Put the context beside the state as `attend` returns it.",
        ),
        (BOTH, "torch.cat([context.detach(), state], dim=-1)"),
        group="both",
    ),
    # the last layer
    mistake(
        "no_tanh",
        "There is no tanh around W: your output can be any size, and a state should lie between −1 and 1.",
        (
            "How large can an entry of your output be?",
            "`tanh(W [a; s])`: which step is missing in your code?",
            f"`output = {LAST}`.",
        ),
        (LAST, "self.w(both)"),
        group="last",
    ),
    mistake(
        "tanh_before_w",
        "You take the tanh of context and state, and apply W afterwards. The formula applies W first.",
        (
            "How large can an entry of your output be?",
            "In `tanh(W [a; s])`, which comes first, W or tanh?",
            f"`output = {LAST}`.",
        ),
        (LAST, "self.w(torch.tanh(both))"),
        group="last",
    ),
    mistake(
        "sigmoid",
        "You use a sigmoid where the formula has a tanh: no entry of your output can be negative.",
        (
            "What is the smallest entry of your output?",
            "Which function stands in the formula, and which in your code?",
            f"`output = {LAST}`.",
        ),
        (LAST, "torch.sigmoid(self.w(both))"),
        group="last",
    ),
    mistake(
        "relu",
        "You use a ReLU where the formula has a tanh: what W makes negative is lost, and nothing stops the rest from growing.",
        (
            "What is the smallest entry of your output, and how large can one be?",
            "Which function stands in the formula, and which in your code?",
            f"`output = {LAST}`.",
        ),
        (LAST, "torch.relu(self.w(both))"),
        group="last",
    ),
    mistake(
        "state_added",
        "You add the state to the output. That is a residual connection; the formula has none.",
        (
            "If W were all zeros, what should your module return? What does it return?",
            "Compare your last lines with `tanh(W [a; s])`. Which term is not in it?",
            f"`output = {LAST}`, and nothing added.",
        ),
        (LAST, f"{LAST} + state"),
        group="last",
    ),
    mistake(
        "state_overwritten",
        "You write your output into the state you were given. The recurrence then goes on from a changed state, and your result is the sum of both.",
        (
            "Print `state` before and after your module.",
            "`state += ...` changes the tensor you were given. And is anything to be added to it here?",
            f"`output = {LAST}`, and nothing added.",
        ),
        (f"output = {LAST}", f"state += {LAST}\n        output = state"),
        group="last",
    ),
    mistake(
        "detached",
        "Your numbers are right, but cut out of the graph: W, state, keys and values learn nothing.",
        (
            "Call your module and look at `output.requires_grad`.",
            "Where do your tensors leave PyTorch's graph? `detach`, `.data`, `torch.no_grad` and a way through NumPy all cut it.",
            "Use torch operations on the tensors you are given, from the first line to the last.",
        ),
        (LAST, f"{LAST}.detach()"),
        group="last",
    ),
    # where the context comes from
    mistake(
        "context_of_keys",
        "You mix the *keys*. They say where to look; the values say what is found there. In most recurrent translators both are the encoder's states, so nobody notices.",
        (
            "Change the values. Does your output move?",
            "What goes into `attend` as the second argument?",
            f"`{ATTEND}`.",
        ),
        (ATTEND, "attend(scores, keys, mask)"),
        group="both",
    ),
    mistake(
        "scores_of_values",
        "You score the *values*, and the keys have no part in it. In most recurrent translators both are the encoder's states, so nobody notices.",
        (
            "Change the keys. Do your weights move?",
            "What goes into `dot_scores` as the second argument?",
            f"`{SCORES}`.",
        ),
        (SCORES, "dot_scores(state, values)"),
        group="scores",
    ),
    mistake(
        "last_value_as_context",
        "Your context is the last value alone, whatever the weights are. That is the bottleneck that attention was made to open.",
        (
            "Change the first value. Does your output move?",
            "Where does an index pick one position of the sentence?",
            f"`{FOUND}`.",
        ),
        (FOUND, f"{FOUND}\n        context = values[:, -1]"),
        group="context",
    ),
    mistake(
        "mean_of_the_values",
        "Your context is the plain mean of the values: the weights have no part in it, and every state finds the same.",
        (
            "Change the keys. Does your output move?",
            "What are the values multiplied with before they are summed?",
            f"`{FOUND}`.",
        ),
        (FOUND, f"{FOUND}\n        context = values.mean(dim=1)"),
        group="context",
    ),
    mistake(
        "softmax_twice",
        "You take a softmax of the scores, and `attend` takes one of the result: between 0 and 1 all numbers are close together, and your weights come out nearly even.",
        (
            "How much larger is your largest weight than your smallest? And on paper?",
            "What does `attend` do with the scores it is given? What do you do to them before?",
            f"Hand over the scores as they are: `{ATTEND}`.",
        ),
        (ATTEND, "attend(torch.softmax(scores, dim=-1), values, mask)"),
        group="context",
    ),
    mistake(
        "scaled",
        "You divide the scores by √D. That is lesson 03; here the dot product is asked for as it is.",
        (
            "Work out one score on paper. How many times larger is it than yours?",
            "What happens to the scores between `dot_scores` and `attend`?",
            "Leave out the square root, here and in `dot_scores`.",
        ),
        (SCORES, f"{SCORES} / state.size(-1) ** 0.5"),
        group="scores",
    ),
    # the mask
    mistake(
        "mask_not_passed",
        "Your `forward` takes a mask and does nothing with it: the state attends to padding.",
        (
            "Call your module with a mask and without. What differs?",
            "`mask` is a parameter of `forward`. Where does it go from there?",
            f"`{ATTEND}`.",
        ),
        (ATTEND, "attend(scores, values)"),
        group="context",
    ),
    mistake(
        "mask_inverted",
        "You invert the mask before you pass it on: the state sees padding and nothing else. Here True means *may attend*, in `attend` too.",
        (
            "Where the mask is True, may a key be seen? And in your module?",
            "What happens to `mask` on its way from `forward` to `attend`?",
            f"Pass it on as it is: `{ATTEND}`.",
        ),
        (ATTEND, "attend(scores, values, None if mask is None else ~mask)"),
        group="context",
    ),
    mistake(
        "fully_masked_nan",
        "You take a softmax of your own, with −∞ for masked keys: where all keys of a sentence are masked, it is 0 / 0, and your output is nan.",
        (
            "Give it a mask that hides a whole sentence. What comes out?",
            "Your `attend` has settled this case: such a sentence gets zeros. Where does your `forward` go its own way?",
            "`context, weights = attend(scores, values, mask)`.",
        ),
        (
            FOUND,
            "if mask is not None:\n            scores = scores.masked_fill(~mask, -math.inf)\n        weights = torch.softmax(scores, dim=-1)\n        context = (weights.unsqueeze(1) @ values).squeeze(1)",
        ),
        group="context",
    ),
    mistake(
        "fully_masked_uniform",
        "You give masked keys a low score and let the softmax do the rest: where all keys of a sentence are masked, they share the weight evenly, and your context is a mean of padding.",
        (
            "Give it a mask that hides a whole sentence. What are its weights?",
            "Your `attend` has settled this case: such a sentence gets zeros. Where does your `forward` go its own way?",
            "`context, weights = attend(scores, values, mask)`.",
        ),
        (
            FOUND,
            "if mask is not None:\n            scores = scores.masked_fill(~mask, -1e9)\n        weights = torch.softmax(scores, dim=-1)\n        context = (weights.unsqueeze(1) @ values).squeeze(1)",
        ),
        group="context",
    ),
    # what is returned
    mistake(
        "weights_always_returned",
        "You return output and weights even where only the output is asked for.",
        (
            "What is `type(module(state, keys, values))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output, weights"),
        group="returned",
    ),
    mistake(
        "weights_never_returned",
        "You return the output alone, even where the weights are asked for.",
        (
            "What is `type(module(state, keys, values, need_weights=True))`?",
            "`need_weights` is a parameter of `forward`. Where do you use it?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return output"),
        group="returned",
    ),
    mistake(
        "weights_first",
        "Where the weights are asked for you return them first. The output is the first of the two.",
        (
            "Which shape has the first thing you return with `need_weights=True`?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (weights, output) if need_weights else output"),
        group="returned",
    ),
    mistake(
        "context_returned",
        "You return the context next to the output, where the weights are asked for.",
        (
            "Which shape has the second thing you return with `need_weights=True`?",
            "`attend` returns two things. Which of them are the weights?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (output, context) if need_weights else output"),
        group="returned",
    ),
    mistake(
        "scores_returned",
        "You return the scores next to the output, where the weights are asked for.",
        (
            "Add up one row of the second thing you return with `need_weights=True`.",
            "Which of your variables holds numbers between 0 and 1?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return (output, scores) if need_weights else output"),
        group="returned",
    ),
)


class InOneExpression(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask=mask)
        output = self.w(torch.cat((context, state), 1)).tanh()
        if need_weights:
            return output, weights
        return output


class WrittenOut(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.bmm(keys, state.unsqueeze(-1)).squeeze(-1)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        alpha = F.softmax(scores, dim=-1).nan_to_num(0.0)
        context = torch.bmm(alpha.unsqueeze(1), values).squeeze(1)
        output = torch.tanh(self.w(torch.hstack([context, state])))
        return (output, alpha) if need_weights else output


class TwoHalvesOfW(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        of_context, of_state = self.w.weight.split([values.size(-1), state.size(-1)], dim=1)
        output = torch.tanh(F.linear(context, of_context) + F.linear(state, of_state))
        return [output, (output, weights)][need_weights]


class ByEinsum(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = torch.where(mask, scores, torch.full_like(scores, -1e9))
        weights = scores.softmax(-1) if mask is None else scores.softmax(-1) * mask
        context = torch.einsum("bs,bsv->bv", weights, values)
        output = torch.tanh(torch.einsum("bi,oi->bo", torch.cat([context, state], -1), self.w.weight))
        return (output, weights) if need_weights else output


class SentenceBySentence(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        outputs, rows = [], []
        for b in range(state.shape[0]):
            one = slice(b, b + 1)
            scores = dot_scores(state[one], keys[one])
            context, row = attend(scores, values[one], None if mask is None else mask[one])
            outputs.append(self.w(torch.cat([context, state[one]], dim=-1)).tanh())
            rows.append(row)
        output = torch.cat(outputs)
        return (output, torch.cat(rows)) if need_weights else output


class FilledIn(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        weights = attend(dot_scores(state, keys), values, mask)[1]
        context = (weights[..., None] * values).sum(1)
        both = state.new_zeros(state.size(0), context.size(1) + state.size(1))
        both[:, : context.size(1)] = context
        both[:, context.size(1) :] = state
        output = torch.tanh(both @ self.w.weight.T)
        return (output, weights) if need_weights else output


class stub(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        raise NotImplementedError


class Zeros(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.zeros_like(state)
        return (output, torch.zeros(keys.shape[:2])) if need_weights else output


class TheInputItself(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        return (state, keys) if need_weights else state


class Uniform(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.tanh(state)
        return (output, torch.full(keys.shape[:2], 1 / keys.size(1))) if need_weights else output


class Noise(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        output = torch.rand(state.shape)
        return (output, torch.rand(keys.shape[:2])) if need_weights else output


ATTENTIONAL_STATE = define(
    id="attentional_state",
    lesson="02_attention",
    place=5,
    module="course_lib.components.attentional_state",
    symbol="AttentionalState",
    minutes=12,
    laws=LAWS,
    hints=(
        "You have written two of the four steps already. Which two?",
        "Score, attend, concatenate, `tanh` of the layer. Print the shape after each: (B, S), (B, Dv), (B, Dv + D), (B, D).",
        "`dot_scores(state, keys)` goes into `attend` with values and mask; its context, then the state, side by side, go through `self.w` and `torch.tanh`. "
        "Return the weights too where `need_weights` is true.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(InOneExpression, WrittenOut, TwoHalvesOfW, ByEinsum, SentenceBySentence, FilledIn),
    lazy=(stub, Zeros, TheInputItself, Uniform, Noise),
    write=("forward",),
    builds_on=("dot_scores", "attend"),
    switches=("both", "last", "scores"),
)


# the mistakes again, in another style: each must get the same name


@ATTENTIONAL_STATE.second_version("state_first")
class StateThenContext(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = F.linear(torch.hstack((state, context)), self.w.weight).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("context_of_keys")
class KeysMixed(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(-1)
        context = torch.einsum("bs,bsd->bd", weights, keys)
        output = torch.tanh(self.w(torch.cat((context, state), 1)))
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("added_not_concatenated")
class StatePlusContext(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.tanh(self.w(torch.add(state, context)))
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("context_alone")
class WithoutTheState(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = F.linear(context, self.w.weight).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("state_first + no_tanh")
class OrderAndNoTanh(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = torch.cat([state, context], -1) @ self.w.weight.T
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("mean_of_the_values")
class EverythingAlike(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        _, weights = attend(dot_scores(state, keys), values, mask)
        context = values.sum(dim=1) / values.size(1)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("softmax_twice")
class NormalisedBefore(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        alpha = F.softmax(torch.einsum("bd,bsd->bs", state, keys), dim=1)
        context, weights = attend(alpha, values, mask)
        output = self.w(torch.cat((context, state), dim=1)).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("mask_inverted")
class PaddingSeen(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        blocked = mask.logical_not() if mask is not None else None
        context, weights = attend(dot_scores(state, keys), values, blocked)
        output = torch.tanh(F.linear(torch.cat((context, state), 1), self.w.weight))
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("scores_of_values")
class ValuesCompared(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend((values @ state.unsqueeze(2)).squeeze(2), values, mask)
        output = self.w(torch.hstack((context, state))).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("sigmoid")
class LogisticCurve(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        output = 1 / (1 + torch.exp(-self.w(torch.cat([context, state], dim=1))))
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("fully_masked_nan")
class OwnSoftmax(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        weights = F.softmax(scores, dim=1)
        output = self.w(torch.hstack((torch.einsum("bs,bsv->bv", weights, values), state))).tanh()
        return (output, weights) if need_weights else output


@ATTENTIONAL_STATE.second_version("fully_masked_uniform")
class OwnSoftmaxOfLowNumbers(AttentionalState):
    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = torch.einsum("bd,bsd->bs", state, keys)
        if mask is not None:
            scores[~mask] = torch.finfo(scores.dtype).min
        weights = F.softmax(scores, dim=1)
        output = self.w(torch.hstack((torch.einsum("bs,bsv->bv", weights, values), state))).tanh()
        return (output, weights) if need_weights else output
