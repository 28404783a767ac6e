"""What lesson 00 says is so: numbers on paper, the translator's sentences, stretch tasks that can be done."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from random import Random

import pytest
import sacrebleu

from course_lib.components import (
    Vocabulary,
    apply_merges,
    brevity_penalty,
    clipped_counts,
    corpus_bleu,
    learn_merges,
)
from course_lib.corpus import detokenize, generate
from course_lib.course import Course
from course_lib.diagrams.lesson_00 import bleu_from_counts
from course_lib.diagrams.lesson_00 import numbers as red_book
from course_lib.experiments import recorded, word_pieces
from course_lib.experiments import the_task as experiments
from course_lib.experiments.mystery_bleu import mystery_bleu
from course_lib.translator import load_translator

EDITS = """
    row = list(range(len(reference) + 1))
    for i, ours in enumerate(hypothesis, start=1):
        above, row = row, [i]
        for j, right in enumerate(reference, start=1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (ours != right)))
    return row[-1] / len(reference)
"""
SEVERAL = """
    logarithms, c, r = 0.0, sum(map(len, hypotheses)), 0
    for ours, several in zip(hypotheses, references, strict=True):
        r += min((abs(len(one) - len(ours)), len(one)) for one in several)[1]
    for n in range(1, max_n + 1):
        matches = total = 0
        for ours, several in zip(hypotheses, references, strict=True):
            most = Counter()
            for one in several:
                most |= Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1))
            counts = Counter(tuple(ours[i : i + n]) for i in range(len(ours) - n + 1))
            matches, total = matches + (counts & most).total(), total + counts.total()
        logarithms += math.log(matches / total)
    return 100 * min(1.0, math.exp(1 - r / c)) * math.exp(logarithms / max_n)
"""
CHRF = """
    pairs = [("".join(ours), "".join(right)) for ours, right in zip(hypotheses, references, strict=True)]
    precisions, recalls = [], []
    for n in range(1, 7):
        counts = [(*clipped_counts(ours, right, n), clipped_counts(right, ours, n)[1]) for ours, right in pairs]
        matches, said, wanted = map(sum, zip(*counts))
        if said and wanted:
            precisions.append(matches / said)
            recalls.append(matches / wanted)
    p, r = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 500 * p * r / (4 * p + r) if p else 0.0
