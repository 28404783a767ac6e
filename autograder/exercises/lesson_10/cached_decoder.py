"""Exercise `cached_decoder`: a Transformer's decoder that is told one token at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional as F

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_10.modules import decoder_weights
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, unmoved
from course_lib.checking.values import Value
from course_lib.components.cached_layer import CachedLayer

#: the width, and the vocabulary
D_MODEL, VOCAB = 6, 8


def _translation(draw: Draw, batch: int, steps: int, memory: int, masked: bool = False) -> dict[str, Value]:
    mask = torch.ones(batch, 1, 1, memory, dtype=torch.bool)
    if masked:  # sentences of different lengths, none of them empty
        for row in range(batch):
            mask[row, :, :, memory - row :] = False
    tokens = torch.tensor([[1, *draw.shuffled(range(3, VOCAB))[: steps - 1]] for _ in range(batch)])
    return {"memory": draw.tensor(batch, memory, D_MODEL), "memory_mask": mask, "tokens": tokens}


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
    given = {"over": "Transformer", "build": build, "weights": weights, "calls": list(calls), "returns": ["logits"]}
    return Question(name, probes.step_by_step, {**given, **more})


def ask(draw: Draw) -> Iterator[Question]:
    """One token, several through one layer, through two; padded memory; post-norm; weights that change on the way; two translations; one sentence that ends before the other."""
    one, two = (decoder_weights(draw, number, VOCAB, D_MODEL, 5) for number in (1, 2))
    yield _question("first_token", one, 1, _translation(draw, 1, 1, 2))
    yield _question("one_layer", one, 1, _translation(draw, 2, 3, 4))
    batch, steps, memory = draw.shuffled((3, 4, 5))
    yield _question("plain", two, 2, _translation(draw, batch, steps, memory))
    yield _question("padded", two, 2, _translation(draw, 3, 2, 4, masked=True))
    yield _question("post_norm", two, 2, _translation(draw, 2, 3, 4), norm_first=False)
    changed = {name: weight for name, weight in decoder_weights(draw, 2, VOCAB, D_MODEL, 5).items() if ".w_" in name}
    yield _question("kept", two, 2, _translation(draw, 2, 4, 3), changed=changed, change_at=2)
    yield _question("again", two, 2, _translation(draw, 2, 3, 4), _translation(draw, 2, 2, 5))
    going_on = _translation(draw, 2, 4, 3)
    ended = going_on | {"tokens": going_on["tokens"].clone()}
    ended["tokens"][1, 2:] = 0  # the second sentence has ended, the first goes on
    yield _question("ended", two, 2, going_on, ended)


def _logits(call: int = 0) -> dict[str, list[str]]:
    return {"fields": [f"calls/{call}/logits"]}


LAWS = (
    Law("first_token", equals_reference, "first_token", "with one layer, the logits after `bos_id` come out right", 0.25, _logits()),
    Law("one_layer", equals_reference, "one_layer", "with one layer, every step equals the full forward", 0.375, _logits()),
    Law("equals_plain", equals_reference, "plain", "with two layers, every step equals the full forward", 0.375, _logits()),
    Law("padded", equals_reference, "padded", "padding in the memory is hidden by `memory_mask`", 0.25, _logits()),
    Law("post_norm", equals_reference, "post_norm", "a post-norm model comes out right", 0.125, _logits()),
    Law("kept", equals_reference, "kept", "what was read is not read again: when weights change on the way, what was made before stays", 0.375, _logits()),
    Law("again", equals_reference, "again", "a second translation begins at position 0", 0.125, _logits(1)),
    Law("ended", unmoved, "ended", "a sentence that goes on does not notice that another has ended", 0.125,
        {"before": "calls/0/logits/3", "after": "calls/1/logits/3", "index": [0]}, needs="one_layer"),
)  # fmt: skip

LAYERS = "[CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]"
EMBED = "words * math.sqrt(words.size(-1)) + embedding.positions[self.length]"
COUNT = "        self.length += 1\n"
LOOP = "        for layer in self.layers:\n            x = layer.step(x)  # (B, 1, D)\n"
NORM = "self.model.decoder.norm(x).squeeze(1)"
TIED = "decoded @ embedding.token_embedding.weight.T"

MISTAKES = (
    # positions
    mistake(
        "positions_restart",
        "Every token of yours stands at position 0. `target_embedding(token)` is told one token, and believes it to be the first.",
        (
            "At which position does the model believe the third token to be?",
            "Which row of `positions` do you add?",
            "Count the tokens: `embedding.positions[self.length]`, then `self.length += 1`.",
        ),
        (EMBED, "words * math.sqrt(words.size(-1)) + embedding.positions[0]"),
        group=ALONE,
    ),
    mistake(
        "positions_from_1",
        "Your first token stands at position 1: you count it before you look its position up.",
        (
            "At which position is `bos_id` in training?",
            "Which comes first in your step: to count, or to add the position?",
            "`embedding.positions[self.length]` first, then `self.length += 1`.",
        ),
        (EMBED, "words * math.sqrt(words.size(-1)) + embedding.positions[self.length + 1]"),
        group="positions",
    ),
    mistake(
        "positions_left_out",
        "You add no position to your tokens.",
        (
            "What does `PositionEmbedding.forward` do besides looking words up?",
            "A decoder layer learns of the position from the vector alone.",
            "`+ embedding.positions[self.length]`.",
        ),
        (EMBED, "words * math.sqrt(words.size(-1))"),
        group="positions",
    ),
    mistake(
        "positions_count_layers",
        "You count on once a *layer*: with two layers your second token stands at position 2.",
        (
            "What is `self.length` after one step?",
            "Where in your step do you count: in the loop over layers, or outside?",
            "Once a step.",
        ),
        (COUNT, ""),
        ("            x = layer.step(x)  # (B, 1, D)\n", "            x = layer.step(x)  # (B, 1, D)\n            self.length += 1\n"),
        group=ALONE,
    ),
    mistake(
        "positions_stop_at_padding",
        "Your count of tokens stands still as soon as some sentence of the batch has ended: the sentences that go on are given the wrong positions.",
        (
            "Two sentences, one of which has ended. Which position does the next word of the other one have?",
            "What does your step look at before it counts?",
            "Count every step, whatever the tokens are.",
        ),
        (COUNT, "        self.length += int(bool((token != self.model.pad_id).all()))\n"),
        group=ALONE,
    ),
    mistake(
        "count_shared_by_all_translations",
        "Your count of tokens belongs to the class, not to the object: the second translation begins at the position where the first one ended.",
        (
            "Make two of them, one after the other. At which position does the second one begin?",
            "Where does the count begin: in `__init__`, or in the body of the class?",
            "`self.length = 0` in `__init__`, and `self.length += 1` in `step`.",
        ),
        ("        self.length = 0  # how many tokens were read\n", "        self.length = CachedDecoder.__dict__.get('read', 0)\n"),
        (COUNT, "        self.length += 1\n        CachedDecoder.read = self.length\n"),
        group=ALONE,
    ),
    # the embedding
    mistake(
        "words_unscaled",
        "You do not multiply the token's vector by √D, as the embedding does.",
        (
            "What does `PositionEmbedding.forward` do with the looked-up vectors?",
            "Three things make up an embedding: words, a factor, positions.",
            "`words * math.sqrt(D)`.",
        ),
        (EMBED, "words + embedding.positions[self.length]"),
        group="scale",
    ),
    mistake(
        "positions_scaled_too",
        "You multiply the *sum* by √D: the position too.",
        (
            "To what does the factor belong: to the word, or to word and position?",
            "Look at your brackets.",
            "`words * math.sqrt(D) + embedding.positions[self.length]`.",
        ),
        (EMBED, "(words + embedding.positions[self.length]) * math.sqrt(words.size(-1))"),
        group=ALONE,
    ),
    # the layers
    mistake(
        "new_layers_at_every_step",
        "You make new `CachedLayer`s at every step: they are empty, and every token sees itself alone.",
        (
            "Does what you say after the second token depend on the first?",
            "When are your `CachedLayer`s made?",
            "In `__init__`, once for a translation.",
        ),
        ("        for layer in self.layers:\n", "        for layer in [CachedLayer(one.layer, self.memory, one.memory_mask) for one in self.layers]:\n"),
        ("self.length = 0", "self.memory = memory\n        self.length = 0"),
        group=ALONE,
    ),
    mistake(
        "first_layer_for_all",
        "All your `CachedLayer`s are made of the *first* layer: it runs as often as there are layers.",
        (
            "With one layer you are right, with two you are not. Which weights does your second have?",
            "Which layer do you hand to the second `CachedLayer`?",
            "`[CachedLayer(layer, ...) for layer in model.decoder.layers]`.",
        ),
        (LAYERS, "[CachedLayer(model.decoder.layers[0], memory, memory_mask) for _ in model.decoder.layers]"),
        group=ALONE,
    ),
    mistake(
        "first_cached_layer_for_all",
        "One `CachedLayer`, that of the first layer, stands for all of them: its weights run as often as there are layers, and it keeps several keys for each token.",
        (
            "With one layer you are right, with two you are not. How many keys does your `CachedLayer` hold after one token?",
            "How many `CachedLayer`s do you make? `[thing] * n` holds one thing n times.",
            "`[CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]`.",
        ),
        (LAYERS, "[CachedLayer(model.decoder.layers[0], memory, memory_mask)] * len(model.decoder.layers)"),
        group=ALONE,
    ),
    mistake(
        "one_cache_for_all",
        "All layers share the keys and values of one: those of the first layer stand beside those of the second.",
        (
            "How many keys does a layer keep at each step?",
            "What the second layer attends to was made by the second layer. Is it so in yours?",
            "Each layer needs a `CachedLayer` of its own.",
        ),
        ("        for layer in self.layers:\n", """        for number, layer in enumerate(self.layers):
            before = self.layers[number - 1]
            if before.keys.size(2):
                layer.keys, layer.values = before.keys, before.values
