"""Exercise `generate`: a language model continues prompts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import ContinuationScript, Question
from course_lib.checking.rules import equals_reference, inputs_unchanged
from course_lib.checking.scripted import CHOICES, ScriptedLanguageModel
from course_lib.components.generate import generate

RETURNS = ["written"]


LIKELIEST, SECOND, ABOVE, BY_ROW = CHOICES


#: the number of a model's scripts. The sum of the ids that it reads, modulo this number, selects one
SCRIPTS = 7


WORDS = 11


def _model(sampler: Sampler, eos_id: int, pad_id: int) -> Tensor:
    """Return a table (N, V, V) that never writes padding, and seldom writes the end."""
    table = sampler.tensor(SCRIPTS, WORDS, WORDS, scale=1.5)
    table = table + 0.00123 * sampler.tensor(*table.shape)
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


def _prompts(sampler: Sampler, count: int, length: int, words: Sequence[int]) -> Tensor:
    return torch.tensor([sampler.shuffled(words)[:length] for _ in range(count)])


def _lengths(table: Tensor, call: dict[str, Any]) -> list[int]:
    """Return the number of tokens that are written to each prompt of a call, including the end."""
    with torch.no_grad():
        written = generate(
            ScriptedLanguageModel(table), *list({**call, "choose": CHOICES[call["choose"]]}.values())[1:]
        )
    return [int((row != call["pad_id"]).sum()) for row in written[:, call["prompt"].size(1) :]]


def _asked(
    sampler: Sampler,
    name: str,
    count: int,
    length: int,
    new: int,
    choose: str = LIKELIEST,
    context: int = 50,
    special: tuple[int, int] = (2, 0),
    ends: str = "apart",
    wanted: Sequence[int] = (),
) -> ContinuationScript:
    """Return a question whose sentences end as requested.

    Args:
        ends: ``"apart"``: at different steps, all in time but the last only just; ``"early"``: all long before the
            limit; ``"never"``: none in time; ``"some"``: only some in time.
        wanted: prompts to use instead of random ones.
    """
    eos_id, pad_id = special
    words = [i for i in range(WORDS) if i not in special]
    described = {
        "apart": "a test model that writes `eos_id` in each sentence",
        "early": "ends each sentence early",
        "never": "does not come to an end",
        "some": "ends some in time",
    }
    while True:
        table = _model(sampler, eos_id, pad_id)
        table[..., eos_id] += {"apart": 1.8, "early": 1.8, "never": -20.0, "some": 0.9}[ends]
        prompt = torch.tensor(wanted) if wanted else _prompts(sampler, count, length, words)
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
            return ContinuationScript(name, table, [call], returns=RETURNS)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one and several prompts, missing ends, other choices, long prompts, and an end inside a prompt."""
    yield _asked(sampler, "one_prompt", 1, 2, 6)
    b, p = sampler.sizes(2)
    b = max(b, 3)
    yield _asked(sampler, "plain", b, p, 8)
    yield _asked(sampler, "ends_early", 3, 2, 15, ends="early")
    yield _asked(sampler, "never_ends", 2, 3, sampler.shuffled([5, 6, 7])[0], ends="never")
    yield _asked(sampler, "some_end", 4, 2, 8, ends="some")
    yield _asked(sampler, "second", 3, 2, 8, choose=SECOND)
    yield _asked(sampler, "above", 3, 2, 9, choose=ABOVE, ends="some")
    yield _asked(sampler, "by_row", 3, 2, 8, choose=BY_ROW, ends="some")
    yield _asked(sampler, "short_context", 3, 6, 7, context=4, ends="never")
    yield _asked(sampler, "grows_past_the_context", 2, 2, 8, context=5, ends="never")
    words = sampler.shuffled(range(3, WORDS))
    with_end = [[words[0], 2, words[1]], [words[2], words[3], 2], [words[4], words[5], words[6]]]
    yield _asked(sampler, "end_in_the_prompt", 3, 3, 8, wanted=with_end)  # type: ignore[arg-type]
    yield _asked(sampler, "other_ids", 3, 2, 8, special=(sampler.shuffled([5, 6])[0], sampler.shuffled([3, 4])[0]))
    nothing = _asked(sampler, "nothing_new", 2, 3, 5, ends="never")
    yield replace(nothing, calls=[{**nothing.calls[0], "max_new_tokens": 0}])


WRITTEN = {"fields": ["calls/0/written"]}


CHECKS = (
    Check("one_prompt", equals_reference, "one_prompt", "a single prompt comes out right, continued until its end", 0.5, WRITTEN),
    Check("plain", equals_reference, "plain", "several prompts come out right: each is continued until its own end, and padded after it", 0.5, WRITTEN, also=("ends_early",)),
    Check("never_ends", equals_reference, "never_ends", "texts that stop after `max_new_tokens` tokens come out right, ended or not", 0.25, WRITTEN, also=("some_end",)),
    Check("choose", equals_reference, "second", "the tokens that `choose` takes come out right: it sees the logits of all rows", 0.5, WRITTEN, also=("above", "by_row")),
    Check("context", equals_reference, "short_context", "long texts come out right: the model reads the last `context` tokens", 0.5, WRITTEN, also=("grows_past_the_context",)),
    Check("end_in_the_prompt", equals_reference, "end_in_the_prompt", "an end inside the prompt comes out right: it ends nothing", 0.25, WRITTEN),
    Check("other_ids", equals_reference, "other_ids", "other ids for the end and for padding come out right", 0.25, WRITTEN),
    Check("inputs_unchanged", inputs_unchanged, "plain", "the prompts are left as they were", 0.25, needs="plain", also=("nothing_new",)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Take `greedy_decode` of lesson 10 as your model. What is no longer there? (An encoder.) What is new? (A prompt, `choose`, and `context`.)",
        "Keep two things from step to step: the text so far, and which sentences have ended.",
        "`logits = model(written[:, -context:])[:, -1]`, `token = choose(logits)`, padding where `ended`, append, and `ended = ended | (token == eos_id)`.",
    ),
    ask=ask,
)
