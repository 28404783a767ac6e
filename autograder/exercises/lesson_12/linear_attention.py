"""Exercise `linear_attention`: keys and values are summed up before any query looks at them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, holds_little, inputs_unchanged

NAMES = ("query", "key", "value")


def _question(name: str, *inputs: Tensor, causal: bool | None = None, upstream: Tensor | None = None) -> Question:
    arguments = dict(zip(NAMES, inputs, strict=True)) | ({} if causal is None else {"causal": causal})
    asked = {"arguments": arguments, "returns": ["output"]}
    return Question(name, probes.call, asked if upstream is None else {**asked, "upstream": {"output": upstream}})


def _inputs(draw: Draw, *lengths: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value for lengths ``(..., T, S)``."""
    *lead, t, s = lengths
    return draw.tensor(*lead, t, d_k), draw.tensor(*lead, s, d_k), draw.tensor(*lead, s, d_v)


def ask(draw: Draw) -> Iterator[Question]:
    """Whole numbers for paper, distinct sizes, running sums, heads, views, one token, a long text, negative numbers."""
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    key = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]])[draw.order(3)]
    value = torch.tensor([[6.0, 0.0], [0.0, 12.0], [3.0, 9.0]])[draw.order(3)]
    yield _question("by_hand", query.double(), key.double(), value.double())
    yield _question("by_hand_causal", query.double(), key.double(), value.double(), causal=True)
    few, t, s = sorted(draw.sizes(3))
    d_k, d_v = draw.widths(2)
    widths = {"d_k": d_k, "d_v": d_v}
    yield _question("plain", *_inputs(draw, few, t, s, **widths))
    yield _question("causal", *_inputs(draw, few, s, s, **widths), causal=True)
    yield _question("one_sentence", *_inputs(draw, s, t, **widths), causal=False)
    heads = (x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in _inputs(draw, few, t, s, s, **widths))
    yield _question("heads", *heads, causal=True)
    yield _question("one_token", *_inputs(draw, few, 1, 1, **widths), causal=True)
    yield _question("long", *_inputs(draw, 60, 60, **widths), causal=True)
    query, key, value = _inputs(draw, few, t, s, **widths)
    yield _question("negative", query - 1.5, key - 1.5, value)
    query, key, value = _inputs(draw, few, s, t, **widths)
    yield _question("gradients", query, key, value, upstream=draw.tensor(few, s, d_v))
    query, key, value = _inputs(draw, few, t, t, **widths)
    yield _question("gradients_causal", query, key, value, causal=True, upstream=draw.tensor(few, t, d_v))
    much = dict(zip(NAMES, _inputs(draw, 400, 400, d_k=8, d_v=10), strict=True))
    yield Question("much", probes.call_in_little_memory, {"arguments": much, "returns": ["output"], "most": 80_000})
    causal = dict(zip((*NAMES, "causal"), (*_inputs(draw, 400, 400, d_k=2, d_v=3), True), strict=True))
    yield Question(
        "much_causal", probes.call_in_little_memory, {"arguments": causal, "returns": ["output"], "most": 80_000}
    )


