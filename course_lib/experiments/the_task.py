"""The experiments of lesson 00: a dictionary as a baseline, and how scores react to a change.

Those that need a score take it first, your `corpus_bleu` for instance.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise
from random import Random

from course_lib.corpus import Pair, Split, generate
from course_lib.experiments.series import Series

#: ``(hypotheses, references, max_n) -> percent``
Bleu = Callable[..., float]

#: the number of pairs that the dictionary is built from, and of sentences of each split to test it
PAIRS, SENTENCES = 5000, 500
#: the splits that nothing was learned from
TESTED: tuple[Split, ...] = ("held_out", "held_out_combinations", "longer", "longer_and_deeper")


#: the first sentences of the lesson, with their translations
FIRST = {
    "The red book is old.": "le livre rouge est vieux.",
    "She does not open the black box.": "elle n'ouvre pas la boîte noire.",
    "The cat sleeps and the dog eats and the bird sings.": "le chat dort et le chien mange et l'oiseau chante.",
}
_FEMININE = {"la", "une", "ma", "ta", "sa"}
#: what a word-for-word dictionary gets wrong, and how to recognise a pair that shows it
RULES: dict[str, Callable[[Pair], bool]] = {
    "most adjectives follow the noun and agree with it": lambda pair: "noire" in pair.target,
    "a few precede it": lambda pair: any(
        before in _FEMININE and word == "vieille" for before, word in pairwise(pair.target)
    ),
    "le and la lose their vowel": lambda pair: "l'" in pair.target,
    "not goes around the verb": lambda pair: "not" in pair.source and "pas" in pair.target,
    "do and does vanish before not": lambda pair: {"does", "not"} <= {*pair.source},
    "one is hungry in English and has hunger in French": lambda pair: "hungry" in pair.source,
}


def show_translations(translate: Callable[[str], str]) -> list[bool]:
    """Print how the sentences of `FIRST` are translated, and return which of the translations are right."""
    right = []
    for sentence, translation in FIRST.items():
        written = translate(sentence)
        right.append(written == translation)
        print("✓" if right[-1] else "✗", sentence, "→", written)
    return right


def examples_of_rules(pairs: Sequence[Pair]) -> list[tuple[str, Pair]]:
    """Return each of `RULES` with the first short pair that shows it."""
    return [(rule, next(p for p in pairs if shows(p) and len(p.source) < 9)) for rule, shows in RULES.items()]


def make_dictionary(pairs: Iterable[Pair]) -> dict[str, tuple[str, ...]]:
    """Return, for each English word, the French tokens it is most often aligned with, in their order.

    The gold alignment says which tokens of a pair belong together; *not* has two, ``n'`` and ``pas``.
    """
    counts: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for pair in pairs:
        partners: defaultdict[int, list[str]] = defaultdict(list)
        for i, j in sorted(pair.alignment):
            partners[i].append(pair.target[j])
        for i, word in enumerate(pair.source):
            counts[word][tuple(partners[i])] += 1
    return {word: found.most_common(1)[0][0] for word, found in counts.items()}


def word_by_word(source: Sequence[str], dictionary: dict[str, tuple[str, ...]]) -> list[str]:
    """Look up one word after the other. A word that is not in the dictionary stays as it is."""
    return [token for word in source for token in dictionary.get(word, (word,))]


def exact_match(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]) -> float:
    """Return the percentage of translations that equal their reference."""
    equal = [list(ours) == list(right) for ours, right in zip(hypotheses, references, strict=True)]
    return 100 * sum(equal) / len(equal)


def score_by_split(
    bleu: Bleu, translate: Callable[[Sequence[str]], Sequence[str]], seed: int, sentences: int = SENTENCES
) -> Series:
    """Return BLEU and exact match on new sentences of each split of `TESTED`, in its order.

    Args:
        bleu: the score.
        translate: takes English tokens and returns French ones.
        seed: selects the sentences.
        sentences: how many of each split, all different.
    """
    series: Series = {"place": [], "bleu": [], "exact_match": []}
    for place, split in enumerate(TESTED):
        pairs = list(islice(generate(1000 + seed, split, distinct=True), sentences))
        hypotheses = [translate(pair.source) for pair in pairs]
        references = [pair.target for pair in pairs]
        series["place"].append(float(place))
        series["bleu"].append(bleu(hypotheses, references))
        series["exact_match"].append(exact_match(hypotheses, references))
    return series


def dictionary_by_split(bleu: Bleu, seed: int) -> Series:
    """Return `score_by_split` of a dictionary built from `PAIRS` training pairs."""
    dictionary = make_dictionary(islice(generate(seed), PAIRS))
    return score_by_split(bleu, lambda source: word_by_word(source, dictionary), seed)


def dictionary_by_size(bleu: Bleu, seed: int) -> Series:
    """Return the dictionary's BLEU on held-out sentences, by the number of training pairs it is built from."""
    training = list(islice(generate(seed), PAIRS))
    pairs = list(islice(generate(1000 + seed, "held_out", distinct=True), SENTENCES))
    sizes = (50, 200, 1000, PAIRS)
    scores = []
    for size in sizes:
        dictionary = make_dictionary(training[:size])
        hypotheses = [word_by_word(pair.source, dictionary) for pair in pairs]
        scores.append(bleu(hypotheses, [pair.target for pair in pairs]))
    return {"pairs": [float(size) for size in sizes], "bleu": scores}