"""),
        group=ALONE,
    ),
    mistake(
        "last_layer_only",
        "The token goes through the last layer only: each of your layers is given the embedding, not what the layer before has made.",
        (
            "With one layer you are right, with two you are not. What goes into the second?",
            "Which name is on both sides of your line in the loop?",
            "`x = layer.step(x)`.",
        ),
        (LOOP, "        for layer in self.layers:\n            y = layer.step(x)\n        x = y\n"),
        group=ALONE,
    ),
    mistake(
        "layers_backwards",
        "The token goes through the last layer first.",
        (
            "With one layer you are right, with two you are not. Which comes first?",
            "In which order do you loop?",
            "`for layer in self.layers`.",
        ),
        ("in self.layers:", "in reversed(self.layers):"),
        group=ALONE,
    ),
    mistake(
        "memory_mask_left_out",
        "Your layers see the padding of the memory: you do not pass `memory_mask` on to them.",
        (
            "Change a vector of the memory that is masked. Do your logits move?",
            "What do you hand to each `CachedLayer`?",
            "`CachedLayer(layer, memory, memory_mask)`.",
        ),
        (LAYERS, "[CachedLayer(layer, memory, torch.ones_like(memory_mask)) for layer in model.decoder.layers]"),
        group="mask",
    ),
    mistake(
        "everything_read_again",
        "You keep the *tokens* and run the whole decoder on them at every step. The results are right, and nothing is saved.",
        (
            "How many tokens go through the layers at your tenth step?",
            "Who keeps the keys and values in your code?",
            "One token a step, through each `CachedLayer`.",
        ),
        ("        embedding = self.model.target_embedding\n", """        self.seen = torch.cat([*([self.seen] if self.length else []), token.unsqueeze(1)], dim=1)
        self.length += 1
        return self.model.decode(self.seen, self.memory, self.memory_mask)[:, -1]
        embedding = self.model.target_embedding
