"""Exercise `encoder_classifier`: an encoder, and a head that scores its tokens or the sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_08.weights import weights_of
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.encoder_classifier import EncoderClassifier
from course_lib.components.padding_mask import padding_mask

SIZES: dict[str, Any] = {
    "vocab_size": 13, "num_classes": 5, "d_model": 6, "num_heads": 2, "num_layers": 2, "d_ff": 7, "max_length": 9,
}  # fmt: skip
LEARNED = ("embedding.token_embedding.weight", "encoder.layers.0.self_attention.w_v.weight", "head.weight", "head.bias")


def _question(
    name: str,
    weights: dict[str, Tensor],
    *calls: Tensor,
    pooling: str | None = None,
    pad_id: int = 0,
    returns: str = "logits",
    **more: Value,
) -> Question:
    build = {**SIZES, "pooling": pooling, "dropout": 0.0, "pad_id": pad_id}
    given = {
        "build": build, "weights": weights, "calls": [{"ids": ids} for ids in calls], "returns": [returns],
        "with_shapes": False, **more,
    }  # fmt: skip
    return Question(name, probes.module, given)


def _sentences(draw: Draw, lengths: list[int], pad_id: int = 0) -> Tensor:
    """A sentence of each length, one below the other, padded at the end."""
    real = [i for i in range(SIZES["vocab_size"]) if i != pad_id]
    rows = [draw.shuffled(real)[:length] for length in lengths]
    return torch.tensor([row + [pad_id] * (max(lengths) - len(row)) for row in rows])  # (B, T)


def ask(draw: Draw) -> Iterator[Question]:
    """One sentence and a padded batch for each pooling, pads in the middle, the vectors by themselves, gradients."""
    weights = weights_of(draw, EncoderClassifier(**SIZES))
    t = draw.shuffled((4, 5))[0]
    lengths = [t, *draw.shuffled((2, 3))]
    batch = _sentences(draw, lengths)
    others = torch.cat([batch[:1], _sentences(draw, [t, t])])
    for pooling in (None, "cls", "mean"):
        name = pooling or "token"
        yield _question(f"one_{name}", weights, _sentences(draw, [t]), pooling=pooling)
        yield _question(f"padded_{name}", weights, batch, others, pooling=pooling)
    pad_id = 3
    middle = _sentences(draw, [t, t, t], pad_id)
    middle[0, 1] = middle[1, 2] = pad_id
    yield _question("pads_in_the_middle", weights, middle, pooling="mean", pad_id=pad_id)
    yield _question("encode", weights, batch, method="encode", returns="states")
    upstream = {"logits": draw.tensor(3, 5)}
    yield _question("gradients", weights, batch, pooling="mean", upstream=upstream, learned=list(LEARNED))


LOGITS = {"fields": ["calls/0/logits"]}

LAWS = (
    Law("tokens", equals_reference, "one_token", "without pooling, every token of a sentence gets its scores", 0.5, LOGITS),
    Law("cls", equals_reference, "one_cls", "with `cls`, the sentence gets the scores of position 0", 0.25, LOGITS),
    Law("mean", equals_reference, "one_mean", "with `mean`, it gets the scores of the mean", 0.25, LOGITS),
    Law("padded", equals_reference, "padded_mean", "a padded batch comes out right, with each pooling", 1.0, LOGITS, also=("padded_token", "padded_cls")),
    Law("pads_in_the_middle", equals_reference, "pads_in_the_middle", "pads anywhere, of another `pad_id`, are neither seen nor counted", 0.25, LOGITS),
    Law("encode", equals_reference, "encode", "`encode` returns a vector for each token", 0.25, {"fields": ["calls/0/states"]}),
    Law("gradients", equals_reference, "gradients", "the gradients come out right", 0.25, {"fields": [f"gradients/{name}" for name in LEARNED]}),
    Law("sentences_apart", unmoved, "padded_mean", "other sentences in the batch leave the first one's scores as they are", 0.25,
        {"before": "calls/0/logits", "after": "calls/1/logits", "index": [0]}, needs="padded"),
)  # fmt: skip

MASK = "padding_mask(ids, self.pad_id).unsqueeze(1)"
STATES = "self.encoder(self.embedding(ids), mask)"
CLS = "states[:, 0]"
REAL = "(ids != self.pad_id).unsqueeze(-1)"
MEAN = "(states * real).sum(dim=1) / real.sum(dim=1)"
HEAD = "self.head(states)"
ENCODED = "states = self.encode(ids)"

MASK_SHOWN = f"`mask = {MASK}`, and `{STATES}`."
MEAN_SHOWN = f"`real = {REAL}`, and `{MEAN}`."

MISTAKES = (
    # who sees whom
    mistake(
        "padding_seen",
        "Your encoder gets no mask, so real tokens look at padding: a sentence gets other scores in another batch.",
        (
            "Append padding to a sentence. Do its scores change?",
            "What is the encoder's second argument?",
            MASK_SHOWN,
        ),
        (STATES, "self.encoder(self.embedding(ids))"),
        group="mask",
    ),
    mistake(
        "mask_inverted",
        "Your mask is inverted: real tokens look at padding, and at nothing else.",
        (
            "What does True mean in a mask of this course?",
            "Is there a `~`, or an `==` for a `!=`?",
            MASK_SHOWN,
        ),
        (MASK, f"~{MASK}"),
        group="mask",
    ),
    mistake(
        "causal",
        "Your mask is causal: a token sees only what comes before it, and position 0 sees nothing but itself. An encoder that classifies may look at both sides.",
        (
            "Change the last word of a sentence. Do the scores of the first one change? They should.",
            "Which of lesson 07's masks do you use?",
            MASK_SHOWN,
        ),
        (MASK, f"{MASK} & torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril()"),
        group="mask",
    ),
    mistake(
        "zero_assumed",
        "Your mask takes 0 for padding, whatever `pad_id` says.",
        (
            "Construct a model with `pad_id=3`. Which token does its mask hide?",
            "The constructor keeps `self.pad_id`. Do you use it?",
            MASK_SHOWN,
        ),
        (MASK, "padding_mask(ids, 0).unsqueeze(1)"),
        group="mask",
    ),
    mistake(
        "embedding_alone",
        "Your encoder is never called: each token is scored by its embedding, and knows nothing of its neighbours.",
        (
            "Which parts of your model receive no gradient?",
            "What happens between `embedding` and `head`?",
            f"`{STATES}`.",
        ),
        (STATES, "self.embedding(ids)"),
        group="mask",
    ),
    mistake(
        "without_the_last_norm",
        "You go through the encoder's layers by yourself, and leave out the normalisation after the last one.",
        (
            "Which parts of the encoder receive no gradient?",
            "A pre-norm encoder has one more normalisation than its layers.",
            f"Call the encoder itself: `{STATES}`.",
        ),
        (f"states: Tensor = {STATES}", "states = self.embedding(ids)\n        for layer in self.encoder.layers:\n            states = layer(states, mask)"),
        group="mask",
    ),
    # pooling
    mistake(
        "pads_in_the_mean",
        "Your mean runs over all positions, padding included.",
        (
            "Append padding to a sentence. Does its mean change?",
            "What do you divide by?",
            MEAN_SHOWN,
        ),
        (MEAN, "states.mean(dim=1)"),
        group="mean",
    ),
    mistake(
        "divided_by_all_positions",
        "You sum over real tokens, and divide by the length of the whole row, padding included.",
        (
            "Append padding to a sentence. Does its mean change?",
            "How many terms has your sum?",
            MEAN_SHOWN,
        ),
        (MEAN, "(states * real).sum(dim=1) / ids.size(1)"),
        group="mean",
    ),
    mistake(
        "sum_for_the_mean",
        "You add up the vectors of the real tokens, and don't divide: long sentences get larger scores.",
        (
            "How large are the numbers for a long sentence, and for a short one?",
            "What is missing for a mean?",
            MEAN_SHOWN,
        ),
        (MEAN, "(states * real).sum(dim=1)"),
        group="mean",
    ),
    mistake(
        "first_left_out_of_the_mean",
        "You leave position 0 out of the mean. Here it counts like every other real token.",
        (
            "What does the mean of a sentence with a single token give?",
            "Is there a `[:, 1:]`?",
            MEAN_SHOWN,
        ),
        (MEAN, "(states * real)[:, 1:].sum(dim=1) / real[:, 1:].sum(dim=1)"),
        group="mean",
    ),
    mistake(
        "largest_for_the_mean",
        "For each feature you take the largest number of any real token. That is max pooling; the exercise asks for the mean.",
        (
            "What should come out for a sentence of two tokens?",
            "`max` or `mean`?",
            MEAN_SHOWN,
        ),
        (MEAN, "states.masked_fill(~real, -torch.inf).amax(dim=1)"),
        group="mean",
    ),
    mistake(
        "mean_over_features",
        "You take the mean over the features, and not over the tokens.",
        (
            "Which shape does a pooled batch have? (B, D).",
            "Which axis are the tokens?",
            MEAN_SHOWN,
        ),
        (MEAN, "states.mean(dim=2, keepdim=True).expand_as(states).sum(dim=1) / ids.size(1)"),
        group="mean",
    ),
    mistake(
        "last_for_cls",
        "With `cls` you take the last position. In a padded batch, that is padding.",
        (
            "At which position does every sentence have the token that stands for all of it?",
            "Is there a `[:, -1]`?",
            f"`{CLS}`.",
        ),
        (CLS, "states[:, -1]"),
        group="cls",
    ),
    mistake(
        "cls_from_the_embedding",
        "With `cls` you take position 0 of the *embedding*, before the encoder: the same vector for every sentence.",
        (
            "Change a word of a sentence. Do its scores change?",
            "What does position 0 know before the encoder has run?",
            f"`{CLS}`, of what `encode` returns.",
        ),
        (CLS, "self.embedding(ids)[:, 0]"),
        group="cls",
    ),
    mistake(
        "first_sentence_for_all",
        "With `cls` you take the first *sentence* of the batch instead of the first token of each.",
        (
            "What does `states[0]` select: a sentence, or a position?",
            "Which axis comes first?",
            f"`{CLS}`.",
        ),
        (CLS, "states[0, :1].expand(len(ids), -1)"),
        group="cls",
    ),
    mistake(
        "poolings_exchanged",
        "`cls` and `mean` are the wrong way round.",
        (
            "What does yours return for `pooling=\"cls\"`?",
            "Compare the two branches with the exercise.",
            f"`cls`: `{CLS}`.",
        ),
        ('if self.pooling == "cls":', 'if self.pooling == "mean":'),
        ('elif self.pooling == "mean":', 'elif self.pooling == "cls":'),
        group=ALONE,
    ),
    mistake(
        "always_pooled",
        "Without pooling you return one row of scores for each sentence. A tagger needs one for each token.",
        (
            "Which shape does your result have with `pooling=None`?",
            "Which of your branches runs then?",
            "`elif self.pooling == \"mean\"`, and no `else`.",
        ),
        ('elif self.pooling == "mean":', "else:"),
        group=ALONE,
    ),
    # the head
    mistake(
        "head_left_out",
        "You return vectors of width D. The last layer, `head`, which turns them into a score for each class, isn't used.",
        (
            "Which shape does your result have? How many classes are there?",
            "The constructor makes three parts. Which one don't you use?",
            f"`{HEAD}`.",
        ),
        (HEAD, "states"),
        group="head",
    ),
    mistake(
        "probabilities_returned",
        "You return probabilities instead of logits. The loss takes a softmax of its own, and two are one too many.",
        (
            "What do the scores of one token sum to?",
            "How many softmaxes are there between the head and the loss?",
            f"Return `{HEAD}` as it is.",
        ),
        (HEAD, "torch.softmax(self.head(states), dim=-1)"),
        group="head",
    ),
    mistake(
        "encoder_frozen",
        "Your numbers are right, but the encoder is cut out of the graph: only the head learns.",
        (
            "Which parts of your model receive no gradient?",
            "Do you use `detach`, `.data` or `torch.no_grad` on the way?",
            f"`{ENCODED}`, as it is.",
        ),
        (ENCODED, "states = self.encode(ids).detach()"),
        group="head",
    ),
    mistake(
        "zero_assumed_everywhere",
        "You take 0 for padding, whatever `pad_id` says, in the mask and in the mean.",
        (
            "Construct a model with `pad_id=3`. Which tokens does it leave out?",
            "The constructor keeps `self.pad_id`. Do you use it?",
            "`self.pad_id` in both places.",
        ),
        (MASK, "padding_mask(ids, 0).unsqueeze(1)"),
        (REAL, "(ids != 0).unsqueeze(-1)"),
        group=ALONE,
    ),
    mistake(
        "pooled_before_the_encoder",
        "For a whole sentence you pool the *embeddings*; only a tagger goes through the encoder.",
        (
            "Which parts of your model receive no gradient, with pooling?",
            "What does an embedding know of its neighbours?",
            "`states = self.encode(ids)` for all three.",
        ),
        (ENCODED, "states = self.encode(ids) if self.pooling is None else self.embedding(ids)"),
        group=ALONE,
    ),
)  # fmt: skip


class WithEinsum(EncoderClassifier):
    def encode(self, ids):
        mask = (ids != self.pad_id)[:, None, None, :]
        return self.encoder(self.embedding(ids), mask)

    def forward(self, ids):
        states = self.encode(ids)
        if self.pooling is None:
            return self.head(states)
        if self.pooling == "cls":
            weights = torch.zeros_like(ids, dtype=states.dtype)
            weights[:, 0] = 1
        else:
            real = (ids != self.pad_id).to(states.dtype)
            weights = real / real.sum(dim=1, keepdim=True)
        return self.head(torch.einsum("bt,btd->bd", weights, states))


class MeanOfScores(EncoderClassifier):
    """The head is linear: the mean of its scores is the score of the mean."""

    def encode(self, ids):
        return self.encoder(self.embedding(ids), padding_mask(ids, self.pad_id)[:, None])

    def forward(self, ids):
        scores = self.head(self.encode(ids))
        if self.pooling == "cls":
            return scores[:, 0]
        if self.pooling == "mean":
            real = ids.ne(self.pad_id)
            return torch.stack([row[keep].mean(0) for row, keep in zip(scores, real, strict=True)])
        return scores


class SentenceBySentence(EncoderClassifier):
    def encode(self, ids):
        mask = padding_mask(ids, self.pad_id).unsqueeze(1)
        x = self.embedding(ids)
        for layer in self.encoder.layers:
            x = layer(x, mask)
        return self.encoder.norm(x)

    def forward(self, ids):
        out = []
        for row, vectors in zip(ids, self.encode(ids), strict=True):
            pooled = vectors
            if self.pooling == "cls":
                pooled = vectors[0]
            elif self.pooling == "mean":
                pooled = vectors[row != self.pad_id].mean(dim=0)
            out.append(self.head(pooled))
        return torch.stack(out)


class MaskedFill(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id).view(ids.size(0), 1, 1, ids.size(1)))

    def forward(self, ids):
        x = self.encode(ids)
        if self.pooling == "mean":
            hidden = ids == self.pad_id
            x = x.masked_fill(hidden[..., None], 0.0).sum(1) / (~hidden).sum(1)[:, None]
        if self.pooling == "cls":
            x = x.select(1, 0)
        return self.head(x)


class stub(EncoderClassifier):
    def encode(self, ids):
        raise NotImplementedError

    def forward(self, ids):
        raise NotImplementedError


class Zeros(EncoderClassifier):
    def encode(self, ids):
        return torch.zeros(*ids.shape, self.head.in_features)

    def forward(self, ids):
        return torch.zeros(*(ids.shape if self.pooling is None else ids.shape[:1]), self.head.out_features)


class Itself(EncoderClassifier):
    def encode(self, ids):
        return self.embedding(ids)

    def forward(self, ids):
        return ids


class Noise(EncoderClassifier):
    def encode(self, ids):
        return torch.randn(*ids.shape, self.head.in_features)

    def forward(self, ids):
        return torch.randn(*(ids.shape if self.pooling is None else ids.shape[:1]), self.head.out_features)


ENCODER_CLASSIFIER = define(
    id="encoder_classifier",
    lesson="13_families",
    place=4,
    module="course_lib.components.encoder_classifier",
    symbol="EncoderClassifier",
    minutes=15,
    laws=LAWS,
    hints=(
        "Which of lesson 07's masks does an encoder need? And which tokens count in a mean?",
        "`encode` is two lines: a mask (B, 1, 1, T), and the encoder over the embedding. `forward` picks from what it returns (B, T, D), and calls the head once.",
        f"`mask = {MASK}`, `{STATES}`. In `forward`: `{CLS}`, or `{MEAN}` with `real = {REAL}`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(WithEinsum, MeanOfScores, SentenceBySentence, MaskedFill),
    lazy=(stub, Zeros, Itself, Noise),
    write=("encode", "forward"),
    builds_on=("encoder",),
    switches=("mask", "mean", "cls"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@ENCODER_CLASSIFIER.second_version("pads_in_the_mean")
class PlainMean(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id)[:, None, None, :])

    def forward(self, ids):
        x = self.encode(ids)
        if self.pooling:
            x = x[:, 0] if self.pooling == "cls" else x.sum(1) / x.size(1)
        return self.head(x)


@ENCODER_CLASSIFIER.second_version("padding_seen")
class NoMask(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), None)

    def forward(self, ids):
        x, real = self.encode(ids), (ids != self.pad_id)[..., None]
        if self.pooling:
            x = x[:, 0] if self.pooling == "cls" else (x * real).sum(1) / real.sum(1)
        return self.head(x)


@ENCODER_CLASSIFIER.second_version("last_for_cls")
class AtTheEnd(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id)[:, None, None, :])

    def forward(self, ids):
        x, real = self.encode(ids), (ids != self.pad_id)[..., None]
        if self.pooling == "cls":
            return self.head(x.select(1, x.size(1) - 1))
        if self.pooling:
            return self.head((x * real).sum(1) / real.sum(1))
        return self.head(x)


@ENCODER_CLASSIFIER.second_version("head_left_out")
class VectorsReturned(EncoderClassifier):
    def encode(self, ids):
        return self.encoder(self.embedding(ids), (ids != self.pad_id)[:, None, None, :])

    def forward(self, ids):
        x, real = self.encode(ids), (ids != self.pad_id)[..., None]
        if self.pooling:
            x = x[:, 0] if self.pooling == "cls" else (x * real).sum(1) / real.sum(1)
        return x
