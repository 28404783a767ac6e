"""Exercise `decoder_mask`: neither the future nor padding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.any_lesson import right_as_numbers
from course_lib.components.causal_mask import causal_mask
from course_lib.components.padding_mask import padding_mask


def _padded(draw: Draw, pad_id: int, *rows: str) -> Tensor:
    """Sentences drawn as ``"x"`` for a real token and ``"."`` for padding; 0 is real unless it is padding."""
    real = [i for i in range(9) if i != pad_id]
    ids = torch.tensor([draw.shuffled(real)[: len(row)] for row in rows])
    if pad_id:
        ids[:, 0] = 0
    return ids.masked_fill(torch.tensor([[place == "." for place in row] for row in rows]), pad_id)


def _call(name: str, ids: Tensor, pad_id: int) -> Question:
    return Question(name, probes.call, {"arguments": {"ids": ids, "pad_id": pad_id}, "returns": ["mask"]})


def ask(draw: Draw) -> Iterator[Question]:
    """Padding on the right, on the left and in the middle, in all of a sentence and in none of it; one sentence alone; a square, to name what crashes."""
    yield _call("by_hand", _padded(draw, 0, "xxxx", "xx.."), 0)
    pad_id, another = (int(i) + 3 for i in draw.order(4)[:2])
    rows = draw.shuffled((["xxxxx", "xxx..", "xx..."], ["xxxxxx", "xx....", "xxxx.."]))[0]
    ids = _padded(draw, pad_id, *rows)
    other = torch.cat([ids[:1], _padded(draw, pad_id, *draw.shuffled(rows)[:2])])
    calls: list[dict[str, Any]] = [{"ids": ids, "pad_id": pad_id}, {"ids": other, "pad_id": pad_id}]
    yield Question("plain", probes.call_each, {"calls": calls, "returns": ["mask"]})
    yield _call("anywhere", _padded(draw, another, *draw.shuffled(("..xxx", "xx.xx", ".xx..", "x.x.x"))), another)
    yield _call("all_and_none", _padded(draw, pad_id, *draw.shuffled(("xxx", "..."))), pad_id)
    yield _call("one_sentence", _padded(draw, pad_id, draw.shuffled(("xxx.", "xx.."))[0]), pad_id)
    yield _call("square", _padded(draw, pad_id, *draw.shuffled(("xxx", "xx.", "x.."))), pad_id)


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences, one of them padded, come out right", 0.6,
        {"fields": ["mask"]}, also=("square",)),
    Law("equals_plain", equals_reference, "plain", "so does a larger batch, with another `pad_id`", 0.5,
        {"fields": ["calls/0/mask"]}),
    Law("anywhere", equals_reference, "anywhere", "padding on the left and in the middle is hidden too", 0.25,
        {"fields": ["mask"]}),
    Law("all_and_none", equals_reference, "all_and_none", "in a sentence of nothing but padding, nobody sees anything", 0.25,
        {"fields": ["mask"]}),
    Law("one_sentence", equals_reference, "one_sentence", "a batch of one sentence keeps its three axes", 0.15,
        {"fields": ["mask"]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's mask as it is", 0.15,
        {"before": "calls/0/mask", "after": "calls/1/mask", "index": [0]}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "the ids are left as they were", 0.1,
        needs="equals_by_hand", also=("anywhere",)),
)  # fmt: skip

REAL = "padding_mask(ids, pad_id)"
EARLIER = "causal_mask(ids.size(1)).to(ids.device)"
RETURN = "return real & earlier"
BOTH = "`padding_mask(ids, pad_id) & causal_mask(ids.size(1))`: (B, 1, T) and (T, T) make (B, T, T)."

MISTAKES = (
    # how the two are put together
    mistake(
        "one_of_both_is_enough",
        "You join the two masks with *or*, so a key may be seen if it is earlier or real, and only future padding is hidden. A key must be both.",
        (
            "Which keys does your first query see, in a sentence without padding?",
            "A key that is real and in the future: what do the two masks say about it, and what comes out?",
            "`real & earlier`, not `|`, and not `+`.",
        ),
        (RETURN, "return real | earlier"),
        group="joined",
    ),
    mistake(
        "added",
        "You add the two masks as numbers: 2 where both allow, 1 where only one does. As a mask, 1 and 2 are both true.",
        (
            "Which numbers are in your mask, and which of them mean True?",
            "Both must allow a key. Which operator says *and*?",
            "`real & earlier`; with numbers, the product.",
        ),
        (RETURN, "return real.int() + earlier.int()"),
        group="joined",
    ),
    mistake(
        "exactly_one_allows",
        "Your mask is True where the two masks *differ*: what is both real and earlier is hidden.",
        (
            "Does your first token see itself?",
            "If both masks say True, what does your operator return?",
            "`real & earlier`, not `^` and not `!=`.",
        ),
        (RETURN, "return real ^ earlier"),
        group="joined",
    ),
    mistake(
        "true_means_blocked",
        "Your mask is inverted: True where a key is in the future or padding. In this course True means *may attend*.",
        (
            "Does your first token see itself?",
            "You have collected the blocked keys. What is the opposite of that?",
            "`real & earlier`, with nothing inverted.",
        ),
        (RETURN, "return ~(real & earlier)"),
        group="joined",
    ),
    mistake(
        "padding_forgotten",
        "Your mask is the causal one for every sentence: padding can be seen like any word.",
        (
            "Look at the second sentence of the smallest example. Does its last query see padding?",
            "Is `pad_id` used anywhere in your code?",
            BOTH,
        ),
        (RETURN, "return earlier.expand(ids.size(0), -1, -1)"),
        group="joined",
    ),
    mistake(
        "causal_mask_alone",
        "You return the causal mask, (T, T), and nothing about padding: one mask for all sentences.",
        (
            "Which shape does your mask have? Where is the batch?",
            "Is `pad_id` used anywhere in your code?",
            BOTH,
        ),
        (RETURN, "return earlier"),
        group="joined",
    ),
    mistake(
        "future_forgotten",
        "Your mask hides padding and nothing else: every token sees the whole sentence, as in an encoder.",
        (
            "Which keys does your first query see, in a sentence without padding?",
            "Where in your code does it matter which of two tokens comes first?",
            BOTH,
        ),
        (RETURN, "return real.expand(-1, ids.size(1), -1)"),
        group="joined",
    ),
    mistake(
        "padding_mask_alone",
        "You return the padding mask, (B, 1, T): every token sees the whole sentence, as in an encoder.",
        (
            "Which shape does your mask have? How many queries does it have?",
            "Where in your code does it matter which of two tokens comes first?",
            BOTH,
        ),
        (RETURN, "return real"),
        group="joined",
    ),
    # what is real
    mistake(
        "padding_only",
        "You hide the real tokens and show padding: the padding mask is inverted before you join it.",
        (
            "Does your first token see itself?",
            "What is True in the padding mask that you join: a word, or padding?",
            BOTH,
        ),
        (REAL, "~padding_mask(ids, pad_id)"),
        group="real",
    ),
    mistake(
        "zero_assumed",
        "You take 0 for padding, whatever `pad_id` says: padding with another id is seen, and the real token 0 is hidden.",
        (
            "Call your function with `pad_id=3`. What happens to the tokens 3, and what to the tokens 0?",
            "`pad_id` is a parameter. Where in your code does it appear?",
            "`padding_mask(ids, pad_id)`.",
        ),
        (REAL, "padding_mask(ids, 0)"),
        group="real",
    ),
    mistake(
        "queries_masked",
        "You hide whole *queries*: padding sees nothing, and every word still sees padding. A padding mask belongs on the last axis, which is that of the keys.",
        (
            "Which of your *rows* are empty? Which *columns* should be?",
            "Line up your padding mask with (B, T, T) from the right. Is its axis of length 1 the queries' or the keys'?",
            "`padding_mask(ids, pad_id)` is (B, 1, T) as it should be: do not transpose it.",
        ),
        (REAL, "padding_mask(ids, pad_id).transpose(1, 2)"),
        group="real",
    ),
    mistake(
        "padded_queries_hidden_too",
        "You hide padding as a key *and* as a query, so the rows of padding are empty. What padding sees doesn't matter, and other implementations of attention turn an empty row into `nan`.",
        (
            "Which rows of your mask are empty in the second sentence of the smallest example?",
            "How often do you use the padding mask, and on which axes?",
            BOTH,
        ),
        (REAL, "padding_mask(ids, pad_id) & padding_mask(ids, pad_id).transpose(1, 2)"),
        group="real",
    ),
    mistake(
        "one_padding_for_all_sentences",
        "You hide a position in every sentence as soon as it is padding in one of them.",
        (
            "What does the last token of the *longest* sentence see?",
            "Which axis of (B, 1, T) do you lose on the way, or use only the first entry of?",
            BOTH,
        ),
        (REAL, "padding_mask(ids, pad_id).all(dim=0, keepdim=True).expand(ids.size(0), -1, -1)"),
        group="real",
    ),
    mistake(
        "sentences_as_queries",
        "You drop the padding mask's axis of length 1. (B, T) beside (T, T) makes sentence number i mask query number i where B and T happen to be equal, and raises an error elsewhere.",
        (
            "Line up (B, T) and (T, T) from the right. Which axis meets which?",
            "`padding_mask` gives you an axis of length 1. Where is it lost?",
            BOTH,
        ),
        (REAL, "padding_mask(ids, pad_id).squeeze(1)"),
        group=ALONE,
    ),
    # what is earlier
    mistake(
        "past_hidden",
        "You hide the past and show the future: the causal mask is transposed before you join it.",
        (
            "Which keys does the first query of a sentence see, and which the last?",
            "In the causal mask, are rows queries or keys? And where you join it?",
            BOTH,
        ),
        (EARLIER, "causal_mask(ids.size(1)).to(ids.device).T"),
        group="earlier",
    ),
    mistake(
        "future_only",
        "You show what comes later and hide what came before: the causal mask is inverted before you join it.",
        (
            "Does your first token see itself?",
            "What is True in the causal mask that you join: the past, or the future?",
            BOTH,
        ),
        (EARLIER, "~causal_mask(ids.size(1)).to(ids.device)"),
        group="earlier",
    ),
    mistake(
        "own_token_hidden",
        "You hide each token from itself: the first one of a sentence sees nothing at all.",
        (
            "Does your first token see itself?",
            "Your `causal_mask` has True on its diagonal. Where does it get lost?",
            BOTH,
        ),
        (EARLIER, "causal_mask(ids.size(1)).to(ids.device).tril(-1)"),
        group="earlier",
    ),
    mistake(
        "one_ahead_visible",
        "You show each token the one after it, where that is real: exactly the token that it has to predict.",
        (
            "Which keys does the first query of a sentence see?",
            "On which diagonal does your triangle end? `diagonal=0` is the token itself.",
            BOTH,
        ),
        (EARLIER, "torch.ones(ids.size(1), ids.size(1)).tril(1).bool()"),
        group="earlier",
    ),
    mistake(
        "own_token_always_seen",
        "You let each token see itself, even where it is padding: your diagonal is always True. Padding is hidden from everybody, itself included.",
        (
            "Look at the second sentence of the smallest example. Does its last query see padding?",
            "What do you write into the diagonal, after the two masks are joined?",
            BOTH,
        ),
        (RETURN, "return (real & earlier) | torch.eye(ids.size(1), dtype=torch.bool)"),
        group=ALONE,
    ),
    mistake(
        "hidden_after_the_first_padding",
        "From the first padding of a sentence on you hide everything, words too. Padding may stand before words or between them.",
        (
            "Padding may stand on the left. What does the last token of such a sentence see?",
            "What does a word after the first padding look like in your mask of real tokens?",
            BOTH,
        ),
        (REAL, "padding_mask(ids, pad_id).cumprod(dim=-1).bool()"),
        group=ALONE,
    ),
    mistake(
        "padding_overwritten_with_0",
        "You write 0 over padding in the ids that you were given, and hide every 0: the real token 0 is hidden too, and the caller's ids are no longer what they were.",
        (
            "Call your function with `pad_id=3`. What happens to the tokens 0, and what is in `ids` afterwards?",
            "Which line of yours writes into `ids`?",
            "`padding_mask(ids, pad_id)`.",
        ),
        (REAL, "padding_mask(ids.masked_fill_(ids == pad_id, 0), 0)"),
        group=ALONE,
    ),
    mistake(
        "as_long_as_the_real_ones",
        "You count a sentence's real tokens and let the causal mask end there. With padding on the left or in the middle, real tokens at the end are hidden.",
        (
            "Padding may stand on the left. What does the last token of such a sentence see?",
            "A count says how many tokens are real. Does it say which?",
            BOTH,
        ),
        (RETURN, "return (torch.arange(ids.size(1)) < real.sum(dim=-1, keepdim=True)) & earlier"),
        group=ALONE,
    ),
    # the shape, and what it is made of
    mistake(
        "batch_of_one_lost",
        "With a single sentence your mask loses the batch's axis: `squeeze()` without a `dim` drops every axis of length 1, the batch's too.",
        (
            "Call your function with one sentence. How many axes does its mask have?",
            "Which axis should `squeeze` drop, and which does it drop in a batch of one?",
            BOTH,
        ),
        (REAL, "padding_mask(ids, pad_id).squeeze().unsqueeze(-2)"),
        group=ALONE,
    ),
    mistake(
        "axis_of_heads_already",
        "Your mask has four axes, (B, 1, T, T). Several heads will need that later; this exercise asks for three.",
        (
            "How many axes does your mask have, and how many are asked for?",
            "Which line adds the axis of the heads?",
            BOTH,
        ),
        (RETURN, "return (real & earlier).unsqueeze(1)"),
        group=ALONE,
    ),
    mistake(
        "numbers_not_booleans",
        "Your mask is made of numbers, and the exercise asks for booleans. Attention will write `~mask`, and `~` of the integer 1 is −2, which counts as true, while `~` of a float is an error.",
        (
            "Print the `dtype` of your mask.",
            "Do you multiply where `&` would do, or turn booleans into numbers first?",
            BOTH,
        ),
        (RETURN, "return real.long() * earlier"),
        group=ALONE,
        recogniser=right_as_numbers,
    ),
)  # fmt: skip


def unsqueezed_by_hand(ids, pad_id):
    return (ids != pad_id)[:, None, :] & causal_mask(ids.shape[1])


def triangle_of_the_padding_mask(ids, pad_id):
    return padding_mask(ids, pad_id).repeat(1, ids.size(1), 1).tril()


def logical_and(ids, pad_id):
    causal = causal_mask(ids.size(-1)).unsqueeze(0).to(ids.device)
    return torch.logical_and(causal, padding_mask(ids, pad_id))


def blocked_ones_joined(ids, pad_id):
    blocked = ~padding_mask(ids, pad_id) | ~causal_mask(ids.size(1)).to(ids.device)
    return ~blocked


def product(ids, pad_id):
    return padding_mask(ids, pad_id) * causal_mask(len(ids[0]))


def sentence_by_sentence(ids, pad_id):
    return torch.stack([causal_mask(len(row)) & (row != pad_id) for row in ids])


def filled(ids, pad_id):
    mask = causal_mask(ids.size(1)).to(ids.device).expand(ids.size(0), -1, -1).clone()
    return mask.masked_fill(~padding_mask(ids, pad_id), False)


def stub(ids, pad_id):
    raise NotImplementedError


def all_true(ids, pad_id):
    return torch.ones(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)


def all_false(ids, pad_id):
    return torch.zeros(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)


def only_itself(ids, pad_id):
    return torch.eye(ids.size(1), dtype=torch.bool).expand(ids.size(0), -1, -1)


def noise(ids, pad_id):
    return torch.rand(ids.size(0), ids.size(1), ids.size(1)) < 0.5


DECODER_MASK = define(
    id="decoder_mask",
    lesson="07_masks",
    place=1,
    module="course_lib.components.decoder_mask",
    symbol="decoder_mask",
    minutes=8,
    laws=LAWS,
    hints=(
        "Draw the mask of the sentence `a b . .` on paper, where a dot is padding. Which of the sixteen are True?",
        "You have a padding mask, (B, 1, T), and a causal mask, (T, T). A key may be seen if *both* allow it.",
        BOTH,
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        unsqueezed_by_hand, triangle_of_the_padding_mask, logical_and, blocked_ones_joined, product,
        sentence_by_sentence, filled,
    ),
    lazy=(stub, all_true, all_false, only_itself, noise),
    builds_on=("causal_mask",),
    switches=("joined", "real", "earlier"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@DECODER_MASK.second_version("one_of_both_is_enough")
def torchs_logical_or(ids, pad_id):
    return torch.logical_or((ids != pad_id).unsqueeze(1), causal_mask(ids.size(1)))


@DECODER_MASK.second_version("padding_forgotten")
def repeated_triangle(ids, pad_id):
    return causal_mask(ids.size(1)).repeat(len(ids), 1, 1)


@DECODER_MASK.second_version("future_forgotten")
def repeated_padding_mask(ids, pad_id):
    return (ids != pad_id)[:, None].repeat(1, ids.size(1), 1)


@DECODER_MASK.second_version("queries_masked")
def padding_as_a_column(ids, pad_id):
    return causal_mask(ids.size(1)) & ids.ne(pad_id).unsqueeze(-1)


@DECODER_MASK.second_version("padded_queries_hidden_too")
def outer_product_of_the_real(ids, pad_id):
    real = (ids != pad_id).long()
    return (real[:, :, None] * real[:, None, :]).bool().tril()


@DECODER_MASK.second_version("padding_only")
def torchs_padding_mask(ids, pad_id):
    return (ids == pad_id)[:, None, :] & causal_mask(ids.size(1))


@DECODER_MASK.second_version("sentences_as_queries")
def padding_as_a_matrix(ids, pad_id):
    return (ids != pad_id) & causal_mask(ids.size(1))


@DECODER_MASK.second_version("true_means_blocked")
def blocked_are_joined(ids, pad_id):
    return ids.eq(pad_id).unsqueeze(1) | torch.ones(ids.size(1), ids.size(1)).triu(1).bool()


@DECODER_MASK.second_version("zero_assumed")
def truth_of_the_ids(ids, pad_id):
    return ids.bool()[:, None] & causal_mask(ids.size(1))


@DECODER_MASK.second_version("as_long_as_the_real_ones")
def lengths_of_sentences(ids, pad_id):
    mask = torch.zeros(ids.size(0), ids.size(1), ids.size(1), dtype=torch.bool)
    for sentence, length in zip(mask, (ids != pad_id).sum(1).tolist(), strict=True):
        sentence[:, :length] = causal_mask(ids.size(1))[:, :length]
    return mask


@DECODER_MASK.second_version("one_ahead_visible")
def triangle_one_up(ids, pad_id):
    t = torch.arange(ids.size(1))
    return (t[None, :] - t[:, None] < 2) & (ids != pad_id)[:, None]


@DECODER_MASK.second_version("own_token_always_seen")
def diagonal_filled(ids, pad_id):
    mask = (ids != pad_id)[:, None] & causal_mask(ids.size(1))
    mask.diagonal(dim1=1, dim2=2)[:] = True
    return mask


@DECODER_MASK.second_version("hidden_after_the_first_padding")
def cut_at_the_first_padding(ids, pad_id):
    rows = [row.tolist() for row in ids]
    cut = torch.tensor([row.index(pad_id) if pad_id in row else len(row) for row in rows])
    return (torch.arange(ids.size(1)) < cut[:, None, None]) & causal_mask(ids.size(1))


@DECODER_MASK.second_version("padding_overwritten_with_0")
def written_into_the_ids(ids, pad_id):
    ids[ids == pad_id] = 0
    return ids.bool().unsqueeze(-2) & causal_mask(ids.size(-1))


@DECODER_MASK.second_version("batch_of_one_lost")
def squeezed_at_the_end(ids, pad_id):
    return ((ids != pad_id)[:, None] & causal_mask(ids.size(1))).squeeze(0)
