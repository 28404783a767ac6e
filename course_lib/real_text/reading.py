"""Looking at a run's translations: by length, the best and the worst, and where it looked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import sacrebleu
from torch import Tensor

from course_lib.components.transformer import Transformer
from course_lib.real_text.alignments import looked_at
from course_lib.real_text.corpora import TextPair
from course_lib.real_text.run import Run
from course_lib.real_text.training import TRAINED_ON, find_corpus
from course_lib.real_text.translating import Translated, translate_lines

#: characters that may end a word or begin a new sentence
_MARKS = ".,;:!?\"'()"
#: approximate numbers of source words, by which sentences are grouped
LENGTHS = ((1, 8), (9, 11), (12, 14), (15, 18), (19, 99))


@dataclass(frozen=True)
class Reading:
    """Sentences that a run was not trained on, with its translations.

    Attributes:
        run: the run.
        network: its network.
        pairs: the sentences with the translations that people wrote.
        found: the run's translations.
        new: the words of the sentences that never occurred in training.
        several_right: training sentences with more than one human translation, and the translations.
    """

    run: Run
    network: Transformer
    pairs: list[TextPair]
    found: list[Translated]
    new: list[str]
    several_right: list[tuple[str, list[str]]]

    def by_length(self) -> dict[str, float]:
        """Return BLEU by the number of words of a sentence, for lengths that occur."""
        scores = {}
        for shortest, longest in LENGTHS:
            chosen = [i for i, (source, _) in enumerate(self.pairs) if shortest <= len(source.split()) <= longest]
            if chosen:
                references = [[self.pairs[i][1] for i in chosen]]
                score = sacrebleu.corpus_bleu([self.found[i].text for i in chosen], references).score
                scores[f"{shortest} to {longest} words"] = score
        return scores

    def best_and_worst(self, count: int = 3) -> list[tuple[float, str, str, str]]:
        """Return the translations with the highest and the lowest BLEU: score, source, translation, reference."""
        scored = [
            (sacrebleu.sentence_bleu(one.text, [target]).score, source, one.text, target)
            for one, (source, target) in zip(self.found, self.pairs, strict=True)
        ]
        scored.sort(key=lambda entry: -entry[0])
        return scored[:count] + scored[-count:]

    def names(self) -> list[tuple[str, str]]:
        """Return capitalised words within a sentence, each with the translation of its sentence."""
        return [
            (word.strip(_MARKS), one.text)
            for one, (source, _) in zip(self.found, self.pairs, strict=True)
            for before, word in pairwise(source.split())
            if word[:1].isupper() and before[-1] not in _MARKS
        ]

    def cut(self, word: str) -> str:
        """Return a word as the network reads it, cut into pieces."""
        pieces = self.run.subwords.tokens
        return "|".join(pieces[i].removeprefix("▁") for i in self.run.subwords.encode(word)[1:-1])

    def attention(self, number: int) -> tuple[Tensor, list[str], list[str]]:
        """Return where the decoder looked for one sentence: heads (L H, T, S), subwords written, subwords read."""
        subwords, pieces = self.run.subwords, self.run.subwords.tokens
        read, written = subwords.encode(self.pairs[number][0])[1:-1], self.found[number].ids
        heads = looked_at(self.network, read, [subwords.bos_id, *written[:-1]])
        return heads, [pieces[i] for i in written], [pieces[i] for i in read]


def read(folder: Path, count: int = 200) -> Reading:
    """Translate sentences of the validation set with the run in a folder.

    Raises:
        CourseError: there is no run, or the sentences are no longer there.
    """
    run = Run.open(folder)
    corpus = find_corpus(**run.corpus, splits=TRAINED_ON)
    network = run.trained()
    pairs = corpus.splits["valid"][:count]  # the test set is used only once, at the end
    found = translate_lines(network, run, [source for source, _ in pairs], width=1)
    known = {word for source, _ in corpus.splits["train"] for word in source.split()}
    new = sorted({word for source, _ in pairs for word in source.split() if word.isalpha()} - known)
    targets: dict[str, set[str]] = {}
    for source, target in corpus.splits["train"]:
        targets.setdefault(source, set()).add(target)
    several = [(source, sorted(different)) for source, different in targets.items() if len(different) > 1]
    return Reading(run, network, pairs, found, new, several)
