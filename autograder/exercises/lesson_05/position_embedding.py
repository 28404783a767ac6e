"""Exercise `position_embedding`: the embedding layer, which scales, adds positions, and applies dropout."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference
from course_lib.checking.values import Value
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.components.sinusoidal_encoding import sinusoidal_encoding


def _question(name: str, table: Tensor, max_length: int, ids: Tensor, dropout: float = 0.0, **more: Value) -> Question:
    """A module whose token embedding is ``table``."""
    vocab_size, d_model = table.shape
    build = {"vocab_size": vocab_size, "d_model": d_model, "max_length": max_length, "dropout": dropout}
    weights = {"token_embedding.weight": table}
    given = {"build": build, "weights": weights, "calls": [{"ids": ids}], "returns": ["embedded"], **more}
    return Question(name, probes.module, given)


def _ids(draw: Draw, vocab_size: int, batch: int, length: int) -> Tensor:
    """Sentences of ``length`` tokens: in each all are different, in the last but for its first two; 0 is in the first."""
    ids = torch.tensor([draw.shuffled(range(1, vocab_size))[:length] for _ in range(batch)])
    ids[0, int(draw.shuffled(range(length))[0])] = 0
    ids[-1, :2] = ids[-1, 0]
    return ids


def ask(draw: Draw) -> Iterator[Question]:
    """Width 4 for paper, distinct sizes, one token, as many as there are positions, dropout; and a cube, to name what crashes.

    Widths are 4 and 8, for which every power of 10,000 in the encoding is one of 10: a wrong one is then
    the same on every machine. There are more positions than tokens, so that no look-up fails. Dropout is asked
    with a share of 1, in training and in evaluation: what it does then is no matter of chance.
    """
    table = torch.arange(5.0).unsqueeze(1) + draw.tensor(5, 4, scale=0.2).round(decimals=1)
    yield _question("by_hand", table, 6, torch.tensor([draw.shuffled((0, 2, 4))]))
    (batch, length), d_model = draw.sizes(2), 8
    vocab_size, max_length = draw.shuffled((9, 10, 11))[0], draw.shuffled((12, 13, 14))[0]
    table = draw.tensor(vocab_size, d_model)
    yield _question("plain", table, max_length, _ids(draw, vocab_size, batch, length))
    yield _question("one_token", table, max_length, _ids(draw, vocab_size, batch, 1))

    table, ids = draw.tensor(7, 4), _ids(draw, 7, 2, 3)
    yield _question("all_positions", table, 7, torch.tensor([draw.shuffled(range(7)) for _ in range(3)]))
    yield _question("gradients", table, 8, ids, upstream={"embedded": draw.tensor(2, 3, 4)})
    again = _question("asked_again", table, 8, ids)
    yield Question("asked_again", again.probe, {**again.given, "calls": [{"ids": ids}, {"ids": ids}]})
    yield _question("training", table, 8, ids, dropout=1.0, training=True)
    yield _question("evaluation", table, 8, ids, dropout=1.0)
    yield _question("cube", draw.tensor(4, 4), 4, torch.tensor([draw.shuffled(range(4))[:2] for _ in range(2)]))


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "three tokens of width 4 come out right", 0.5,
        {"fields": ["calls/0/embedded"]}),
    Law("equals_plain", equals_reference, "plain", "a batch of longer sentences comes out right", 0.5,
        {"fields": ["calls/0/embedded"]}, also=("cube",)),
    Law("the_same_again", equals_reference, "asked_again", "the same sentences give the same vectors again", 0.25,
        {"fields": ["calls/0/embedded", "calls/1/embedded"]}, needs="equals_plain"),
    Law("one_token", equals_reference, "one_token", "sentences of a single token come out right", 0.25,
        {"fields": ["calls/0/embedded"]}),
    Law("all_positions", equals_reference, "all_positions", "sentences of `max_length` tokens come out right", 0.25,
        {"fields": ["calls/0/embedded"]}),
    Law("only_tokens_are_learned", equals_reference, "plain", "the token embedding is the only parameter: the sinusoids are not trained", 0.25,
        {"fields": ["shapes"]}, needs="equals_plain"),
    Law("gradients", equals_reference, "gradients", "the gradient of the token embedding is right", 0.25,
        {"fields": ["gradients/token_embedding.weight"]}),
    Law("dropout", equals_reference, "training", "in training, `dropout=1.0` drops everything", 0.5,
        {"fields": ["calls/0/embedded"]}, needs="equals_plain"),
    Law("no_dropout_in_evaluation", equals_reference, "evaluation", "in evaluation nothing is dropped", 0.25,
        {"fields": ["calls/0/embedded"]}),
)  # fmt: skip

LOOK_UP = "self.token_embedding(ids)"
SCALE = " * math.sqrt(self.token_embedding.embedding_dim)"
ROWS = "self.positions[: ids.size(1)]"
SUM = "tokens + positions"
DROP = "self.dropout(tokens + positions)"
BUFFER = 'self.register_buffer("positions", sinusoidal_encoding(max_length, d_model), persistent=False)'


MISTAKES = (
    # the scale
    mistake(
        "unscaled",
        "You add the token vectors as they are looked up: nothing multiplies them by √d_model. They are initialised small, so the positions drown them.",
        (
            "The token vectors have entries of standard deviation 1/√D at first. How large are those of the positions?",
            "The formula in the docstring has three parts. Which is missing?",
            "`self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)`.",
        ),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "scaled_by_d_model",
        "You multiply the token vectors by d_model, where its square root is asked for.",
        (
            "Entries of standard deviation 1/√D: by what must they be multiplied to have 1?",
            "Look at what you multiply by.",
            "`* math.sqrt(self.token_embedding.embedding_dim)`.",
        ),
        (SCALE, " * self.token_embedding.embedding_dim"),
        group="scale",
    ),
    mistake(
        "divided_by_the_scale",
        "You divide the token vectors by √d_model. In attention the scores are divided; here the vectors are multiplied.",
        (
            "Are the token vectors larger or smaller after your scaling?",
            "Look at the operator in front of the square root.",
            "`* math.sqrt(self.token_embedding.embedding_dim)`.",
        ),
        (SCALE, SCALE.replace("*", "/")),
        group=ALONE,
    ),
    mistake(
        "scaled_by_length",
        "You multiply by the square root of the *length* of the sentence. A token's vector should not depend on how many other tokens there are.",
        (
            "Append a word. Do the vectors of the others change?",
            "`ids` has the shape (B, T). Which size do you read for the scale?",
            "The width is `self.token_embedding.embedding_dim`.",
        ),
        (SCALE, " * math.sqrt(ids.size(1))"),
        group=ALONE,
    ),
    mistake(
        "scaled_after_adding",
        "You multiply by √d_model after the positions are added. So they grow as much as the tokens do, and their proportion stays as it was.",
        (
            "Embed position 0 with a token vector of zeros. How large is its second number? It should be 1.",
            "Scale, then add: in which order are your lines?",
            "Multiply the looked-up vectors, before the sum.",
        ),
        (SCALE, ""),
        (DROP, f"self.dropout(({SUM}){SCALE})"),
        group="scale",
    ),
    mistake(
        "positions_scaled",
        "You multiply the *positions* by √d_model, not the token vectors.",
        (
            "Which of the two is initialised with small numbers, and which has numbers between −1 and 1?",
            "Which of your two summands is multiplied by the square root?",
            "`self.token_embedding(ids) * math.sqrt(...)`, and the positions as they are.",
        ),
        (SCALE, ""),
        (ROWS, ROWS + SCALE),
        group=ALONE,
    ),
    # putting both together
    mistake(
        "positions_left_out",
        "You return the token vectors alone. Nothing says where a word stands, so to attention the sentence is an unordered set.",
        (
            "Embed the same word twice. Do its two vectors differ?",
            "`self.positions` is there. Where do you use it?",
            "`tokens + self.positions[: ids.size(1)]`.",
        ),
        (SUM, "tokens"),
        group="sum",
    ),
    mistake(
        "tokens_left_out",
        "You return the positions alone: the words themselves are lost.",
        (
            "Embed two different words at the same position. Do their vectors differ?",
            "Is there an `=` where a `+` should be?",
            "`tokens + positions`.",
        ),
        (SUM, "positions.expand_as(tokens)"),
        group="sum",
    ),
    mistake(
        "multiplied",
        "You multiply tokens by positions. At position 0, where all sines are 0, half of the word's numbers are gone.",
        (
            "Look at your first token. Why is every second number 0?",
            "Which operator stands between tokens and positions?",
            "`tokens + positions`.",
        ),
        (SUM, "tokens * positions"),
        group=ALONE,
    ),
    mistake(
        "concatenated",
        "You concatenate tokens and positions, so your vectors are 2D wide. That can be done, too, but here they are added and stay D wide.",
        (
            "How wide is what you return?",
            "Which does the formula in the docstring ask for: a sum, or a longer vector?",
            "`tokens + positions`.",
        ),
        (SUM, "torch.cat([tokens, positions.expand_as(tokens)], dim=-1)"),
        group="sum",
    ),
    mistake(
        "positions_added_twice",
        "You add the positions twice.",
        (
            "Embed position 0 with a token vector of zeros. What is its second number? It should be 1.",
            "How many times does `self.positions` enter your sum?",
            "`tokens + positions`, once.",
        ),
        (SUM, "tokens + 2 * positions"),
        group=ALONE,
    ),
    mistake(
        "positions_subtracted",
        "You subtract the positions, where they should be added.",
        (
            "Embed position 0 with a token vector of zeros. What is its second number? It should be 1.",
            "Look at the sign in your sum.",
            "`tokens + positions`.",
        ),
        (SUM, "tokens - positions"),
        group=ALONE,
    ),
    # which positions
    mistake(
        "along_the_batch",
        "Your positions run along the batch: all words of sentence 0 get position 0, all of sentence 1 position 1. Some code has the words on the first axis and the batch on the second; here the batch comes first.",
        (
            "Are the positions of two words of one sentence different? And those of two sentences?",
            "`ids` is (B, T). Which of its axes do your positions lie along?",
            "(T, D) lines up with the last two axes of (B, T, D) by itself: `self.positions[: ids.size(1)]`, without `unsqueeze(1)`.",
        ),
        (ROWS, "self.positions[: ids.size(0)].unsqueeze(1)"),
        group="positions",
    ),
    mistake(
        "batch_size_for_length",
        "You take as many positions as there are *sentences*. That raises an error unless a batch has as many sentences as words, or only one sentence: then all its words get position 0.",
        (
            "What is `ids.size(0)`: the number of sentences, or of words?",
            "`ids` is (B, T). Which of its sizes do you read?",
            "`self.positions[: ids.size(1)]`.",
        ),
        (ROWS, "self.positions[: ids.size(0)]"),
        group="positions",
    ),
    mistake(
        "whole_table",
        "You add the whole table of positions. That fits only a sentence of `max_length` words, and a sentence of a single word becomes `max_length` words long.",
        (
            "What is the shape of `self.positions`, and what is that of your tokens?",
            "A sentence has T words. How many rows of the table does it need?",
            "`self.positions[: ids.size(1)]`.",
        ),
        (ROWS, "self.positions"),
        group="positions",
    ),
    mistake(
        "positions_from_1",
        "You start at row 1 of the table: the first word gets position 1, and the last of `max_length` words none.",
        (
            "What do you add to the first word? It should be 0, 1, 0, 1, ….",
            "Look at the first number of your slice, or of your range.",
            "`self.positions[: ids.size(1)]`: rows 0 to T − 1.",
        ),
        (ROWS, "self.positions[1 : ids.size(1) + 1]"),
        group="positions",
    ),
    mistake(
        "last_positions",
        "You add the *last* rows of the table: the first word's position depends on how long the table is.",
        (
            "What do you add to the first word? It should be 0, 1, 0, 1, ….",
            "What does a minus mean at the start of a slice?",
            "`self.positions[: ids.size(1)]`.",
        ),
        (ROWS, "self.positions[-ids.size(1) :]"),
        group=ALONE,
    ),
    mistake(
        "counted_from_the_end",
        "You number the words from the end: the last one gets position 0.",
        (
            "What do you add to the first word? It should be 0, 1, 0, 1, ….",
            "Do you reverse something, or count down?",
            "`self.positions[: ids.size(1)]`.",
        ),
        (ROWS, f"{ROWS}.flip(0)"),
        group=ALONE,
    ),
    mistake(
        "same_row_for_all",
        "You add the same row to all words, that of position T − 1, so they all seem to stand at the same position.",
        (
            "Embed the same word twice. Do its two vectors differ?",
            "`self.positions[5]` is a row. How are rows 0 to 5 written?",
            "`self.positions[: ids.size(1)]`, with a colon.",
        ),
        (ROWS, "self.positions[ids.size(1) - 1]"),
        group=ALONE,
    ),
    mistake(
        "first_row_for_all",
        "You add row 0 of the table to all words, so they all seem to stand at the beginning.",
        (
            "Embed the same word twice. Do its two vectors differ?",
            "Which row of the table do you take, and how many different ones should there be?",
            "`self.positions[: ids.size(1)]`.",
        ),
        (ROWS, "self.positions[:1]"),
        group=ALONE,
    ),
    mistake(
        "looked_up_by_token",
        "You look up the positions by the tokens' *ids*: id 7 always gets row 7, wherever it stands.",
        (
            "Embed the same word twice. Do its two vectors differ?",
            "What do you index `self.positions` with: the tokens' ids, or their positions?",
            "The positions are 0 to T − 1, whichever tokens stand there: `self.positions[: ids.size(1)]`.",
        ),
        (ROWS, "self.positions[ids]"),
        group=ALONE,
    ),
    # dropout
    mistake(
        "dropout_forgotten",
        "You never use `self.dropout`: in training, nothing is dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "The constructor makes `self.dropout`. Where in `forward` do you use it?",
            f"`{DROP}`.",
        ),
        (DROP, SUM),
        group="dropout",
    ),
    mistake(
        "dropout_before_adding",
        "You apply dropout to the token vectors and add the positions afterwards, so the positions are never dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "Scale, add, dropout: in which order are your lines?",
            f"`{DROP}`.",
        ),
        (DROP, "self.dropout(tokens) + positions"),
        group="dropout",
    ),
    mistake(
        "dropout_on_positions",
        "You apply dropout to the positions only, so the token vectors are never dropped.",
        (
            "Build your module with `dropout=1.0` and call it in training mode. What is left?",
            "What do you pass to `self.dropout`?",
            f"`{DROP}`.",
        ),
        (DROP, "tokens + self.dropout(positions)"),
        group=ALONE,
    ),
    mistake(
        "dropout_in_evaluation",
        "You apply dropout in evaluation, too, so the same sentence would get another translation each time. `F.dropout` doesn't know your module's mode unless you pass it.",
        (
            "Call your module twice after `.eval()`, with `dropout=0.5`. Is the output the same?",
            "`F.dropout` has a parameter `training`, which is True unless you say otherwise.",
            f"`{DROP}`: a module knows its mode. Or `F.dropout(..., self.dropout.p, self.training)`.",
        ),
        (DROP, f"F.dropout({SUM}, self.dropout.p)"),
        group=ALONE,
    ),
    # everything else
    mistake(
        "tokens_detached",
        "Your numbers are right, but the token vectors are cut out of the graph: no gradient reaches the token embedding, and it never learns.",
        (
            "What is `module.token_embedding.weight.grad` after a backward pass?",
            "Between the look-up and the sum the graph is cut. Do you use `detach`, `.data`, `torch.no_grad` or NumPy there?",
            f"`{LOOK_UP}{SCALE}`, and nothing that cuts.",
        ),
        (LOOK_UP, f"{LOOK_UP}.detach()"),
        group="gradient",
    ),
    mistake(
        "token_0_silenced",
        "You set the vectors of token 0 to zero, as if it were padding. Here padding gets a vector like any other token: a mask hides it later, and this layer doesn't know which id padding has.",
        (
            "Embed token 0. What comes back?",
            "What does the docstring of `forward` say about padding?",
            "Leave out the condition: scale, add, dropout, for all tokens.",
        ),
        (DROP, f"{DROP}.masked_fill((ids == 0).unsqueeze(-1), 0.0)"),
        group=ALONE,
    ),
    mistake(
        "sentence_axis_first",
        "You return (T, B, D), with the batch on the second axis. Here the batch comes first.",
        (
            "Which shape do you return, and which does the docstring ask for?",
            "`ids` is (B, T). Where do you swap these two?",
            "(B, T, D) + (T, D) needs no transpose.",
        ),
        (DROP, f"{DROP}.transpose(0, 1)"),
        group=ALONE,
    ),
    mistake(
        "positions_trained",
        "You made the table of positions a parameter: an optimiser would change the sinusoids. As given, it is a buffer, which moves with the module and is not trained.",
        (
            "What is `dict(module.named_parameters()).keys()`?",
            "What did you change in the constructor?",
            f"`{BUFFER}`.",
        ),
        (BUFFER, "self.positions = nn.Parameter(sinusoidal_encoding(max_length, d_model))"),
        group=ALONE,
    ),
    mistake(
        "weights_scaled_in_place",
        "You multiply the stored token vectors themselves, once more at each call: your first answer is right, and with every further call the vectors grow.",
        (
            "Call your module twice with the same sentence. Is the answer the same?",
            "`*=` and `mul_` change a tensor in place, and with `.data` or under `no_grad` they change a parameter, too.",
            f"Multiply what you look up: `{LOOK_UP}{SCALE}`.",
        ),
        ("        tokens = ", "        self.token_embedding.weight.data *= math.sqrt(self.token_embedding.embedding_dim)\n        tokens = "),
        (SCALE, ""),
        group="scale",
    ),
    mistake(
        "padding_not_counted",
        "You don't count token 0 as a position, as if it were padding, so the tokens after it move up. Here each token has the position at which it stands, and this layer doesn't know which id padding has.",
        (
            "Which position does your third token get, where the second is token 0?",
            "Look for a comparison with 0, and for a cumulative sum.",
            f"`{ROWS}`: row t for position t, whichever token stands there.",
        ),
        (ROWS, "self.positions[((ids != 0).long().cumsum(1) - 1).clamp(min=0)]"),
        group="positions",
    ),
    mistake(
        "scaled_by_the_vocabulary",
        "You multiply the token vectors by the square root of the size of the vocabulary. It is their width that counts: √d_model.",
        (
            "Would your vectors change if the vocabulary had one more token that nobody uses?",
            "An `nn.Embedding` has two sizes. Which one is under your root?",
            "`* math.sqrt(self.token_embedding.embedding_dim)`.",
        ),
        (SCALE, " * math.sqrt(self.token_embedding.num_embeddings)"),
        group="scale",
    ),
)  # fmt: skip


class InOneExpression(PositionEmbedding):
    def forward(self, ids):
        d_model = self.positions.shape[1]
        return self.dropout(self.token_embedding(ids) * d_model**0.5 + self.positions[: ids.shape[-1]])


class LookedUpTwice(PositionEmbedding):
    def forward(self, ids):
        B, T = ids.shape
        where = torch.arange(T).expand(B, T)
        x = F.embedding(ids, self.token_embedding.weight) * math.sqrt(self.token_embedding.weight.shape[1])
        x = x + F.embedding(where, self.positions)
        return F.dropout(x, p=self.dropout.p, training=self.training)


class ComputedAgain(PositionEmbedding):
    def forward(self, ids):
        tokens = self.token_embedding(ids)
        d_model = tokens.size(-1)
        return self.dropout(math.sqrt(d_model) * tokens + sinusoidal_encoding(ids.size(1), d_model))


class OneHotTimesTable(PositionEmbedding):
    def forward(self, ids):
        table = self.token_embedding.weight
        tokens = F.one_hot(ids, table.size(0)).to(table.dtype) @ (table * math.sqrt(table.size(1)))
        length = tokens.size(1)
        return self.dropout(torch.add(tokens, self.positions.narrow(0, 0, length).unsqueeze(0)))


class AddedInPlace(PositionEmbedding):
    def forward(self, ids):
        x = self.token_embedding(ids).mul(self.token_embedding.embedding_dim**0.5)
        x += self.positions[: x.shape[1], :]
        if self.training:
            x = self.dropout(x)
        return x


class SentenceBySentence(PositionEmbedding):
    def forward(self, ids):
        scale = math.sqrt(self.token_embedding.embedding_dim)
        sentences = []
        for sentence in ids:
            rows = [self.token_embedding.weight[i] * scale + self.positions[t] for t, i in enumerate(sentence)]
            sentences.append(torch.stack(rows))
        return self.dropout(torch.stack(sentences))


class stub(PositionEmbedding):
    def forward(self, ids):
        raise NotImplementedError


class Zeros(PositionEmbedding):
    def forward(self, ids):
        return torch.zeros(*ids.shape, self.token_embedding.embedding_dim)


class TheIdsThemselves(PositionEmbedding):
    def forward(self, ids):
        return ids.unsqueeze(-1).expand(*ids.shape, self.token_embedding.embedding_dim).float()


class OnlyLookedUp(PositionEmbedding):
    def forward(self, ids):
        return self.token_embedding(ids)


class Noise(nn.Module):
    def __init__(self, vocab_size, d_model, max_length, dropout=0.1):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        return torch.randn(*ids.shape, self.token_embedding.embedding_dim)


POSITION_EMBEDDING = define(
    id="position_embedding",
    lesson="05_positional_encoding",
    place=3,
    module="course_lib.components.position_embedding",
    symbol="PositionEmbedding",
    minutes=10,
    laws=LAWS,
    hints=(
        "What stands there, and where: two tables, two look-ups, one sum. Print the shape of each.",
        "Four steps: look up, scale, add, drop. Compare each with the smallest example, on paper, until one differs.",
        "`self.token_embedding(ids)` times `math.sqrt(self.token_embedding.embedding_dim)`, plus `self.positions[: ids.size(1)]`; "
        "`self.dropout` of the sum.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(
        InOneExpression, LookedUpTwice, ComputedAgain, OneHotTimesTable, AddedInPlace, SentenceBySentence,
    ),
    lazy=(stub, Zeros, TheIdsThemselves, OnlyLookedUp, Noise),
    write=("forward",),
    builds_on=("sinusoidal_encoding",),
    switches=("scale", "sum", "positions", "dropout"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


@POSITION_EMBEDDING.second_version("unscaled")
class LookedUpAndAdded(PositionEmbedding):
    def forward(self, ids):
        where = torch.arange(ids.shape[1])
        return self.dropout(F.embedding(ids, self.token_embedding.weight) + F.embedding(where, self.positions))


@POSITION_EMBEDDING.second_version("scaled_after_adding")
class ScaledAsAWhole(PositionEmbedding):
    def forward(self, ids):
        x = self.token_embedding(ids) + self.positions[: ids.shape[1]]
        return self.dropout(x * x.shape[-1] ** 0.5)


@POSITION_EMBEDDING.second_version("along_the_batch")
class WordsFirst(PositionEmbedding):
    def forward(self, ids):
        x = self.token_embedding(ids) * math.sqrt(self.positions.size(1))
        return self.dropout(x + self.positions[: x.size(0), None])


@POSITION_EMBEDDING.second_version("whole_table")
class Unsliced(PositionEmbedding):
    def forward(self, ids):
        return self.dropout(self.token_embedding(ids) * self.positions.shape[1] ** 0.5 + self.positions.unsqueeze(0))


@POSITION_EMBEDDING.second_version("concatenated")
class SideBySide(PositionEmbedding):
    def forward(self, ids):
        tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        where = self.positions[: ids.size(1)].unsqueeze(0).repeat(ids.size(0), 1, 1)
        return self.dropout(torch.cat((tokens, where), 2))


@POSITION_EMBEDDING.second_version("looked_up_by_token")
class EmbeddedTwice(PositionEmbedding):
    def forward(self, ids):
        tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        return self.dropout(tokens + F.embedding(ids, self.positions))


@POSITION_EMBEDDING.second_version("dropout_in_evaluation")
class ANewDropout(PositionEmbedding):
    def forward(self, ids):
        x = self.token_embedding(ids) * self.positions.shape[1] ** 0.5 + self.positions[: ids.shape[1]]
        return nn.Dropout(self.dropout.p)(x)


@POSITION_EMBEDDING.second_version("tokens_detached")
class WithoutGradient(PositionEmbedding):
    def forward(self, ids):
        with torch.no_grad():
            tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        return self.dropout(tokens + self.positions[: ids.shape[1]])


@POSITION_EMBEDDING.second_version("unscaled + dropout_forgotten")
class OnlyTheSum(PositionEmbedding):
    def forward(self, ids):
        return torch.add(self.token_embedding(ids), self.positions[: ids.shape[1]])


@POSITION_EMBEDDING.second_version("weights_scaled_in_place")
class GrowsWithEveryCall(PositionEmbedding):
    def forward(self, ids):
        with torch.no_grad():
            self.token_embedding.weight.mul_(self.positions.size(1) ** 0.5)
        return self.dropout(self.token_embedding(ids) + self.positions[: ids.size(-1)])


@POSITION_EMBEDDING.second_version("padding_not_counted")
class CountsWordsOnly(PositionEmbedding):
    def forward(self, ids):
        rows = torch.zeros_like(ids)
        for b, sentence in enumerate(ids.tolist()):
            for t in range(len(sentence)):
                rows[b, t] = max(sum(token != 0 for token in sentence[: t + 1]) - 1, 0)
        tokens = self.token_embedding(ids) * math.sqrt(self.token_embedding.embedding_dim)
        return self.dropout(tokens + self.positions[rows])


@POSITION_EMBEDDING.second_version("scaled_by_the_vocabulary")
class RootOfAllTokens(PositionEmbedding):
    def forward(self, ids):
        weight = self.token_embedding.weight
        return self.dropout(F.embedding(ids, weight * len(weight) ** 0.5) + self.positions[: ids.shape[1]])
