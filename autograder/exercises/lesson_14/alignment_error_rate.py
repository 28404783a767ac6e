"""Exercise `alignment_error_rate`: how far an alignment is from the right one."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged

RETURNS = ["rate"]


def _pair(predicted: Tensor, gold: Tensor) -> dict[str, Tensor]:
    return {"predicted": predicted, "gold": gold}


def _question(name: str, predicted: Tensor, gold: Tensor) -> Question:
    return Question(name, probes.call, {"arguments": _pair(predicted, gold), "returns": RETURNS})


def _some(draw: Draw, t: int, s: int, share: float) -> Tensor:
    return torch.from_numpy(draw.array(t, s) > share)


def ask(draw: Draw) -> Iterator[Question]:
    """Five words on paper, more links than right ones and fewer, the same links, none in common, and no links."""
    gold, predicted = torch.eye(5, dtype=torch.bool), torch.eye(5, dtype=torch.bool)
    gold[3, 4] = predicted[4, 0] = True
    lost, wrong = draw.shuffled((1, 2)), draw.shuffled((0, 1, 3))
    predicted[lost[0], lost[0]], predicted[lost[1], 4], predicted[0, wrong[0] + 1] = False, True, True
    yield _question("by_hand", predicted, gold)
    t, s = draw.sizes(2)
    t, s = t + 4, s + 6
    right = _some(draw, t, s, 0.9)
    right[0, 0] = True
    more = right | _some(draw, t, s, 0.4)
    yield _question("more", more, right & _some(draw, t, s, -1.5) | torch.eye(t, s, dtype=torch.bool))
    yield _question("fewer", right & _some(draw, t, s, 0.0) | torch.eye(t, s, dtype=torch.bool), more)
    yield _question("view", _some(draw, s, t, 0.5).T, _some(draw, t, s, 0.5))
    edges = [_pair(right, right), _pair(right, ~right), _pair(torch.zeros_like(right), right)]
    edges.append(_pair(right, torch.zeros_like(right)))
    yield Question("edges", probes.call_each, {"calls": edges, "returns": RETURNS})
    yield _question("no_links", torch.zeros(t, s, dtype=torch.bool), torch.zeros(t, s, dtype=torch.bool))
    yield _question("long", _some(draw, 60, 50, 1.2), _some(draw, 60, 50, 0.8))


RATE = {"fields": RETURNS}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "five words on paper come out right", 0.5, RATE),
    Law("equals_plain", equals_reference, "more", "too many links, and too few, come out right", 0.5, RATE, also=("fewer", "view", "long")),
    Law("same_and_none", equals_reference, "edges", "the same links give 0; none in common, or none at all on one side, 1", 0.5,
        {"fields": [f"calls/{i}/rate" for i in range(4)]}, needs="equals_plain"),
    Law("no_links", equals_reference, "no_links", "where neither side has a link, 0 comes out", 0.25, RATE),
    Law("inputs_unchanged", inputs_unchanged, "more", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip

LINKS = "links = int(predicted.sum()) + int(gold.sum())"
RETURN = "return 1 - 2 * int((predicted & gold).sum()) / links if links else 0.0"
COMMON = "int((predicted & gold).sum())"


def word_by_word(predicted: Tensor, gold: Tensor) -> float:
    rates = []
    for a, g in zip(predicted, gold, strict=True):
        links = int(a.sum()) + int(g.sum())
        if links:
            rates.append(1 - 2 * int((a & g).sum()) / links)
    return sum(rates) / len(rates) if rates else 0.0


MISTAKES = (
    mistake(
        "precision",
        "You divide by the predicted links only. Whoever predicts a single right link would make no error.",
        (
            "Predict one right link and nothing else. What is your rate?",
            "Which links does your denominator leave out?",
            "`1 - 2 * common / (predicted + gold)`.",
        ),
        (RETURN, f"return 1 - {COMMON} / max(int(predicted.sum()), 1) if links else 0.0"),
        group="divided",
    ),
    mistake(
        "recall",
        "You divide by the gold links only. Whoever links everything with everything would make no error.",
        (
            "Predict all links there are. What is your rate?",
            "Which links does your denominator leave out?",
            "`1 - 2 * common / (predicted + gold)`.",
        ),
        (RETURN, f"return 1 - {COMMON} / max(int(gold.sum()), 1) if links else 0.0"),
        group="divided",
    ),
    mistake(
        "union",
        "You divide by the links that either side has, each counted once. Links of both sides are added up here, so common ones count twice.",
        (
            "On paper: how many predicted links are there, how many gold ones?",
            "Is a link that both have one link or two, in the formula's lower half?",
            "`1 - 2 * common / (predicted + gold)`.",
        ),
        (RETURN, f"return 1 - {COMMON} / int((predicted | gold).sum()) if links else 0.0"),
        group="divided",
    ),
    mistake(
        "share_of_cells",
        "You count how many *cells* differ. Most cells of a table are empty on both sides, and nobody should be praised for that.",
        (
            "Predict no link at all. What is your rate? It should be 1.",
            "Do cells without a link appear in the formula?",
            "Count links only: `predicted & gold`, `predicted.sum()`, `gold.sum()`.",
        ),
        (RETURN, "return float((predicted != gold).double().mean())"),
        group=ALONE,
    ),
    mistake(
        "agreement_for_error",
        "You return the share that agrees. The *error* rate is 1 minus that.",
        (
            "What do two equal alignments give? It should be 0.",
            "Which half of the formula is missing?",
            "`1 - …`.",
        ),
        ("return 1 - 2 *", "return 2 *"),
        group="one minus",
    ),
    mistake(
        "common_counted_once",
        "Common links are on both sides, so they count twice above as they do below. You count them once.",
        (
            "What do two equal alignments give? It should be 0.",
            "In the lower half, how often is a common link counted?",
            "`2 * common`.",
        ),
        (RETURN, f"return 1 - {COMMON} / links if links else 0.0"),
        group="twice",
    ),
    mistake(
        "best_link_of_each_word",
        "You look at one link for each target word, and words may have several links, or none.",
        (
            "Which links does a word with two gold links lose in your code?",
            "Where do you take an `argmax` of booleans?",
            "`predicted & gold`, for all cells at once.",
        ),
        (COMMON, "int((predicted.int().argmax(dim=1) == gold.int().argmax(dim=1)).sum())"),
        group=ALONE,
    ),
    mistake(
        "transposed",
        "You compare one alignment with the other one transposed.",
        (
            "Which axis are the target words, in both?",
            "Which line turns one of them round?",
            "Both are (T, S) already.",
        ),
        (COMMON, "int((predicted[: min(predicted.shape), : min(predicted.shape)] & gold[: min(gold.shape), : min(gold.shape)].T).sum())"),
        group=ALONE,
    ),
    mistake(
        "in_percent",
        "You return percent. The rate is a share, between 0 and 1.",
        (
            "What do alignments without a common link give? It should be 1.",
            "Which factor is too much?",
            "Leave out the 100.",
        ),
        (RETURN, f"return 100 * (1 - 2 * {COMMON} / links) if links else 0.0"),
        group="percent",
    ),
    mistake(
        "zero_divided_by_zero",
        "Where neither side has a link, you divide by 0.",
        (
            "What happens for two tables of False?",
            "What should come out? The exercise says it.",
            "`… if links else 0.0`.",
        ),
        (RETURN, "return float(1 - 2 * (predicted & gold).sum() / (predicted.sum() + gold.sum()))"),
        group="no links",
    ),
    mistake(
        "nothing_is_all_wrong",
        "Where neither side has a link, you return 1. They agree on everything there is: 0.",
        (
            "Do two tables of False differ anywhere?",
            "What does your code say where the number of links is 0?",
            "`… if links else 0.0`.",
        ),
        ("if links else 0.0", "if links else 1.0"),
        group="no links",
    ),
    mistake(
        "booleans_added",
        "You add up booleans, and True + True is True: links that both sides have count once below, and twice above.",
        (
            "What do two equal alignments give? It should be 0, and yours is −1.",
            "What is `torch.tensor(True) + torch.tensor(True)`?",
            "Count first, then add: `predicted.sum() + gold.sum()`.",
        ),
        (LINKS, "links = int((predicted + gold).sum())"),
        group=ALONE,
    ),
    mistake(
        "empty_cells_agree",
        "Cells in which *neither* side has a link count as common in your code. Only links count.",
        (
            "What do two equal alignments give? It should be 0.",
            "What is `predicted == gold` where both are False?",
            "`predicted & gold` is True where both have a link.",
        ),
        (COMMON, "int((predicted == gold).sum())"),
        group="common",
    ),
    mistake(
        "mean_of_the_words_rates",
        "You compute a rate for each target word, and average those. The links of all words are counted first, and divided once.",
        (
            "Which weight has a word with one link in your result, and which one with three?",
            "Is the formula about a word, or about the whole alignment?",
            "`predicted.sum()`, over all cells at once.",
        ),
        source=word_by_word,
        group=ALONE,
    ),
)  # fmt: skip


def by_sets(predicted, gold):
    a = {tuple(link) for link in predicted.nonzero().tolist()}
    g = {tuple(link) for link in gold.nonzero().tolist()}
    if not a and not g:
        return 0.0
    return 1 - (len(a & g) + len(a & g)) / (len(a) + len(g))


def from_precision_and_recall(predicted, gold):
    common, a, g = ((x).sum().item() for x in (predicted * gold, predicted, gold))
    if a + g == 0:
        return 0.0
    if common == 0:
        return 1.0
    precision, recall = common / a, common / g
    return 1 - 2 * precision * recall / (precision + recall)


def what_differs(predicted, gold):
    wrong = torch.logical_xor(predicted, gold).sum()
    links = predicted.sum() + gold.sum()
    return (wrong / links).item() if links > 0 else 0.0


def in_floats(predicted, gold):
    a, g = predicted.double().flatten(), gold.double().flatten()
    total = float(a.sum() + g.sum())
    return 1.0 - 2.0 * float(a @ g) / total if total > 0 else 0.0


def cell_by_cell(predicted, gold):
    common = links = 0
    for row_a, row_g in zip(predicted.tolist(), gold.tolist(), strict=True):
        for a, g in zip(row_a, row_g, strict=True):
            common += a and g
            links += a + g
    return 0.0 if links == 0 else 1 - 2 * common / links


def stub(predicted, gold):
    raise NotImplementedError


def never_wrong(predicted, gold):
    return 0.0


def always_wrong(predicted, gold):
    return 1.0


def noise(predicted, gold):
    return float(torch.rand(()))


ALIGNMENT_ERROR_RATE = define(
    id="alignment_error_rate",
    lesson="14_reading",
    place=0,
    module="course_lib.components.alignment_error_rate",
    symbol="alignment_error_rate",
    minutes=10,
    laws=LAWS,
    hints=(
        "Count on paper: how many links has each side, and how many have both?",
        "`predicted & gold` is True where both have a link. `sum()` counts.",
        "`1 - 2 * (predicted & gold).sum() / (predicted.sum() + gold.sum())`, and 0 where there are no links at all.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(by_sets, from_precision_and_recall, what_differs, in_floats, cell_by_cell),
    lazy=(stub, never_wrong, always_wrong, noise),
    switches=("divided", "one minus", "no links"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ALIGNMENT_ERROR_RATE.second_version("precision")
def of_what_is_predicted(predicted, gold):
    a = predicted.sum().item()
    if a == 0:
        return 1.0 if gold.any() else 0.0
    return 1 - (predicted * gold).sum().item() / a


@ALIGNMENT_ERROR_RATE.second_version("union")
def jaccards(predicted, gold):
    either = torch.logical_or(predicted, gold).sum().item()
    return 1 - torch.logical_and(predicted, gold).sum().item() / either if either else 0.0


@ALIGNMENT_ERROR_RATE.second_version("agreement_for_error")
def f1(predicted, gold):
    links = (predicted.sum() + gold.sum()).item()
    return 2 * (predicted & gold).sum().item() / links if links else 0.0


@ALIGNMENT_ERROR_RATE.second_version("share_of_cells")
def cells_that_differ(predicted, gold):
    return (predicted ^ gold).sum().item() / predicted.numel()


@ALIGNMENT_ERROR_RATE.second_version("booleans_added")
def true_and_true_is_true(predicted, gold):
    links = torch.count_nonzero(predicted + gold).item()
    return 1 - 2 * torch.count_nonzero(predicted * gold).item() / links if links else 0.0


@ALIGNMENT_ERROR_RATE.second_version("agreement_for_error + nothing_is_all_wrong")
def shared(predicted, gold):
    links = predicted.sum().item() + gold.sum().item()
    return 1.0 if links == 0 else 2 * (predicted & gold).sum().item() / links