OUTPUT = {"fields": ["output"]}
GRADIENTS = {"fields": [f"gradients/{name}" for name in NAMES]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three words on paper come out right", 0.25, OUTPUT),
    Law("causal_by_hand", equals_reference, "by_hand_causal", "with `causal=True`, three words on paper come out right", 0.25, OUTPUT),
    Law("equals_plain", equals_reference, "plain", "in a batch, more keys than queries come out right", 0.5, OUTPUT),
    Law("equals_causal", equals_reference, "causal", "in a batch, `causal=True` comes out right", 0.5, OUTPUT),
    Law("one_sentence", equals_reference, "one_sentence", "one sentence without a batch comes out right", 0.25, OUTPUT),
    Law("heads", equals_reference, "heads", "a batch of heads (B, H, T, Dk) comes out right", 0.25, OUTPUT),
    Law("one_token", equals_reference, "one_token", "one token alone gets its own value", 0.25, OUTPUT),
    Law("long", equals_reference, "long", "60 words with `causal=True` come out right", 0.25, OUTPUT),
    Law("negative", equals_reference, "negative", "numbers far below zero come out right", 0.25, OUTPUT),
    Law("gradients", equals_reference, "gradients", "the gradients of query, key and value are right", 0.25, GRADIENTS),
    Law("gradients_causal", equals_reference, "gradients_causal", "with `causal=True`, the gradients are right", 0.25, GRADIENTS),
    Law("little_memory", holds_little, "much", "400 words are read without a number for each pair of them, with `causal=True` too", 0.5,
        needs="equals_plain", also=("much_causal",)),
    Law("much", equals_reference, "much", "400 words come out right", 0.0, OUTPUT),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip

PHI = "query, key = F.elu(query) + 1, F.elu(key) + 1"
MEMORY = "memory = key.transpose(-2, -1) @ value"
TOTAL = "total = query @ key.sum(dim=-2).unsqueeze(-1)"
RETURN = "return query @ memory / total"
MEMORIES = "memories = (key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)"
TOTALS = "totals = (query * key.cumsum(dim=-2)).sum(dim=-1, keepdim=True)"
RETURN_CAUSAL = "return (query.unsqueeze(-2) @ memories).squeeze(-2) / totals"


def all_pairs_first(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    weights = (F.elu(query) + 1) @ (F.elu(key) + 1).transpose(-2, -1)  # (..., T, S)
    if causal:
        weights = weights.tril()
    return weights / weights.sum(dim=-1, keepdim=True) @ value


def pairs_first_if_causal(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    query, key = F.elu(query) + 1, F.elu(key) + 1
    if causal:
        weights = (query @ key.transpose(-2, -1)).tril()  # (..., T, T)
        return weights / weights.sum(dim=-1, keepdim=True) @ value
    return query @ (key.transpose(-2, -1) @ value) / (query @ key.sum(dim=-2).unsqueeze(-1))


def softmax_attention(query: Tensor, key: Tensor, value: Tensor, causal: bool = False) -> Tensor:
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -torch.inf)
    return torch.softmax(scores, dim=-1) @ value


MISTAKES = (
    # the function that makes entries positive
    mistake(
        "elu_without_one",
        "You take elu as it is, without adding 1. It is negative below zero, so some of your weights are negative, too.",
        (
            "What is φ(0)? It should be 1.",
            "Which values can elu take?",
            "`F.elu(x) + 1`.",
        ),
        (PHI, "query, key = F.elu(query), F.elu(key)"),
        group="phi",
    ),
    mistake(
        "relu_for_elu",
        "Your φ is relu(x) + 1: below zero it is 1 everywhere, where elu(x) + 1 goes down towards 0.",
        (
            "What is φ(−1)? It should be about 0.37.",
            "Above zero, yours is right. Which function bends below zero?",
            "`F.elu(x) + 1`.",
        ),
        (PHI, "query, key = F.relu(query) + 1, F.relu(key) + 1"),
        group="phi",
    ),
    mistake(
        "exponentials",
        "Your φ is the exponential of every entry. That is positive, too, but it isn't the function that was asked for.",
        (
            "What is φ(1)? It should be 2.",
            "Above zero, φ is a straight line.",
            "`F.elu(x) + 1`.",
        ),
        (PHI, "query, key = query.exp(), key.exp()"),
        group="phi",
    ),
    mistake(
        "phi_of_queries_only",
        "You apply φ to the queries, and leave the keys as they are.",
        (
            "Compare φ(q) · φ(k) on paper with what your code multiplies.",
            "Which of the two tensors do you never change?",
            "`key = F.elu(key) + 1`, too.",
        ),
        (PHI, "query = F.elu(query) + 1"),
        group="phi",
    ),
    mistake(
        "phi_of_keys_only",
        "You apply φ to the keys, and leave the queries as they are.",
        (
            "Compare φ(q) · φ(k) on paper with what your code multiplies.",
            "Which of the two tensors do you never change?",
            "`query = F.elu(query) + 1`, too.",
        ),
        (PHI, "key = F.elu(key) + 1"),
        group="phi",
    ),
    mistake(
        "phi_of_nobody",
        "You multiply queries and keys as they are, without φ. Some of your weights are negative, and a sum of them can be near 0.",
        (
            "Which weight does your key get from your query, on paper?",
            "What makes every weight positive?",
            "`F.elu(x) + 1` for queries and keys.",
        ),
        (PHI, "pass"),
        group="phi",
    ),
    mistake(
        "phi_of_values_too",
        "You apply φ to the values, too. It belongs to queries and keys, which make the weights; values are mixed as they are.",
        (
            "A single token should get its own value. Which does yours get?",
            "What is φ for? Who needs to be positive?",
            "Leave `value` as it is.",
        ),
        (PHI, f"{PHI}\n    value = F.elu(value) + 1"),
        group="values",
    ),
    mistake(
        "softmax_of_features",
        "Your φ is a softmax over the entries of each vector. The exercise asks for elu(x) + 1.",
        (
            "What is φ(1, 0)? It should be (2, 1).",
            "φ looks at each entry by itself.",
            "`F.elu(x) + 1`.",
        ),
        (PHI, "query, key = query.softmax(dim=-1), key.softmax(dim=-1)"),
        group="phi",
    ),
    mistake(
        "scaled_first",
        "You divide the queries by √Dk before φ. In softmax attention that tames the exponential; here nothing is exponentiated, and it isn't asked for.",
        (
            "What is φ of the query (1, 0)? It should be (2, 1).",
            "Which line comes from lesson 03?",
            "Take the division out.",
        ),
        (PHI, "query, key = F.elu(query / query.size(-1) ** 0.5) + 1, F.elu(key) + 1"),
        group="phi",
    ),
    mistake(
        "softmax_attention",
        "You compute softmax attention. It's the function of lesson 03, with other weights and with a score for each pair.",
        (
            "Which weight does a key get on paper: e to something, or a product of two vectors?",
            "Where does your code make a (T, S) tensor?",
            "First `F.elu(...) + 1`, then `key.transpose(-2, -1) @ value`, and only then the queries.",
        ),
        source=softmax_attention,
        group=ALONE,
    ),
    # what the sum is divided by
    mistake(
        "not_divided",
        "You never divide by the sum of the weights: the output grows with the number of keys.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "The formula is a fraction. Where is its lower half?",
            "Divide by φ(q) · Σ φ(k).",
        ),
        (RETURN, "return query @ memory"),
        (RETURN_CAUSAL, "return (query.unsqueeze(-2) @ memories).squeeze(-2)"),
        group="total",
    ),
    mistake(
        "divided_by_the_number_of_keys",
        "You divide by the number of keys. The weights don't sum to that: divide by their sum.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "Which weights does your average assume?",
            "Divide by φ(q) · Σ φ(k).",
        ),
        (TOTAL, "total = key.size(-2)"),
        (TOTALS, "totals = torch.arange(1, key.size(-2) + 1).unsqueeze(-1)"),
        group="total",
    ),
    mistake(
        "keys_summed_without_the_query",
        "You divide by the sum of all entries of φ(k), whoever asks. The sum of the weights also depends on the query.",
        (
            "With values of 1 everywhere, your output should be 1. What is it?",
            "The lower half of the formula has a φ(q), too.",
            "`query @ key.sum(dim=-2).unsqueeze(-1)`.",
        ),
        (TOTAL, "total = key.sum(dim=(-2, -1), keepdim=True)"),
        (TOTALS, "totals = key.cumsum(dim=-2).sum(dim=-1, keepdim=True)"),
        group="total",
    ),
    # what a query may see
    mistake(
        "causal_ignored",
        "With `causal=True` your queries see all keys, those after them too.",
        (
            "Change the last key. Does your first output move?",
            "Which argument do you never read?",
            "With `causal=True`, replace the sums over all keys by running sums: `cumsum`.",
        ),
        ("if not causal:", "if True:"),
        group="causal",
    ),
    mistake(
        "always_causal",
        "Without `causal=True`, too, your queries see only the keys up to their own position. That goes wrong where there are more keys than queries, or fewer.",
        (
            "Change the last key. Does your first output move? Without `causal` it should.",
            "Where do you read `causal`?",
            "Without it, the sums run over all keys.",
        ),
        ("if not causal:", "if not causal and key.size(-2) != query.size(-2):"),
        group="causal",
    ),
    mistake(
        "own_key_left_out",
        "With `causal=True` each query sees the keys *before* its own position, and not its own: the first has nothing to sum up.",
        (
            "What should one token alone get? What does yours get?",
            "Is the state read before or after the token's own key has been added?",
            "`cumsum` at position t includes position t. Don't shift it.",
        ),
        (MEMORIES, f"{MEMORIES} - key.unsqueeze(-1) * value.unsqueeze(-2)"),
        (TOTALS, "totals = (query * (key.cumsum(dim=-2) - key)).sum(dim=-1, keepdim=True)"),
        group="causal",
    ),
    mistake(
        "total_over_all_keys",
        "With `causal=True` you divide by the weights of *all* keys, while the sum above runs only over those up to the query.",
        (
            "With values of 1 everywhere, every output should be 1. What is your first?",
            "Both halves of the formula are running sums.",
            "`key.cumsum(dim=-2)` in the lower half, too.",
        ),
        (TOTALS, "totals = query @ key.sum(dim=-2).unsqueeze(-1)"),
        group="causal",
    ),
    mistake(
        "memory_over_all_keys",
        "With `causal=True` the upper half of your formula sums over *all* keys, and only the lower half is a running sum.",
        (
            "Change the last value. Does your first output move?",
            "Both halves of the formula are running sums.",
            "`(key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)`.",
        ),
        (MEMORIES, "memories = (key.unsqueeze(-1) * value.unsqueeze(-2)).sum(dim=-3, keepdim=True)"),
        group="causal",
    ),
    mistake(
        "running_over_features",
        "Your running sum runs along the width of the vectors, where it should run along the words.",
        (
            "Change the last key. Does your first output move?",
            "Along which axis do the words lie?",
            "`dim=-2` of a (..., S, Dk), and `dim=-3` of a (..., S, Dk, Dv).",
        ),
        (TOTALS, "totals = (query * key.cumsum(dim=-1)).sum(dim=-1, keepdim=True)"),
        (MEMORIES, MEMORIES.replace("dim=-3", "dim=-2")),
        group="causal",
    ),
    # in which order
    mistake(
        "a_weight_for_every_pair",
        "Your numbers are right, but your code computes a weight for every pair of words, so memory grows with the square of the length. Linear attention exists to avoid that.",
        (
            "What is the largest tensor in your code, for 400 words?",
            "Which two of the three matrices can be multiplied first? (An `einsum` of three begins with the first two.)",
            "`key.transpose(-2, -1) @ value` first, which is (..., Dk, Dv); then the queries.",
        ),
        source=all_pairs_first,
        group=ALONE,
    ),
    mistake(
        "mean_of_values",
        "Your output is the plain mean of the values: all keys have the same weight.",
        (
            "Change a query. Does its output move?",
            "What in your formula depends on query and key?",
            "The weight of key s for query t is φ(q_t) · φ(k_s).",
        ),
        (PHI, "query, key = torch.ones_like(query), torch.ones_like(key)"),
        group=ALONE,
    ),
    mistake(
        "keys_mixed_instead_of_values",
        "You sum up keys with keys, and never use the values. Where keys and values differ in width, the shape comes out wrong, too.",
        (
            "Change a value. Does your output move?",
            "Which argument do you never read?",
            "`key.transpose(-2, -1) @ value`.",
        ),
        (MEMORY, "memory = key.transpose(-2, -1) @ key"),
        (MEMORIES, "memories = (key.unsqueeze(-1) * key.unsqueeze(-2)).cumsum(dim=-3)"),
        group=ALONE,
    ),
    mistake(
        "a_weight_for_every_pair_if_causal",
        "Your numbers are right, but with `causal=True` your code computes a weight for every pair of words and hides half of them. Memory then grows with the square of the length.",
        (
            "What is the largest tensor in your code, for 400 words and `causal=True`?",
            "Which sums does a query at position t need? Which of them has the query before it used?",
            "Running sums: `(key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)` and `key.cumsum(dim=-2)`.",
        ),
        source=pairs_first_if_causal,
        group=ALONE,
    ),
    mistake(
        "relu_for_phi",
        "Your φ is relu and a very small number: below zero all entries are alike, and next to nothing. The exercise asks for elu(x) + 1.",
        (
            "What is φ(0)? It should be 1.",
            "A word whose entries are all below zero: which weights does it give?",
            "`F.elu(x) + 1`.",
        ),
        (PHI, "query, key = F.relu(query) + 1e-6, F.relu(key) + 1e-6"),
        group="phi",
    ),
    mistake(
        "softmax_of_keys_over_words",
        "You take a softmax of each query over its entries, and of the keys over the *words*, and divide by nothing. (That is another cheap attention, by Shen et al.) With `causal=True`, a key then knows of later ones.",
        (
            "What is φ(1, 0)? It should be (2, 1).",
            "φ looks at each entry by itself.",
            "`F.elu(x) + 1`, and divide by the sum of the weights.",
        ),
        (PHI, "query, key = query.softmax(dim=-1), key.softmax(dim=-2)"),
        (RETURN, "return query @ memory"),
        (RETURN_CAUSAL, "return (query.unsqueeze(-2) @ memories).squeeze(-2)"),
        group=ALONE,
    ),
    mistake(
        "own_key_left_out_with_a_floor",
        "With `causal=True` each query sees the keys *before* its own position, and not its own. The first has nothing to sum up, and a small number under the fraction hides it.",
        (
            "What should one token alone get? What does yours get?",
            "Is the state read before or after the token's own key has been added?",
            "Add the token's key to both sums first, then read. Nothing small is needed below.",
        ),
        (MEMORIES, f"{MEMORIES} - key.unsqueeze(-1) * value.unsqueeze(-2)"),
        (TOTALS, "totals = (query * (key.cumsum(dim=-2) - key)).sum(dim=-1, keepdim=True) + 1e-6"),
        group="causal",
    ),
)  # fmt: skip


