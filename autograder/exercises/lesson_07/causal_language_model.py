"""Exercise `causal_language_model`: read with a mask, and predict what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, every_gradient_flows, unmoved
from course_lib.checking.recognisers.lesson_07 import stops_at_the_longest_sentence
from course_lib.checking.values import Value
from course_lib.components.causal_language_model import CausalLanguageModel
from course_lib.components.causal_mask import causal_mask
from course_lib.components.decoder_mask import decoder_mask
from course_lib.components.encoder import Encoder
from course_lib.components.position_embedding import PositionEmbedding

#: of every model: V tokens, D = 6, F = 7, and room for L positions; heads are fewer than sentences, except in the square
VOCABULARY, WIDTH, HIDDEN, LONGEST = 9, 6, 7, 11


def _model(draw: Draw, num_layers: int = 1, num_heads: int = 2, pad_id: int = 0) -> dict[str, Value]:
    """How to construct a model, and weights for it, none of them at rest."""
    build: dict[str, Any] = {
        "vocab_size": VOCABULARY, "d_model": WIDTH, "num_heads": num_heads, "num_layers": num_layers, "d_ff": HIDDEN,
        "max_length": LONGEST, "dropout": 0.0, "pad_id": pad_id,
    }  # fmt: skip
    shapes = {name: weight.shape for name, weight in CausalLanguageModel(**build).named_parameters()}
    weights = {name: draw.tensor(*shape, scale=0.5) + name.endswith("gamma") for name, shape in shapes.items()}
    return {"build": build, "weights": weights}


def _sentences(draw: Draw, pad_id: int, *rows: str) -> Tensor:
    """Sentences drawn as ``"x"`` for a real token and ``"."`` for padding; 0 is real unless it is padding.

    In each, no token stands twice: a label is never what is read. The last real token differs from one sentence
    to the next.
    """
    real = draw.shuffled([i for i in range(VOCABULARY) if i != pad_id])
    ids = torch.full((len(rows), len(rows[0])), pad_id)
    for number, row in enumerate(rows):
        places = [t for t, place in enumerate(row) if place == "x"]
        tokens = real[number:] + real[:number]
        ids[number, places] = torch.tensor(tokens[: len(places)])
    return ids


def _question(name: str, model: dict[str, Value], *calls: Tensor, loss: bool = False, **more: Value) -> Question:
    given = {**model, "calls": [{"ids": ids} for ids in calls], "returns": ["loss" if loss else "logits"], **more}
    return Question(name, probes.module, {**given, "method": "loss"} if loss else given)


def ask(draw: Draw) -> Iterator[Question]:
    """One sentence, a batch without padding and one with padding anywhere, the loss and its gradients; and a square, to name what crashes."""
    model = _model(draw)
    yield _question("small", model, _sentences(draw, 0, "xxx"))
    ids = _sentences(draw, 0, "xxxxx", "xxxxx", "xxxxx")
    last, others = ids.clone(), ids.clone()
    last[0, -1] = next(i for i in range(1, VOCABULARY) if i not in ids[0])
    others[1:] = _sentences(draw, 0, "xxxx.", "xx...")
    yield _question("plain", model, ids, last, others)
    pad_id = draw.shuffled((3, 4, 5))[0]
    rows = draw.shuffled(("..xxx", "xx.xx", "xxx..", "x.x.."))
    deep = _model(draw, num_layers=2, num_heads=3, pad_id=pad_id)
    yield _question("anywhere", deep, _sentences(draw, pad_id, *rows))
    # losses: the sentences are of several lengths, so that means over tokens, positions and sentences differ
    ids = _sentences(draw, 0, "xxxxxx", "xxx...", "xxxxx.")
    yield _question("loss", model, ids, F.pad(ids, (0, 3)), loss=True)
    at_its_longest = {**model, "build": {**model["build"], "max_length": ids.size(1) - 1}}
    yield _question("longest", at_its_longest, ids, loss=True)
    other = _model(draw, pad_id=pad_id)
    ids = _sentences(draw, pad_id, "xxxx.", "xx...", "xxxxx")
    ids[0, 1:3] = torch.tensor([0, int(ids[0, 0])])  # a real word has the id 0, and one stands twice
    yield _question("another_pad", other, ids, loss=True)
    ids = _sentences(draw, 0, "xxxxx", "xxx..", "xxxx.")
    yield _question("gradients", _model(draw), ids, loss=True, upstream={"loss": torch.tensor(1.0)})
    yield _question("square", model, _sentences(draw, 0, "xxxx", "xx.."))


LOGITS, LOSS = {"fields": ["calls/0/logits"]}, {"fields": ["calls/0/loss"]}

LAWS = (
    Law("equals_small", equals_reference, "small", "the logits of one sentence come out right", 0.5, LOGITS),
    Law("equals_plain", equals_reference, "plain", "so do those of a batch", 0.5, LOGITS, also=("square",)),
    Law("anywhere", equals_reference, "anywhere", "so do those of two layers, with padding on the left, in the middle and on the right", 0.5, LOGITS),
    Law("blind_to_the_future", unmoved, "plain", "another last token leaves the logits before it as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0, -2]}, needs="equals_plain"),
    Law("sentences_apart", unmoved, "plain", "other sentences in the batch leave the first one's logits as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/2/logits", "index": [0]}, needs="equals_plain"),
    Law("loss", equals_reference, "loss", "the loss of a batch comes out right", 0.5, LOSS),
    Law("longest", equals_reference, "longest", "so does that of a sentence of `max_length` + 1 tokens, of which the last is only a label", 0.25, LOSS),
    Law("another_pad", equals_reference, "another_pad", "so does the loss with another `pad_id`, where 0 is a word", 0.25, LOSS),
    Law("padding_is_invisible", unmoved, "loss", "more padding on the right leaves the loss as it is", 0.25,
        {"before": "calls/0/loss", "after": "calls/1/loss"}, needs="loss"),
    Law("gradients", equals_reference, "gradients", "the gradient of every parameter is right", 0.5,
        {"fields": ["gradients"]}),
    Law("every_parameter_learns", every_gradient_flows, "gradients", "every parameter receives a gradient", 0.25,
        needs="loss"),
)  # fmt: skip

MASK = "decoder_mask(ids, self.pad_id).unsqueeze(1)"
BLOCKS = "self.blocks(self.embedding(ids), mask)"
READ = "self.readout(decoded)"
INPUTS = "inputs, labels = ids[:, :-1], ids[:, 1:]"
LOSS_OF = "teacher_forced_loss(self(inputs), labels, self.pad_id)"
EACH = "F.cross_entropy(self(inputs).transpose(1, 2), labels, reduction='none')"

MASK_SHOWN = f"`mask = {MASK}`, and `{BLOCKS}`."
SHIFT_SHOWN = f"`{INPUTS}`."
LOSS_SHOWN = f"`{LOSS_OF}`."

MISTAKES = (
    # who may see whom
    mistake(
        "no_mask",
        "You read without a mask: every position sees the whole sentence, including the next token, which it has to predict.",
        (
            "Change the last token of a sentence. Which logits move? Which should?",
            "The blocks take a second argument. What do you pass?",
            MASK_SHOWN,
        ),
        (BLOCKS, "self.blocks(self.embedding(ids))"),
        group="mask",
    ),
    mistake(
        "padding_hidden_only",
        "Your mask hides padding and nothing else: every position sees the next token, which it has to predict.",
        (
            "Change the last token of a sentence. Which logits move? Which should?",
            "Which of the lesson's masks do you use: the padding mask, or the decoder's?",
            MASK_SHOWN,
        ),
        (MASK, "(ids != self.pad_id)[:, None, None]"),
        group=ALONE,
    ),
    mistake(
        "padding_visible",
        "Your mask is causal but does not hide padding. Padding on the right is in the future anyway, but padding on the left is seen by every word.",
        (
            "Put padding on the left of a sentence. What do its words see?",
            "Which of the lesson's masks do you use: the causal mask alone, or the decoder's?",
            MASK_SHOWN,
        ),
        (MASK, "torch.ones(ids.size(1), ids.size(1)).tril().bool()"),
        group="mask",
    ),
    mistake(
        "zero_assumed",
        "Your mask takes 0 for padding, whatever `pad_id` says.",
        (
            "Construct a model with `pad_id=3`. Which token does its mask hide?",
            "The constructor keeps `self.pad_id`. Where in `forward` do you use it?",
            MASK_SHOWN,
        ),
        (MASK, "decoder_mask(ids, 0).unsqueeze(1)"),
        group=ALONE,
    ),
    mistake(
        "own_token_hidden",
        "Your mask hides each token from itself, and the first one sees nothing. (It still knows itself through the residual connections.)",
        (
            "How many keys may the first token of a sentence see?",
            "Do you subtract the diagonal from the mask, or build it with `diagonal=-1`?",
            MASK_SHOWN,
        ),
        (MASK, f"{MASK}.tril(-1)"),
        group="mask",
    ),
    mistake(
        "one_ahead_visible",
        "Your mask shows each position the token after it, which it has to predict.",
        (
            "Change the last token of a sentence. Which logits move? Which should?",
            "Do you shift the mask by one as well as the labels? Or build it with `diagonal=2`?",
            MASK_SHOWN,
        ),
        (MASK, "(ids != self.pad_id)[:, None, None] & torch.ones(ids.size(1), ids.size(1)).tril(1).bool()"),
        group="mask",
    ),
    mistake(
        "mask_turned_round",
        "You invert the mask before you pass it to the blocks. Ours take True for *may attend*; `nn.TransformerEncoder` takes it for *blocked*.",
        (
            "Change the last token of a sentence. Which logits move? Which should?",
            "Is there a `~` that should not be there?",
            MASK_SHOWN,
        ),
        (MASK, f"~{MASK}"),
        group="mask",
    ),
    mistake(
        "past_hidden",
        "Your mask is transposed: each position sees what comes *after* it.",
        (
            "Change the last token of a sentence. Which logits move? Which should?",
            "Rows are queries and columns are keys. What do you do to the mask between making and using it?",
            MASK_SHOWN,
        ),
        (MASK, f"{MASK}.transpose(-2, -1)"),
        group=ALONE,
    ),
    mistake(
        "axis_of_heads_missing",
        "Your mask is (B, T, T). Beside scores (B, H, T, T) it is read as (H, T, T): sentence number h masks head number h where B and H happen to be equal, and raises an error elsewhere.",
        (
            "Line up (B, T, T) and (B, H, T, T) from the right. Which axis meets which?",
            "Where must an axis of length 1 stand, so that all heads of a sentence share its mask?",
            MASK_SHOWN,
        ),
        (MASK, "decoder_mask(ids, self.pad_id)"),
        group=ALONE,
    ),
    mistake(
        "first_sentences_mask",
        "You use the first sentence's mask for the whole batch, so the padding of the others is seen.",
        (
            "Put the sentences of a batch in another order. Do their logits change?",
            "Do you take `[0]` of the mask somewhere?",
            MASK_SHOWN,
        ),
        (MASK, "decoder_mask(ids, self.pad_id)[:1].unsqueeze(1)"),
        group=ALONE,
    ),
    # reading
    mistake(
        "not_read_out",
        "You return the blocks' vectors, as wide as the model. The last layer, `readout`, which turns them into a score for every token, is not used.",
        (
            "Which shape does your `forward` return? How many tokens does the vocabulary have?",
            "The constructor makes three parts. Which one do you not use?",
            f"`{READ}`.",
        ),
        (READ, "decoded"),
        group=ALONE,
    ),
    mistake(
        "readout_not_used",
        "You score the words with the embedding's table, and `readout` is never used and never learns. Tying the two is an idea of lesson 08; here the output has a layer of its own.",
        (
            "Which parameters receive no gradient?",
            "What do you multiply the output of `blocks` by?",
            f"`{READ}`.",
        ),
        (READ, "decoded @ self.embedding.token_embedding.weight.T"),
        group=ALONE,
    ),
    mistake(
        "words_scaled_twice",
        "You multiply the looked-up vectors by √D twice, so they drown out the positions.",
        (
            "By which number is a looked-up vector multiplied before its position is added?",
            "What does `PositionEmbedding.forward` do with the looked-up vectors?",
            f"`{BLOCKS}`: the embedding scales by itself.",
        ),
        ("self.embedding(ids), mask", "self.embedding(ids) + self.embedding.token_embedding(ids) * (self.readout.in_features - self.readout.in_features**0.5), mask"),
        group=ALONE,
    ),
    mistake(
        "embedding_scaled_again",
        "You multiply the embedded sentence by √D, positions included. `PositionEmbedding` has multiplied the words by √D already.",
        (
            "What does `PositionEmbedding.forward` do with the looked-up vectors?",
            "How often does √D occur between the ids and the blocks?",
            f"`{BLOCKS}`: the embedding scales by itself.",
        ),
        ("self.embedding(ids), mask", "self.embedding(ids) * self.readout.in_features**0.5, mask"),
        group=ALONE,
    ),
    mistake(
        "probabilities_returned",
        "You return probabilities instead of logits. The loss takes a softmax of its own, and two are one too many.",
        (
            "What do the numbers at one position sum to? Logits needn't sum to anything in particular.",
            "How many softmaxes are there between the last layer and the loss?",
            f"Return `{READ}` as it is.",
        ),
        (READ, f"torch.softmax({READ}, dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "log_probabilities_returned",
        "You return logarithms of probabilities. The loss comes out the same, but the exercise asks for the logits themselves.",
        (
            "What does `logits.exp()` sum to at one position?",
            "Is there a `log_softmax` after the last layer?",
            f"Return `{READ}` as it is: the loss takes the softmax.",
        ),
        (READ, f"torch.log_softmax({READ}, dim=-1)"),
        group=ALONE,
    ),
    mistake(
        "last_place_only",
        "You return the logits of the last position only. That is enough to write the next word, but in training *every* position is asked at once.",
        (
            "Which shape does your `forward` return?",
            "Is there a `[:, -1]` before or after the last layer?",
            f"`{READ}`: (B, T, V).",
        ),
        (READ, "self.readout(decoded[:, -1:])"),
        group=ALONE,
    ),
    # what is predicted
    mistake(
        "axes_by_view",
        "You bring the logits (B, T, V) into the shape (B, V, T) by `view` or `reshape`. That does not exchange the axes. It cuts the same row of numbers into other pieces, so scores of different words and positions are mixed up.",
        (
            "Take logits[0, 0], a row of V scores. Where are they after your `view`?",
            "Which function exchanges two axes, and which only cuts the same row of numbers differently?",
            "`logits.transpose(1, 2)`, or `logits.flatten(0, 1)` with `labels.flatten()`.",
        ),
        (LOSS_OF, "F.cross_entropy(self(inputs).reshape(len(ids), -1, inputs.size(1)), labels, ignore_index=self.pad_id)"),
        group=ALONE,
    ),
    mistake(
        "asked_for_what_it_reads",
        "You do not shift: each position is asked for the token that it reads. A model that copies its input gets the loss 0.",
        (
            "In the smallest sentence, which token does position 0 read, and what is its label?",
            "`forward` reads `ids[:, :-1]`. Which slice comes one token later?",
            SHIFT_SHOWN,
        ),
        (INPUTS, "inputs, labels = ids[:, :-1], ids[:, :-1]"),
        group="shift",
    ),
    mistake(
        "nothing_shifted",
        "You read all of `ids` and ask for all of `ids`, so each position has to predict the token that it reads. A model that copies its input gets the loss 0.",
        (
            "In the smallest sentence, which token does position 0 read, and what is its label?",
            "The model reads all tokens but the last. Which ones does it have to predict?",
            SHIFT_SHOWN,
        ),
        (INPUTS, "inputs, labels = ids, ids"),
        group=ALONE,
    ),
    mistake(
        "previous_token_asked_for",
        "You shift the wrong way: each position is asked for the token *before* it, which it has already seen.",
        (
            "In the smallest sentence, which token does position 0 read, and what is its label?",
            "Which of the two slices should begin with `bos`: what is read, or what is predicted?",
            SHIFT_SHOWN,
        ),
        (INPUTS, "inputs, labels = ids[:, 1:], ids[:, :-1]"),
        group="shift",
    ),
    mistake(
        "shifted_twice",
        "You shift by two: each position is asked for the token after the next.",
        (
            "In the smallest sentence, which token does position 0 read, and what is its label?",
            "How many tokens do you cut off at each end? Is there a shift in both lines?",
            SHIFT_SHOWN,
        ),
        (INPUTS, "inputs, labels = ids[:, :-2], ids[:, 2:]"),
        group="shift",
    ),
    mistake(
        "rolled_round",
        "You shift with `roll`, so what falls off at the front comes back at the end: the last position of a full sentence is asked for `bos`.",
        (
            "What is the last label of a sentence without padding?",
            "`roll` keeps all tokens. How many labels should T + 1 tokens give?",
            SHIFT_SHOWN,
        ),
        (INPUTS, "inputs, labels = ids, ids.roll(-1, dims=1)"),
        group=ALONE,
    ),
    mistake(
        "last_place_asked_only",
        "You ask the last position only, which makes one prediction per sentence. With a causal mask every position can be asked at once; that is what it is for.",
        (
            "How many tokens are predicted in a batch, and how many count in your loss?",
            "Is there a `[:, -1]` in your loss?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, "teacher_forced_loss(self(inputs)[:, -1:], labels[:, -1:], self.pad_id)"),
        group=ALONE,
    ),
    # the mean over real tokens
    mistake(
        "padding_counted",
        "You count padding as if it were words, so the model is trained to predict padding.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "Where do you tell the loss which labels are padding?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, f"{EACH}.mean()"),
        group="mean",
    ),
    mistake(
        "divided_by_all_places",
        "Padding costs nothing, but you divide by all B·T positions, including padding: the more padding in a batch, the smaller your loss.",
        (
            "Append a column of padding to the batch. Should the loss change? Does yours?",
            "By which number do you divide: by B·T, or by the number of real labels?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, f"({EACH} * (labels != self.pad_id)).mean()"),
        group="mean",
    ),
    mistake(
        "real_where_it_is_read",
        "You leave out the positions that *read* padding, not those whose *label* is padding: after `eos`, the model is still trained to predict padding.",
        (
            "How many labels of a short sentence are real? And how many of its inputs?",
            "Which of the two do you compare with `pad_id`: `inputs`, or `labels`?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, f"{EACH}[inputs != self.pad_id].mean()"),
        group="mean",
    ),
    mistake(
        "mean_of_sentences",
        "You take the mean of each sentence and then the mean of those means, so a word in a short sentence counts more than one in a long sentence. Here every *token* counts the same.",
        (
            "A batch of one sentence of two words and one of ten: how much does each word count?",
            "How many means do you take?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, f"(({EACH} * (labels != self.pad_id)).sum(1) / (labels != self.pad_id).sum(1)).mean()"),
        group=ALONE,
    ),
    mistake(
        "summed",
        "You return the sum over all tokens instead of their mean, so a larger batch makes larger gradients.",
        (
            "Put every sentence into the batch twice. Should the loss change? Does yours?",
            "After the sum, by what do you divide?",
            LOSS_SHOWN,
        ),
        (LOSS_OF, f"({EACH} * (labels != self.pad_id)).sum()"),
        group=ALONE,
    ),
    mistake(
        "plain_number",
        "Your number is right, but it is cut out of the graph, by `.item()`, `float` or `detach`, so the backward pass has nowhere to start.",
        (
            "Look at `requires_grad` of what your `loss` returns.",
            "What do you do to the loss at the end? Is there a `no_grad` around the model?",
            f"`return {LOSS_OF}`, a tensor.",
        ),
        (LOSS_OF, f"{LOSS_OF}.detach()"),
        group=ALONE,
    ),
    mistake(
        "read_without_gradient",
        "Only the last layer learns: you run the blocks under `torch.no_grad()`, or cut the graph before the output projection.",
        (
            "Which parameters receive no gradient?",
            "Is there a `detach`, `.data` or `no_grad` in `forward`?",
            f"`decoded = {BLOCKS}`, and nothing cut.",
        ),
        (READ, "self.readout(decoded.detach())"),
        group=ALONE,
    ),
    mistake(
        "read_whole_then_cut",
        "You read all T + 1 tokens and cut the last logits off afterwards. The loss is the same, until a sentence is as long as the model can read: the last token, which is only ever a label, then has no position.",
        (
            "Build a model with `max_length=5`. What does `loss` do with six token ids?",
            "The last token is never read, only predicted. Where do you leave it out: before the model, or after it?",
            SHIFT_SHOWN,
        ),
        (LOSS_OF, "teacher_forced_loss(self(ids)[:, :-1], labels, self.pad_id)"),
        recogniser=stops_at_the_longest_sentence,
        group=ALONE,
    ),
    mistake(
        "own_token_hidden_and_asked_for",
        "Instead of shifting, you hide each token from itself and ask for it. Attention can't see the token then, but the residual connections carry it past the mask: a model that copies its input gets the loss 0.",
        (
            "Change the last token of a sentence. Do the logits at *its* position move? Is that token their label?",
            "Which path leads from a token to the logits at its own position without passing through attention?",
            f"Shift: {SHIFT_SHOWN} Then a position may see its own token: `{MASK}`.",
        ),
        (MASK, f"{MASK}.tril(-1)"),
        (INPUTS, "inputs, labels = ids, ids"),
        group=ALONE,
    ),
)  # fmt: skip


class WrittenOut(CausalLanguageModel):
    def forward(self, ids):
        B, T = ids.shape
        triangle = torch.ones(T, T, device=ids.device).tril().bool()
        mask = triangle.expand(B, 1, T, T) & (ids != self.pad_id).view(B, 1, 1, T)
        x = self.embedding(ids)
        x = self.blocks(x, mask=mask)
        return self.readout(x)

    def loss(self, ids):
        logits = self.forward(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=self.pad_id)


class EveryHeadItsOwnMask(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, d_ff, max_length, dropout=0.1, pad_id=0):
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id, self.num_heads = pad_id, num_heads

    def forward(self, ids):
        mask = torch.stack([decoder_mask(ids, self.pad_id)] * self.num_heads, dim=1)
        x = self.embedding(ids)
        for layer in self.blocks.layers:
            x = layer(x, mask)
        return self.readout(self.blocks.norm(x))

    def loss(self, ids):
        labels = ids[:, 1:]
        log_probabilities = self(ids[:, :-1]).log_softmax(dim=-1)
        losses = -log_probabilities.gather(2, labels[..., None])[..., 0]
        real = (labels != self.pad_id).to(losses.dtype)
        return (losses * real).sum() / real.sum()


class SentenceBySentence(CausalLanguageModel):
    def forward(self, ids):
        logits = []
        for sentence in ids:
            earlier = torch.ones(len(sentence), len(sentence)).tril().bool()
            mask = earlier & (sentence != self.pad_id)
            logits.append(self.readout(self.blocks(self.embedding(sentence[None]), mask)))
        return torch.cat(logits)

    def loss(self, ids):
        total, count = 0.0, 0
        for sentence in ids:
            label = sentence[1:]
            total = total + F.cross_entropy(
                self(sentence[None, :-1])[0], label, ignore_index=self.pad_id, reduction="sum"
            )
            count += (label != self.pad_id).sum()
        return total / count


class OnePrefixAfterTheOther(CausalLanguageModel):
    def forward(self, ids):
        places = []
        for end in range(1, ids.size(1) + 1):
            prefix = ids[:, :end]
            mask = decoder_mask(prefix, self.pad_id).unsqueeze(1)
            places.append(self.readout(self.blocks(self.embedding(prefix), mask)[:, -1]))
        return torch.stack(places, dim=1)

    def loss(self, ids):
        inputs, labels = ids[:, :-1], ids[:, 1:]
        return nn.CrossEntropyLoss(ignore_index=self.pad_id)(self(inputs).transpose(1, 2), labels)


class stub(CausalLanguageModel):
    def forward(self, ids):
        raise NotImplementedError

    def loss(self, ids):
        raise NotImplementedError


class EachWordByItself(CausalLanguageModel):
    def forward(self, ids):
        return self.readout(self.embedding(ids))

    def loss(self, ids):
        return self(ids).logsumexp(-1).mean()


class Zeros(CausalLanguageModel):
    def forward(self, ids):
        return 0 * self.readout(self.embedding(ids))

    def loss(self, ids):
        return self(ids).sum()


class Guessing(CausalLanguageModel):
    def forward(self, ids):
        return torch.rand(*ids.shape, self.readout.out_features, dtype=self.readout.weight.dtype)

    def loss(self, ids):
        return torch.tensor(self.readout.out_features, dtype=self.readout.weight.dtype).log()


CAUSAL_LANGUAGE_MODEL = define(
    id="causal_language_model",
    lesson="07_masks",
    place=2,
    module="course_lib.components.causal_language_model",
    symbol="CausalLanguageModel",
    minutes=15,
    laws=LAWS,
    hints=(
        "Take the sentence `bos a b eos` on paper. For each position: what does it read, what may it see, and what should it predict?",
        "`forward`: mask, embedding, blocks, `readout`. `loss`: cut `ids` in two, read the one, compare with the other. Which of these steps is missing?",
        f"{MASK_SHOWN} `{READ}`. {SHIFT_SHOWN} {LOSS_SHOWN}",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(WrittenOut, EveryHeadItsOwnMask, SentenceBySentence, OnePrefixAfterTheOther),
    lazy=(stub, EachWordByItself, Zeros, Guessing),
    write=("forward", "loss"),
    builds_on=("causal_mask", "decoder_mask"),
    switches=("mask", "shift", "mean"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class ALanguageModel(CausalLanguageModel):
    """The constructor that is given, and two methods that are right."""

    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("no_mask")
class AnEncoderThatPredicts(ALanguageModel):
    def mask(self, ids):
        return None


@CAUSAL_LANGUAGE_MODEL.second_version("padding_hidden_only")
class PaddingForEveryQuery(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id).view(len(ids), 1, 1, -1).expand(-1, -1, ids.size(1), -1)


@CAUSAL_LANGUAGE_MODEL.second_version("padding_visible")
class OneTriangleForAll(ALanguageModel):
    def mask(self, ids):
        return causal_mask(ids.size(1))[None, None]


@CAUSAL_LANGUAGE_MODEL.second_version("one_ahead_visible")
class TriangleMovedByOne(ALanguageModel):
    def mask(self, ids):
        length = ids.size(1)
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(length + 1)[1:, :length]


@CAUSAL_LANGUAGE_MODEL.second_version("mask_turned_round")
class AsTorchWantsIt(ALanguageModel):
    def mask(self, ids):
        return (ids == self.pad_id)[:, None, None, :] | ~causal_mask(ids.size(1))


@CAUSAL_LANGUAGE_MODEL.second_version("axis_of_heads_missing")
class NoAxisForTheHeads(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, :] & causal_mask(ids.size(1))


@CAUSAL_LANGUAGE_MODEL.second_version("nothing_shifted")
class LabelsAreWhatIsRead(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids).flatten(0, 1), ids.flatten(), ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("previous_token_asked_for")
class ShiftedTheOtherWay(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids[:, 1:]).mT, ids[:, :-1], ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("shifted_twice")
class ShiftedInTheLossAgain(ALanguageModel):
    def loss(self, ids):
        inputs, labels = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("padding_counted")
class TorchsLossAsItIs(ALanguageModel):
    def loss(self, ids):
        return nn.CrossEntropyLoss()(self(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


@CAUSAL_LANGUAGE_MODEL.second_version("divided_by_all_places")
class MeanWithZeros(ALanguageModel):
    def loss(self, ids):
        logits, labels = self(ids)[:, :-1], ids[:, 1:]
        return F.cross_entropy(logits.mT, labels, ignore_index=self.pad_id, reduction="none").mean()


@CAUSAL_LANGUAGE_MODEL.second_version("real_where_it_is_read")
class InputsThatAreReal(ALanguageModel):
    def loss(self, ids):
        real = ids[:, :-1] != self.pad_id
        return F.cross_entropy(self(ids)[:, :-1][real], ids[:, 1:][real])


@CAUSAL_LANGUAGE_MODEL.second_version("last_place_asked_only")
class OnePredictionASentence(ALanguageModel):
    def loss(self, ids):
        return F.cross_entropy(self(ids[:, :-1])[:, -1], ids[:, -1], ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("own_token_hidden_and_asked_for")
class NoShiftAtAll(ALanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1)).tril(-1)

    def loss(self, ids):
        return F.cross_entropy(self(ids).mT, ids, ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("axes_by_view")
class ViewedForTorch(ALanguageModel):
    def loss(self, ids):
        logits = self(ids[:, :-1])
        b, t, v = logits.shape
        return F.cross_entropy(logits.contiguous().view(b, v, t), ids[:, 1:], ignore_index=self.pad_id)


@CAUSAL_LANGUAGE_MODEL.second_version("readout_not_used")
class Tied(ALanguageModel):
    def forward(self, ids):
        return F.linear(self.blocks(self.embedding(ids), self.mask(ids)), self.embedding.token_embedding.weight)


@CAUSAL_LANGUAGE_MODEL.second_version("words_scaled_twice")
class WordsTimesTheWidth(ALanguageModel):
    def forward(self, ids):
        words = self.embedding.token_embedding(ids) * self.readout.weight.size(1)
        return self.readout(self.blocks(words + self.embedding.positions[: ids.size(1)], self.mask(ids)))


@CAUSAL_LANGUAGE_MODEL.second_version("embedding_scaled_again")
class SumTimesTheRoot(ALanguageModel):
    def forward(self, ids):
        embedded = self.embedding(ids)
        return self.readout(self.blocks(embedded * embedded.size(-1) ** 0.5, self.mask(ids)))
