"""Byte-pair merges are those that SentencePiece learns, and cut words as it does."""

from __future__ import annotations

import io
import itertools
from collections import Counter

import pytest
import sentencepiece

from course_lib.components import apply_merges, learn_merges
from course_lib.corpus import generate

MERGES = 50


@pytest.fixture(scope="module")
def counts() -> Counter[str]:
    """Return the words of a French text, each with SentencePiece's mark for a space in front."""
    return Counter("▁" + word for pair in itertools.islice(generate(3), 2000) for word in pair.target)


@pytest.fixture(scope="module")
def merges(counts: Counter[str]) -> list[tuple[str, str]]:
    return learn_merges(counts, MERGES)


@pytest.fixture(scope="module")
def theirs(counts: Counter[str]) -> sentencepiece.SentencePieceProcessor:
    """Return SentencePiece's model of the same text."""
    model = io.BytesIO()
    letters = {letter for word in counts for letter in word}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([" ".join(word[1:] for word in counts.elements())]),
        model_writer=model,
        vocab_size=MERGES + len(letters) + 3,  # and <unk>, <s>, </s>
        model_type="bpe",
        max_sentence_length=10**6,
        character_coverage=1.0,
        normalization_rule_name="identity",
        split_by_unicode_script=False,
        num_threads=1,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def test_no_two_pairs_of_the_text_are_equally_frequent(counts: Counter[str], merges: list[tuple[str, str]]) -> None:
    for step, merge in enumerate(merges):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in counts.items():
            for pair in itertools.pairwise(apply_merges(word, merges[:step])):
                pairs[pair] += count
        (best, most), (_, second) = pairs.most_common(2)
        assert best == merge and most > second, f"step {step} is a tie: take another text"


def test_merges_are_those_that_sentencepiece_learns(
    merges: list[tuple[str, str]], theirs: sentencepiece.SentencePieceProcessor
) -> None:
    learned = [theirs.id_to_piece(i) for i in range(3, 3 + MERGES)]
    assert ["".join(pair) for pair in merges] == learned


def test_words_are_cut_as_sentencepiece_cuts_them(
    merges: list[tuple[str, str]], theirs: sentencepiece.SentencePieceProcessor
) -> None:
    new = {word for pair in itertools.islice(generate(4, "held_out"), 500) for word in pair.target}
    assert len(new) > 300
    for word in new:
        assert apply_merges("▁" + word, merges) == theirs.encode(word, out_type=str)


def test_ties_do_not_depend_on_the_order_of_the_words() -> None:
    words = {"noir": 4, "noire": 3, "noires": 2, "vert": 4, "verte": 2}
    orders = [dict(order) for order in itertools.permutations(words.items())]
    assert len({tuple(learn_merges(order, 9)) for order in orders}) == 1