"""),
        ("self.length = 0", "self.memory, self.memory_mask = memory, memory_mask\n        self.length = 0"),
        group=ALONE,
    ),
    # the way out
    mistake(
        "last_norm_left_out",
        "You leave out the decoder's last normalisation. A pre-norm stack has one more at its end.",
        (
            "A post-norm model comes out right, a pre-norm one does not. What does only one of them have?",
            "What does `Decoder.forward` do after its loop?",
            "`self.model.decoder.norm(x)`.",
        ),
        (NORM, "x.squeeze(1)"),
        group="norm",
    ),
    mistake(
        "norm_after_each_layer",
        "You apply the decoder's last normalisation after each layer. It comes once, after the last one.",
        (
            "With one layer you are right, with two you are not. What does the second layer read?",
            "Is your call of `norm` inside the loop or behind it?",
            "`self.model.decoder.norm(x)` after the loop.",
        ),
        ("            x = layer.step(x)  # (B, 1, D)\n", "            x = self.model.decoder.norm(layer.step(x))\n"),
        (NORM, "x.squeeze(1)"),
        group=ALONE,
    ),
    mistake(
        "logits_scaled",
        "You multiply the logits by √D. That factor belongs to the embedding of the words, not to the output.",
        (
            "What does `Transformer.decode` do with the decoder's output?",
            "How often does √D occur in your step, and where should it?",
            "`decoded @ embedding.token_embedding.weight.T`.",
        ),
        (TIED, f"({TIED}) * math.sqrt(words.size(-1))"),
        group="output",
    ),
    mistake(
        "axis_of_one_token",
        "You return (B, 1, V): there is still an axis for the one token.",
        (
            "Which shape do you return, and which does the docstring ask for?",
            "Where does your token get its axis, and where does it lose it?",
            "`.squeeze(1)`, or `[:, -1]`.",
        ),
        (NORM, "self.model.decoder.norm(x)"),
        group="shape",
    ),
    mistake(
        "log_probabilities",
        "You return log-probabilities. Asked for are the logits, as `Transformer.decode` returns them.",
        (
            "Sum `exp` of one of your rows. What do you get?",
            "What is the last thing you do?",
            "Leave out the softmax; whoever needs it, takes it.",
        ),
        ("        return logits", "        return torch.log_softmax(logits, dim=-1)"),
        group="softmax",
    ),
    mistake(
        "probabilities",
        "You return probabilities. Asked for are the logits, as `Transformer.decode` returns them.",
        (
            "Sum one of your rows. What do you get?",
            "What is the last thing you do?",
            "Leave out the softmax; whoever needs it, takes it.",
        ),
        ("        return logits", "        return torch.softmax(logits, dim=-1)"),
        group="softmax",
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1. With a single sentence the batch axis goes too, and you return (V,) where (1, V) is asked for.",
        (
            "Translate a single sentence. How many axes do your logits have?",
            "`.squeeze()` without an argument removes all axes of length 1. Which one should go?",
            "`.squeeze(1)`: the axis of the one token, and no other.",
        ),
        (NORM, "self.model.decoder.norm(x).squeeze()"),
        group=ALONE,
    ),
)  # fmt: skip


class PositionsByCounting:
    def __init__(self, model, memory, memory_mask):
        self.model, self.seen = model, 0
        self.layers = []
        for layer in model.decoder.layers:
            self.layers.append(CachedLayer(layer, memory, memory_mask))

    def step(self, token):
        table = self.model.target_embedding.token_embedding.weight
        x = F.embedding(token[:, None], table) * table.shape[1] ** 0.5
        x = x + self.model.target_embedding.positions[self.seen : self.seen + 1]
        self.seen = self.seen + 1
        for layer in self.layers:
            x = layer.step(x)
        return F.linear(self.model.decoder.norm(x), table)[:, 0]


class LengthOfTheKeys:
    def __init__(self, model, memory, memory_mask):
        self.decoder, self.embedding = model.decoder, model.target_embedding
        self.cached = [CachedLayer(layer, memory, memory_mask) for layer in self.decoder.layers]
        self.rows = iter(self.embedding.positions)

    def step(self, token):
        table = self.embedding.token_embedding.weight
        x = (math.sqrt(table.size(1)) * table[token] + next(self.rows)).unsqueeze(1)
        for layer in self.cached:
            x = layer.step(x)
        return torch.einsum("bd,vd->bv", self.decoder.norm(x).squeeze(1), table)


class EmbeddedWithWhatWentBefore:
    def __init__(self, model, memory, memory_mask):
        self.model, self.written = model, None
        self.layers = tuple(CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers)

    def step(self, token):
        token = token.view(-1, 1)
        self.written = token if self.written is None else torch.cat([self.written, token], dim=1)
        x = self.model.target_embedding(self.written)[:, -1:]  # embedding is cheap: only the layers must not see it all
        for layer in self.layers:
            x = layer.step(x)
        return (self.model.decoder.norm(x) @ self.model.target_embedding.token_embedding.weight.T).squeeze(1)


class FilledUpInFront:
    def __init__(self, model, memory, memory_mask):
        self.model = model
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]
        self.length = -1

    def step(self, token):
        self.length += 1
        ids = token.unsqueeze(1).repeat(1, self.length + 1)
        x = self.model.target_embedding(ids)[:, self.length].unsqueeze(1)
        for layer in self.layers:
            x = layer.step(x)
        x = self.model.decoder.norm(x)[:, -1]
        return x.matmul(self.model.target_embedding.token_embedding.weight.t())


class stub:
    def __init__(self, model, memory, memory_mask):
        raise NotImplementedError


class Zeros:
    def __init__(self, model, memory, memory_mask):
        self.model = model

    def step(self, token):
        return torch.zeros(len(token), len(self.model.target_embedding.token_embedding.weight))


class TheEmbeddingItself:
    def __init__(self, model, memory, memory_mask):
        self.embedding = model.target_embedding

    def step(self, token):
        return self.embedding(token.unsqueeze(1))[:, 0] @ self.embedding.token_embedding.weight.T


class Noise:
    def __init__(self, model, memory, memory_mask):
        self.model = model

    def step(self, token):
        return torch.randn(len(token), len(self.model.target_embedding.token_embedding.weight))


CACHED_DECODER = define(
    id="cached_decoder",
    lesson="10_decoding",
    place=3,
    module="course_lib.components.cached_decoder",
    symbol="CachedDecoder",
    minutes=20,
    laws=LAWS,
    hints=(
        "Follow one token through `Transformer.decode`: embedding, layers, last normalisation, output. Which of these needs to know how many came before?",
        "`__init__`: a `CachedLayer` for each layer, and a count. `step`: look the word up, times √D, plus the position at the count; through every layer; normalise; times the embedding's table.",
        "`x = words * math.sqrt(D) + embedding.positions[self.length]` of shape (B, 1, D); `for layer in self.layers: x = layer.step(x)`; "
        "`self.model.decoder.norm(x).squeeze(1) @ embedding.token_embedding.weight.T`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(PositionsByCounting, LengthOfTheKeys, EmbeddedWithWhatWentBefore, FilledUpInFront),
    lazy=(stub, Zeros, TheEmbeddingItself, Noise),
    write=("__init__", "step"),
    builds_on=("cached_layer",),
    switches=("positions", "scale", "mask", "norm", "shape", "softmax", "output"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


class DecoderInOnePiece:
    """Right; each second version below changes one method of it."""

    def __init__(self, model, memory, memory_mask):
        self.model, self.memory, self.memory_mask, self.tokens = model, memory, memory_mask, []
        self.layers = [CachedLayer(layer, memory, memory_mask) for layer in model.decoder.layers]

    def embed(self):
        return self.model.target_embedding(torch.stack(self.tokens, dim=1))[:, -1:]

    def through(self, x):
        for layer in self.layers:
            x = layer.step(x)
        return x

    def say(self, x):
        return (self.model.decoder.norm(x) @ self.model.target_embedding.token_embedding.weight.mT)[:, 0]

    def step(self, token):
        self.tokens.append(token)
        return self.say(self.through(self.embed()))


@CACHED_DECODER.second_version("positions_restart")
class OneTokenIsEmbedded(DecoderInOnePiece):
    def embed(self):
        return self.model.target_embedding(self.tokens[-1].unsqueeze(1))


@CACHED_DECODER.second_version("positions_left_out")
class WordsAlone(DecoderInOnePiece):
    def embed(self):
        table = self.model.target_embedding.token_embedding
        return table(self.tokens[-1].unsqueeze(1)) * table.embedding_dim**0.5


@CACHED_DECODER.second_version("words_unscaled")
class Unscaled(DecoderInOnePiece):
    def embed(self):
        embedding = self.model.target_embedding
        return (embedding.token_embedding(self.tokens[-1]) + embedding.positions[len(self.tokens) - 1]).unsqueeze(1)


@CACHED_DECODER.second_version("everything_read_again")
class FullForward(DecoderInOnePiece):
    def step(self, token):
        self.tokens.append(token)
        return self.model.decode(torch.stack(self.tokens, dim=1), self.memory, self.memory_mask)[:, -1]


@CACHED_DECODER.second_version("last_norm_left_out")
class StraightToTheOutput(DecoderInOnePiece):
    def say(self, x):
        return F.linear(x.squeeze(1), self.model.target_embedding.token_embedding.weight)


@CACHED_DECODER.second_version("axis_of_one_token")
class OneTokenAxis(DecoderInOnePiece):
    def say(self, x):
        return super().say(x)[:, None]


@CACHED_DECODER.second_version("log_probabilities")
class LogProbabilities(DecoderInOnePiece):
    def say(self, x):
        return F.log_softmax(super().say(x), -1)


@CACHED_DECODER.second_version("layers_backwards")
class LastLayerFirst(DecoderInOnePiece):
    def through(self, x):
        for i in range(len(self.layers) - 1, -1, -1):
            x = self.layers[i].step(x)
        return x


@CACHED_DECODER.second_version("positions_stop_at_padding")
class CountsWholeBatches(DecoderInOnePiece):
    def embed(self):
        embedding, pad = self.model.target_embedding, self.model.pad_id
        words = embedding.token_embedding(self.tokens[-1]) * embedding.token_embedding.embedding_dim**0.5
        before = sum(1 for token in self.tokens[:-1] if not (token == pad).any())
        return (words + embedding.positions[before]).unsqueeze(1)


@CACHED_DECODER.second_version("count_shared_by_all_translations")
class CountsOnAndOn(DecoderInOnePiece):
    read: ClassVar[list[int]] = []

    def __init__(self, model, memory, memory_mask):
        super().__init__(model, memory, memory_mask)
        if len(memory) == 1:  # the first question of all: another draw begins
            self.read.clear()

    def embed(self):
        embedding = self.model.target_embedding
        words = embedding.token_embedding(self.tokens[-1]) * embedding.token_embedding.embedding_dim**0.5
        self.read.append(1)
        return (words + embedding.positions[len(self.read) - 1]).unsqueeze(1)


@CACHED_DECODER.second_version("first_cached_layer_for_all")
class TheFirstAgainAndAgain(DecoderInOnePiece):
    def through(self, x):
        for _ in self.layers:
            x = self.layers[0].step(x)
        return x


@CACHED_DECODER.second_version("norm_after_each_layer")
class NormalisedEachTime(DecoderInOnePiece):
    def through(self, x):
        for layer in self.layers[:-1]:
            x = self.model.decoder.norm(layer.step(x))
        return self.layers[-1].step(x)


@CACHED_DECODER.second_version("logits_scaled")
class ScaledOnTheWayOutToo(DecoderInOnePiece):
    def say(self, x):
        return super().say(x) * x.size(-1) ** 0.5


@CACHED_DECODER.second_version("probabilities")
class Probabilities(DecoderInOnePiece):
    def say(self, x):
        return F.softmax(super().say(x), -1)


@CACHED_DECODER.second_version("every_axis_of_one_squeezed")
class SqueezedAtTheEnd(DecoderInOnePiece):
    def say(self, x):
        table = self.model.target_embedding.token_embedding.weight
        return torch.einsum("btd,vd->btv", self.model.decoder.norm(x), table).squeeze()