"""
KNOWN = {
    "corpus_bleu": corpus_bleu,
    "clipped_counts": clipped_counts,
    "sacrebleu": sacrebleu,
    "Sequence": Sequence,
    "reference": red_book.FARMER.split(),
    "book": red_book.BOOK.split(),
    "translations": {"a wrong article": red_book.WRONG_ARTICLE.split()},
}
TASKS = {
    "word_error_rate": ("    return 0.0  # yours instead\n", EDITS),
    "bleu_of_several": (
        "    return corpus_bleu(hypotheses, [several[0] for several in references], max_n)  # yours instead\n",
        SEVERAL,
    ),
    "corpus_chrf": ("    return 0.0  # yours instead\n", CHRF),
}


@pytest.fixture(scope="module")
def lesson(course: Course) -> str:
    return (course.root / "lessons" / "00_the_task.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TASKS)
def test_a_stretch_task_can_be_done(lesson: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cells = re.findall(r"```{code-cell}\n:tags: \[demo\]\n\n(.*?)\n```", lesson, re.DOTALL)
    (source,) = [cell for cell in cells if f"def {name}(" in cell]
    old, new = TASKS[name]
    assert source.count(old) == 1
    marks = []
    for text in (source, source.replace(old, new)):
        exec("import math\nfrom collections import Counter\n" + text, dict(KNOWN))
        marks.append({line[0] for line in capsys.readouterr().out.splitlines() if line[0] in "✓✗"})
    assert "✗" in marks[0], "it is not done yet"
    assert marks[1] == {"✓"}


def test_the_diagrams_show_the_numbers_that_the_lesson_computes(lesson: str) -> None:
    training = [pair.source for pair in itertools.islice(generate(0), 5000)]
    vocabulary = Vocabulary(training, min_count=2)
    for sentence, ids in zip(red_book.SENTENCES, red_book.IDS, strict=True):
        assert vocabulary.encode(sentence.split()) == [1, *ids, 2]
        assert f"[{', '.join(map(str, ids))}],  # {sentence}" in lesson
    for name, ours, right in bleu_from_counts.PAIRS:
        counts = [clipped_counts(ours.split(), right.split(), n) for n in bleu_from_counts.ORDERS]
        assert bleu_from_counts.counts()[name] == counts
    for text in (red_book.WRONG_ARTICLE, red_book.FARMER, red_book.SHORT_BOOK, red_book.BOOK):
        assert f'"{text}".split()' in lesson or f"'{text}'.split()" in lesson


def test_the_numbers_on_paper() -> None:
    farmer, wrong, book, short = (
        text.split() for text in (red_book.FARMER, red_book.WRONG_ARTICLE, red_book.BOOK, red_book.SHORT_BOOK)
    )
    assert corpus_bleu([wrong], [farmer]) == pytest.approx(100 * (3 / 16) ** (1 / 4))
    assert f"{corpus_bleu([wrong], [farmer]):.1f}" == "65.8"
    assert f"{brevity_penalty(6, 10):.3f} {math.exp(-0.667):.3f}" == "0.513 0.513"
    assert f"{(13 / 14 * 9 / 12 * 6 / 10 * 3 / 8) ** 0.25:.3f} {brevity_penalty(14, 16):.3f}" == "0.629 0.867"
    assert f"{corpus_bleu([wrong, short], [farmer, book]):.1f} {100 * 0.867 * 0.629:.1f}" == "54.5 54.5"


def test_the_merges_on_paper(lesson: str) -> None:
    counts = {"noir": 4, "noire": 3, "noires": 2, "vert": 4, "verte": 2}
    rows = re.findall(r"^\| \*(\w+)\* \+ \*(\w+)\* \| (\d+) \| (.*) \| (.*) \|$", lesson, re.MULTILINE)
    merges = learn_merges(counts, 6)
    assert merges == [(left, right) for left, right, *_ in rows]
    for step, (left, right, times, *cut) in enumerate(rows):
        found = 0
        for word, count in counts.items():
            found += count * list(itertools.pairwise(apply_merges(word, merges[:step]))).count((left, right))
        assert found == int(times)
        for word, pieces in zip(("noires", "vert"), cut, strict=True):
            assert apply_merges(word, merges[: step + 1]) == pieces.replace("*", "").split(" · ")
    assert apply_merges("vertes", merges) == ["vert", "e", "s"]
    assert apply_merges("noires", merges) == ["noir", "e", "s"]


def test_a_form_that_training_never_shows_has_pieces_that_it_does() -> None:
    counts = word_pieces.word_counts(pair.target for pair in itertools.islice(generate(0), 5000))
    merges = learn_merges(counts, 300)
    assert "▁chantes" not in counts
    assert apply_merges("▁chantes", merges) == ["▁chant", "es"]
    seen = {piece for word in counts for piece in apply_merges(word, merges)}
    assert {"▁chant", "es"} <= seen


def test_the_translator_puts_the_colour_behind_the_book_and_lets_the_dog_eat_the_bird() -> None:
    translator = load_translator()
    assert translator.translate("The red book is old.") == "le livre rouge est vieux."
    assert translator.translate("She does not open the black box.") == "elle n'ouvre pas la boîte noire."
    eaten = translator.translate("The cat sleeps and the dog eats and the bird sings.")
    assert eaten == "le chat dort et le chien mange l'oiseau."
    looked = translator.attention("The red book is old.")
    most = [looked.source[int(row.argmax())] for row in looked.weights]
    assert most[:5] == ["the", "book", "red", "is", "old"]
    assert looked.heads.shape[:2].numel() == 8, "the maps that the weights are an average of"


@pytest.mark.slow
def test_the_translator_was_never_shown_a_red_book() -> None:
    about = load_translator().about.training
    shown = [pair.source for pair in itertools.islice(generate(about["seed"]), about["sentences"])]
    red = [source for source in shown if "red" in source]
    assert max(map(len, shown)) == 14
    assert (about["sentences"], len(red), sum("book" in source for source in red)) == (100_000, 421, 0)


def test_what_the_lesson_says_of_our_own_runs(lesson: str) -> None:
    task = recorded("00_the_task")
    right = task["translator"]["exact_match"]
    assert right.low[1] >= 93, "new combinations cost it only a little"
    assert right.high[3] <= right.high[2], "so what holds on longer sentences holds on deeper ones, too"
    assert max(task["dictionary"]["bleu"].high) < 33 and min(task["dictionary"]["bleu"].low) > 26


def test_the_old_plate_stands_behind_its_adjective() -> None:
    pairs = itertools.islice(generate(0), 5000)
    written = {detokenize(pair.source, "en"): detokenize(pair.target, "fr") for pair in pairs}
    assert written["i washed the old plate."] == "j'ai lavé la vieille assiette."


def test_does_is_joined_to_the_verb_it_helps_and_most_often_to_the_rain() -> None:
    training = list(itertools.islice(generate(0), 5000))
    dictionary = experiments.make_dictionary(training)
    assert dictionary["does"] == ("pleut",)
    rains = [pair for pair in training if "does" in pair.source and "pleut" in pair.target]
    helped = [pair for pair in rains if (pair.source.index("does"), pair.target.index("pleut")) in pair.alignment]
    assert helped
    assert all(pair.source[:4] == ("it", "does", "not", "rain") for pair in helped)


def test_the_form_that_training_never_shows_is_one_that_new_sentences_have() -> None:
    training = [pair.target for pair in itertools.islice(generate(0), 5000)]
    assert {"chante", "chantons", "chantent"} < {word for target in training for word in target}
    assert not any("chantes" in target for target in training)
    assert any("chantes" in pair.target for pair in itertools.islice(generate(1, "held_out"), 1000))


def test_synonyms_replace_several_words_and_move_one() -> None:
    first, again = (itertools.islice(generate(0, "held_out", synonyms=synonyms), 500) for synonyms in (False, True))
    changed = {
        detokenize(one.target, "fr"): detokenize(other.target, "fr") for one, other in zip(first, again, strict=True)
    }
    assert any("médecin" in right and "docteur" in other for right, other in changed.items())
    assert changed["cette reine achète ce haricot."] == "cette souveraine acquiert ce haricot."
    assert changed["il y a un grand gâteau sur la table."] == "il y a un gâteau énorme sur la table."


def test_the_dictionary_keeps_its_bleu_on_long_sentences_and_loses_its_exact_matches() -> None:
    dictionary = recorded("00_the_task")["dictionary"]
    assert min(dictionary["bleu"].median[2:]) > max(dictionary["bleu"].median[:2])
    assert max(dictionary["exact_match"].high[2:]) == 0 < min(dictionary["exact_match"].low[:2])


def test_the_mystery_prefers_a_system_that_bleu_ranks_lower() -> None:
    references = [list(pair.target) for pair in itertools.islice(generate(1, "held_out"), 1000)]
    change = experiments.CHANGES["a wrong article"]
    wrong = [change(right, Random(0)) for right in references]
    changed = [i for i, right in enumerate(references) if len(right) > 3 and wrong[i] != right][:20]
    perfect_on_short = [wrong[i] if i in changed else right for i, right in enumerate(references)]
    wrong_on_short = [["la"] * 3 if len(right) == 3 else right for right in references]
    assert len(changed) == 20 and any(len(right) == 3 for right in references)
    assert corpus_bleu(perfect_on_short, references) > corpus_bleu(wrong_on_short, references)
    assert mystery_bleu(perfect_on_short, references) < mystery_bleu(wrong_on_short, references)


@pytest.mark.slow
def test_the_same_english_always_has_the_same_french() -> None:
    french: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for pair in itertools.islice(generate(0, "held_out"), 10_000):
        french.setdefault(pair.source, set()).add(pair.target)
    assert len(french) < 10_000, "some sentences come twice"
    assert all(len(translations) == 1 for translations in french.values())