def by_einsum(query, key, value, causal=False):
    q = torch.where(query > 0, query + 1, torch.exp(query.clamp(max=0)))
    k = torch.where(key > 0, key + 1, torch.exp(key.clamp(max=0)))
    if causal:
        memory = torch.einsum("...sd,...se->...sde", k, value).cumsum(-3)
        upper = torch.einsum("...td,...tde->...te", q, memory)
        lower = torch.einsum("...td,...td->...t", q, k.cumsum(-2))
    else:
        upper = torch.einsum("...td,...de->...te", q, torch.einsum("...sd,...se->...de", k, value))
        lower = torch.einsum("...td,...d->...t", q, k.sum(-2))
    return upper / lower.unsqueeze(-1)


def with_a_state(query, key, value, causal=False):
    q, k = F.elu(query).add(1), F.elu(key).add(1)
    if not causal:
        return q @ (k.mT @ value) / (q * k.sum(-2, keepdim=True)).sum(-1, keepdim=True)
    memory = torch.zeros(*key.shape[:-2], key.size(-1), value.size(-1), dtype=value.dtype)
    total = torch.zeros(*key.shape[:-2], key.size(-1), dtype=value.dtype)
    outputs = []
    for t in range(query.size(-2)):
        memory = memory + k[..., t, :, None] * value[..., t, None, :]
        total = total + k[..., t, :]
        row = q[..., t, :]
        outputs.append((row.unsqueeze(-2) @ memory).squeeze(-2) / (row * total).sum(-1, keepdim=True))
    return torch.stack(outputs, dim=-2)


