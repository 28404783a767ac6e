"""Exercise `generate`: a language model continues prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.scripted import CHOICES, ScriptedLanguageModel
from course_lib.components.generate import generate

RETURNS = ["written"]
LIKELIEST, SECOND, ABOVE, BY_ROW = CHOICES
#: how many scripts a model has: for the sum of the ids that it reads, modulo this
SCRIPTS = 7
WORDS = 11


def _model(draw: Draw, eos_id: int, pad_id: int) -> Tensor:
    """A table (N, V, V) that says padding never, and the end seldom by itself."""
    table = draw.tensor(SCRIPTS, WORDS, WORDS, scale=1.5)
    table = table + 0.00123 * draw.tensor(*table.shape)
    table[..., pad_id] = -20.0
    table[..., eos_id] -= 1.0
    return table


def _call(
    prompt: Tensor, max_new_tokens: int, choose: str, eos_id: int, pad_id: int, context: int, described: str
) -> dict[str, Any]:
    return {
        "model": described, "prompt": prompt, "max_new_tokens": max_new_tokens, "choose": choose, "eos_id": eos_id,
        "pad_id": pad_id, "context": context,
    }  # fmt: skip


def _prompts(draw: Draw, count: int, length: int, words: Sequence[int]) -> Tensor:
    return torch.tensor([draw.shuffled(words)[:length] for _ in range(count)])


def _lengths(table: Tensor, call: dict[str, Any]) -> list[int]:
    """How many tokens are written to each prompt of a call, its end counted."""
    with torch.no_grad():
        written = generate(
            ScriptedLanguageModel(table), *list({**call, "choose": CHOICES[call["choose"]]}.values())[1:]
        )
    return [int((row != call["pad_id"]).sum()) for row in written[:, call["prompt"].size(1) :]]


def _asked(
    draw: Draw,
    name: str,
    count: int,
    length: int,
    new: int,
    choose: str = LIKELIEST,
    context: int = 50,
    special: tuple[int, int] = (2, 0),
    ends: str = "apart",
    wanted: Sequence[int] = (),
) -> Question:
    """A question whose sentences end where it wants.

    Args:
        ends: ``"apart"``: not all after as many tokens, all in time, the last only just; ``"early"``: all long before; ``"never"``: none in
            time; ``"some"``: one in time and one not.
        wanted: prompts, where they are not random.
    """
    eos_id, pad_id = special
    words = [i for i in range(WORDS) if i not in special]
    described = {
        "apart": "ends each sentence in time",
        "early": "ends each sentence early",
        "never": "does not come to an end",
        "some": "ends some in time",
    }
    while True:
        table = _model(draw, eos_id, pad_id)
        table[..., eos_id] += {"apart": 1.8, "early": 1.8, "never": -20.0, "some": 0.9}[ends]
        prompt = torch.tensor(wanted) if wanted else _prompts(draw, count, length, words)
        call = _call(prompt, new, choose, eos_id, pad_id, context, described[ends])
        lengths = _lengths(table, call)
        in_time = [n < new for n in lengths]
        fits = {
            "apart": all(in_time)
            and (count == 1 or len(set(lengths)) > 1)
            and max(lengths) > max(2, new - prompt.size(1)),
            "early": max(lengths) < new - 3 and len(set(lengths)) > 1,
            "never": not any(in_time),
            "some": any(in_time) and not all(in_time),
        }
        if fits[ends]:
            return Question(name, probes.continue_script, {"table": table, "calls": [call], "returns": RETURNS})


def ask(draw: Draw) -> Iterator[Question]:
    """One prompt, several that end apart, some that never end; other choices; a prompt longer than the context, and one that holds an end."""
    yield _asked(draw, "one_prompt", 1, 2, 6)
    b, p = draw.sizes(2)
    b = max(b, 3)
    yield _asked(draw, "plain", b, p, 8)
    yield _asked(draw, "ends_early", 3, 2, 15, ends="early")
    yield _asked(draw, "never_ends", 2, 3, draw.shuffled([5, 6, 7])[0], ends="never")
    yield _asked(draw, "some_end", 4, 2, 8, ends="some")
    yield _asked(draw, "second", 3, 2, 8, choose=SECOND)
    yield _asked(draw, "above", 3, 2, 9, choose=ABOVE, ends="some")
    yield _asked(draw, "by_row", 3, 2, 8, choose=BY_ROW, ends="some")
    yield _asked(draw, "short_context", 3, 6, 7, context=4, ends="never")
    yield _asked(draw, "grows_past_the_context", 2, 2, 8, context=5, ends="never")
    words = draw.shuffled(range(3, WORDS))
    with_end = [[words[0], 2, words[1]], [words[2], words[3], 2], [words[4], words[5], words[6]]]
    yield _asked(draw, "end_in_the_prompt", 3, 3, 8, wanted=with_end)  # type: ignore[arg-type]
    yield _asked(draw, "other_ids", 3, 2, 8, special=(draw.shuffled([5, 6])[0], draw.shuffled([3, 4])[0]))
    nothing = _asked(draw, "nothing_new", 2, 3, 5, ends="never")
    (call,) = nothing.given["calls"]
    yield Question("nothing_new", probes.continue_script, {**nothing.given, "calls": [{**call, "max_new_tokens": 0}]})


WRITTEN = {"fields": ["calls/0/written"]}

LAWS = (
    Law("one_prompt", equals_reference, "one_prompt", "a single prompt is continued until its end", 0.5, WRITTEN),
    Law("plain", equals_reference, "plain", "several prompts are continued, each until its own end, with padding behind it", 0.5, WRITTEN, also=("ends_early",)),
    Law("never_ends", equals_reference, "never_ends", "after `max_new_tokens` tokens it stops, ended or not", 0.25, WRITTEN, also=("some_end",)),
    Law("choose", equals_reference, "second", "the tokens are those that `choose` takes, given the logits of all rows", 0.5, WRITTEN, also=("above", "by_row")),
    Law("context", equals_reference, "short_context", "of a long text, the model reads the last `context` tokens", 0.5, WRITTEN, also=("grows_past_the_context",)),
    Law("end_in_the_prompt", equals_reference, "end_in_the_prompt", "an end inside the prompt ends nothing", 0.25, WRITTEN),
    Law("other_ids", equals_reference, "other_ids", "other ids for the end and for padding come out right", 0.25, WRITTEN),
    Law("inputs_unchanged", inputs_unchanged, "plain", "the prompts are left as they were", 0.25, {"arguments": "calls/0"}, needs="plain", also=("nothing_new",)),
)  # fmt: skip

START = "ended = torch.zeros(prompt.size(0), dtype=torch.bool, device=prompt.device)"
WITHIN = "written.size(1) < prompt.size(1) + max_new_tokens"
RUNNING = "not ended.all()"
READ = "model(written[:, -context:])"
LAST = f"{READ}[:, -1]"
TAKEN = "choose(logits)"
FILL = ".masked_fill(ended, pad_id)"
ENDED = "ended = ended | (token == eos_id)"
RETURN = "return written"


@torch.no_grad()
def noticed_in_the_next_step(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    written = prompt
    ended = torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        token = choose(model(written[:, -context:])[:, -1]).masked_fill(ended, pad_id)
        written = torch.cat([written, token[:, None]], dim=1)
        if ended.all():
            break
        ended = ended | (token == eos_id)
    return written


MISTAKES = (
    # what is read
    mistake(
        "context_ignored",
        "Your model reads the whole text, however long it grows. A model has positions for `context` tokens, and breaks down beyond.",
        (
            "How many tokens does the model read in the last step?",
            "What happens at position 24 in a model with 24 positions?",
            "`written[:, -context:]`.",
        ),
        (READ, "model(written)"),
        group="context",
    ),
    mistake(
        "first_tokens_read",
        "Of a long text, your model reads the *first* `context` tokens. It never sees what it has just written.",
        (
            "In a text of 100 tokens, which ones matter most for the next?",
            "What does `[:, :context]` keep?",
            "`written[:, -context:]`.",
        ),
        (READ, "model(written[:, :context])"),
        group="context",
    ),
    mistake(
        "context_one_short",
        "Your model reads one token fewer than it could.",
        (
            "How many tokens does it read of a text that is long enough?",
            "Is there a −1 on `context`?",
            "`written[:, -context:]`.",
        ),
        (READ, "model(written[:, -(context - 1):])"),
        group="context",
    ),
    mistake(
        "last_token_read",
        "Your model reads the last token alone, and forgets everything before.",
        (
            "What does the model know of the prompt in the second step?",
            "A recurrent network carries a state from step to step. What does a Transformer carry?",
            "Pass the text so far: `written[:, -context:]`.",
        ),
        (READ, "model(written[:, -1:])"),
        group="context",
    ),
    mistake(
        "prompt_read_again",
        "Your model reads the prompt at every step, and never what it has written: it says the same word again and again.",
        (
            "What changes in the model's input from one step to the next?",
            "Which variable grows?",
            "Pass the text so far: `written[:, -context:]`.",
        ),
        (READ, "model(prompt[:, -context:])"),
        group="context",
    ),
    mistake(
        "prediction_of_the_first",
        "You use the logits at position 0: what comes after the *first* token.",
        (
            "The model returns logits for every position. After which one do you want to go on?",
            "Is there a `[:, 0]`?",
            "`model(…)[:, -1]`.",
        ),
        (LAST, f"{READ}[:, 0]"),
        group="position",
    ),
    # what is chosen
    mistake(
        "choice_ignored",
        "You take the most probable token, whatever `choose` would take.",
        (
            "Let `choose` sample. Is your text the same every time?",
            "Where do you call `choose`?",
            "`choose(logits)` returns the ids (B,).",
        ),
        (TAKEN, "logits.argmax(dim=-1)"),
        group="choice",
    ),
    mistake(
        "probabilities_handed_on",
        "You pass probabilities to `choose`, which expects logits: a temperature would then be applied to the wrong numbers.",
        (
            "What does the docstring say that `choose` is given?",
            "Is there a softmax before you call it?",
            "`choose(logits)`.",
        ),
        (TAKEN, "choose(logits.softmax(dim=-1))"),
        group="choice",
    ),
    # when it ends
    mistake(
        "goes_on_after_the_end",
        "A sentence that has ended goes on as long as another one runs. Behind its end belongs padding.",
        (
            "Look at a row behind its `eos_id`. What stands there?",
            "Which rows have ended before this step?",
            "`token = torch.where(ended, pad_id, token)`, before you append it.",
        ),
        (FILL, ""),
        group="fill",
    ),
    mistake(
        "filled_with_ends",
        "Behind the end of a sentence you write `eos_id` again and again. There belongs `pad_id`.",
        (
            "How many ends does a row of yours have?",
            "What do you write for rows that have ended?",
            "`token = torch.where(ended, pad_id, token)`.",
        ),
        (FILL, ".masked_fill(ended, eos_id)"),
        group="fill",
    ),
    mistake(
        "zero_for_padding",
        "Behind the end you write 0, whatever `pad_id` says.",
        (
            "Which id do you write for padding if `pad_id` is 3?",
            "Is there a 0 that the argument should stand for?",
            "`token = torch.where(ended, pad_id, token)`.",
        ),
        (FILL, ".masked_fill(ended, 0)"),
        group="fill",
    ),
    mistake(
        "end_replaced_by_padding",
        "You write padding in the place of `eos_id` itself: a sentence that ended can't be told from one that was cut off.",
        (
            "Where is the `eos_id` of a sentence that has ended?",
            "Do you mark rows as ended before or after you append the token?",
            "Append the token first; then `ended = ended | (token == eos_id)`.",
        ),
        (FILL, ".masked_fill(ended | (choose(logits) == eos_id), pad_id)"),
        (ENDED, "ended = ended | (choose(logits) == eos_id)"),
        group=ALONE,
    ),
    mistake(
        "end_remembered_one_step",
        "You look at the last token alone to see whether a sentence has ended: behind one token of padding it goes on.",
        (
            "What stands behind the first padding of a row?",
            "Is a sentence that ended two steps ago still ended?",
            "`ended = ended | (token == eos_id)`.",
        ),
        (ENDED, "ended = token == eos_id"),
        group="ended",
    ),
    mistake(
        "end_in_the_prompt_counts",
        "You take a sentence for ended if its *prompt* holds an `eos_id`. A prompt may well be three sentences long.",
        (
            "What do you write after a prompt of two whole sentences?",
            "In which tokens do you look for the end?",
            "Begin with `ended` all False, and look at new tokens only.",
        ),
        (START, "ended = (prompt == eos_id).any(dim=1)"),
        group="ended",
    ),
    mistake(
        "stops_with_the_first",
        "You stop as soon as *one* sentence has ended; the others are cut off.",
        (
            "How long is your result if the first sentence ends at once?",
            "`any` or `all`?",
            "`while … and not ended.all()`.",
        ),
        (RUNNING, "not ended.any()"),
        group="when",
    ),
    mistake(
        "never_stops_early",
        "You always write `max_new_tokens` tokens: when all sentences have ended, there follow columns of nothing but padding.",
        (
            "Are there columns of your result that hold padding alone?",
            "When does every row have its end?",
            "`while … and not ended.all()`.",
        ),
        (f"while {WITHIN} and {RUNNING}:", f"while {WITHIN}:"),
        group="fill",
    ),
    mistake(
        "end_never_noticed",
        "The `eos_id` ends nothing: every sentence goes on until `max_new_tokens` are written.",
        (
            "What stands behind an `eos_id` in your rows?",
            "Where do you compare the new token with `eos_id`?",
            "`ended = ended | (token == eos_id)`.",
        ),
        (ENDED, "pass"),
        group=ALONE,
    ),
    mistake(
        "prompt_counted",
        "You take `max_new_tokens` for the length of the whole text, prompt included.",
        (
            "How many *new* tokens do you write after a prompt of five?",
            "With what do you compare the length?",
            "Stop at `prompt.size(1) + max_new_tokens`.",
        ),
        (WITHIN, "written.size(1) < max_new_tokens"),
        group="length",
    ),
    mistake(
        "one_token_more",
        "You write one token more than `max_new_tokens`.",
        (
            "Count the new tokens of a sentence that doesn't end.",
            "`<` or `<=`?",
            "`while written.size(1) < prompt.size(1) + max_new_tokens`.",
        ),
        (WITHIN, "written.size(1) <= prompt.size(1) + max_new_tokens"),
        group="length",
    ),
    mistake(
        "one_token_less",
        "You write one token less than `max_new_tokens`.",
        (
            "Count the new tokens of a sentence that doesn't end.",
            "Where does your loop begin to count?",
            "`while written.size(1) < prompt.size(1) + max_new_tokens`.",
        ),
        (WITHIN, "written.size(1) < prompt.size(1) + max_new_tokens - 1"),
        group="length",
    ),
    # the result
    mistake(
        "prompt_cut_off",
        "You return the new tokens alone. The prompts should stand before them.",
        (
            "Which shape does your result have?",
            "What does the docstring say is returned?",
            "Return all of `written`.",
        ),
        (RETURN, "return written[:, prompt.size(1) :]"),
        group="result",
    ),
    mistake(
        "chosen_row_by_row",
        "You call `choose` once for each sentence. It is called once a step, with the logits (B, V) of all of them: who samples takes one random number after the other, and would get other ones.",
        (
            "How often is `choose` called in a step, with three prompts?",
            "Which shape do the logits have that you hand on?",
            "`choose(logits)`, with all rows, also of sentences that have ended.",
        ),
        (TAKEN, "torch.cat([choose(row) for row in logits.split(1)])"),
        group="choice",
    ),
    mistake(
        "stops_a_step_late",
        "You notice a step late that all sentences have ended: the last column of your result is nothing but padding.",
        (
            "What stands in the last column of your result, if all sentences end early?",
            "Do you look whether all have ended before or after the new tokens are taken into account?",
            "Update `ended` first, then stop if `ended.all()`.",
        ),
        source=noticed_in_the_next_step,
        group=ALONE,
    ),
)  # fmt: skip


@torch.no_grad()
def with_a_loop(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text = prompt.clone()
    done = torch.full((len(prompt),), False)
    for _ in range(max_new_tokens):
        if bool(done.all()):
            break
        window = text if text.shape[1] <= context else text[:, text.shape[1] - context :]
        following = choose(model(window)[:, -1, :])
        following = torch.where(done, torch.tensor(pad_id), following)
        text = torch.hstack([text, following[:, None]])
        done |= following == eos_id
    return text


def with_lists(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    rows = [row.tolist() for row in prompt]
    going = [True] * len(rows)
    with torch.inference_mode():
        while any(going) and len(rows[0]) < prompt.shape[1] + max_new_tokens:
            said = choose(model(torch.tensor([row[-context:] for row in rows]))[:, -1]).tolist()
            for i, token in enumerate(said):
                rows[i].append(token if going[i] else pad_id)
                going[i] = going[i] and token != eos_id
    return torch.tensor(rows)


@torch.no_grad()
def filled_afterwards(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    """Ended sentences go on until all have, and what is behind their ends is painted over."""
    written, length = prompt, prompt.size(1)
    while written.size(1) < length + max_new_tokens:
        if written.size(1) > length and (written[:, length:] == eos_id).any(dim=1).all():
            break
        written = torch.cat([written, choose(model(written[:, -context:])[:, -1])[:, None]], dim=1)
    new = written[:, length:]
    behind = (new == eos_id).long().cumsum(dim=1) - (new == eos_id).long() > 0
    return torch.cat([prompt, new.masked_fill(behind, pad_id)], dim=1)


@torch.no_grad()
def into_a_table(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    b, p = prompt.shape
    table = torch.full((b, p + max_new_tokens), pad_id, dtype=prompt.dtype)
    table[:, :p] = prompt
    alive = torch.ones(b, dtype=torch.bool)
    end = p
    while end < p + max_new_tokens and alive.any():
        token = choose(model(table[:, max(0, end - context) : end])[:, -1])
        table[alive, end] = token[alive]
        alive = alive & (token != eos_id)
        end += 1
    return table[:, :end]


def stub(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    raise NotImplementedError


def only_the_prompt(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return prompt


def nothing_but_padding(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return torch.cat([prompt, torch.full((len(prompt), max_new_tokens), pad_id)], dim=1)


def noise(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return torch.cat([prompt, torch.randint(WORDS, (len(prompt), max_new_tokens))], dim=1)


GENERATE = define(
    id="generate",
    lesson="13_families",
    place=2,
    module="course_lib.components.generate",
    symbol="generate",
    minutes=15,
    laws=LAWS,
    hints=(
        "Take `greedy_decode` of lesson 10 as your model. What is no longer there? (An encoder.) What is new? (A prompt, `choose`, and `context`.)",
        "Keep two things from step to step: the text so far, and which sentences have ended.",
        "`logits = model(written[:, -context:])[:, -1]`, `token = choose(logits)`, padding where `ended`, append, and `ended = ended | (token == eos_id)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(with_a_loop, with_lists, filled_afterwards, into_a_table),
    lazy=(stub, only_the_prompt, nothing_but_padding, noise),
    switches=("context", "fill", "length"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@GENERATE.second_version("stops_with_the_first")
@torch.no_grad()
def breaks_at_any_end(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text = prompt
    for _ in range(max_new_tokens):
        token = choose(model(text[:, -context:])[:, -1])
        text = torch.cat((text, token.view(-1, 1)), 1)
        if eos_id in token.tolist():
            break
    return text


@GENERATE.second_version("end_in_the_prompt_counts")
@torch.no_grad()
def looks_at_the_whole_row(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text = prompt
    for _ in range(max_new_tokens):
        done = (text == eos_id).any(dim=1)
        if done.all():
            break
        token = choose(model(text[:, -context:])[:, -1])
        text = torch.cat((text, torch.where(done, pad_id, token).view(-1, 1)), 1)
    return text


@GENERATE.second_version("choice_ignored")
@torch.no_grad()
def greedy(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text, done = prompt, torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if done.all():
            break
        token = model(text[:, -context:])[:, -1].topk(1).indices.flatten()
        token[done] = pad_id
        text, done = torch.cat((text, token.view(-1, 1)), 1), done | (token == eos_id)
    return text


@GENERATE.second_version("prompt_cut_off")
@torch.no_grad()
def only_what_is_new(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text, new, done = prompt, [], torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if done.all():
            break
        token = choose(model(text[:, -context:])[:, -1]).masked_fill(done, pad_id)
        new.append(token)
        text, done = torch.cat((text, token.view(-1, 1)), 1), done | (token == eos_id)
    return torch.stack(new, 1) if new else prompt[:, :0]


@GENERATE.second_version("chosen_row_by_row")
def each_for_itself(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    rows, going = [row.tolist() for row in prompt], [True] * len(prompt)
    for _ in range(max_new_tokens):
        if not any(going):
            break
        logits = model(torch.tensor([row[-context:] for row in rows]))[:, -1]
        for i, row in enumerate(rows):
            row.append(choose(logits[i : i + 1]).item() if going[i] else pad_id)
            going[i] = going[i] and row[-1] != eos_id
    return torch.tensor(rows)


@GENERATE.second_version("end_replaced_by_padding")
def marked_too_early(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    ids, done = prompt, torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if done.all():
            break
        token = choose(model(ids[:, -context:])[:, -1])
        done = done | (token == eos_id)
        ids = torch.hstack([ids, torch.where(done, pad_id, token)[:, None]])
    return ids
