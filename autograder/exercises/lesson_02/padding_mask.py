"""Exercise `padding_mask`: the lesson's first; which tokens are real."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.any_lesson import right_as_numbers, writes_into_ids


def _sentence(draw: Draw, length: int, pad_id: int) -> Tensor:
    """Different real tokens, in any order, among them one below and one above ``pad_id``, where there is one."""
    some = [i for i in draw.shuffled(range(12)) if i != pad_id]
    below, above = [i for i in some if i < pad_id][:1], [i for i in some if i > pad_id]
    return torch.tensor(draw.shuffled((below + above)[:length]))


def _padded(draw: Draw, pad_id: int, *rows: str) -> Tensor:
    """Sentences drawn as ``"x"`` for a real token and ``"."`` for padding."""
    ids = torch.stack([_sentence(draw, len(row), pad_id) for row in rows])
    return ids.masked_fill(torch.tensor([[place == "." for place in row] for row in rows]), pad_id)


def _call(name: str, ids: Tensor, pad_id: int) -> Question:
    return Question(name, probes.call, {"arguments": {"ids": ids, "pad_id": pad_id}, "returns": ["mask"]})


def ask(draw: Draw) -> Iterator[Question]:
    """Padding with the id 0 and with another, at the end and elsewhere, all of a sentence and none of it.

    No square here: nothing that is wrong in one line of comparing crashes, and a wrong shape is an answer.
    """
    yield _call("by_hand", _padded(draw, 0, "xxxx", "xx.."), 0)
    pad_id, another = (int(i) + 3 for i in draw.order(4)[:2])
    long = draw.shuffled((["xxxxx", "xxx..", "x...."], ["xxxxxx", "xx....", "xxxx.."]))[0]
    ids = _padded(draw, pad_id, *long)
    other = torch.cat([ids[:1], _padded(draw, pad_id, *draw.shuffled(long)[:2])])
    calls: list[dict[str, Any]] = [{"ids": ids, "pad_id": pad_id}, {"ids": other, "pad_id": pad_id}]
    yield Question("plain", probes.call_each, {"calls": calls, "returns": ["mask"]})
    yield _call("anywhere", _padded(draw, another, *draw.shuffled(("..xxx", "xx.xx", ".xx.."))), another)
    yield _call("all_and_none", _padded(draw, pad_id, *draw.shuffled(("xxx", "..."))), pad_id)


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "two sentences, padded with 0, come out right", 0.5,
        {"fields": ["mask"]}),
    Law("equals_plain", equals_reference, "plain", "another `pad_id` works too, and 0 is then a token like any other", 0.5,
        {"fields": ["calls/0/mask"]}),
    Law("anywhere", equals_reference, "anywhere", "padding at the front and in the middle is found too", 0.25,
        {"fields": ["mask"]}),
    Law("all_and_none", equals_reference, "all_and_none", "a sentence without padding is all True, one of nothing else all False", 0.25,
        {"fields": ["mask"]}),
    Law("sentences_apart", unmoved, "plain", "other sentences beside it leave the first one's mask as it is", 0.25,
        {"before": "calls/0/mask", "after": "calls/1/mask", "index": [0]}, needs="equals_plain"),
    Law("inputs_unchanged", inputs_unchanged, "by_hand", "the ids are left as they were", 0.25,
        needs="equals_by_hand"),
)  # fmt: skip

COMPARED = "ids != pad_id"
RETURN = "return real.unsqueeze(1)"

MISTAKES = (
    # what is compared
    mistake(
        "inverted",
        "Your mask is True where there is padding. In this course True means *may attend* "
        "(in the `key_padding_mask` of `nn.MultiheadAttention`, it means the opposite).",
        (
            "Print a sentence and its mask, one above the other. What is True?",
            "You compare the ids with `pad_id`. Should a real token pass that comparison, or fail it?",
            "`ids != pad_id`: True where the token is real.",
        ),
        (COMPARED, "ids == pad_id"),
        group="compared",
    ),
    mistake(
        "zero_assumed",
        "You take 0 for padding, whatever `pad_id` says: padding with another id is attended to, and the real token 0 is hidden.",
        (
            "Call your function with `pad_id=3`. What happens to the tokens 3, and what to the tokens 0?",
            "`pad_id` is a parameter. Where in your code does it appear?",
            "`ids != pad_id`, not `ids != 0` or `ids.bool()`.",
        ),
        (COMPARED, "ids != 0"),
        group="compared",
    ),
    mistake(
        "smaller_ids_hidden",
        "You keep the ids above `pad_id`. Padding is one id; the real tokens whose ids lie below it are hidden with it.",
        (
            "Call your function with `pad_id=3`, on a sentence that holds the token 1. Is 1 padding?",
            "Look at the operator between `ids` and `pad_id`. Which ids should pass?",
            "`ids != pad_id`: different, on either side.",
        ),
        (COMPARED, "ids > pad_id"),
        group="compared",
    ),
    mistake(
        "compared_with_the_first_token",
        "You compare each id with the first one of its sentence: real tokens are hidden because they begin a sentence, and padding is seen.",
        (
            "In a sentence without padding, what does your mask hide?",
            "What stands on the right of your comparison: an id you are given, or one you read from the sentence?",
            "`ids != pad_id`.",
        ),
        (COMPARED, "ids != ids[:, :1]"),
        group="compared",
    ),
    mistake(
        "compared_with_the_last_token",
        "You take the last token of a sentence for padding. The longest sentence of a batch ends in a real one, and loses it.",
        (
            "In a sentence without padding, what does your mask hide?",
            "What stands on the right of your comparison: an id you are given, or one you read from the sentence?",
            "`ids != pad_id`.",
        ),
        (COMPARED, "ids != ids[:, -1:]"),
        group="compared",
    ),
    mistake(
        "one_mask_for_all_sentences",
        "You make one mask for the whole batch: a position is hidden in every sentence as soon as it is padding in one.",
        (
            "Two sentences, four and two tokens long. How many tokens of the longer one may be seen, in your mask?",
            "Which axis do you lose on the way from `ids`, (B, S), to your mask?",
            "Compare, and leave the batch alone: `(ids != pad_id).unsqueeze(1)`.",
        ),
        (COMPARED, "(ids != pad_id).all(dim=0, keepdim=True)"),
        group="compared",
    ),
    # where padding is looked for
    mistake(
        "real_tokens_counted",
        "You count a sentence's real tokens and let that many be seen, from the front. Where padding stands in front or in the middle, real tokens are hidden and padding is seen.",
        (
            "Padding may stand on the left. What does your mask then show?",
            "A count says how many tokens are real. Which are?",
            "Compare each token by itself: `ids != pad_id`.",
        ),
        (COMPARED, "torch.arange(ids.size(1)) < (ids != pad_id).sum(dim=1, keepdim=True)"),
        group="place",
    ),
    mistake(
        "hidden_from_the_first_padding_on",
        "You hide everything from the first padding on. Real tokens that stand after it are lost.",
        (
            "Padding may stand on the left. What is left of such a sentence?",
            "Does what you say of a token depend on the tokens before it? Should it?",
            "Compare each token by itself: `ids != pad_id`.",
        ),
        (COMPARED, "(ids != pad_id).long().cumprod(dim=1).bool()"),
        group="place",
    ),
    mistake(
        "no_padding_hides_all",
        "You look for the position of the first padding. Where a sentence has none, `argmax` says 0, and the whole sentence is hidden.",
        (
            "What is your mask of a sentence without padding?",
            "`argmax` over nothing but False returns 0. What do you make of that 0?",
            "Compare each token by itself: `ids != pad_id`.",
        ),
        (COMPARED, "torch.arange(ids.size(1)) < (ids == pad_id).long().argmax(dim=1, keepdim=True)"),
        group="place",
    ),
    # the shape
    mistake(
        "axis_of_queries_missing",
        "Your mask is (B, S). Beside scores (B, T, S) it is read as (T, S): sentence number t masks query number t, where the sizes happen to fit.",
        (
            "Line up (B, S) and (B, T, S) from the right. Which axis meets which?",
            "Where must an axis of length 1 stand, so that all queries of a sentence share its row?",
            "`.unsqueeze(1)`: (B, S) becomes (B, 1, S).",
        ),
        (RETURN, "return real"),
        group="shape",
    ),
    mistake(
        "queries_masked",
        "Your mask is (B, S, 1): it hides whole *queries*, and lets every one that is left see padding.",
        (
            "Line up your mask's shape with (B, T, S). Which axis of it stands where the keys are?",
            "An axis of length 1 is the one that is shared. Which should be shared: the queries', or the keys'?",
            "`.unsqueeze(1)`, not `.unsqueeze(-1)`: (B, 1, S).",
        ),
        (RETURN, "return real.unsqueeze(2)"),
        group="shape",
    ),
    mistake(
        "sentences_as_queries",
        "Your mask is (1, B, S): the new axis stands in front, and each sentence of the batch is taken for a query.",
        (
            "Line up your mask's shape with (B, T, S), axis by axis.",
            "Counted from 0, which axis are the queries'?",
            "`.unsqueeze(1)`, not `.unsqueeze(0)`: (B, 1, S).",
        ),
        (RETURN, "return real.unsqueeze(0)"),
        group="shape",
    ),
    mistake(
        "axis_of_heads_already",
        "Your mask has four axes, (B, 1, 1, S). That is for scores with heads; here they have three, (B, T, S).",
        (
            "How many axes does your mask have, and how many are asked for?",
            "How many times do you add an axis?",
            "Once: `.unsqueeze(1)`. Lesson 04 adds the axis of the heads itself.",
        ),
        (RETURN, "return real.unsqueeze(1).unsqueeze(2)"),
        group="shape",
    ),
    mistake(
        "padded_queries_hidden_too",
        "Your mask is (B, S, S), and hides padding as query *and* as key. A decoder's queries are not the source's tokens: there may be more of them, or fewer.",
        (
            "Five source tokens, three decoder states: which shape should (query, key) have?",
            "Which of the two axes of your (S, S) says anything about keys?",
            "Keep the keys' axis alone, and let the queries share it: `real.unsqueeze(1)`.",
        ),
        (RETURN, "return real.unsqueeze(1) & real.unsqueeze(2)"),
        group="shape",
    ),
    mistake(
        "spelled_out_for_every_query",
        "You repeat the mask for S queries, (B, S, S). A decoder has T states, not S, and the mask then fits no longer.",
        (
            "Five source tokens, three decoder states: does your mask fit scores (B, 3, 5)?",
            "Broadcasting repeats an axis of length 1 by itself. Which line of yours does it by hand?",
            "Leave out `expand` or `repeat`: `real.unsqueeze(1)`, (B, 1, S).",
        ),
        (RETURN, "return real.unsqueeze(1).expand(-1, real.size(1), -1)"),
        group="shape",
    ),
    mistake(
        "batch_and_sentence_swapped",
        "Your mask is (S, 1, B): you transpose the ids, and so exchange the axes of sentences and tokens.",
        (
            "Print the shape of your mask beside that of `ids`.",
            "Batch first. What do you do to the ids before or after you compare them?",
            "Leave the order of axes as it is, and add one: `real.unsqueeze(1)`.",
        ),
        (RETURN, "return real.T.unsqueeze(1)"),
        group="shape",
    ),
    # what it is made of
    mistake(
        "numbers_not_booleans",
        "Your mask is made of numbers, and booleans are asked for. The next function will write `~mask`, which is an error for floats, and for the integer 1 gives −2, which counts as True.",
        (
            "Print the `dtype` of your mask.",
            "A comparison gives booleans. What do you do to them afterwards?",
            "Leave out `.int()`, `.long()` or `.float()`: return what `ids != pad_id` gives.",
        ),
        (RETURN, "return real.long().unsqueeze(1)"),
        group="type",
        recogniser=right_as_numbers,
    ),
    mistake(
        "added_to_scores",
        "You return what would be *added* to scores: 0 for a real token, −∞ for padding. Read as a mask, that says the opposite: 0 counts as False and −∞ as True.",
        (
            "Print your mask. Which of its numbers mean True?",
            "Which type does the docstring ask for? The step from booleans to −∞ belongs where scores are.",
            "Return the comparison itself: `(ids != pad_id).unsqueeze(1)`.",
        ),
        (RETURN, "return torch.zeros(real.shape).masked_fill(~real, float('-inf')).unsqueeze(1)"),
        group="type",
    ),
    mistake(
        "complement_of_numbers",
        "You invert a mask of numbers with `~`: 0 becomes −1 and 1 becomes −2, and both count as true. Nothing is hidden.",
        (
            "What is `~torch.tensor([0, 1])`? And `~torch.tensor([False, True])`?",
            "Where do booleans become numbers, before you invert them?",
            "Stay with booleans: `ids != pad_id` needs no inverting.",
        ),
        (COMPARED, "~(ids == pad_id).long()"),
        group="type",
    ),
    mistake(
        "ids_overwritten",
        "Your mask is right, but you wrote into the ids you were given: the embedding that comes next finds no word for them.",
        (
            "Print `ids` before and after your function.",
            "`ids[...] = ...` changes a tensor in place; so does a method that ends in `_`.",
            "Only compare: `ids != pad_id` makes a new tensor.",
        ),
        (f"real = {COMPARED}", "ids[ids == pad_id] = -1\n    real = ids >= 0"),
        recogniser=writes_into_ids,
    ),
)


def ne_and_none(ids, pad_id):
    return ids.ne(pad_id)[:, None]


def not_equal(ids, pad_id):
    return ~(ids == pad_id).unsqueeze(-2)


def logical_not_and_view(ids, pad_id):
    B, S = ids.shape
    return torch.logical_not(torch.eq(ids, pad_id)).view(B, 1, S)


def token_by_token(ids, pad_id):
    return torch.tensor([[[token != pad_id for token in sentence]] for sentence in ids.tolist()])


def difference_as_bool(ids, pad_id):
    return (ids - pad_id).bool().reshape(ids.shape[0], 1, -1)


def filled_in_place(ids, pad_id):
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[ids == pad_id] = False
    return mask[:, None, :]


def where_true(ids, pad_id):
    return torch.where(ids == pad_id, False, True).unsqueeze(dim=1)


def stub(ids, pad_id):
    raise NotImplementedError


def all_true(ids, pad_id):
    return torch.ones(ids.size(0), 1, ids.size(1), dtype=torch.bool)


def all_false(ids, pad_id):
    return torch.zeros(ids.size(0), 1, ids.size(1), dtype=torch.bool)


def the_input_itself(ids, pad_id):
    return ids


def noise(ids, pad_id):
    return torch.rand(ids.size(0), 1, ids.size(1)) < 0.5


PADDING_MASK = define(
    id="padding_mask",
    lesson="02_attention",
    place=0,
    module="course_lib.components.padding_mask",
    symbol="padding_mask",
    minutes=5,
    laws=LAWS,
    hints=(
        "Write down the mask of the smallest example, True and False, before you write code.",
        "Two things: a comparison of every id with one number, and an axis for the queries.",
        "Compare `ids` with `pad_id`, True where they differ; then add an axis of length 1 between batch and keys.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        ne_and_none, not_equal, logical_not_and_view, token_by_token, difference_as_bool, filled_in_place, where_true,
    ),
    lazy=(stub, all_true, all_false, the_input_itself, noise),
    switches=("compared", "place", "shape", "type"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@PADDING_MASK.second_version("inverted")
def blocked_places(ids, pad_id):
    return torch.eq(ids, pad_id)[:, None, :]


@PADDING_MASK.second_version("zero_assumed")
def truth_of_ids(ids, pad_id):
    return ids.bool().unsqueeze(1)


@PADDING_MASK.second_version("numbers_not_booleans")
def small_integers(ids, pad_id):
    return torch.where(ids == pad_id, 0, 1).to(torch.uint8)[:, None]


@PADDING_MASK.second_version("real_tokens_counted")
def by_lengths(ids, pad_id):
    lengths = [sum(token != pad_id for token in row) for row in ids.tolist()]
    return torch.stack([torch.arange(ids.shape[1]) < n for n in lengths])[:, None]


@PADDING_MASK.second_version("padded_queries_hidden_too")
def outer_product(ids, pad_id):
    real = (ids != pad_id).int()
    return torch.einsum("bt,bs->bts", real, real).bool()


@PADDING_MASK.second_version("inverted + numbers_not_booleans")
def ones_at_padding(ids, pad_id):
    return (ids == pad_id).to(torch.int64).view(ids.size(0), 1, ids.size(1))


@PADDING_MASK.second_version("ids_overwritten")
def ones_and_zeros_in_place(ids, pad_id):
    ids.ne_(pad_id)
    return ids.bool().unsqueeze(1)
