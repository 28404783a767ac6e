"""Exercise `position_embedding`: the embedding layer, which scales, adds positions, and applies dropout."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value


def _question(name: str, table: Tensor, max_length: int, ids: Tensor, dropout: float = 0.0, **more: Value) -> Module:
    """Ask a module whose token embedding is ``table``."""
    vocab_size, d_model = table.shape
    build = {"vocab_size": vocab_size, "d_model": d_model, "max_length": max_length, "dropout": dropout}
    weights = {"token_embedding.weight": table}
    return Module(name, build, weights, [{"ids": ids}], returns=["embedded"], **more)


def _ids(sampler: Sampler, vocab_size: int, batch: int, length: int) -> Tensor:
    """Return sentences of different tokens. But the last begins with one token twice, and the first contains a 0."""
    ids = torch.tensor([sampler.shuffled(range(1, vocab_size))[:length] for _ in range(batch)])
    ids[0, int(sampler.shuffled(range(length))[0])] = 0
    ids[-1, :2] = ids[-1, 0]
    return ids


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about small numbers, distinct sizes, one token, all positions, dropout, and equal sizes to name what crashes.

    For the widths 4 and 8, every power of 10,000 in the encoding is a power of 10, so a wrong one is the same on every
    machine. There are more positions than tokens, so that no look-up fails. The dropout probability is 1, in training
    and in evaluation mode, so that answers are not random.
    """
    table = torch.arange(5.0).unsqueeze(1) + sampler.tensor(5, 4, scale=0.2).round(decimals=1)
    yield _question("by_hand", table, 6, torch.tensor([sampler.shuffled((0, 2, 4))]))
    (batch, length), d_model = sampler.sizes(2), 8
    vocab_size, max_length = sampler.shuffled((9, 10, 11))[0], sampler.shuffled((12, 13, 14))[0]
    table = sampler.tensor(vocab_size, d_model)
    yield _question("plain", table, max_length, _ids(sampler, vocab_size, batch, length))
    yield _question("one_token", table, max_length, _ids(sampler, vocab_size, batch, 1))

    table, ids = sampler.tensor(7, 4), _ids(sampler, 7, 2, 3)
    yield _question("all_positions", table, 7, torch.tensor([sampler.shuffled(range(7)) for _ in range(3)]))
    yield _question("gradients", table, 8, ids, upstream={"embedded": sampler.tensor(2, 3, 4)})
    yield replace(_question("asked_again", table, 8, ids), calls=[{"ids": ids}, {"ids": ids}])
    yield _question("training", table, 8, ids, dropout=1.0, training=True)
    yield _question("evaluation", table, 8, ids, dropout=1.0)
    yield _question("cube", sampler.tensor(4, 4), 4, torch.tensor([sampler.shuffled(range(4))[:2] for _ in range(2)]))


CHECKS = (
    Check("equals_by_hand", equals_reference, "by_hand", "three tokens of width 4 come out right", 0.25,
        {"fields": ["calls/0/embedded"]}),
    Check("equals_plain", equals_reference, "plain", "batches of other sizes come out right", 0.25,
        {"fields": ["calls/0/embedded"]}, also=("cube",)),
    Check("the_same_again", equals_reference, "asked_again", "the same sentences come out right twice in a row", 0.2,
        {"fields": ["calls/0/embedded", "calls/1/embedded"]}, needs="equals_plain"),
    Check("one_token", equals_reference, "one_token", "sentences of a single token come out right", 0.2,
        {"fields": ["calls/0/embedded"]}),
    Check("all_positions", equals_reference, "all_positions", "sentences of `max_length` tokens come out right", 0.2,
        {"fields": ["calls/0/embedded"]}),
    Check("only_tokens_are_learned", equals_reference, "plain", "the parameters are right: only the token embedding, because the sinusoids are not trained", 0.2,
        {"fields": ["shapes"]}, needs="equals_plain"),
    Check("gradients", equals_reference, "gradients", "the gradient of the token embedding is right", 0.2,
        {"fields": ["gradients/token_embedding.weight"]}),
    Check("dropout", equals_reference, "training", "in training with `dropout=1.0`, the output is right: everything is dropped", 0.3,
        {"fields": ["calls/0/embedded"]}, needs="equals_plain"),
    Check("no_dropout_in_evaluation", equals_reference, "evaluation", "in evaluation, the output is right whatever `dropout` is", 0.2,
        {"fields": ["calls/0/embedded"]}),
)  # fmt: skip


EXERCISE = Outline(
    minutes=10,
    checks=CHECKS,
    hints=(
        "Two tables, two look-ups, one sum. Print the shape of each.",
        "Four steps: look up, scale, add, drop. Compare each with a small example, on paper, until one differs.",
        "`self.token_embedding(ids)` times `math.sqrt(self.token_embedding.embedding_dim)`, plus `self.positions[: ids.size(1)]`; "
        "`self.dropout` of the sum.",
    ),
    ask=ask,
    write=("forward",),
    builds_on=("sinusoidal_encoding",),
)
