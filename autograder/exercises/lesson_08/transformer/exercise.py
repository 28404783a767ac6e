"""Exercise `transformer`: encode, decode, and both at once, with masks, positions, and a tied output layer.

The constructor is given. Students write the three methods. Lesson 10 calls two of them separately.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import Outline
from autograder.exercises.lesson_08.weights import weights_of
from autograder.exercises.sampler import Sampler
from course_lib.checking.exercise import Check
from course_lib.checking.questions import Module, Question
from course_lib.checking.rules import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.transformer import Transformer

SIZES: dict[str, Any] = {"d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 7, "max_length": 9, "dropout": 0.0}


#: more source words than target words, so that looking up a target word in the source vocabulary doesn't fail
VOCABULARIES = (13, 11)


#: the gradients that are checked: those of both tables, the encoder, and the decoder's cross-attention
LEARNED = (
    "source_embedding.token_embedding.weight",
    "target_embedding.token_embedding.weight",
    "encoder.layers.0.feed_forward.w_1.weight",
    "decoder.layers.0.cross_attention.w_v.weight",
)


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: dict[str, Value],
    norm_first: bool = True,
    pad_id: int = 0,
    sizes: dict[str, Any] = SIZES,
    returns: tuple[str, ...] = ("logits",),
    **more: Value,
) -> Question:
    words = [weights[f"{side}_embedding.token_embedding.weight"].size(0) for side in ("source", "target")]
    build = {"source_vocab_size": words[0], "target_vocab_size": words[1], **sizes}
    build |= {"norm_first": norm_first, "pad_id": pad_id}
    return Module(name, build, weights, calls, returns=returns, with_shapes=False, **more)


def _sentences(sampler: Sampler, words: int, lengths: list[int], pad_id: int = 0) -> Tensor:
    """Return a sentence of each length, as rows that are padded at the end."""
    real = [i for i in range(words) if i != pad_id]
    rows = [sampler.shuffled(real)[:length] for length in lengths]
    return torch.tensor([row + [pad_id] * (max(lengths) - len(row)) for row in rows])  # (B, T)


def ask(sampler: Sampler) -> Iterator[Question]:
    """Ask about one sentence, padding, post-norm, each method by itself, gradients, and a square to name what crashes.

    The first token of a sentence is never a pad, so every query has something to attend to.
    """
    weights = weights_of(sampler, Transformer(*VOCABULARIES, **SIZES))
    of_source, of_target = VOCABULARIES
    t, s = sampler.shuffled(((4, 5), (5, 4)))[0]
    one = {"source": _sentences(sampler, of_source, [s]), "target": _sentences(sampler, of_target, [t])}
    yield _question("one_sentence", weights, one)
    batch = {
        "source": _sentences(sampler, of_source, [s, *sampler.shuffled(range(2, s))[:2]]),
        "target": _sentences(sampler, of_target, [t, *sampler.shuffled(range(2, t))[:2]]),
    }
    later, others = batch["target"].clone(), {}
    later[0, -1] = later[0, 0]
    for side, words in (("source", of_source), ("target", of_target)):
        others[side] = torch.cat([batch[side][:1], _sentences(sampler, words, [batch[side].size(1)] * 2)])
    yield _question("padded", weights, batch, {**batch, "target": later}, others)
    post = {name: w for name, w in weights.items() if not name.startswith(("encoder.norm", "decoder.norm"))}
    yield _question("post", post, batch, norm_first=False)
    pad_id = 3
    middle = {
        "source": _sentences(sampler, of_source, [s, s, s], pad_id),
        "target": _sentences(sampler, of_target, [t, t, t], pad_id),
    }
    for ids in middle.values():
        ids[0, 1] = ids[1, 2] = pad_id
    yield _question("pads_in_the_middle", weights, middle, pad_id=pad_id)
    encoded = {"source": middle["source"]}
    yield _question("encode", weights, encoded, pad_id=pad_id, method="encode", returns=("memory", "memory_mask"))
    memory = {"memory": sampler.tensor(3, s, 6), "memory_mask": (batch["source"] != 0)[:, None, None]}
    yield _question("decode", weights, {"target": batch["target"], **memory}, method="decode")
    sizes = {**SIZES, "d_model": 4, "num_heads": 1, "num_layers": 1, "d_ff": 3}
    small = weights_of(sampler, Transformer(7, 6, **sizes))
    few = {"source": _sentences(sampler, 7, [4, 3]), "target": _sentences(sampler, 6, [3, 2])}
    upstream = {"logits": sampler.tensor(2, 3, 6) * (few["target"] != 0).unsqueeze(-1)}  # nobody uses those of padding
    yield _question("gradients", small, few, sizes=sizes, upstream=upstream, learned=LEARNED)
    # equal numbers of sentences and heads, of source and target tokens, and of words in both languages
    tables = {
        f"{side}_embedding.token_embedding.weight": sampler.tensor(9, 6, scale=0.4) for side in ("source", "target")
    }
    square = {"source": _sentences(sampler, 9, [3, 4]), "target": _sentences(sampler, 9, [4, 2])}
    yield _question("square", weights | tables, square)


LOGITS = {"fields": ["calls/0/logits"], "words": "target"}


CHECKS = (
    Check("one_sentence", equals_reference, "one_sentence", "one sentence without padding comes out right", 1.0, LOGITS),
    Check("padded", equals_reference, "padded", "padded batches come out right", 1.5, LOGITS, also=("square",)),
    Check("post", equals_reference, "post", "post-norm comes out right", 0.5, LOGITS),
    Check("pads_in_the_middle", equals_reference, "pads_in_the_middle", "pads in the middle of both sentences, of another `pad_id`, come out right: nobody sees them", 0.75, LOGITS),
    Check("encode", equals_reference, "encode", "`encode` returns the right memory, and the right mask of it, (B, 1, 1, S)", 0.5,
        {"fields": ["calls/0/memory", "calls/0/memory_mask"], "words": "source"}),
    Check("decode", equals_reference, "decode", "`decode` alone comes out right, over a given memory", 0.5, LOGITS),
    Check("gradients", equals_reference, "gradients", "the gradients come out right: the target's table is used twice", 0.75,
        {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Check("no_future", unmoved, "padded", "another last target token leaves the logits before it as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [None, 0]}, needs="padded"),
    Check("sentences_apart", unmoved, "padded", "other sentences in the batch leave the first one's logits as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/2/logits", "index": [0]}, needs="padded"),
)  # fmt: skip


MEMORY_MASK = "padding_mask(source, self.pad_id).unsqueeze(1)"


READ = "self.source_embedding(source)"


MEMORY = f"self.encoder({READ}, memory_mask)"


MASK = "decoder_mask(target, self.pad_id).unsqueeze(1)"


WRITTEN = "self.target_embedding(target)"


DECODED = f"self.decoder({WRITTEN}, memory, mask, memory_mask)"


TABLE = "self.target_embedding.token_embedding.weight"


PRODUCT = f"decoded @ {TABLE}.T"


EXERCISE = Outline(
    minutes=20,
    checks=CHECKS,
    hints=(
        "Three methods, two or three lines each. What does each return, and in what shape?",
        "Two embeddings, two stacks, two masks and one table used twice: go through the constructor and tick off what your methods use.",
        f"`memory_mask = {MEMORY_MASK}`, `memory = {MEMORY}`; `mask = {MASK}`, `decoded = {DECODED}`, `logits = {PRODUCT}`.",
    ),
    ask=ask,
    write=("encode", "decode", "forward"),
    builds_on=("decoder_layer", "decoder"),
)