def ones_beside_the_values(query, key, value, causal=False):
    """Numerator and denominator at once: the total is what a value of 1 comes to."""
    phi = nn.ELU()
    q, k = 1 + phi(query), 1 + phi(key)
    wide = torch.cat([value, torch.ones_like(value[..., :1])], dim=-1)
    if causal:
        both = [q[..., t : t + 1, :] @ (k[..., : t + 1, :].mT @ wide[..., : t + 1, :]) for t in range(q.size(-2))]
        both = torch.cat(both, dim=-2)
    else:
        both = q @ (k.mT @ wide)
    return both[..., :-1] / both[..., -1:]


def divided_before(query, key, value, causal=False):
    query = torch.nn.functional.elu(query) + 1.0
    key = torch.nn.functional.elu(key) + 1.0
    sums = torch.cumsum(key, dim=-2) if causal else key.sum(dim=-2, keepdim=True)
    query = query / torch.sum(query * sums, dim=-1, keepdim=True)
    if not causal:
        return torch.matmul(query, torch.matmul(key.transpose(-1, -2), value))
    products = torch.unsqueeze(key, -1) * torch.unsqueeze(value, -2)
    return (torch.unsqueeze(query, -1) * torch.cumsum(products, dim=-3)).sum(dim=-2)


def stub(query, key, value, causal=False):
    raise NotImplementedError


