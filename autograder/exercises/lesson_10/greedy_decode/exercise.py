"""Exercise `greedy_decode`: the most likely next token, for a batch of sentences at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_10.scripts import BOS, EOS, PAD, on_paths, paths, sources
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, TranslationScript
from course_lib.checking.rules import equals_reference, inputs_unchanged


def _question(
    name: str,
    table: Tensor,
    source: Tensor,
    max_length: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
    times: int = 1,
    likeliest: Sequence[str] = (),
) -> TranslationScript:
    pad_id, bos_id, eos_id = special
    call = {
        "model": "a table of random probabilities",
        "source": source,
        "bos_id": bos_id,
        "eos_id": eos_id,
        "max_length": max_length,
    }
    return TranslationScript(name, table, [call] * times, pad_id=pad_id, returns=["written"], likeliest=likeliest)


def _known(
    sampler: Sampler,
    name: str,
    lengths: Sequence[int],
    vocab: int,
    longest_source: int,
    max_length: int,
    special: tuple[int, int, int] = (PAD, BOS, EOS),
) -> TranslationScript:
    """Return a question whose most likely translations have the given lengths."""
    said = paths(sampler, lengths, vocab, special)
    table = on_paths(sampler, said, vocab, max(*lengths, max_length) + 1, special)
    source = sources(sampler, len(said), longest_source, special[0])
    return _question(name, table, source, max_length, special, likeliest=[" ".join(map(str, path)) for path in said])


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about sentences that end at different steps, at once, at the last step and too late, and about other ids.

    One question counts how often the source is encoded. Another decodes with an unsure model twice, because code that
    samples would give different answers. The last has as many sentences as tokens, to name what crashes elsewhere.
    """
    yield _known(sampler, "by_hand", (3, 2), 6, 3, 5)
    yield _known(sampler, "plain", sampler.shuffled((2, 4, 6)), 8, 5, 9)
    yield _known(sampler, "alone", (5,), 8, 3, 7)
    yield _known(sampler, "ends_at_once", sampler.shuffled((1, 3, 5, 6)), 9, 3, 8)
    yield _known(sampler, "cut_short", sampler.shuffled((2, 7, 8)), 9, 6, 5)
    yield _known(sampler, "just_in_time", sampler.shuffled((3, 4, 6)), 9, 4, 6)
    pad_id, bos_id, eos_id = sampler.shuffled((3, 4, 5))
    yield _known(sampler, "other_ids", sampler.shuffled((2, 5)), 8, 4, 7, (pad_id, bos_id, eos_id))
    unsure = on_paths(sampler, [[]] * 5, 9, 8) / 4
    unsure[..., [PAD, BOS, EOS]] = -8.0
    yield _question("twice", unsure, sources(sampler, 5, 4), 7, times=2)
    yield replace(_known(sampler, "encoded_once", (4,), 8, 4, 6), count_encodings=True)
    said = paths(sampler, (6,), 8)
    said[0][2] = PAD  # an ordinary token if the model writes it before the end
    yield _question("writes_padding", on_paths(sampler, said, 8, 8), sources(sampler, 1, 4), 7)
    yield _known(sampler, "square", sampler.shuffled((2, 3, 4, 4, 5, 3)), 6, 6, 6)


WRITTEN = {"fields": ["calls/0/written"]}


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "two sentences come out right: each ends where it should, and the shorter is padded", 1.0, WRITTEN),
    Check("equals_plain", equals_reference, "plain", "longer sentences come out right", 1.0, WRITTEN, also=("square", "writes_padding")),
    Check("alone", equals_reference, "alone", "a single sentence comes out right", 0.25, WRITTEN),
    Check("ends_at_once", equals_reference, "ends_at_once", "a sentence that ends with its first token comes out right, padded from there on", 0.5, WRITTEN),
    Check("cut_short", equals_reference, "cut_short", "sentences that are cut off after `max_length` tokens come out right", 0.5, WRITTEN),
    Check("just_in_time", equals_reference, "just_in_time", "a sentence of just `max_length` tokens comes out right, with its end", 0.5, WRITTEN),
    Check("other_ids", equals_reference, "other_ids", "other ids for padding, begin and end come out right", 0.5, WRITTEN),
    Check("twice", equals_reference, "twice", "where the model is not sure, the likeliest tokens come out right, twice in a row", 0.25,
        {"fields": ["calls/0/written", "calls/1/written"]}),
    Check("encoded_once", equals_reference, "encoded_once", "the source is encoded once, not at every step", 0.25,
        {"fields": ["calls/0/encodings"]}, needs="equals_plain"),
    Check("inputs_unchanged", inputs_unchanged, "plain", "your inputs are left as they were", 0.25, needs="equals_plain"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Write down by hand what happens to two sentences, one of which ends after two tokens, the other after four. What is in each row after each step?",
        "Encode once. Then, at each step: pass everything written so far to `decode`, take the logits of the last position, and append their argmax over V. A boolean tensor (B,) says which sentences have ended.",
        "`token = model.decode(written, memory, memory_mask)[:, -1].argmax(dim=-1)`; where `ended`, `model.pad_id` instead; append; `ended = ended | (token == eos_id)`; "
        "stop when all have ended or `max_length` are written.",
    ),
    ask=ask,
)
