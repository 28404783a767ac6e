"""The experiments of lessons 10 and 11: what a wider search finds, and what it costs to recompute the whole prefix.

For the first, the course's translator is trained a little further on a corpus in which words have several right
translations and some targets are missing. Corpora collected from the web look like that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from time import process_time
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.corpus import Pair, english_vocabulary, french_vocabulary, generate
from course_lib.experiments.series import Series
from course_lib.parameters import load_parameters
from course_lib.training import Batch, TranslationBatches, fast_precision, one_thread, rise_and_fall, train
from course_lib.translator.trained import french_tokens, read_about, read_weights

#: the share of targets missing from the corpus
NOISE = 0.1
#: further training: steps, sentence pairs per batch, and Adam's highest learning rate
STEPS, BATCH_SIZE, LEARNING_RATE = 250, 64, 2e-3
#: the beam widths to test
WIDTHS = (1, 2, 4, 8, 16)
#: sentences to translate: how many, and their shortest and longest length in English tokens
SENTENCES, SHORTEST, LONGEST = 50, 9, 14
#: the most tokens in a translation
MAX_LENGTH = 24


@dataclass(frozen=True)
class Parts:
    """The components to train, search and time.

    Attributes:
        transformer: the class, like `Transformer`.
        vocabulary: a class built from sentences, like `Vocabulary`.
        loss: ``(logits, targets, pad_id) -> scalar``, like `teacher_forced_loss`.
        bleu: ``(hypotheses, references) -> score``, like `corpus_bleu`.
        beam_search: like `beam_search`.
        cached_decoder: like `CachedDecoder`.
        recurrent_decoder: like `RecurrentDecoder`.
    """

    transformer: Callable[..., nn.Module]
    vocabulary: Callable[..., Any]
    loss: Callable[..., Tensor]
    bleu: Callable[..., float]
    beam_search: Callable[..., tuple[Tensor, Tensor]]
    cached_decoder: Callable[..., Any]
    recurrent_decoder: Callable[..., nn.Module]


@dataclass(frozen=True)
class Trained:
    """A translator with the vocabularies that its rows belong to."""

    model: nn.Module
    english: Any
    french: Any


def shipped(parts: Parts) -> Trained:
    """Build the course's translator, unchanged, from the given parts."""
    english, french = parts.vocabulary([english_vocabulary()]), parts.vocabulary([french_vocabulary()])
    model = parts.transformer(**read_about().configuration)
    load_parameters(model, {name: weight for name, weight in read_weights().items() if name != "positions"})
    return Trained(model.eval(), english, french)


def further_trained(parts: Parts, seed: int, noise: float = NOISE, steps: int = STEPS) -> Trained:
    """Train the course's translator for some more steps on an ambiguous corpus.

    French words that it did not know get randomly initialised vectors.
    """
    english = parts.vocabulary([english_vocabulary()])
    french = parts.vocabulary([french_vocabulary(synonyms=True)])
    configuration = {**read_about().configuration, "target_vocab_size": len(french)}
    found = islice(generate(seed, "train", synonyms=True, noise=noise), steps * BATCH_SIZE)
    batches = TranslationBatches(list(found), english, french, BATCH_SIZE, seed)
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model = parts.transformer(**configuration)
        load_parameters(model, _with_new_words(read_weights(), french))
        optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98), fused=True)

        def loss(batch: Batch) -> Tensor:
            with fast_precision():
                logits = model(batch.source, batch.inputs)  # (B, T, V)
            # all targets of a batch have one length, and a mean over tokens would weight an empty target like ten words
            tokens = (batch.targets != french.pad_id).sum()
            total: Tensor = parts.loss(logits.float(), batch.targets, french.pad_id) * tokens
            return total / (10 * BATCH_SIZE)

        train(loss, batches, optimizer, steps=steps, schedule=rise_and_fall)
    return Trained(model.eval(), english, french)


def _with_new_words(weights: dict[str, Tensor], french: Any) -> dict[str, Tensor]:
    """Return the weights, with one row in the target table for each token of the vocabulary."""
    name = "target_embedding.token_embedding.weight"
    known = {token: row for row, token in enumerate(french_tokens())}
    old = weights[name]  # (V, D)
    new = torch.randn(len(french), old.size(1)) * old.std()  # (V', D)
    for row, token in enumerate(french.tokens):
        if token in known:
            new[row] = old[known[token]]
    return {key: weight for key, weight in weights.items() if key != "positions"} | {name: new}


@cache
def held_out(seed: int, synonyms: bool, count: int = SENTENCES) -> tuple[Pair, ...]:
    """Return held-out sentences of 9 to 14 tokens; the longer a sentence, the more of its words have synonyms."""
    found = generate(10_000 + seed, "held_out", synonyms=synonyms)
    return tuple(islice((pair for pair in found if SHORTEST <= len(pair.source) <= LONGEST), count))


def sources(trained: Trained, pairs: Sequence[Pair]) -> Tensor:
    """Return the English of pairs as ids (B, S), padded."""
    rows = [trained.english.encode(pair.source)[1:-1] for pair in pairs]
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [trained.english.pad_id] * (longest - len(row)) for row in rows])


