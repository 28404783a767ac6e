"""Exercise `beam_search`: of all translations begun so far, the best few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_10.scripts import BOS, EOS, NEVER, PAD, sources, without_ties
from course_lib.checking import probes
from course_lib.checking.ask import ask as ask_questions
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.values import Value
from course_lib.experiments.mystery_beam import mystery_beam_search


def _call(source: Tensor, max_length: int, width: int, alpha: float, special: tuple[int, int, int]) -> dict[str, Value]:
    _, bos_id, eos_id = special
    return {
        "model": "is never sure", "source": source, "bos_id": bos_id, "eos_id": eos_id, "max_length": max_length,
        "width": width, "alpha": alpha,
    }  # fmt: skip


def _question(
    name: str,
    table: Tensor,
    source: Tensor,
    max_length: int,
    width: int,
    alpha: float = 0.0,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
) -> Question:
    calls = [_call(source, max_length, width, alpha, special)]
    return Question(
        name,
        probes.decode_script,
        {"table": table, "pad_id": special[0], "calls": calls, "returns": ["written", "scores"]},
    )


def _uncertain(
    draw: Draw, count: int, length: int, vocab: int, special: tuple[int, int, int] = (PAD, BOS, EOS), end: float = 0.0
) -> Tensor:
    """A table (N, L, V, V) of a model that is never sure: on average the end has a logit of ``end``, a word of 0."""
    pad_id, bos_id, eos_id = special
    table = without_ties(draw, draw.tensor(count, length, vocab, vocab, scale=0.7))
    table[..., eos_id] += end
    # no probabilities in disguise: the logits of a place may all be larger, or all smaller
    table += draw.tensor(count, length, vocab, 1, scale=2.0)
    table[..., [pad_id, bos_id]] = NEVER
    return table


def _telling(
    draw: Draw,
    mistakes: Sequence[str],
    length: int,
    vocab: int,
    width: int,
    alpha: float = 0.0,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    *,
    count: int,
    end: float = 0.0,
    hidden: Sequence[str] = (),
) -> Tensor:
    """The same, of ``count`` sentences: each mistake writes another one for at least one of them.

    Two searches often find the same sentence: one in ten tells the finer mistakes from what is right. Many are drawn, and
    those are taken that show most.

    Args:
        hidden: mistakes that show in none.
    """
    source = sources(draw, DRAWN, 2, special[0])
    while True:
        table = _uncertain(draw, DRAWN, length, vocab, special, end)
        asked = _question("many", table, source, length - 1, width, alpha, special)
        shown = torch.stack([_differing(asked, name) for name in mistakes])  # (mistakes, sentences)
        for name in hidden:
            shown = shown & ~_differing(asked, name)
        chosen: list[int] = []
        while len(chosen) < count and not shown[:, chosen].any(dim=1).all():
            chosen.append(int(shown[~shown[:, chosen].any(dim=1)].sum(dim=0).argmax()))  # which shows most of the rest
        others = [row for row in shown.any(dim=0).nonzero().flatten().tolist() if row not in chosen]
        few = table[draw.shuffled([*chosen, *others][:count])]
        asked = _question("few", few, sources(draw, count, 2, special[0]), length - 1, width, alpha, special)
        if all(_differing(asked, name).any() for name in mistakes):  # some depend on the sentences beside
            return few


def _overtaken(draw: Draw) -> Tensor:
    """One sentence on which whoever stops with the best stops too early: beside others he would go on."""
    while True:
        table = _telling(draw, (*EARLY, *SUBTLE), 8, 6, 3, 1.0, count=1, hidden=(*UNFAIR, *CUT))
        asked = _question("one", table, sources(draw, 1, 2), 7, 3, 1.0)
        if _differing(asked, "stops_with_the_best").any():
            return table


def _differing(asked: Question, mistake: str) -> Tensor:
    """For each sentence of a question (N,), whether a mistake writes another one than the reference."""
    pad_id, length = asked.given["pad_id"], asked.given["table"].size(1)
    wrong, right = (
        F.pad(written, (0, length - written.size(1)), value=pad_id)
        for written in (
            ask_questions([asked], BEAM_SEARCH.load(BEAM_SEARCH.implementation(name)))[asked.name].values["calls"][0][
                "written"
            ]
            for name in (mistake, "reference")
        )
    )
    return (wrong != right).any(dim=1)


def _on_paper(draw: Draw) -> Question:
    """Two words: greedily one takes the first; the better sentence begins with the second."""
    first, second = (int(i) for i in draw.shuffled((3, 4)))
    likely = draw.shuffled((0.5, 0.55))[0]
    said = {
        BOS: {first: likely, second: 0.95 - likely, EOS: 0.05},
        first: {first: 0.41, second: 0.33, EOS: 0.26},
        second: {first: 0.06, second: 0.04, EOS: 0.9},
    }
    probabilities = torch.full((5, 5), 1e-9)
    for token, following in said.items():
        for word, probability in following.items():
            probabilities[token, word] = probability
    probabilities[[PAD, EOS], EOS] = 1.0  # whoever goes on after the end is told so
    table = probabilities.log().expand(1, 5, 5, 5).clone()
    question = _question("by_hand", table, sources(draw, 1, 2), 4, 2)
    described = "; ".join(
        f"after {token}: " + ", ".join(f"{word} with {probability:.2f}" for word, probability in following.items())
        for token, following in said.items()
    )
    calls = [{**question.given["calls"][0], "model": described}]
    return Question("by_hand", probes.decode_script, {**question.given, "calls": calls})


#: how many sentences are drawn for a few to be chosen of
DRAWN = 60
#: mistakes of the search itself, which show in some sentences only
SUBTLE = ("greedy_whatever_the_width", "each_its_own_best", "history_not_taken_along", "ends_not_taken_along")
#: those that show only where short hypotheses compete with long ones
UNFAIR = ("penalty_at_the_end_only", "ended_ones_give_up_their_place")
#: those that show only where a sentence has not ended when it is cut
CUT = ("one_token_too_few", "one_token_too_many")
#: those that show only where a hypothesis ends early, and something is written after that
EARLY = ("ended_ones_go_on", "padding_costs", "ended_ones_dropped")
#: those that show only where sentences end at different steps
APART = ("ended_ones_go_on", "filled_with_the_end", "stops_with_the_first")


def ask(draw: Draw) -> Iterator[Question]:
    """Two words for paper; width 1, narrow, wide, and so wide that nothing is left out; three length penalties; other ids.

    Models are unsure, so that a beam finds what greedy decoding does not; the sentences are chosen so that the finer
    mistakes show, wherever they can. The last question has two calls that differ in the second sentence.
    """
    yield _on_paper(draw)
    yield _question("width_1", _telling(draw, (*APART, *CUT), 7, 6, 1, count=3), sources(draw, 3, 4), 6, 1)
    # where all end in time, those that only wait can be seen to grow longer
    plain = _telling(draw, (*SUBTLE, *EARLY, "sentences_mixed"), 8, 7, 3, count=5, hidden=CUT)
    yield _question("plain", plain, sources(draw, 5, 6), 7, 3)
    searched = (*SUBTLE, *UNFAIR, *EARLY, *APART, *CUT)
    penalty = _telling(draw, ("probabilities_added", *searched), 8, 7, 2, 1.0, count=6)
    yield _question("penalty", penalty, sources(draw, 6, 3), 7, 2, 1.0)
    half_penalty = _telling(draw, ("always_the_mean", *searched), 8, 6, 2, 0.5, count=6)
    yield _question("half_penalty", half_penalty, sources(draw, 6, 4), 7, 2, 0.5)
    yield _question("overtaken", _overtaken(draw), sources(draw, 1, 4), 7, 3, 1.0)
    # with three words and four steps there are 121 sentences
    all_of_them = _telling(draw, (*SUBTLE, *EARLY, *APART, *CUT), 5, 6, 130, 0.7, count=6)
    yield _question("all_of_them", all_of_them, sources(draw, 6, 3), 4, 130, 0.7)
    cut_short = _telling(draw, SUBTLE[:3], 4, 7, 2, 1.0, count=4, end=-3.0)
    yield _question("cut_short", cut_short, sources(draw, 4, 5), 3, 2, 1.0)
    pad_id, bos_id, eos_id = draw.shuffled((3, 4, 5))
    special = (pad_id, bos_id, eos_id)
    other_ids = _telling(draw, searched, 7, 7, 3, 0.6, special, count=6)
    yield _question("other_ids", other_ids, sources(draw, 6, 5, pad_id), 6, 3, 0.6, special)
    table, source = _uncertain(draw, 3, 6, 7), sources(draw, 3, 4)
    calls = [_call(source[[0, other]], 5, 3, 0.0, (PAD, BOS, EOS)) for other in (1, 2)]
    given = {"table": table, "pad_id": PAD, "calls": calls, "returns": ["written", "scores"]}
    yield Question("neighbours", probes.decode_script, given)


WRITTEN, SCORES = {"fields": ["calls/0/written"]}, {"fields": ["calls/0/scores"]}
BOTH = {"fields": ["calls/0/written", "calls/0/scores"]}

LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "with width 2 you find the sentence that greedy decoding misses, and its log-probability", 1.0, BOTH),
    Law("width_1", equals_reference, "width_1", "with width 1 it is greedy decoding", 0.75, WRITTEN),
    Law("equals_plain", equals_reference, "plain", "with width 3, five sentences come out right", 1.25, WRITTEN),
    Law("scores", equals_reference, "plain", "their scores are their log-probabilities", 0.5, SCORES),
    Law("penalty", equals_reference, "penalty", "with `alpha=1` the best mean log-probability wins", 1.0, WRITTEN),
    Law("penalty_scores", equals_reference, "penalty", "with `alpha=1` the scores are means: the end counts as a token, the begin does not", 0.5, SCORES),
    Law("half_penalty", equals_reference, "half_penalty", "with `alpha=0.5` the sum is divided by the root of the length", 0.75, BOTH),
    Law("overtaken", equals_reference, "overtaken", "a hypothesis that ended early and leads is overtaken by a longer one", 0.25, BOTH),
    Law("all_of_them", equals_reference, "all_of_them", "with a width greater than the number of sentences, nothing is better than what you find", 0.75, BOTH),
    Law("cut_short", equals_reference, "cut_short", "after `max_length` tokens the best wins, ended or not", 0.25, BOTH),
    Law("other_ids", equals_reference, "other_ids", "other ids for padding, begin and end come out right", 0.5, BOTH),
    Law("sentences_apart", unmoved, "neighbours", "other sentences beside it leave the first one's score as it is", 0.25,
        {"before": "calls/0/scores", "after": "calls/1/scores", "index": [0]}, needs="scores"),
    Law("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25,
        {"arguments": "calls/0"}, needs="equals_plain"),
)  # fmt: skip

WITHIN = "written.size(2) <= max_length"
RUNNING = "not ended.all()"
EACH = "(memory.repeat_interleave(beams, dim=0), memory_mask.repeat_interleave(beams, dim=0))"
STEPS = "torch.log_softmax(logits, dim=-1)"
STAY = "stay[model.pad_id] = 0.0"
WHERE = "torch.where(ended.unsqueeze(2), stay, steps)"
TOTALS = f"total.unsqueeze(2) + {WHERE}"
LENGTH = "length = length + ~ended"
DIVIDE = "totals / length.unsqueeze(2) ** alpha"
TOP = "scores.topk(min(width, scores.size(1)), dim=1)"
HISTORY = "written.gather(1, parent.unsqueeze(2).expand(-1, -1, written.size(2)))"
ENDED = "ended.gather(1, parent) | (token == eos_id)"
ONE = "torch.full((source.size(0), 1, 1), bos_id, device=source.device)"
RETURN = "return written[:, 0, 1 : longest + 1], score[:, 0]"


def put_aside(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    winners = []
    for i in range(len(source)):
        memory, mask = model.encode(source[i : i + 1])
        beam, done = [([bos_id], 0.0)], []
        for _ in range(max_length):
            candidates = []
            for tokens, total in beam:
                log_p = model.decode(torch.tensor([tokens]), memory, mask)[0, -1].log_softmax(-1).tolist()
                candidates += [([*tokens, v], total + p) for v, p in enumerate(log_p)]
            candidates.sort(key=lambda c: c[1], reverse=True)
            done += [c for c in candidates[:width] if c[0][-1] == eos_id]
            beam = [c for c in candidates if c[0][-1] != eos_id][:width]
        ranked = [(total / (len(tokens) - 1) ** alpha, tokens[1:]) for tokens, total in [*done, *beam]]
        winners.append(max(ranked))
    longest = max(len(tokens) for _, tokens in winners)
    rows = [tokens + [model.pad_id] * (longest - len(tokens)) for _, tokens in winners]
    return torch.tensor(rows), torch.tensor([score for score, _ in winners])


MISTAKES = (
    # what is added up
    mistake(
        "probabilities_added",
        "You add up probabilities, not their logarithms. Probabilities of successive tokens are multiplied; it is their logs that add.",
        (
            "Can one of your scores be greater than 0?",
            "What does the probability of a sentence have to do with those of its tokens: sum or product?",
            "`torch.log_softmax(logits, dim=-1)`.",
        ),
        (STEPS, "torch.softmax(logits, dim=-1)"),
        group="steps",
    ),
    mistake(
        "logits_added",
        "You add up logits as they come. They are not normalised: all logits of a step may be larger by 5 and mean the same.",
        (
            "Add 5 to all logits of one step. Does your choice change?",
            "What turns logits into log-probabilities?",
            "`torch.log_softmax(logits, dim=-1)`.",
        ),
        (STEPS, "logits"),
        group="steps",
    ),
    mistake(
        "normalised_over_hypotheses",
        "Your softmax runs over the hypotheses, not over the vocabulary: it says which hypothesis likes a token most.",
        (
            "Sum the probabilities of one hypothesis's next tokens. What do you get?",
            "Which axis of (B K, V) is the vocabulary?",
            "`torch.log_softmax(logits, dim=-1)`.",
        ),
        (STEPS, "torch.log_softmax(logits, dim=0)"),
        group="steps",
    ),
    mistake(
        "last_step_only",
        "You compare hypotheses by their *last* token alone. What came before is forgotten in the score.",
        (
            "What is the score of a sentence of five tokens? And yours?",
            "Which line of yours carries the sum on from one step to the next?",
            "`totals = total.unsqueeze(2) + steps`.",
        ),
        (TOTALS, WHERE),
        group="steps",
    ),
    # the length penalty
    mistake(
        "penalty_multiplied",
        "You *multiply* by length^α. Log-probabilities are negative: that makes long sentences worse, not better.",
        (
            "Which of −2 over 2 tokens and −3 over 6 tokens should win with α = 1? Which wins with yours?",
            "Look at the operator between the sum and the power.",
            "`totals / length ** alpha`.",
        ),
        (DIVIDE, "totals * length.unsqueeze(2) ** alpha"),
        group="penalty",
    ),
    mistake(
        "penalty_ignored",
        "You never use `alpha`: your scores are always the plain sums.",
        (
            "Change `alpha`. Does anything change?",
            "Where is the length of a hypothesis in your code?",
            "`scores = totals / length ** alpha`.",
        ),
        (DIVIDE, "totals"),
        group="penalty",
    ),
    mistake(
        "always_the_mean",
        "You divide by the length itself, whatever `alpha` is.",
        (
            "With `alpha=0`, by what should the sum be divided?",
            "Where is `alpha` in your code?",
            "`length ** alpha`.",
        ),
        (DIVIDE, "totals / length.unsqueeze(2)"),
        group="penalty",
    ),
    mistake(
        "penalty_of_wu",
        "You divide by ((5 + length) / 6)^α, the penalty of Wu et al. Here it is length^α.",
        (
            "By what do you divide a hypothesis of one token, with α = 1?",
            "There are several penalties in use. Which one does the docstring ask for?",
            "`totals / length ** alpha`.",
        ),
        (DIVIDE, "totals / ((5 + length.unsqueeze(2)) / 6) ** alpha"),
        group="penalty",
    ),
    mistake(
        "begin_counts",
        "You count `bos_id` in the length. Nobody wrote it.",
        (
            "How long is a hypothesis after one step, by your count?",
            "`written` holds the begin too.",
            "Count the tokens written: 1 after the first step.",
        ),
        (DIVIDE, "totals / (length.unsqueeze(2) + 1) ** alpha"),
        group="penalty",
    ),
    mistake(
        "ended_ones_grow_longer",
        "The length of a hypothesis that has ended goes on growing: you count the padding. So its score gets better and better while it waits.",
        (
            "Follow the score of a hypothesis that ended two steps ago. Does it stand still?",
            "Which length do you give to hypotheses that have ended?",
            "Only running ones grow: `length = length + ~ended`.",
        ),
        (LENGTH, "length = length + 1"),
        group=ALONE,
    ),
    mistake(
        "penalty_at_the_end_only",
        "You search with plain sums and divide by length^α only when you choose the winner. Hypotheses that the penalty would have kept are gone by then.",
        (
            "By which score do you choose the `width` best at each step?",
            "A short hypothesis that has ended and a longer one that runs compete for a place in the beam. Do you compare them fairly?",
            "Divide *before* `topk`, at every step.",
        ),
        (DIVIDE, "totals"),
        ("    longest = int(length[:, 0].max())", """    score, winner = (total / length**alpha).max(dim=1)
    rows = torch.arange(source.size(0))
    written, length = written[rows, winner].unsqueeze(1), length[rows, winner].unsqueeze(1)
    score = score.unsqueeze(1)
    longest = int(length[:, 0].max())"""),
        group=ALONE,
    ),
    # what has ended
    mistake(
        "ended_ones_go_on",
        "A hypothesis of yours that has ended goes on like any other: words follow its end, and cost it.",
        (
            "What stands behind `eos_id` in your hypotheses?",
            "What do you add to the sum of one that has ended?",
            "For those that have ended, every next token is impossible (−∞) but padding, which is certain (0).",
        ),
        (WHERE, "steps"),
        group=ALONE,
    ),
    mistake(
        "padding_costs",
        "A hypothesis that has ended pays for its padding: you add the log-probability that the *model* gives to `pad_id`. The model was never trained to pad; it finds it next to impossible.",
        (
            "Follow the score of a hypothesis that has ended. Does it stand still?",
            "What does your code add for the padding behind the end?",
            "Padding after the end is certain: its log-probability is 0.",
        ),
        (STAY, "stay = torch.where(torch.arange(stay.size(0)) == model.pad_id, steps, stay)"),
        group=ALONE,
    ),
    mistake(
        "ended_ones_dropped",
        "Hypotheses that have ended fall out of your beam: only what still runs is kept, and in the end an unfinished one may win.",
        (
            "With width 2, one hypothesis ends at the second step. Where is it at the third?",
            "What becomes of a hypothesis when it writes `eos_id`?",
            "It keeps its score and its place: let it go on with padding, at no cost.",
        ),
        (STAY, "stay[model.pad_id] = -1e6"),
        group=ALONE,
    ),
    mistake(
        "ended_ones_give_up_their_place",
        "You put hypotheses that have ended aside and keep `width` *running* ones besides. Here both share the `width` places: more are kept than asked for.",
        (
            "Count what you keep after each step, ended and running together.",
            "When a hypothesis ends, does another take its place in your beam?",
            "One list, one `topk`: the `width` best of all, those that have ended among them.",
        ),
        source=put_aside,
        group=ALONE,
    ),
    mistake(
        "filled_with_the_end",
        "Behind the end of a sentence you write `eos_id` again and again. The rest of a row is padding.",
        (
            "How many `eos_id` has a row of yours?",
            "With which token does a hypothesis go on that has ended?",
            "With `model.pad_id`.",
        ),
        (STAY, "stay[eos_id] = 0.0"),
        group=ALONE,
    ),
    mistake(
        "filled_with_zeros",
        "Behind the end of a sentence you write 0. The model's `pad_id` may be another number.",
        (
            "Which question breaks? What is its `pad_id`?",
            "Where does a number stand in your code that should have a name?",
            "`model.pad_id`.",
        ),
        (STAY, "stay[0] = 0.0"),
        group=ALONE,
    ),
    mistake(
        "stops_with_the_best",
        "You stop when the *best* hypothesis of each sentence has ended. With a length penalty a longer one may still overtake it: its sum falls, its mean may rise.",
        (
            "With `alpha=0` you are right. Why? And with `alpha=1`?",
            "What does your loop wait for: one hypothesis of each sentence, or all?",
            "`while ... and not ended.all()`.",
        ),
        (RUNNING, "not ended[:, 0].all()"),
        group=ALONE,
    ),
    mistake(
        "stops_with_the_first",
        "You stop as soon as one hypothesis has ended, of whichever sentence.",
        (
            "How many steps do you take?",
            "Your loop asks whether hypotheses have ended. Any, or all?",
            "`while ... and not ended.all()`.",
        ),
        (RUNNING, "not ended.any()"),
        group=ALONE,
    ),
    # which are kept
    mistake(
        "each_its_own_best",
        "Each of your hypotheses keeps its own best continuation. So they never compete: two good continuations of one hypothesis cannot both survive, and a bad one is never given up.",
        (
            "Can both of two kept hypotheses have the same parent? In yours?",
            "Over what do you take the best: the V tokens of each hypothesis, or the K·V of all?",
            "`scores.flatten(1).topk(width)`, then `parent = best // V`, `token = best % V`.",
        ),
        (f"score, best = {TOP}", f"""best_of_each = scores.unflatten(1, (beams, -1)).argmax(dim=2)  # (B, K)
        score, best = {TOP}
        if beams > 1:
            best = best_of_each + torch.arange(beams) * steps.size(2)
            score = scores.gather(1, best)
            score, order = score.sort(dim=1, descending=True)
            best = best.gather(1, order)"""),
        group=ALONE,
    ),
    mistake(
        "greedy_whatever_the_width",
        "Whatever the width, you do what greedy decoding does. Either you keep one hypothesis, or you begin with `width` copies of one: copies stay alike for ever, and your beam holds a single sentence many times.",
        (
            "Print the hypotheses of one sentence after the first step. How many are different?",
            "How many different hypotheses are there before anything is written?",
            "One. Begin with one hypothesis a sentence; or give all copies but the first the score −∞.",
        ),
        (ONE, "torch.full((source.size(0), width, 1), bos_id)"),
        group=ALONE,
    ),
    mistake(
        "worst_returned",
        "You return the *last* of the kept hypotheses, the worst of them. `topk` puts the best first.",
        (
            "Is there a hypothesis in your beam with a better score than the one you return?",
            "In which order does `topk` return?",
            "Index 0.",
        ),
        ("int(length[:, 0].max())", "int(length[:, -1].max())"),
        (RETURN, "return written[:, -1, 1 : longest + 1], score[:, -1]"),
        group=ALONE,
    ),
    # who belongs to whom
    mistake(
        "history_not_taken_along",
        "A kept hypothesis does not take its parent's words along: the new token is appended to whatever stood in that row before.",
        (
            "Take one of your results and add up its log-probabilities by hand. Is that its score?",
            "After `topk`, hypothesis 0 may be a child of hypothesis 2. Whose words does it have?",
            "`written.gather(1, parent ...)`, before you append the token.",
        ),
        (HISTORY, "written[:, (torch.arange(best.size(1)) % beams)]"),
        group=ALONE,
    ),
    mistake(
        "ends_not_taken_along",
        "Whether a hypothesis has ended is not taken over from its parent: the flag stays in its row while the hypotheses change places.",
        (
            "Which of your arrays (B, K) are re-ordered after `topk`, and which are not?",
            "A child has ended where its *parent* had ended, or where its token is the end.",
            "`ended = ended.gather(1, parent) | (token == eos_id)`.",
        ),
        (ENDED, "ended[:, (torch.arange(best.size(1)) % beams)] | (token == eos_id)"),
        group=ALONE,
    ),
    mistake(
        "sentences_mixed",
        "Your hypotheses look at the wrong sentence's memory. `repeat` puts the whole batch behind itself (0 1 0 1), while your hypotheses lie sentence by sentence (0 0 1 1).",
        (
            "Translate one sentence alone, then beside another. Is the result the same?",
            "In which order are your B·K hypotheses, and in which are your B·K memories?",
            "`memory.repeat_interleave(K, dim=0)`, and the mask too.",
        ),
        (EACH, "(memory.repeat(beams, 1, 1), memory_mask.repeat(beams, 1, 1, 1))"),
        group=ALONE,
    ),
    # what is returned, and how much
    mistake(
        "begin_kept",
        "You return `bos_id` as the first token of each sentence. It was there before anything was written.",
        (
            "What is the first column of what you return?",
            "What did every hypothesis start with?",
            "Leave out the first column.",
        ),
        (RETURN, "return written[:, 0, : longest + 1], score[:, 0]"),
        group="output",
    ),
    mistake(
        "whole_beam_returned",
        "You return all hypotheses that were kept, (B, K, T). Asked for is the best of each sentence, (B, T).",
        (
            "Which shapes do you return?",
            "`topk` puts the best first.",
            "`written[:, 0]` and `score[:, 0]`.",
        ),
        (RETURN, "return written[:, :, 1:], score"),
        group=ALONE,
    ),
    mistake(
        "one_token_too_few",
        "You stop one token too early: your loop counts `bos_id` as written.",
        (
            "With `max_length=1`, how many tokens do you write?",
            "How long is a hypothesis before the first step?",
            "`while written.size(2) <= max_length`, or `for _ in range(max_length)`.",
        ),
        (WITHIN, "written.size(2) < max_length"),
        group="output",
    ),
    mistake(
        "one_token_too_many",
        "You write one token more than `max_length`.",
        (
            "With `max_length=1`, how many tokens do you write?",
            "How often does your loop run?",
            "`for _ in range(max_length)`.",
        ),
        (WITHIN, "written.size(2) <= max_length + 1"),
        group="output",
    ),
)  # fmt: skip


def lists_a_sentence_at_a_time(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    best = []
    for sentence in source:
        memory, mask = model.encode(sentence[None])
        beam = [([bos_id], 0.0, 0.0, False)]  # tokens, log-probability, score, ended
        for _ in range(max_length):
            if all(ended for *_, ended in beam):
                break
            candidates = []
            for tokens, total, score, ended in beam:
                if ended:
                    candidates.append((tokens, total, score, True))
                    continue
                steps = model.decode(torch.tensor([tokens]), memory, mask)[0, -1].log_softmax(-1).tolist()
                for token, step in enumerate(steps):
                    mean = (total + step) / len(tokens) ** alpha
                    candidates.append(([*tokens, token], total + step, mean, token == eos_id))
            beam = sorted(candidates, key=lambda c: c[2], reverse=True)[:width]
        best.append(beam[0])
    longest = max(len(tokens) for tokens, *_ in best) - 1
    rows = [tokens[1:] + [model.pad_id] * (longest + 1 - len(tokens)) for tokens, *_ in best]
    return torch.tensor(rows), torch.tensor([score for _, _, score, _ in best])


def copies_of_which_one_counts(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    batch = source.size(0)
    memory, mask = model.encode(source.repeat_interleave(width, 0))
    ids = torch.full((batch * width, 1), bos_id)
    total = torch.full((batch, width), -torch.inf)
    total[:, 0] = 0.0
    length = torch.zeros(batch, width)
    ended = torch.zeros(batch, width, dtype=torch.bool)
    score = total
    offset = (torch.arange(batch) * width)[:, None]
    for _ in range(max_length):
        log_p = F.log_softmax(model.decode(ids, memory, mask)[:, -1], dim=-1)
        vocab = log_p.size(-1)
        log_p = log_p.view(batch, width, vocab).masked_fill(ended[..., None], -torch.inf)
        log_p[..., model.pad_id] = torch.where(ended, 0.0, log_p[..., model.pad_id])
        length = torch.where(ended, length, length + 1)
        candidates = total[..., None] + log_p
        score, index = (candidates / length[..., None].pow(alpha)).view(batch, -1).topk(width)
        beam, token = index // vocab, index % vocab
        total = candidates.view(batch, -1).gather(1, index)
        rows = (beam + offset).view(-1)
        ids = torch.cat([ids[rows], token.view(-1, 1)], dim=1)
        length = length.view(-1)[rows].view(batch, width)
        ended = ended.view(-1)[rows].view(batch, width) | token.eq(eos_id)
        if ended.all():
            break
    first = ids.view(batch, width, -1)[:, 0, 1:]
    return first[:, : int(length[:, 0].max())], score[:, 0]


def ended_ones_kept_apart(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    results = []
    for i in range(len(source)):
        memory, mask = model.encode(source[i : i + 1])
        running, done = [((bos_id,), 0.0)], []
        for step in range(1, max_length + 1):
            if not running:
                break
            target = torch.tensor([list(tokens) for tokens, _ in running])
            log_p = model.decode(target, memory.expand(len(running), -1, -1), mask.expand(len(running), -1, -1, -1))
            log_p = log_p[:, -1].log_softmax(-1)
            grown = [
                ((*tokens, v), total + log_p[k, v].item(), (total + log_p[k, v].item()) / step**alpha)
                for k, (tokens, total) in enumerate(running)
                for v in range(log_p.size(1))
            ]
            grown = [(score, tokens, total, tokens[-1] != eos_id) for tokens, total, score in grown]
            kept = sorted([*grown, *((score, tokens, 0.0, False) for score, tokens in done)], key=lambda c: -c[0])
            kept = kept[:width]
            running = [(tokens, total) for _, tokens, total, runs in kept if runs]
            done = [(score, tokens) for score, tokens, _, runs in kept if not runs]
        ends = [*done, *((total / (len(tokens) - 1) ** alpha, tokens) for tokens, total in running)]
        results.append(max(ends))
    longest = max(len(tokens) for _, tokens in results)
    written = torch.full((len(source), longest - 1), model.pad_id)
    for i, (_, tokens) in enumerate(results):
        written[i, : len(tokens) - 1] = torch.tensor(tokens[1:])
    return written, torch.tensor([score for score, _ in results])


def best_few_of_each_then_of_all(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    memory, mask = model.encode(source)
    written = torch.full((len(source), 1, 1), bos_id)
    total, length, ended = torch.zeros(len(source), 1), torch.zeros(len(source), 1), torch.zeros(len(source), 1).bool()
    for _ in range(max_length):
        k = total.size(1)
        flat = written.reshape(-1, written.size(-1))
        log_p = model.decode(flat, memory.repeat_interleave(k, 0), mask.repeat_interleave(k, 0))[:, -1]
        log_p = log_p.log_softmax(-1).reshape(len(source), k, -1)
        log_p[..., [model.pad_id, bos_id]] = -torch.inf  # a model that was trained says neither
        few = min(width, log_p.size(-1))
        step, token = log_p.topk(few, dim=-1)  # no hypothesis has more than `width` children in the beam
        step = torch.where(ended[..., None], torch.tensor([0.0] + [-torch.inf] * (few - 1)), step)
        token = torch.where(ended[..., None], model.pad_id, token)
        length = (length + 1 - ended.float())[..., None].expand(-1, -1, few).flatten(1)
        sums = (total[..., None] + step).flatten(1)
        score, chosen = (sums / length**alpha).sort(dim=1, descending=True)
        score, chosen = score[:, :width], chosen[:, :width]
        parent = chosen.div(few, rounding_mode="floor")
        rows = torch.arange(len(source))[:, None]
        token = token.flatten(1).gather(1, chosen)
        written = torch.cat([written[rows, parent], token[..., None]], dim=-1)
        total, length = sums.gather(1, chosen), length.gather(1, chosen)
        ended = ended[rows, parent] | (token == eos_id)
        if ended.all():
            break
    return written[:, 0, 1:][:, : int(length[:, 0].max())], score[:, 0]


def stub(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    raise NotImplementedError


def nothing_but_padding(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return torch.full((source.size(0), max_length), model.pad_id), torch.zeros(source.size(0))


def the_source_again(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return source, torch.zeros(source.size(0))


def greedy(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    written = torch.full((len(source), 1), bos_id)
    total = torch.zeros(len(source))
    for _ in range(max_length):
        ended = (written == eos_id).any(1)
        score, token = model(source, written)[:, -1].log_softmax(-1).max(-1)
        written = torch.cat([written, token.masked_fill(ended, model.pad_id)[:, None]], dim=1)
        total = total + score * ~ended
    return written[:, 1:], total


def noise(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
    return torch.randint(3, 6, (source.size(0), max_length)), torch.randn(source.size(0))


BEAM_SEARCH = define(
    id="beam_search",
    lesson="10_decoding",
    place=1,
    module="course_lib.components.beam_search",
    symbol="beam_search",
    minutes=60,
    laws=LAWS,
    hints=(
        "Do it on paper first: two words, width 2, three steps. Write down for each hypothesis its words, its sum, and whether it has ended.",
        "Five things per hypothesis: words (B, K, t), sum, length and ended (B, K each), score. `decode` reads B·K rows, and of each sentence the memory and mask K times over. A step: log-probabilities (B, K, V); those of ended ones replaced; add; divide; "
        "flatten to (B, K·V); `topk`; `parent = best // V`, `token = best % V`; all five taken over from the parent.",
        "Ended ones: `steps = torch.where(ended.unsqueeze(2), stay, steps)` with `stay` −∞ everywhere and 0 at `pad_id`. Begin with K = 1 hypothesis a sentence, keep `min(width, K * V)`. "
        "Re-order with `gather(1, parent)`. The best is number 0.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        lists_a_sentence_at_a_time, copies_of_which_one_counts, ended_ones_kept_apart, best_few_of_each_then_of_all,
    ),
    lazy=(stub, nothing_but_padding, the_source_again, greedy, noise),
    switches=("steps", "penalty", "output"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


def beam_in_lists(
    name,
    logs=lambda x: x.log_softmax(-1),
    score=lambda total, length, alpha: total / length**alpha,
    last=None,
    keep=lambda width: width,
    fill="pad",
    from_=1,
    more=0,
):
    """Beam search in Python lists, sentence by sentence, one thing changed."""

    def search(model, source, bos_id, eos_id, max_length, width, alpha=0.0):
        ids = {"pad": model.pad_id, "eos": eos_id, "zero": 0}
        winners = []
        for sentence in source:
            memory, mask = model.encode(sentence[None])
            beam = [(0.0, [bos_id], 0.0)]
            for _ in range(max_length + more):
                grown = [h for h in beam if h[1][-1] == eos_id]
                for _, tokens, total in (h for h in beam if h[1][-1] != eos_id):
                    steps = logs(model.decode(torch.tensor([tokens]), memory, mask)[0, -1]).tolist()
                    for token, step in enumerate(steps):
                        grown.append((score(total + step, len(tokens), alpha), [*tokens, token], total + step))
                beam = sorted(grown, key=lambda h: -h[0])[: keep(width)]
            if last:
                beam = [(last(total, len(tokens) - 1, alpha), tokens, total) for _, tokens, total in beam]
            winners.append(max(beam, key=lambda h: h[0]))
        longest = max(len(tokens) for _, tokens, _ in winners)
        rows = [tokens[from_:] + [ids[fill]] * (longest - len(tokens)) for _, tokens, _ in winners]
        return torch.tensor(rows), torch.tensor([s for s, _, _ in winners])

    search.__name__ = f"in_lists_{name}"
    BEAM_SEARCH.second_version(name)(search)


beam_in_lists("probabilities_added", logs=lambda x: x.softmax(-1))
beam_in_lists("logits_added", logs=lambda x: x)
beam_in_lists("penalty_multiplied", score=lambda total, length, alpha: total * length**alpha)
beam_in_lists("penalty_ignored", score=lambda total, length, alpha: total)
beam_in_lists("always_the_mean", score=lambda total, length, alpha: total / length)
beam_in_lists("penalty_of_wu", score=lambda total, length, alpha: total / ((5 + length) / (5 + 1)) ** alpha)
beam_in_lists("begin_counts", score=lambda total, length, alpha: total / (length + 1) ** alpha)
beam_in_lists(
    "penalty_at_the_end_only",
    score=lambda total, length, alpha: total,
    last=lambda total, length, alpha: total / length**alpha,
)
beam_in_lists("greedy_whatever_the_width", keep=lambda width: 1)
beam_in_lists("filled_with_the_end", fill="eos")
beam_in_lists("filled_with_zeros", fill="zero")
beam_in_lists("begin_kept", from_=0)
beam_in_lists("one_token_too_few", more=-1)
beam_in_lists("one_token_too_many", more=1)
BEAM_SEARCH.second_version("ended_ones_grow_longer")(mystery_beam_search)
