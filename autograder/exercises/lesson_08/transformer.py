"""Exercise `transformer`: encode, decode, and both at once; masks, positions, and an output layer that is tied.

The constructor is given. What is written are the three methods, of which lesson 10 calls two by themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.decoder_mask import decoder_mask
from course_lib.components.padding_mask import padding_mask
from course_lib.components.transformer import Transformer

SIZES: dict[str, Any] = {"d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 7, "max_length": 9, "dropout": 0.0}
#: more source words than target words: whoever looks a target word up among the source's finds one
VOCABULARIES = (13, 11)
#: whose gradients are looked at: both tables, the encoder, and what of the decoder looks at it
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
    given = {
        "build": build,
        "weights": weights,
        "calls": list(calls),
        "returns": list(returns),
        "with_shapes": False,
        **more,
    }
    return Question(name, probes.module, given)


def _sentences(draw: Draw, words: int, lengths: list[int], pad_id: int = 0) -> Tensor:
    """A sentence of each length, one below the other, padded at the end."""
    real = [i for i in range(words) if i != pad_id]
    rows = [draw.shuffled(real)[:length] for length in lengths]
    return torch.tensor([row + [pad_id] * (max(lengths) - len(row)) for row in rows])  # (B, T)


def ask(draw: Draw) -> Iterator[Question]:
    """One sentence, a padded batch, post-norm, pads in the middle, each method by itself, gradients; and a square, to name what crashes.

    The first token of a sentence is never a pad: every query has something to look at.
    """
    weights = weights_of(draw, Transformer(*VOCABULARIES, **SIZES))
    of_source, of_target = VOCABULARIES
    t, s = draw.shuffled(((4, 5), (5, 4)))[0]
    one = {"source": _sentences(draw, of_source, [s]), "target": _sentences(draw, of_target, [t])}
    yield _question("one_sentence", weights, one)
    batch = {
        "source": _sentences(draw, of_source, [s, *draw.shuffled(range(2, s))[:2]]),
        "target": _sentences(draw, of_target, [t, *draw.shuffled(range(2, t))[:2]]),
    }
    later, others = batch["target"].clone(), {}
    later[0, -1] = later[0, 0]
    for side, words in (("source", of_source), ("target", of_target)):
        others[side] = torch.cat([batch[side][:1], _sentences(draw, words, [batch[side].size(1)] * 2)])
    yield _question("padded", weights, batch, {**batch, "target": later}, others)
    post = {name: w for name, w in weights.items() if not name.startswith(("encoder.norm", "decoder.norm"))}
    yield _question("post", post, batch, norm_first=False)
    pad_id = 3
    middle = {
        "source": _sentences(draw, of_source, [s, s, s], pad_id),
        "target": _sentences(draw, of_target, [t, t, t], pad_id),
    }
    for ids in middle.values():
        ids[0, 1] = ids[1, 2] = pad_id
    yield _question("pads_in_the_middle", weights, middle, pad_id=pad_id)
    yield _question("encode", weights, {"source": batch["source"]}, method="encode", returns=("memory", "memory_mask"))
    memory = {"memory": draw.tensor(3, s, 6), "memory_mask": (batch["source"] != 0)[:, None, None]}
    yield _question("decode", weights, {"target": batch["target"], **memory}, method="decode")
    sizes = {**SIZES, "d_model": 4, "num_heads": 1, "num_layers": 1, "d_ff": 3}
    small = weights_of(draw, Transformer(7, 6, **sizes))
    few = {"source": _sentences(draw, 7, [4, 3]), "target": _sentences(draw, 6, [3, 2])}
    upstream = {"logits": draw.tensor(2, 3, 6)}
    yield _question("gradients", small, few, sizes=sizes, upstream=upstream, learned=list(LEARNED))
    # as many sentences as heads, as many source tokens as target tokens, as many words in both languages
    tables = {f"{side}_embedding.token_embedding.weight": draw.tensor(9, 6, scale=0.4) for side in ("source", "target")}
    square = {"source": _sentences(draw, 9, [3, 4]), "target": _sentences(draw, 9, [4, 2])}
    yield _question("square", weights | tables, square)


LOGITS = {"fields": ["calls/0/logits"]}

LAWS = (
    Law("one_sentence", equals_reference, "one_sentence", "one sentence, nothing padded, comes out right", 1.0, LOGITS, also=("square",)),
    Law("padded", equals_reference, "padded", "a padded batch comes out right", 1.5, LOGITS),
    Law("post", equals_reference, "post", "post-norm comes out right", 0.5, LOGITS),
    Law("pads_in_the_middle", equals_reference, "pads_in_the_middle", "pads in the middle of both sentences, of another `pad_id`, are seen by nobody", 0.75, LOGITS),
    Law("encode", equals_reference, "encode", "`encode` returns the memory, and which of it is real, (B, 1, 1, S)", 0.5,
        {"fields": ["calls/0/memory", "calls/0/memory_mask"]}),
    Law("decode", equals_reference, "decode", "`decode` alone, over a memory that it is given, comes out right", 0.5, LOGITS),
    Law("gradients", equals_reference, "gradients", "the gradients come out right: the target's table hears from both its ends", 0.75,
        {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Law("no_future", unmoved, "padded", "another last target token leaves the logits before it as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [None, 0]}, needs="padded"),
    Law("sentences_apart", unmoved, "padded", "other sentences in the batch leave the first one's logits as they are", 0.25,
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
ENCODE = "memory, memory_mask = self.encode(source)"
DECODE = "return self.decode(target, memory, memory_mask)"
CAUSAL = "torch.ones(target.size(1), target.size(1), dtype=torch.bool).tril()"

MISTAKES = (
    # the masks
    mistake(
        "source_padding_seen_by_the_encoder",
        "Your encoder gets no mask: the words of the source look at its padding.",
        (
            "Pad a source sentence with two more pads. Do the logits change?",
            "There are three places where padding of a sentence could be looked at. Which of them has no mask?",
            f"`memory = {MEMORY}`.",
        ),
        (MEMORY, f"self.encoder({READ})"),
        group="source",
    ),
    mistake(
        "source_padding_seen_by_the_decoder",
        "Your decoder gets no mask of the memory: while it writes, it looks at the source's padding.",
        (
            "Pad a source sentence with two more pads. Do the logits change?",
            "There are three places where padding of a sentence could be looked at. Which of them has no mask?",
            f"`{DECODED}`.",
        ),
        (DECODED, f"self.decoder({WRITTEN}, memory, mask)"),
        group="target",
    ),
    mistake(
        "future_seen",
        "Your decoder sees the words that are still to be written: its mask hides padding, and not the future.",
        (
            "Change the last target token. Do the logits before it move?",
            "A decoder's mask has two parts. Which is missing?",
            f"`mask = {MASK}`: earlier *and* real.",
        ),
        (MASK, "padding_mask(target, self.pad_id).unsqueeze(1)"),
        group="target",
    ),
    mistake(
        "target_padding_seen",
        "Your decoder's mask hides the future, and not the padding of the target. At the end of a sentence nobody notices; in the middle, or at the start, a pad is looked at like a word.",
        (
            "Put a pad in the middle of a target sentence, and change the row of the pad in the table. What moves?",
            "A decoder's mask has two parts. Which is missing?",
            f"`mask = {MASK}`: earlier *and* real.",
        ),
        (MASK, CAUSAL),
        group="target",
    ),
    mistake(
        "decoder_unmasked",
        "Your decoder gets no mask for what is written: it sees the future, and padding.",
        (
            "Change the last target token. Do the logits before it move?",
            "Compare your call of the decoder with `forward(x, memory, mask, memory_mask)`.",
            f"`mask = {MASK}`, and `{DECODED}`.",
        ),
        (DECODED, f"self.decoder({WRITTEN}, memory, None, memory_mask)"),
        group="target",
    ),
    mistake(
        "masks_exchanged",
        "You hand your decoder its two masks in the wrong order. It fits only where both sentences are of one length.",
        (
            "Which comes first in the decoder's signature: the mask of the target, or of the memory?",
            "Compare your call with `forward(x, memory, mask, memory_mask)`.",
            f"`{DECODED}`.",
        ),
        (DECODED, DECODED.replace("mask, memory_mask", "memory_mask, mask")),
        group="target",
    ),
    mistake(
        "encoder_sees_earlier_words_only",
        "Your encoder gets a causal mask: a word of the source knows nothing of those after it. The source is there in full, and may be read in full.",
        (
            "Change the last source token. Does the memory of the first one move? Should it?",
            "Where in `encode` do you mask the future?",
            f"`memory = {MEMORY}`: the mask of padding, and no other.",
        ),
        (MEMORY, f"self.encoder({READ}, decoder_mask(source, self.pad_id).unsqueeze(1))"),
        group="source",
    ),
    mistake(
        "masks_inverted",
        "You turn the masks round: True = blocked, as `nn.Transformer` has it. Here True means *may attend*.",
        (
            "Where the mask is True, may a token be seen? And in your model?",
            "Is there a `~`, a `logical_not` or an `==` where a `!=` should be?",
            f"`memory_mask = {MEMORY_MASK}` and `mask = {MASK}`, as they come.",
        ),
        (MEMORY_MASK, f"~{MEMORY_MASK}"),
        (MASK, f"~{MASK}"),
        group=ALONE,
    ),
    mistake(
        "source_mask_inverted",
        "You turn the source's mask round: your encoder and your decoder look at the padding, and at nothing else.",
        (
            "For a sentence without padding: how many True has your mask?",
            "Is there an `==` where a `!=` should be?",
            f"`memory_mask = {MEMORY_MASK}`.",
        ),
        (MEMORY_MASK, f"~{MEMORY_MASK}"),
        group="source",
    ),
    mistake(
        "pad_id_assumed_to_be_0",
        "You take padding to be the token 0. It is `self.pad_id`, whatever that is.",
        (
            "Build a model with `pad_id=3`. Which tokens does it hide?",
            "Where do you use `self.pad_id`?",
            f"`{MEMORY_MASK}` and `{MASK}`.",
        ),
        (MEMORY_MASK, MEMORY_MASK.replace("self.pad_id", "0")),
        (MASK, MASK.replace("self.pad_id", "0")),
        group=ALONE,
    ),
    mistake(
        "axis_for_heads_missing_in_the_target_s_mask",
        "The mask of your target, (B, T, T), has no axis for the heads: lined up from the right, the batch meets the heads. It stops; or, with as many sentences as heads, it hides the wrong sentence's padding; only a single sentence comes out right.",
        (
            "Which shape have the scores, and which your mask of the target? Line them up from the right.",
            "`decoder_mask` knows nothing of heads. Who adds their axis?",
            f"`mask = {MASK}`.",
        ),
        (MASK, MASK.removesuffix(".unsqueeze(1)")),
        group=ALONE,
    ),
    mistake(
        "axis_for_heads_missing",
        "Your masks have no axis for the heads: (B, 1, S) and (B, T, T) are lined up from the right, and the batch meets the heads. It stops; or, with as many sentences as heads, it hides the wrong sentence's padding; only a single sentence comes out right.",
        (
            "Which shape have the scores, and which your masks? Line them up from the right.",
            "`padding_mask` and `decoder_mask` know nothing of heads. Who adds their axis?",
            f"`{MEMORY_MASK}` and `{MASK}`.",
        ),
        (MEMORY_MASK, MEMORY_MASK.removesuffix(".unsqueeze(1)")),
        (MASK, MASK.removesuffix(".unsqueeze(1)")),
        group=ALONE,
    ),
    # what goes in
    mistake(
        "target_positions_left_out",
        "You embed the target without positions: its words are looked up and scaled, and none knows where it stands.",
        (
            "Write one word twice. Do its two vectors differ when they enter the decoder?",
            "`self.target_embedding` is a layer that does three things. Do you call it, or reach into it?",
            f"`{WRITTEN}`.",
        ),
        (WRITTEN, "self.target_embedding.token_embedding(target) * self.target_embedding.token_embedding.embedding_dim**0.5"),
        group=ALONE,
    ),
    mistake(
        "target_not_scaled",
        "You add the target's positions to words that nothing has multiplied by √d_model: the positions drown them. The table is drawn small, because it also writes.",
        (
            "How large are the numbers of the target's table, and how large those of the positions?",
            "`self.target_embedding` is a layer that does three things. Do you call it, or reach into it?",
            f"`{WRITTEN}`.",
        ),
        (WRITTEN, "self.target_embedding.token_embedding(target) + self.target_embedding.positions[: target.size(1)]"),
        group=ALONE,
    ),
    mistake(
        "source_positions_left_out",
        "You embed the source without positions: the encoder reads a heap of words.",
        (
            "Read a sentence backwards. Does the memory change, but for its order?",
            "`self.source_embedding` is a layer that does three things. Do you call it, or reach into it?",
            f"`{READ}`.",
        ),
        (READ, "(self.source_embedding.token_embedding(source) * self.source_embedding.token_embedding.embedding_dim**0.5)"),
        group=ALONE,
    ),
    mistake(
        "target_read_with_the_source_s_table",
        "You embed the target with the source's table: the number 7 is a word in each language, and not the same.",
        (
            "Which rows of the target's table receive a gradient from what is read?",
            "Read the name of the embedding in `decode`.",
            f"`{WRITTEN}`.",
        ),
        (WRITTEN, "self.source_embedding(target)"),
        group=ALONE,
    ),
    mistake(
        "source_read_with_the_target_s_table",
        "You embed the source with the target's table. It stops at the first number that the target does not have.",
        (
            "Which rows of the source's table receive a gradient?",
            "Read the name of the embedding in `encode`.",
            f"`{READ}`.",
        ),
        (READ, "self.target_embedding(source)"),
        group=ALONE,
    ),
    mistake(
        "source_and_target_exchanged",
        "You encode the target and write the source.",
        (
            "How many words has the vocabulary that your logits are about?",
            "Compare the two calls in `forward` with their signatures.",
            f"`{ENCODE}`, then `{DECODE}`.",
        ),
        (ENCODE, ENCODE.replace("source", "target")),
        (DECODE, DECODE.replace("target,", "source,")),
        group=ALONE,
    ),
    mistake(
        "target_shifted",
        "You leave out the last target token before you decode. The shift belongs to training (lesson 09); a model that is handed T tokens returns T rows.",
        (
            "How many rows have your logits?",
            "Where do you cut the target?",
            f"`{DECODE}`, with the target as it comes.",
        ),
        (DECODE, DECODE.replace("target,", "target[:, :-1],")),
        group=ALONE,
    ),
    # the memory
    mistake(
        "encoder_left_out",
        "Your memory is the embedded source: the encoder is never called.",
        (
            "Which parts of your model receive no gradient?",
            "`self.encoder` stands in the constructor. Where in `encode`?",
            f"`memory = {MEMORY}`.",
        ),
        (MEMORY, READ),
        group="source",
    ),
    mistake(
        "memory_of_the_first_layer",
        "Your memory is what the first encoder layer returns. The decoder is to look at the last one's output, after the encoder's normalisation.",
        (
            "Which of the encoder's layers receive a gradient?",
            "Do you call the encoder, or one of its layers?",
            f"`memory = {MEMORY}`.",
        ),
        (MEMORY, f"self.encoder.layers[0]({READ}, memory_mask)"),
        group="source",
    ),
    mistake(
        "encoder_layer_of_the_same_depth",
        "Your decoder's layers look at the encoder's layer of the same depth. One lecture's formula can be read like that; every decoder layer looks at the encoder's *last* output.",
        (
            "What does your first decoder layer look at: something that has been through one encoder layer, or through all?",
            "Do you go through both stacks in one loop?",
            f"`{ENCODE}` first, all of it; then `{DECODE}`.",
        ),
        (
            ENCODE,
            f"memory_mask = {MEMORY_MASK}\n"
            f"        mask = {MASK}\n"
            f"        memory, x = {READ}, {WRITTEN}\n"
            "        for below, layer in zip(self.encoder.layers, self.decoder.layers, strict=True):\n"
            "            memory = below(memory, memory_mask)\n"
            "            x = layer(x, memory, mask, memory_mask)",
        ),
        (DECODE, f"return self.decoder.norm(x) @ {TABLE}.T"),
        group=ALONE,
    ),
    mistake(
        "memory_and_target_exchanged",
        "You hand your decoder the memory as what is written, and the target as memory. It fits only where both sentences are of one length.",
        (
            "Which comes first in the decoder's signature: the target, or the memory?",
            "Compare your call with `forward(x, memory, mask, memory_mask)`.",
            f"`{DECODED}`.",
        ),
        (DECODED, f"self.decoder(memory, {WRITTEN}, mask, memory_mask)"),
        group="target",
    ),
    mistake(
        "memory_detached",
        "Your numbers are right, but the memory is cut out of the graph: the encoder never learns.",
        (
            "Which parts of your model receive no gradient?",
            "Do you use `detach`, `.data` or `torch.no_grad` on the way from `encode` to `decode`?",
            f"`{ENCODE}`, then `{DECODE}`.",
        ),
        (DECODE, DECODE.replace("memory,", "memory.detach(),")),
        group=ALONE,
    ),
    # the output layer
    mistake(
        "tied_to_the_source_s_table",
        "Your logits are about source words: you multiply by the source's table. The model is to write in the target's language.",
        (
            "How many columns have your logits, and how many words has the target's vocabulary?",
            "Read the name of the embedding in your last line of `decode`.",
            f"`logits = {PRODUCT}`.",
        ),
        (PRODUCT, PRODUCT.replace("target", "source")),
        group=ALONE,
    ),
    mistake(
        "logits_scaled_up",
        "You multiply by √d_model when you write, as the embedding does when it reads. The table is drawn with a spread of 1/√d_model, so that the logits have the right size without.",
        (
            "How large are the logits of a new model? With a spread of 1, each word has a fair chance.",
            "Where in your last lines is a square root?",
            f"`logits = {PRODUCT}`, and nothing more.",
        ),
        (PRODUCT, f"{PRODUCT} * decoded.size(-1) ** 0.5"),
        group=ALONE,
    ),
    mistake(
        "logits_scaled_down",
        "You divide the logits by √d_model, as attention does with its scores. The table is drawn with a spread of 1/√d_model already.",
        (
            "How large are the logits of a new model? With a spread of 1, each word has a fair chance.",
            "Where in your last lines is a square root?",
            f"`logits = {PRODUCT}`, and nothing more.",
        ),
        (PRODUCT, f"{PRODUCT} / decoded.size(-1) ** 0.5"),
        group=ALONE,
    ),
    mistake(
        "probabilities_returned",
        "You return probabilities: a softmax stands behind your logits. The loss has one of its own.",
        (
            "What do the numbers of one row of yours sum to?",
            "What stands between the product and your `return`?",
            f"`logits = {PRODUCT}`, as they are.",
        ),
        (PRODUCT, f"torch.softmax({PRODUCT}, dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "log_probabilities_returned",
        "You return logarithms of probabilities: a log-softmax stands behind your logits. The loss has one of its own.",
        (
            "Take the exponentials of one row of yours. What do they sum to?",
            "What stands between the product and your `return`?",
            f"`logits = {PRODUCT}`, as they are.",
        ),
        (PRODUCT, f"torch.log_softmax({PRODUCT}, dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "output_table_detached",
        "Your numbers are right, but the table that writes is cut out of the graph: it is trained by what it reads, and never by what it writes.",
        (
            "Does a word that occurs in no target receive a gradient?",
            "Do you use `detach` or `.data` on the table?",
            f"`logits = {PRODUCT}`.",
        ),
        (PRODUCT, PRODUCT.replace(".weight.T", ".weight.detach().T")),
        group=ALONE,
    ),
    mistake(
        "only_the_last_place",
        "You return the logits of the last place alone. In training every place is asked what comes next.",
        (
            "How many axes have your logits?",
            "Where do you index with `[:, -1]`?",
            f"`logits = {PRODUCT}`, of every place.",
        ),
        (PRODUCT, f"({PRODUCT})[:, -1]"),
        group=ALONE,
    ),
    mistake(
        "words_before_places",
        "You return (B, V, T): the words in front of the places, as `F.cross_entropy` likes it. Asked for is (B, T, V).",
        (
            "Which shape have your logits, and which does the docstring ask for?",
            "What do you transpose at the end?",
            f"`logits = {PRODUCT}`, as they are.",
        ),
        (PRODUCT, f"({PRODUCT}).transpose(1, 2)"),
        group=ALONE,
    ),
    mistake(
        "decoder_s_last_norm_left_out",
        "You go through the decoder's layers yourself, and leave out what stands behind them: its last normalisation.",
        (
            "Which parts of your model receive no gradient?",
            "Do you call the decoder, or its layers?",
            f"`decoded = {DECODED}`.",
        ),
        (
            f"decoded = {DECODED}",
            f"decoded = {WRITTEN}\n"
            "        for layer in self.decoder.layers:\n"
            "            decoded = layer(decoded, memory, mask, memory_mask)",
        ),
        group=ALONE,
    ),
)  # fmt: skip


class MasksByHand(Transformer):
    def encode(self, source):
        mask = (source != self.pad_id)[:, None, None, :]
        return self.encoder(self.source_embedding(source), mask=mask), mask

    def decode(self, target, memory, memory_mask):
        T = target.shape[1]
        mask = (target != self.pad_id)[:, None, None, :] & torch.tril(torch.ones(T, T)).bool()
        out = self.decoder(self.target_embedding(target), memory, mask=mask, memory_mask=memory_mask)
        return F.linear(out, self.target_embedding.token_embedding.weight)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


class AllInForward(Transformer):
    def encode(self, source):
        memory_mask = padding_mask(source, self.pad_id)[:, None]
        return self.encoder(self.source_embedding(source), memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        mask = decoder_mask(target, self.pad_id)[:, None]
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return torch.matmul(decoded, self.target_embedding.token_embedding.weight.t())

    def forward(self, source, target):
        memory_mask = padding_mask(source, self.pad_id)[:, None]
        memory = self.encoder(self.source_embedding(source), memory_mask)
        mask = decoder_mask(target, self.pad_id)[:, None]
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return x.matmul(self.target_embedding.token_embedding.weight.t())


class ByEinsum(Transformer):
    def encode(self, source):
        B, S = source.size()
        memory_mask = source.ne(self.pad_id).view(B, 1, 1, S)
        return self.encoder(self.source_embedding(source), memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        B, T = target.size()
        places = torch.arange(T)
        mask = target.ne(self.pad_id).view(B, 1, 1, T).logical_and(places[:, None] >= places[None, :])
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return torch.einsum("btd,vd->btv", x, self.target_embedding.token_embedding.weight)


class SentenceBySentence(Transformer):
    def encode(self, source):
        masks = padding_mask(source, self.pad_id).unsqueeze(1)
        rows = [
            self.encoder(self.source_embedding(row[None]), mask[None]) for row, mask in zip(source, masks, strict=True)
        ]
        return torch.cat(rows), masks

    def decode(self, target, memory, memory_mask):
        table = self.target_embedding.token_embedding.weight
        rows = []
        for ids, read, real in zip(target, memory, memory_mask, strict=True):
            mask = decoder_mask(ids[None], self.pad_id)
            x = self.decoder(self.target_embedding(ids[None]), read[None], mask, real[None])
            rows.append((x[:, :, None, :] * table).sum(dim=-1))
        return torch.cat(rows)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


class stub(Transformer):
    def encode(self, source):
        raise NotImplementedError

    def decode(self, target, memory, memory_mask):
        raise NotImplementedError

    def forward(self, source, target):
        raise NotImplementedError


class Zeros(Transformer):
    def encode(self, source):
        return torch.zeros(*source.shape, self.source_embedding.positions.size(1)), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return torch.zeros(*target.shape, self.target_embedding.token_embedding.weight.size(0))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


class WhatIsReadAgain(Transformer):
    def encode(self, source):
        return self.source_embedding(source), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return self.target_embedding(target) @ self.target_embedding.token_embedding.weight.T

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


class Noise(Transformer):
    def encode(self, source):
        return torch.rand(*source.shape, self.source_embedding.positions.size(1)), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return torch.rand(*target.shape, self.target_embedding.token_embedding.weight.size(0))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


TRANSFORMER = define(
    id="transformer",
    lesson="08_transformer",
    place=3,
    module="course_lib.components.transformer",
    symbol="Transformer",
    minutes=20,
    laws=LAWS,
    hints=(
        "Three methods, two or three lines each. What does each return, and of which shape?",
        "Two embeddings, two stacks, two masks and one table used twice: go through the constructor and tick off what your methods use.",
        f"`memory_mask = {MEMORY_MASK}`, `memory = {MEMORY}`; `mask = {MASK}`, `decoded = {DECODED}`, `logits = {PRODUCT}`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(MasksByHand, AllInForward, ByEinsum, SentenceBySentence),
    lazy=(stub, Zeros, WhatIsReadAgain, Noise),
    write=("encode", "decode", "forward"),
    builds_on=("decoder_layer", "decoder"),
    switches=("source", "target"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class ModelInSteps(Transformer):
    """Right; each second version below changes one method of it."""

    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


@TRANSFORMER.second_version("source_padding_seen_by_the_encoder")
class EncoderSeesPads(ModelInSteps):
    def read(self, source, real):
        return self.encoder(self.source_embedding(source), None)


@TRANSFORMER.second_version("source_padding_seen_by_the_decoder")
class DecoderSeesPads(ModelInSteps):
    def decode(self, target, memory, memory_mask):
        return super().decode(target, memory, torch.ones_like(memory_mask))


@TRANSFORMER.second_version("future_seen")
class SeesTheFuture(ModelInSteps):
    def earlier(self, length):
        return torch.tensor(True)


@TRANSFORMER.second_version("masks_inverted")
class PadsOnly(ModelInSteps):
    def real(self, ids):
        return (ids == self.pad_id)[:, None, None]

    def decode(self, target, memory, memory_mask):
        mask = ~(~self.real(target) & self.earlier(target.size(1)))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))


@TRANSFORMER.second_version("pad_id_assumed_to_be_0")
class ZeroIsPadding(ModelInSteps):
    def real(self, ids):
        return ids.bool()[:, None, None]


@TRANSFORMER.second_version("encoder_sees_earlier_words_only")
class CausalEncoder(ModelInSteps):
    def read(self, source, real):
        return super().read(source, real & self.earlier(source.size(1)))


@TRANSFORMER.second_version("target_positions_left_out")
class WithoutPlaces(ModelInSteps):
    def look_up(self, target):
        return self.target_embedding(target) - self.target_embedding.positions[: target.size(1)]


@TRANSFORMER.second_version("target_read_with_the_source_s_table")
class OneEmbeddingForBoth(ModelInSteps):
    def look_up(self, target):
        return self.source_embedding(target)


@TRANSFORMER.second_version("memory_of_the_first_layer")
class TheLowestLayer(ModelInSteps):
    def read(self, source, real):
        return next(iter(self.encoder.layers))(self.source_embedding(source), real)


@TRANSFORMER.second_version("logits_scaled_up")
class WrittenTimesTheRoot(ModelInSteps):
    def words(self, decoded):
        return super().words(decoded * math.sqrt(decoded.size(-1)))


@TRANSFORMER.second_version("probabilities_returned")
class ExponentialsOverTheirSum(ModelInSteps):
    def words(self, decoded):
        powers = super().words(decoded).exp()
        return powers / powers.sum(-1, keepdim=True)


@TRANSFORMER.second_version("tied_to_the_source_s_table")
class WritesEnglish(ModelInSteps):
    def words(self, decoded):
        return decoded @ self.source_embedding.token_embedding.weight.mT


@TRANSFORMER.second_version("memory_detached")
class MemoryWithoutGradient(ModelInSteps):
    def encode(self, source):
        with torch.no_grad():
            return super().encode(source)


@TRANSFORMER.second_version("words_before_places")
class ForCrossEntropy(ModelInSteps):
    def words(self, decoded):
        return torch.einsum("btd,vd->bvt", decoded, self.target_embedding.token_embedding.weight)


@TRANSFORMER.second_version("axis_for_heads_missing")
class MasksOfThreeAxes(ModelInSteps):
    def real(self, ids):
        return (ids != self.pad_id)[:, None]


@TRANSFORMER.second_version("axis_for_heads_missing_in_the_target_s_mask")
class ThreeAxesForTheTarget(ModelInSteps):
    def decode(self, target, memory, memory_mask):
        mask = (target != self.pad_id)[:, None] & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))