def by_width(
    parts: Parts, trained: Trained, pairs: Sequence[Pair], alpha: float = 0.0, widths: Sequence[int] = WIDTHS
) -> Series:
    """Measure what beam search finds at several beam widths.

    Returns:
        ``width``; the share of ``empty`` translations; ``bleu`` against the pairs' targets; ``log_probability``, its
        mean over the translations found (with ``alpha=0``; otherwise the mean of their scores).
    """
    french, references = trained.french, [list(pair.target) for pair in pairs]
    series: Series = {"width": [], "empty": [], "bleu": [], "log_probability": []}
    with one_thread():
        for width in widths:
            found, scores = parts.beam_search(
                trained.model, sources(trained, pairs), french.bos_id, french.eos_id, MAX_LENGTH, width, alpha
            )
            hypotheses = [french.decode(row) for row in found.tolist()]
            series["width"].append(float(width))
            series["empty"].append(sum(not hypothesis for hypothesis in hypotheses) / len(hypotheses))
            series["bleu"].append(float(parts.bleu(hypotheses, references)))
            series["log_probability"].append(scores.mean().item())
    return series


def log_probability(trained: Trained, pair: Pair, target: Sequence[str]) -> float:
    """Return the log-probability that the model gives a translation: of its tokens and of its end."""
    ids = trained.french.encode(target)
    with torch.no_grad():
        logits = trained.model(sources(trained, [pair]), torch.tensor([ids[:-1]]))[0]  # (T, V)
    steps: Tensor = logits.log_softmax(dim=-1).gather(1, torch.tensor(ids[1:]).unsqueeze(1))  # (T, 1)
    return steps.sum().item()


#: tokens to write in the timing experiment, and the lengths at which the time is recorded
LENGTHS = (8, 16, 32, 64, 128)
#: sentences per batch, and tokens per source
AT_ONCE, SOURCE = 4, 12


@torch.no_grad()
def time_by_length(parts: Parts, seed: int, lengths: Sequence[int] = LENGTHS) -> Series:
    """Measure the CPU time in which three decoders of one width, with random weights, write ``lengths`` tokens.

    The tokens do not affect the time, so they are random too, and no sentence ends.

    Returns:
        ``length`` and, in seconds, ``recomputed``, ``cached`` and ``recurrent``.
    """
    configuration = {**read_about().configuration, "max_length": max(SOURCE, *lengths)}
    vocabulary = configuration["target_vocab_size"]
    with torch.random.fork_rng(devices=[]), one_thread():
        torch.manual_seed(seed)
        model: Any = parts.transformer(**configuration).eval()
        recurrent = parts.recurrent_decoder(vocabulary, configuration["d_model"]).eval()
        memory, memory_mask = model.encode(torch.randint(3, configuration["source_vocab_size"], (AT_ONCE, SOURCE)))
        written = torch.randint(3, vocabulary, (AT_ONCE, max(lengths)))  # (B, T)
        state = memory.new_zeros(2, AT_ONCE, configuration["d_model"]).unbind()
        for step in (_recomputing(model, memory, memory_mask), _recurring(recurrent, state)):  # warm up
            step(written, 0)
        return {
            "length": [float(length) for length in lengths],
            "recomputed": _seconds(_recomputing(model, memory, memory_mask), written, lengths),
            "cached": _seconds(_caching(parts.cached_decoder(model, memory, memory_mask)), written, lengths),
            "recurrent": _seconds(_recurring(recurrent, state), written, lengths),
        }


#: ``(written (B, T), t)``: compute what follows token t
Step = Callable[[Tensor, int], object]


def _recomputing(model: Any, memory: Tensor, memory_mask: Tensor) -> Step:
    return lambda written, t: model.decode(written[:, : t + 1], memory, memory_mask)[:, -1]


def _caching(decoder: Any) -> Step:
    return lambda written, t: decoder.step(written[:, t])


def _recurring(decoder: nn.Module, state: Any) -> Step:
    states = [state]

    def step(written: Tensor, t: int) -> None:
        _, states[0] = decoder(written[:, t : t + 1], states[0], states[0][0])

    return step


def _seconds(step: Step, written: Tensor, lengths: Sequence[int]) -> list[float]:
    taken, start = [], process_time()
    for t in range(max(lengths)):
        step(written, t)
        if t + 1 in lengths:
            taken.append(process_time() - start)
    return taken


def clean(parts: Parts, seed: int) -> Series:
    """Run `by_width` with the course's translator on the corpus it was trained on."""
    return by_width(parts, shipped(parts), held_out(seed, synonyms=False))


def noisy(parts: Parts, seed: int) -> Series:
    """Run `by_width` with and without a penalty, after more training on the ambiguous, noisy corpus."""
    trained, pairs = further_trained(parts, seed), held_out(seed, synonyms=True)
    plain, fair = by_width(parts, trained, pairs), by_width(parts, trained, pairs, alpha=1.0)
    return {**plain, "empty_with_penalty": fair["empty"], "bleu_with_penalty": fair["bleu"]}


#: what is recorded over several seeds
SEARCH: dict[str, Callable[[Parts, int], Series]] = {"clean": clean, "noisy": noisy}  #: of lesson 10
CACHE: dict[str, Callable[[Parts, int], Series]] = {"time_by_length": time_by_length}  #: of lesson 11