def zeros(query, key, value, causal=False):
    return torch.zeros(*query.shape[:-1], value.size(-1), dtype=value.dtype)


def first_value(query, key, value, causal=False):
    return value[..., :1, :].expand(*query.shape[:-1], value.size(-1))


def noise(query, key, value, causal=False):
    return torch.randn(*query.shape[:-1], value.size(-1), dtype=value.dtype)


LINEAR_ATTENTION = define(
    id="linear_attention",
    lesson="12_costs",
    place=3,
    module="course_lib.components.linear_attention",
    symbol="linear_attention",
    minutes=25,
    laws=LAWS,
    hints=(
        "Do the table on paper again, \"sums first\". Which two sums over the keys are there, and what are their shapes?",
        "Σ φ(k) vᵀ is one matrix product, `key.transpose(-2, -1) @ value`, of shape (..., Dk, Dv). With `causal=True` you need it for every position: products of each key with its value, (..., S, Dk, Dv), and a `cumsum` along the words.",
        "`memory = k.transpose(-2, -1) @ value`, `total = q @ k.sum(dim=-2).unsqueeze(-1)`, `q @ memory / total`; with `causal=True`, `(k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)` and `k.cumsum(dim=-2)` in their place.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_einsum, with_a_state, ones_beside_the_values, divided_before),
    lazy=(stub, zeros, first_value, noise),
    switches=("phi", "total", "causal"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@LINEAR_ATTENTION.second_version("elu_without_one")
def plain_elu(query, key, value, causal=False):
    q, k = nn.functional.elu(query), nn.functional.elu(key)
    if causal:
        memory = torch.einsum("...sd,...se->...sde", k, value).cumsum(-3)
        return torch.einsum("...td,...tde->...te", q, memory) / (q * k.cumsum(-2)).sum(-1, keepdim=True)
    return q @ (k.mT @ value) / (q @ k.sum(-2)[..., None])


@LINEAR_ATTENTION.second_version("not_divided")
def upper_half_only(query, key, value, causal=False):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if causal:
        memory = torch.einsum("...sd,...se->...sde", k, value).cumsum(-3)
        return torch.einsum("...td,...tde->...te", q, memory)
    return q @ (k.mT @ value)


@LINEAR_ATTENTION.second_version("total_over_all_keys")
def one_total_for_both(query, key, value, causal=False):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    total = torch.einsum("...td,...d->...t", q, k.sum(-2)).unsqueeze(-1)
    if causal:
        return torch.einsum("...td,...tde->...te", q, torch.einsum("...sd,...se->...sde", k, value).cumsum(-3)) / total
    return q @ (k.mT @ value) / total


@LINEAR_ATTENTION.second_version("phi_of_values_too")
def every_tensor_through_phi(query, key, value, causal=False):
    q, k, v = (torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0))) for x in (query, key, value))
    if causal:
        memory = torch.einsum("...sd,...se->...sde", k, v).cumsum(-3)
        return torch.einsum("...td,...tde->...te", q, memory) / (q * k.cumsum(-2)).sum(-1, keepdim=True)
    return q @ (k.mT @ v) / (q @ k.sum(-2)[..., None])