def _without(tokens: Sequence[str], dropped: set[str]) -> list[str]:
    return [token for token in tokens if token not in dropped]


def _other_gender(tokens: Sequence[str]) -> list[str]:
    """Put the first article into the wrong gender."""
    other = {"le": "la", "la": "le", "un": "une", "une": "un", "mon": "ma", "ma": "mon"}
    place = next((i for i, token in enumerate(tokens) if token in other), None)
    return list(tokens) if place is None else [*tokens[:place], other[tokens[place]], *tokens[place + 1 :]]


#: how to change a reference, given the tokens and a random generator; a synonym comes from the grammar itself
CHANGES: dict[str, Callable[[Sequence[str], Random], list[str]]] = {
    "a wrong article": lambda tokens, random: _other_gender(tokens),
    "“not” left out": lambda tokens, random: _without(tokens, {"n'", "ne", "pas", "jamais"}),
    "the last word left out": lambda tokens, random: [*tokens[:-2], tokens[-1]],
    "the second half left out": lambda tokens, random: list(tokens[: len(tokens) // 2]),
    "everything said twice": lambda tokens, random: [*tokens, *tokens],
    "words shuffled": lambda tokens, random: random.sample(tokens, len(tokens)),
}
SYNONYMS = "synonyms, just as right"


def score_of_changes(bleu: Bleu, seed: int) -> dict[str, dict[str, float]]:
    """Return the score of references in which one thing was changed, by the kind of change.

    Each change is tested only on held-out sentences that it changes, so exact match is 0 for all of them.

    Returns:
        By change: ``bleu``, and ``single``, the BLEU of 1-grams only.
    """
    random = Random(seed)
    references = [pair.target for pair in islice(generate(seed, "held_out"), SENTENCES)]
    with_synonyms = [pair.target for pair in islice(generate(seed, "held_out", synonyms=True), SENTENCES)]
    changed = {SYNONYMS: list(zip(with_synonyms, references, strict=True))}
    for name, change in CHANGES.items():
        changed[name] = [(tuple(change(reference, random)), reference) for reference in references]
    scores = {}
    for name, pairs in changed.items():
        hypotheses, right = zip(*[pair for pair in pairs if pair[0] != pair[1]], strict=True)
        scores[name] = {"bleu": bleu(hypotheses, right), "single": bleu(hypotheses, right, 1)}
    return scores


def changes(bleu: Bleu, seed: int) -> Series:
    """Return `score_of_changes` as series, in its order."""
    scores = list(score_of_changes(bleu, seed).values())
    return {
        "place": [float(place) for place in range(len(scores))],
        **{name: [score[name] for score in scores] for name in ("bleu", "single")},
    }


#: what ``make experiments`` records, by name: functions of a score and a seed
EXPERIMENTS: dict[str, Callable[[Bleu, int], Series]] = {
    "dictionary": dictionary_by_split,
    "dictionary_by_size": dictionary_by_size,
    "changes": changes,
}
