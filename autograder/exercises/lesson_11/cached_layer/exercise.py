"""Exercise `cached_layer`: a decoder layer that keeps keys and values, and reads each token once.

A step's output does not show whether keys and values were cached or computed again. So in one question, the layer's
weights change between two steps, which doesn't affect cached values.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_11.modules import layer_weights
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Question, StepByStep
from course_lib.checking.rules import equals_reference
from course_lib.checking.values import Value


def _translation(
    sampler: Sampler, batch: int, steps: int, memory: int, d_model: int, masked: bool = False
) -> dict[str, Value]:
    mask = torch.ones(batch, 1, 1, memory, dtype=torch.bool)
    if masked:  # sentences of different lengths, none of them empty
        for row in range(batch):
            mask[row, :, :, memory - row :] = False
    return {
        "memory": sampler.tensor(batch, memory, d_model),
        "memory_mask": mask,
        "tokens": sampler.tensor(batch, steps, d_model),
    }


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    num_heads: int = 2,
    norm_first: bool = True,
    **more: Value,
) -> Question:
    d_ff, d_model = weights["feed_forward.w_1.weight"].shape
    build = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff, "dropout": 0.0, "norm_first": norm_first}
    return StepByStep(name, build, weights, calls, over="DecoderLayer", returns=["outputs"], **more)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one to many tokens, padding, post-norm, changing weights, two translations, and a cube for crashes.

    There are many answers, so widths of 4 and 6 keep them small.
    """
    small, weights = layer_weights(sampler, 4, 3), layer_weights(sampler, 6, 5)
    yield _question("first_token", small, _translation(sampler, 1, 1, 2, 4))
    yield _question("two_tokens", small, _translation(sampler, 1, 2, 3, 4))
    batch, steps, memory = sampler.shuffled((3, 4, 5))
    yield _question("plain", weights, _translation(sampler, batch, steps, memory, 6), num_heads=3)
    yield _question("padded", weights, _translation(sampler, 3, 4, 4, 6, masked=True))  # as many tokens as memory
    yield _question("post_norm", weights, _translation(sampler, 2, 3, 4, 6), norm_first=False)
    changed = {name: weight for name, weight in layer_weights(sampler, 6, 5).items() if "attention.w_" in name}
    yield _question("kept", weights, _translation(sampler, 2, 4, 3, 6), changed=changed, change_at=2)
    yield _question("again", weights, _translation(sampler, 2, 3, 4, 6), _translation(sampler, 2, 2, 5, 6))
    yield _question("cube", weights, _translation(sampler, 2, 2, 2, 6))


def _outputs(call: int = 0) -> dict[str, list[str]]:
    return {"fields": [f"calls/{call}/outputs"]}


CHECKS = (
    Check("first_token", equals_reference, "first_token", "the first token comes out right", 0.5, _outputs()),
    Check("two_tokens", equals_reference, "two_tokens", "the second token, which attends to the first, comes out right", 0.25, _outputs()),
    Check("equals_plain", equals_reference, "plain", "in batches, every step comes out right, as in the whole layer", 0.5, _outputs(), also=("cube",)),
    Check("padded", equals_reference, "padded", "a padded memory comes out right: `memory_mask` hides the padding", 0.25, _outputs()),
    Check("post_norm", equals_reference, "post_norm", "a post-norm layer comes out right", 0.25, _outputs()),
    Check("kept", equals_reference, "kept", "when the layer's weights change on the way, every step is right: earlier keys and values are kept", 1.0, _outputs()),
    Check("again", equals_reference, "again", "a second translation comes out right", 0.25, _outputs(1)),
)  # fmt: skip


EXERCISE = Outline(
    minutes=30,
    checks=CHECKS,
    hints=(
        "Take a layer, three tokens, and look at `MultiHeadAttention.forward`. Which of its lines compute, for the third token, what they computed for the second?",
        "`__init__`: keys and values of the memory by `cross_attention`'s layers; none of what is written. `attend_to_written`: query, key and value of the one new token; append key and value; attend to all. "
        "`attend_to_memory`: only a query is new.",
        "`self.keys = torch.cat([self.keys, key], dim=2)`, the values likewise; then `scaled_dot_product_attention(query, self.keys, self.values)`, `merge_heads`, `w_o`. No causal mask is needed: the future is not there yet.",
    ),
    ask=ask,
    write=("__init__", "attend_to_written", "attend_to_memory"),
)
