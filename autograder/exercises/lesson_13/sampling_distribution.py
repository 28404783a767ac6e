"""Exercise `sampling_distribution`: temperature, top k and top p, in this order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, refuses, sums_to_one
from course_lib.checking.recognisers.any_lesson import another_error_is_raised

RETURNS = ["probabilities"]


def _given(logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0) -> dict[str, Any]:
    return {"logits": logits, "temperature": temperature, "top_k": top_k, "top_p": top_p}


def _question(name: str, logits: Tensor, **how: Any) -> Question:
    return Question(name, probes.call, {"arguments": _given(logits, **how), "returns": RETURNS})


def _logits(draw: Draw, *shape: int, scale: float = 1.5) -> Tensor:
    """Logits no two of which are equal."""
    return draw.tensor(*shape, scale=scale) + 0.00123 * draw.tensor(*shape)


def _there_and_not_back(draw: Draw) -> Tensor:
    """An order of four that leaves none in its place and is not undone by being done twice."""
    while True:
        order = draw.order(4)
        if not torch.equal(order[order], torch.arange(4)):
            return order


def ask(draw: Draw) -> Iterator[Question]:
    """Four tokens on paper, each of the three by itself, two and three together, greedy extremes, many rows and tokens."""
    paper = torch.tensor([0.4, 0.3, 0.2, 0.1], dtype=torch.float64)[_there_and_not_back(draw)].log()
    yield _question("by_hand", paper, top_p=0.6)
    yield _question("both_by_hand", paper, top_k=2, top_p=0.5)
    b, t = draw.sizes(2)
    (v,) = draw.widths(1)
    yield _question("temperature", _logits(draw, b, v), temperature=draw.shuffled([0.4, 0.6, 2.5])[0])
    yield _question("top_k", _logits(draw, b, v), top_k=draw.shuffled([3, 4])[0])
    rows = _logits(draw, 4, v, scale=1.0) * torch.tensor(draw.shuffled([0.3, 1.0, 2.0, 6.0])).unsqueeze(1)
    yield _question("top_p", rows, top_p=0.8)
    yield _question("sharp_then_top_p", _logits(draw, b, v), temperature=0.5, top_p=0.9)
    yield _question("all_three", _logits(draw, b, t, v), temperature=1.7, top_k=5, top_p=0.6)
    calls = [
        _given(_logits(draw, v), top_k=1),
        _given(_logits(draw, v), top_p=0.01),
        _given(_logits(draw, v), top_k=v + 3),
        _given(_logits(draw, v)),
    ]
    yield Question("extremes", probes.call_each, {"calls": calls, "returns": RETURNS})
    many = torch.linspace(-4, 4, 300).double()[torch.stack([draw.order(300) for _ in range(2)])]  # (2, 300)
    yield _question("many_tokens", many, top_k=200, top_p=0.9)
    yield Question("temperature_of_zero", probes.refuse, {"arguments": _given(paper, temperature=0.0)})
    yield Question("temperature_below_zero", probes.refuse, {"arguments": _given(paper, temperature=-0.5)})


PROBABILITIES = {"fields": ["probabilities"]}
CALLS = [f"calls/{i}/probabilities" for i in range(4)]

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "top p of four tokens on paper comes out right", 0.5, PROBABILITIES),
    Law("both_by_hand", equals_reference, "both_by_hand", "so does top p of the two tokens that top k has left", 0.5, PROBABILITIES),
    Law("temperature", equals_reference, "temperature", "a temperature comes out right", 0.5, PROBABILITIES),
    Law("top_k", equals_reference, "top_k", "top k comes out right", 0.5, PROBABILITIES),
    Law("top_p", equals_reference, "top_p", "top p comes out right, and keeps more tokens of a flat row than of a steep one", 0.5, PROBABILITIES),
    Law("together", equals_reference, "sharp_then_top_p", "a temperature and top p come out right together, and so do all three", 0.5, PROBABILITIES,
        also=("all_three", "many_tokens")),
    Law("extremes", equals_reference, "extremes", "one token is always kept, and a k above V keeps all", 0.25, {"fields": CALLS}),
    Law("sums_to_one", sums_to_one, "many_tokens", "each row of probabilities sums to 1", 0.25, {"field": "probabilities"}, needs="equals_by_hand"),
    Law("refuses_zero", refuses, "temperature_of_zero", "a temperature of 0 or below is refused with an error", 0.25, also=("temperature_below_zero",), needs="equals_by_hand"),
    Law("inputs_unchanged", inputs_unchanged, "all_three", "the logits are left as they were", 0.25, needs="equals_by_hand"),
)  # fmt: skip


def top_p_first(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("above 0")
    ordered, order = torch.softmax(logits / temperature, dim=-1).sort(dim=-1, descending=True)
    kept = ordered.cumsum(dim=-1) - ordered < top_p
    kept[..., 0] = True
    if top_k is not None:
        kept[..., top_k:] = False
    ordered = ordered * kept
    return torch.zeros_like(ordered).scatter(-1, order, ordered / ordered.sum(dim=-1, keepdim=True))


def at_least_that_probable(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("above 0")
    scores = logits / temperature
    if top_k is not None and top_k < scores.size(-1):
        lowest = scores.topk(top_k, dim=-1).values[..., -1:]
        scores = scores.masked_fill(scores < lowest, -torch.inf)
    probabilities = torch.softmax(scores, dim=-1)
    if top_p < 1:
        likely = probabilities >= torch.minimum(torch.tensor(top_p), probabilities.amax(dim=-1, keepdim=True))
        probabilities = probabilities * likely
    return probabilities / probabilities.sum(dim=-1, keepdim=True)


CHECKED = "if temperature <= 0:"
SORTED = "(logits / temperature).sort(dim=-1, descending=True)"
CUT = "ordered[..., top_k:] = -torch.inf"
SOFTMAX = "probabilities = torch.softmax(ordered, dim=-1)"
BEFORE = "before = probabilities.cumsum(dim=-1) - probabilities"
KEPT = "probabilities.masked_fill(before >= top_p, 0.0)"
NORMED = "probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)"
RETURN = "return torch.zeros_like(probabilities).scatter(-1, order, probabilities)"

MISTAKES = (
    # temperature
    mistake(
        "temperature_multiplies",
        "You multiply the logits by the temperature, so a high one sharpens the distribution, and a low one flattens it.",
        (
            "What should a temperature close to 0 leave of the distribution? And yours?",
            "Are the logits further apart after your step, or closer together, at a temperature of 2?",
            "Divide the logits by the temperature.",
        ),
        (SORTED, "(logits * temperature).sort(dim=-1, descending=True)"),
        group="temperature",
    ),
    mistake(
        "temperature_ignored",
        "Your distribution is the same at every temperature.",
        (
            "Compare the results for a temperature of 0.1 and of 10.",
            "Where does `temperature` occur? A factor on the *probabilities* is lost again when they are made to sum to 1.",
            "Divide the logits by it, before the softmax.",
        ),
        (SORTED, "logits.sort(dim=-1, descending=True)"),
        group="temperature",
    ),
    mistake(
        "temperature_squared",
        "The logits are divided by the temperature twice.",
        (
            "On paper, for a temperature of 2: what becomes of two logits that are 2 apart?",
            "How often do you divide by it on the way to the softmax?",
            "Divide the logits by the temperature, once.",
        ),
        (SORTED, "(logits / temperature**2).sort(dim=-1, descending=True)"),
        group="temperature",
    ),
    mistake(
        "temperature_after_the_cut",
        "You choose which tokens to keep at temperature 1, and apply the temperature only to those. A sharper distribution needs fewer tokens for the same sum.",
        (
            "How many tokens do you keep for p = 0.9 at a temperature of 0.1? One should be enough.",
            "Of which distribution do you sum up the probabilities?",
            "The temperature comes first: everything else works on `logits / temperature`.",
        ),
        (BEFORE, "plain = torch.softmax(ordered * temperature, dim=-1)\n        before = plain.cumsum(dim=-1) - plain"),
        group="temperature",
    ),
    mistake(
        "zero_temperature_accepted",
        "You accept a temperature of 0. Nothing can be divided by it, and the exercise asks for a `ValueError`.",
        (
            "What is 3 / 0 in a tensor? And the softmax of infinities?",
            "The exercise says which error to raise.",
            "`if temperature <= 0: raise ValueError(…)`.",
        ),
        (CHECKED, "if temperature < 0:"),
        group="refused",
    ),
    mistake(
        "negative_temperature_accepted",
        "You refuse a temperature of 0 and accept one below it, which turns the distribution round: the least probable token becomes the most probable.",
        (
            "What does a temperature of −1 make of the logits (1, 2)?",
            "The docstring says *above 0*.",
            "`if temperature <= 0: raise ValueError(…)`.",
        ),
        (CHECKED, "if temperature == 0:"),
        group="refused",
    ),
    mistake(
        "no_temperature_refused",
        "You accept every temperature. One that isn't above 0 should be refused with a `ValueError`.",
        (
            "What is 3 / 0 in a tensor? And what does a temperature of −1 make of the logits (1, 2)?",
            "The exercise says which error to raise.",
            "`if temperature <= 0: raise ValueError(…)`.",
        ),
        (CHECKED, "if False:"),
        group="refused",
    ),
    # top k
    mistake(
        "top_k_ignored",
        "Top k has no effect: tokens beyond the k most probable ones keep their probability.",
        (
            "How many probabilities above 0 are in each row?",
            "Is what you compute for `top_k` used afterwards?",
            "Set all logits but the k largest of each row to −∞.",
        ),
        (CUT, "pass"),
        group="top k",
    ),
    mistake(
        "one_too_many_kept",
        "You keep k + 1 tokens.",
        (
            "How many probabilities above 0 are in each row? How many should be?",
            "From which index on do you cut the sorted row? Counting begins at 0.",
            "`ordered[..., top_k:]` is what goes.",
        ),
        (CUT, "ordered[..., top_k + 1 :] = -torch.inf"),
        group="top k",
    ),
    mistake(
        "one_too_few_kept",
        "You keep k − 1 tokens, and for k = 1 none at all.",
        (
            "How many probabilities above 0 are in each row? How many should be?",
            "Do you drop the k-th token itself, by `<=` for instance?",
            "`ordered[..., top_k:]` is what goes.",
        ),
        (CUT, "ordered[..., top_k - 1 :] = -torch.inf"),
        group="top k",
    ),
    mistake(
        "zero_for_minus_infinity",
        "The logits that top k removes become 0. A logit of 0 is a token like any other: its exponential is 1.",
        (
            "Which probability has a token whose logit is 0?",
            "Which logit has the exponential 0?",
            "Set them to `-torch.inf`.",
        ),
        (CUT, "ordered[..., top_k:] = 0.0"),
        group="top k",
    ),
    # top p
    mistake(
        "top_p_ignored",
        "Top p has no effect: improbable tokens keep their probability.",
        (
            "How many probabilities above 0 are in each row?",
            "Is what you compute for `top_p` used afterwards?",
            "A token goes if those that are more probable already sum to p.",
        ),
        (KEPT, "probabilities"),
        group="top p",
    ),
    mistake(
        "crossing_token_dropped",
        "You drop the token with which the sum reaches p. The probabilities that you keep then sum to less than p; where the first token alone has more than p, nothing is left.",
        (
            "With the probabilities 0.4, 0.3, 0.2, 0.1 and p = 0.6: what do the tokens that you keep sum to?",
            "The smallest set that sums to *at least* p contains the token that crosses the line.",
            "Compare the sum of all *more probable* tokens with p: `cumsum - probabilities`.",
        ),
        (BEFORE, "before = probabilities.cumsum(dim=-1)"),
        group="top p",
    ),
    mistake(
        "one_token_past_the_line",
        "You keep one token more than you need: the sum has reached p without the last one.",
        (
            "With the probabilities 0.4, 0.3, 0.2, 0.1 and p = 0.6: how many tokens sum to at least p?",
            "By how many places do you shift the mask?",
            "A token goes if those that are more probable already sum to p.",
        ),
        (BEFORE, "before = torch.cat([torch.zeros_like(probabilities[..., :1]), probabilities.cumsum(dim=-1)[..., :-1] - probabilities[..., :-1]], dim=-1)"),
        group="top p",
    ),
    mistake(
        "threshold_for_a_sum",
        "You keep the tokens whose own probability is at least p. Top p is about their *sum*.",
        (
            "With the probabilities 0.4, 0.3, 0.2, 0.1 and p = 0.6: which tokens do you keep?",
            "How many tokens can have a probability of at least 0.6? And how many are in a nucleus of 0.6?",
            "Sort, sum up with `cumsum`, and compare the sums with p.",
        ),
        source=at_least_that_probable,
        group=ALONE,
    ),
    mistake(
        "least_probable_first",
        "You sum up from the least probable token on, so what is kept is the tail, and what is dropped is the top.",
        (
            "Is the most probable token among those that you keep?",
            "In which order does `sort` put numbers, unless you say otherwise?",
            "`sort(descending=True)`.",
        ),
        (BEFORE, "before = 1 - probabilities.cumsum(dim=-1)"),
        group="top p",
    ),
    mistake(
        "top_p_before_top_k",
        "Your top p sums up probabilities over the whole vocabulary, as if top k had removed nothing. It should work on what top k has left, whose probabilities are larger.",
        (
            "With 0.4, 0.3, 0.2, 0.1, k = 2 and p = 0.5: what are the two probabilities when p is applied?",
            "Do you take the softmax, or apply top p, before the cut by top k?",
            "Top k, then the softmax, then top p.",
        ),
        source=top_p_first,
        group=ALONE,
    ),
    # the result
    mistake(
        "not_renormalised",
        "What you keep has the probabilities that it had before, so they don't sum to 1.",
        (
            "Add up one row of your result.",
            "What happened to the probability of the tokens that top p removed?",
            "Divide by the sum of each row.",
        ),
        (NORMED, "pass"),
        group="result",
    ),
    mistake(
        "left_in_order",
        "Your probabilities are sorted, the largest first. Nobody can tell any more which belongs to which token.",
        (
            "Which token is the most probable one? And in your result?",
            "`sort` also returns where each number came from.",
            "`torch.zeros_like(p).scatter(-1, order, p)` puts each back.",
        ),
        (RETURN, "return probabilities"),
        group="result",
    ),
    mistake(
        "put_back_the_wrong_way",
        "You put the sorted probabilities back with `gather`, or by indexing with the order. That moves each of them once more in the same direction.",
        (
            "Sort (10, 30, 20) and look at `order`. What does `sorted[order]` give?",
            "`gather` reads from positions, `scatter` writes to them. Which do you need?",
            "`torch.zeros_like(p).scatter(-1, order, p)`.",
        ),
        (RETURN, "return probabilities.gather(-1, order)"),
        group="result",
    ),
    mistake(
        "all_rows_as_one",
        "You let the softmax run over the whole tensor: all rows together sum to 1.",
        (
            "Add up one row of your result.",
            "Over which axis do you normalise?",
            "`dim=-1`, everywhere.",
        ),
        (NORMED, "probabilities = probabilities / probabilities.sum()"),
        group="result",
    ),
    mistake(
        "crossing_token_dropped_but_the_first",
        "You drop the token with which the sum reaches p, and spare only the first of all. The probabilities that you keep then sum to less than p.",
        (
            "With the probabilities 0.4, 0.3, 0.2, 0.1 and p = 0.6: what do the tokens that you keep sum to?",
            "The smallest set that sums to *at least* p contains the token that crosses the line.",
            "Compare the sum of all *more probable* tokens with p: `cumsum - probabilities`. The first is kept by itself then.",
        ),
        (BEFORE, "before = probabilities.cumsum(dim=-1)\n        before[..., 0] = 0.0"),
        group="top p",
    ),
    mistake(
        "temperature_for_the_choice_only",
        "You choose at the temperature which tokens to keep, and then return their probabilities at temperature 1.",
        (
            "With top k and top p off, does your result depend on the temperature?",
            "From which logits is the last softmax taken?",
            "Renormalise what is left; don't start again from the logits.",
        ),
        (NORMED, f"plain = torch.softmax(ordered * temperature, dim=-1)\n    probabilities = plain.masked_fill(probabilities == 0, 0.0)\n    {NORMED}"),
        group="temperature",
    ),
    mistake(
        "another_error",
        "You refuse what you should, but not with a `ValueError`: the error is an `assert`'s, or it comes from a line that happens to fail.",
        (
            "Which error does the docstring name?",
            "Is the error raised by a line of yours, and of the type that a caller can expect?",
            "`if temperature <= 0: raise ValueError(…)`.",
        ),
        (CHECKED, "assert temperature > 0\n    if False:"),
        recogniser=another_error_is_raised,
        group=ALONE,
    ),
)  # fmt: skip


def with_a_threshold(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("the temperature must be positive")
    scores = logits / temperature
    if top_k is not None:
        k = min(top_k, scores.shape[-1])
        smallest = torch.topk(scores, k, dim=-1).values[..., -1, None]
        scores = torch.where(scores < smallest, float("-inf"), scores)
    p = scores.softmax(-1)
    if top_p < 1:
        s, _ = torch.sort(p, dim=-1, descending=True)
        enough = torch.cumsum(s, dim=-1) >= top_p
        last = s.gather(-1, enough.int().argmax(dim=-1, keepdim=True))
        p = torch.where(p < last, 0.0, p)
    return p / p.sum(-1, keepdim=True)


def row_by_row(logits, temperature=1.0, top_k=None, top_p=1.0):
    if not temperature > 0:
        raise ValueError(temperature)
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        weights = torch.exp((row - row.max()) / temperature).tolist()
        ranking = sorted(range(len(weights)), key=lambda i: -weights[i])[:top_k]
        total = sum(weights[i] for i in ranking)
        kept, running = {}, 0.0
        for i in ranking:
            kept[i] = weights[i] / total
            running += kept[i]
            if top_p < 1 and running >= top_p:
                break
        rows.append([kept.get(i, 0.0) / sum(kept.values()) for i in range(len(weights))])
    return torch.tensor(rows, dtype=logits.dtype).reshape(logits.shape)


def by_masking_logits(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    logits = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        keep = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.topk(top_k, -1).indices, True)
        logits = logits.masked_fill(~keep, -torch.inf)
    if top_p < 1.0:
        ordered, idx = torch.sort(logits, dim=-1, descending=True)
        remove = torch.softmax(ordered, -1).cumsum(-1) >= top_p
        remove = torch.cat([torch.zeros_like(remove[..., :1]), remove[..., :-1]], dim=-1)
        logits = logits.masked_fill(torch.zeros_like(remove).scatter(-1, idx, remove), -torch.inf)
    return torch.softmax(logits, dim=-1)


def by_ranks(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("no")
    p = torch.softmax(logits / temperature, dim=-1)
    rank = p.argsort(dim=-1, descending=True).argsort(dim=-1)
    if top_k is not None:
        p = p * (rank < top_k)
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p < 1:
        more = (p.unsqueeze(-2) > p.unsqueeze(-1)).to(p.dtype)
        before = (more * p.unsqueeze(-2)).sum(dim=-1)
        p = torch.where(before < top_p, p, 0.0)
    return p / p.sum(dim=-1, keepdim=True)


def stub(logits, temperature=1.0, top_k=None, top_p=1.0):
    raise NotImplementedError


def itself(logits, temperature=1.0, top_k=None, top_p=1.0):
    return logits


def zeros(logits, temperature=1.0, top_k=None, top_p=1.0):
    return torch.zeros_like(logits)


def noise(logits, temperature=1.0, top_k=None, top_p=1.0):
    return torch.rand_like(logits).softmax(dim=-1)


SAMPLING_DISTRIBUTION = define(
    id="sampling_distribution",
    lesson="13_families",
    place=1,
    module="course_lib.components.sampling_distribution",
    symbol="sampling_distribution",
    minutes=20,
    laws=LAWS,
    hints=(
        "Do the example on paper first: sort four probabilities, write the sum of the *more probable* ones above each, and cross out those where it reaches p.",
        "`sort(dim=-1, descending=True)` gives the sorted logits and where each came from. In the sorted row, top k is a slice and top p a comparison with `cumsum`.",
        "Divide by the temperature, sort, set `[..., top_k:]` to −∞, softmax, set to 0 where `cumsum - probabilities >= top_p`, divide by the sum, and `scatter` back.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(with_a_threshold, row_by_row, by_masking_logits, by_ranks),
    lazy=(stub, itself, zeros, noise),
    switches=("temperature", "top p", "result"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@SAMPLING_DISTRIBUTION.second_version("temperature_ignored")
def probabilities_divided(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits.clone()
    if top_k is not None and top_k < logits.size(-1):
        scores[scores < scores.topk(top_k).values[..., -1:]] = float("-inf")
    p = torch.softmax(scores, dim=-1) / temperature
    p = p / p.sum(-1, keepdim=True)
    if top_p < 1:
        s, i = p.sort(descending=True)
        s[s.cumsum(-1) - s >= top_p] = 0
        p = torch.zeros_like(s).scatter(-1, i, s)
    return p / p.sum(-1, keepdim=True)


@SAMPLING_DISTRIBUTION.second_version("crossing_token_dropped")
def up_to_the_line(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        scores[scores < scores.topk(top_k).values[..., -1:]] = float("-inf")
    p = torch.softmax(scores, dim=-1)
    if top_p < 1:
        s, i = p.sort(descending=True)
        s[s.cumsum(-1) > top_p] = 0
        p = torch.zeros_like(s).scatter(-1, i, s)
    return p / p.sum(-1, keepdim=True)


@SAMPLING_DISTRIBUTION.second_version("not_renormalised")
def cut_and_done(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        scores[scores < scores.topk(top_k).values[..., -1:]] = float("-inf")
    s, i = torch.softmax(scores, dim=-1).sort(descending=True)
    if top_p < 1:
        s[s.cumsum(-1) - s >= top_p] = 0
    return torch.zeros_like(s).scatter(-1, i, s)


@SAMPLING_DISTRIBUTION.second_version("zero_for_minus_infinity")
def masked_by_a_product(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        scores = scores * (scores >= scores.topk(top_k).values[..., -1:])
        # what is dropped comes last in the sorted row, whatever its logit
    rank = (logits / temperature).argsort(descending=True)
    s = torch.softmax(scores, dim=-1).gather(-1, rank)
    if top_p < 1:
        s = s.masked_fill(s.cumsum(-1) - s >= top_p, 0)
    s = s / s.sum(-1, keepdim=True)
    return torch.zeros_like(s).scatter(-1, rank, s)


@SAMPLING_DISTRIBUTION.second_version("top_p_before_top_k")
def probabilities_of_all_summed(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError("above 0")
    ordered, order = torch.softmax(logits / temperature, dim=-1).sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    if top_k is not None:
        ordered[..., top_k:] = 0
    ordered = torch.where((before >= top_p) & (top_p < 1), 0.0, ordered)
    return torch.zeros_like(ordered).scatter(-1, order, ordered / ordered.sum(dim=-1, keepdim=True))


@SAMPLING_DISTRIBUTION.second_version("crossing_token_dropped_but_the_first")
def the_first_spared(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature <= 0:
        raise ValueError
    scores = logits / temperature
    if top_k is not None and top_k < logits.size(-1):
        scores[scores < scores.topk(top_k).values[..., -1:]] = float("-inf")
    if top_p < 1:
        s, i = scores.sort(descending=True)
        remove = s.softmax(-1).cumsum(-1) > top_p
        remove[..., 0] = False
        scores = scores.masked_fill(torch.zeros_like(remove).scatter(-1, i, remove), float("-inf"))
    return scores.softmax(-1)


@SAMPLING_DISTRIBUTION.second_version("no_temperature_refused")
def never_checked(logits, temperature=1.0, top_k=None, top_p=1.0):
    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        p = p * (p >= p.topk(min(top_k, p.size(-1))).values[..., -1:])
        p = p / p.sum(-1, keepdim=True)
    more = (p.unsqueeze(-2) > p.unsqueeze(-1)).to(p.dtype)
    p = torch.where(((more * p.unsqueeze(-2)).sum(-1) < top_p) | (top_p >= 1), p, 0.0)
    return p / p.sum(-1, keepdim=True)
