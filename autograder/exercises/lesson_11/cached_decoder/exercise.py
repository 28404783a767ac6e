"""Exercise `cached_decoder`: a Transformer's decoder that reads one token at a time."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_11.modules import decoder_weights
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, StepByStep
from course_lib.checking.rules import equals_reference, unmoved
from course_lib.checking.values import Value

#: the width, and the vocabulary
D_MODEL, VOCAB = 6, 8


def _translation(sampler: Sampler, batch: int, steps: int, memory: int, masked: bool = False) -> dict[str, Value]:
    mask = torch.ones(batch, 1, 1, memory, dtype=torch.bool)
    if masked:  # sentences of different lengths, none of them empty
        for row in range(batch):
            mask[row, :, :, memory - row :] = False
    tokens = torch.tensor([[1, *sampler.shuffled(range(3, VOCAB))[: steps - 1]] for _ in range(batch)])
    return {"memory": sampler.tensor(batch, memory, D_MODEL), "memory_mask": mask, "tokens": tokens}


def _question(
    name: str,
    weights: dict[str, Tensor],
    num_layers: int,
    *calls: dict[str, Value],
    norm_first: bool = True,
    **more: Value,
) -> Question:
    build = {
        "source_vocab_size": 1, "target_vocab_size": VOCAB, "d_model": D_MODEL, "num_heads": 2, "num_layers": num_layers,
        "d_ff": 5, "max_length": 40, "dropout": 0.0, "norm_first": norm_first,
    }  # fmt: skip
    return StepByStep(name, build, weights, calls, over="Transformer", returns=["logits"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one token, one and two layers, padding, post-norm, changing weights, two translations, early ends."""
    one, two = (decoder_weights(sampler, number, VOCAB, D_MODEL, 5) for number in (1, 2))
    yield _question("first_token", one, 1, _translation(sampler, 1, 1, 2))
    yield _question("one_layer", one, 1, _translation(sampler, 2, 3, 4))
    batch, steps, memory = sampler.shuffled((3, 4, 5))
    yield _question("plain", two, 2, _translation(sampler, batch, steps, memory))
    yield _question("padded", two, 2, _translation(sampler, 3, 2, 4, masked=True))
    yield _question("post_norm", two, 2, _translation(sampler, 2, 3, 4), norm_first=False)
    changed = {name: weight for name, weight in decoder_weights(sampler, 2, VOCAB, D_MODEL, 5).items() if ".w_" in name}
    yield _question("kept", two, 2, _translation(sampler, 2, 4, 3), changed=changed, change_at=2)
    yield _question("again", two, 2, _translation(sampler, 2, 3, 4), _translation(sampler, 2, 2, 5))
    going_on = _translation(sampler, 2, 4, 3)
    ended = going_on | {"tokens": going_on["tokens"].clone()}
    ended["tokens"][1, 2:] = 0  # the second sentence has ended, but the first continues
    yield _question("ended", two, 2, going_on, ended)


def _logits(call: int = 0) -> dict[str, list[str]]:
    return {"fields": [f"calls/{call}/logits"]}


CHECKS = (
    Check("first_token", equals_reference, "first_token", "with one layer, the logits after `bos_id` come out right", 0.25, _logits()),
    Check("one_layer", equals_reference, "one_layer", "with one layer, every step comes out right, as in the full forward", 0.375, _logits()),
    Check("equals_plain", equals_reference, "plain", "with two layers, every step comes out right, as in the full forward", 0.375, _logits()),
    Check("padded", equals_reference, "padded", "a padded memory comes out right: `memory_mask` hides the padding", 0.25, _logits()),
    Check("post_norm", equals_reference, "post_norm", "a post-norm model comes out right", 0.125, _logits()),
    Check("kept", equals_reference, "kept", "when weights change on the way, every step is right: earlier tokens are not read again", 0.375, _logits()),
    Check("again", equals_reference, "again", "a second translation comes out right: it begins at position 0", 0.125, _logits(1)),
    Check("ended", unmoved, "ended", "a sentence that goes on does not notice that another has ended", 0.125,
        {"before": "calls/0/logits/3", "after": "calls/1/logits/3", "index": [0]}, needs="one_layer"),
)  # fmt: skip


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Follow one token through `Transformer.decode`: embedding, layers, last normalisation, output. Which of these needs to know how many came before?",
        "`__init__`: a `CachedLayer` for each layer, and a count. `step`: look the word up, times √D, plus the position at the count; through every layer; normalise; times the embedding's table.",
        "`x = words * math.sqrt(D) + embedding.positions[self.length]` of shape (B, 1, D); `for layer in self.layers: x = layer.step(x)`; "
        "`self.model.decoder.norm(x).squeeze(1) @ embedding.token_embedding.weight.T`.",
    ),
    ask=ask,
    write=("__init__", "step"),
    builds_on=("cached_layer",),
)