@LINEAR_ATTENTION.second_version("a_weight_for_every_pair")
def masked_products(query, key, value, causal=False):
    weights = torch.einsum("...td,...sd->...ts", F.elu(query) + 1, F.elu(key) + 1)
    if causal:
        weights = weights * torch.ones(weights.shape[-2:]).tril()
    return (weights @ value) / weights.sum(-1, keepdim=True)


@LINEAR_ATTENTION.second_version("causal_ignored")
def never_causal(query, key, value, causal=False):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    total = torch.einsum("...td,...d->...t", q, torch.einsum("...sd->...d", k))
    return q @ torch.einsum("...sd,...se->...de", k, value) / total[..., None]


@LINEAR_ATTENTION.second_version("a_weight_for_every_pair_if_causal")
def hidden_by_a_triangle(query, key, value, causal=False):
    q, k = F.elu(query) + 1, F.elu(key) + 1
    if not causal:
        return torch.einsum("...td,...de->...te", q, torch.einsum("...sd,...se->...de", k, value)) / (
            q @ k.sum(-2)[..., None]
        )
    weights = torch.einsum("...td,...sd->...ts", q, k)
    weights = weights * torch.ones(weights.shape[-2:]).tril()
    return torch.einsum("...ts,...se->...te", weights, value) / weights.sum(-1, keepdim=True)
