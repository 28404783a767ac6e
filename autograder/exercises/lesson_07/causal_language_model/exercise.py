"""Exercise `causal_language_model`: read tokens under a mask, and predict the next ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import Outline
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, every_gradient_flows, unmoved
from course_lib.checking.values import Value
from course_lib.components.causal_language_model import CausalLanguageModel

#: every model has V tokens, D = 6, F = 7 and L positions, and fewer heads than sentences except in the square
VOCABULARY, WIDTH, HIDDEN, LONGEST = 9, 6, 7, 11


#: the constructor's arguments, and the weights
Model = tuple[dict[str, Any], dict[str, Tensor]]


def _model(sampler: Sampler, num_layers: int = 1, num_heads: int = 2, pad_id: int = 0) -> Model:
    """Return the constructor's arguments, and weights that all differ from the initial ones."""
    build: dict[str, Any] = {
        "vocab_size": VOCABULARY, "d_model": WIDTH, "num_heads": num_heads, "num_layers": num_layers, "d_ff": HIDDEN,
        "max_length": LONGEST, "dropout": 0.0, "pad_id": pad_id,
    }  # fmt: skip
    shapes = {name: weight.shape for name, weight in CausalLanguageModel(**build).named_parameters()}
    weights = {name: sampler.tensor(*shape, scale=0.5) + name.endswith("gamma") for name, shape in shapes.items()}
    return build, weights


def _sentences(sampler: Sampler, pad_id: int, *rows: str) -> Tensor:
    """Return sentences, given as ``"x"`` for a real token and ``"."`` for padding. 0 is real unless it is the pad id.

    No sentence contains a token twice, so a label never equals the token that is read. The last real token differs
    between sentences.
    """
    real = sampler.shuffled([i for i in range(VOCABULARY) if i != pad_id])
    ids = torch.full((len(rows), len(rows[0])), pad_id)
    for number, row in enumerate(rows):
        places = [t for t, place in enumerate(row) if place == "x"]
        tokens = real[number:] + real[:number]
        ids[number, places] = torch.tensor(tokens[: len(places)])
    return ids


def _question(name: str, model: Model, *calls: Tensor, loss: bool = False, **more: Value) -> Module:
    returns, method = ["loss" if loss else "logits"], "loss" if loss else "__call__"
    return Module(name, *model, [{"ids": ids} for ids in calls], returns=returns, method=method, **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one sentence, batches with and without padding, loss, gradients, and a square to name what crashes."""
    model = _model(sampler)
    yield _question("small", model, _sentences(sampler, 0, "xxx"))
    ids = _sentences(sampler, 0, "xxxxx", "xxxxx", "xxxxx")
    last, others = ids.clone(), ids.clone()
    last[0, -1] = next(i for i in range(1, VOCABULARY) if i not in ids[0])
    others[1:] = _sentences(sampler, 0, "xxxx.", "xx...")
    yield _question("plain", model, ids, last, others)
    pad_id = sampler.shuffled((3, 4, 5))[0]
    rows = sampler.shuffled(("..xxx", "xx.xx", "xxx..", "x.x.."))
    deep = _model(sampler, num_layers=2, num_heads=3, pad_id=pad_id)
    yield _question("anywhere", deep, _sentences(sampler, pad_id, *rows))
    # losses: sentences have different lengths, so that means over tokens, positions and sentences differ
    ids = _sentences(sampler, 0, "xxxxxx", "xxx...", "xxxxx.")
    yield _question("loss", model, ids, F.pad(ids, (0, 3)), loss=True)
    at_its_longest = {**model[0], "max_length": ids.size(1) - 1}, model[1]
    yield _question("longest", at_its_longest, ids, loss=True)
    other = _model(sampler, pad_id=pad_id)
    ids = _sentences(sampler, pad_id, "xxxx.", "xx...", "xxxxx")
    ids[0, 1:3] = torch.tensor([0, int(ids[0, 0])])  # 0 is the id of a real word, and one word occurs twice
    yield _question("another_pad", other, ids, loss=True)
    ids = _sentences(sampler, 0, "xxxxx", "xxx..", "xxxx.")
    yield _question("gradients", _model(sampler), ids, loss=True, upstream={"loss": torch.tensor(1.0)})
    yield _question("square", model, _sentences(sampler, 0, "xxxx", "xx.."))


LOGITS, LOSS = {"fields": ["calls/0/logits"], "words": "ids"}, {"fields": ["calls/0/loss"]}


CHECKS = (
    Check("equals_small", equals_reference, "small", "the logits of one sentence come out right", 0.5, LOGITS),
    Check("equals_plain", equals_reference, "plain", "the logits of batches come out right", 0.5, LOGITS, also=("square",)),
    Check("anywhere", equals_reference, "anywhere", "the logits of two layers come out right, with padding at both ends and in the middle", 0.5, LOGITS),
    Check("blind_to_the_future", unmoved, "plain", "another last token leaves the logits before it as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0, -2]}, needs="equals_plain"),
    Check("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's logits as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/2/logits", "index": [0]}, needs="equals_plain"),
    Check("loss", equals_reference, "loss", "the loss of a batch comes out right", 0.5, LOSS),
    Check("longest", equals_reference, "longest", "the loss of a sentence of `max_length` + 1 tokens comes out right: its last token is only a label", 0.25, LOSS),
    Check("another_pad", equals_reference, "another_pad", "the loss with another `pad_id`, where 0 is a word, comes out right", 0.25, LOSS),
    Check("padding_is_invisible", unmoved, "loss", "more padding on the right leaves the loss as it is", 0.25,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="loss"),
    Check("gradients", equals_reference, "gradients", "the gradient of every parameter is right", 0.5,
        {"fields": ["gradients"]}),
    Check("every_parameter_learns", every_gradient_flows, "gradients", "every parameter receives a gradient", 0.25,
        needs="loss"),
)  # fmt: skip


MASK = "decoder_mask(ids, self.pad_id).unsqueeze(1)"


BLOCKS = "self.blocks(self.embedding(ids), mask)"


READ = "self.readout(decoded)"


INPUTS = "inputs, labels = ids[:, :-1], ids[:, 1:]"


LOSS_OF = "teacher_forced_loss(self(inputs), labels, self.pad_id)"


MASK_SHOWN = f"`mask = {MASK}`, and `{BLOCKS}`."


SHIFT_SHOWN = f"`{INPUTS}`."


LOSS_SHOWN = f"`{LOSS_OF}`."


def _allows(question: Question) -> bool:
    """Return whether every sentence ends with a real token that isn't its first, which a loss needs."""
    pad_id = question.built_with.get("pad_id", 0)
    given = [call["ids"] for call in question.inputs]
    return all(ids.size(1) > 1 and bool((ids[:, -1] != pad_id).all()) for ids in given)


EXERCISE = Outline(
    minutes=15,
    checks=CHECKS,
    hints=(
        "Take the sentence `bos a b eos` on paper. For each position: what does it read, what may it see, and what should it predict?",
        "`forward`: mask, embedding, blocks, `readout`. `loss`: cut `ids` in two, read the one, compare with the other. Which of these steps is missing?",
        f"{MASK_SHOWN} `{READ}`. {SHIFT_SHOWN} {LOSS_SHOWN}",
    ),
    ask=ask,
    allows=_allows,
    write=("forward", "loss"),
    builds_on=("causal_mask", "decoder_mask"),
)
