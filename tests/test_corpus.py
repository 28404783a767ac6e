"""The corpus: its sentences checked by rules that use nothing of the grammar but its tables; its splits; its files."""

import gzip
import hashlib
import os
import re
import subprocess
import sys
from collections import defaultdict
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import pytest

from course_lib.corpus import (
    SPLITS,
    CorpusFileError,
    detokenize,
    english_vocabulary,
    french_vocabulary,
    generate,
    held_out_combinations,
    is_held_out,
    lemmas,
    read_aligned,
    read_table,
    tokenize,
)
from course_lib.corpus.adjectives import ADJECTIVES
from course_lib.corpus.nouns import NAMES, NOUNS
from course_lib.corpus.verbs import VERBS

ROOT = Path(__file__).parents[1]
MULTI30K = ROOT.parent / "shared" / "data" / "multi30k"

#: The first 500 pairs of seed 0. The lessons' exact-match figures, measured intervals and committed weights belong
#: to exactly this grammar: whoever changes a word or a chance changes what was trained on and what it is tested
#: on, and must measure everything again. Then, and only then, put in the new hashes and say so in CHANGELOG.md.
FROZEN = {
    "train": "b00bb0dc81092e37",
    "held_out": "de47bae38b3b7d7e",
    "held_out_combinations": "bdcf972e15449902",
    "longer": "76e4b103148fba8a",
    "longer_and_deeper": "fe17658faeef84e9",
    "synonyms": "b7cc854c291335e3",
    "empty": "6c98057df2b58b2a",
    "wrong": "a4828f7e394c5140",
    "distinct": "d0067b876254b8c3",
}
OPTIONS = {
    **{split: {"split": split} for split in SPLITS},
    "synonyms": {"synonyms": True},
    "empty": {"noise": 0.1},
    "wrong": {"noise": 0.1, "noise_kind": "wrong"},
    "distinct": {"distinct": True},
}

ASPIRATED = {"héros", "hérisson", "hérissons", "hibou", "hiboux", "haricot", "haricots", "hache", "haches"}
ASPIRATED |= {"harpe", "harpes", "huit", "onze"}


@cache
def pairs(split="train", count=25_000, seed=0):
    return list(islice(generate(seed, split), count))


def everything():
    """Sentences of every split."""
    return [pair for split in SPLITS for pair in pairs(split, 25_000 if split == "train" else 1500)[:6000]]


def vowel(word):
    return word[0] in "aeiouyàâéèêëîïôöûùœh" and word not in ASPIRATED


def digest(options, count=500, seed=0):
    text = "\n".join(repr((p.source, p.target, p.alignment)) for p in islice(generate(seed, **options), count))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- one seed, one corpus ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OPTIONS)
def test_the_grammar_is_frozen(name):
    assert digest(OPTIONS[name]) == FROZEN[name], "the grammar changed: read what FROZEN says before you go on"


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_draws_the_same(hash_seed):
    code = (
        "from itertools import islice; from course_lib.corpus import generate, SPLITS; import hashlib;"
        "print(hashlib.sha256(repr([list(islice(generate(3, s), 200)) for s in SPLITS]).encode()).hexdigest())"
    )
    here = hashlib.sha256(repr([list(islice(generate(3, s), 200)) for s in SPLITS]).encode()).hexdigest()
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here


def test_seeds_differ():
    assert pairs(count=100, seed=1) != pairs(count=100, seed=2)


def test_distinct_pairs_are_distinct():
    drawn = [pair.source for pair in islice(generate(0, distinct=True), 20_000)]
    assert len(set(drawn)) == len(drawn)


def test_an_unknown_split_or_noise_is_refused():
    with pytest.raises(ValueError, match="the splits are train, held_out"):
        generate(0, "test")
    for noise, kind in ((1.5, "empty"), (0.1, "loud")):
        with pytest.raises(ValueError, match="share between 0 and 1"):
            generate(0, noise=noise, noise_kind=kind)


# --- vocabulary -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_vocabulary_is_large_enough_and_holds_every_word():
    english, french = set(english_vocabulary()), set(french_vocabulary())
    assert len(english) >= 350
    assert len(lemmas()) >= 200
    for pair in everything():
        assert english.issuperset(pair.source), pair
        assert french.issuperset(pair.target), pair


def test_all_but_a_few_english_words_are_written():
    written = {word for pair in everything() for word in pair.source}
    assert set(english_vocabulary()) - written == set()


def test_synonyms_change_the_french_alone():
    plain, other = (islice(generate(10_000, "held_out", synonyms=chosen), 2000) for chosen in (False, True))
    pairs = list(zip(plain, other, strict=True))
    assert all(a.source == b.source for a, b in pairs)
    assert any(a.target != b.target for a, b in pairs)


def test_synonyms_are_in_the_vocabulary_with_synonyms():
    french = set(french_vocabulary(synonyms=True))
    assert all(french.issuperset(pair.target) for pair in islice(generate(0, synonyms=True), 5000))


#: homographs, with a French word for each sense as it may appear
HOMOGRAPHS = {
    "watch": ("montre", "regarde", "regardent", "regarder"),
    "watches": ("montres", "regarde"),
    "book": ("livre", "réservons"),
    "books": ("livres", "réserve"),
    "play": ("pièce", "jouent"),
    "fly": ("mouche", "volent"),
    "flies": ("mouches", "vole"),
    "light": ("lumière", "léger", "allumer"),
    "bank": ("banque", "rive"),
    "kind": ("gentil", "sorte"),
    "right": ("droite", "raison"),
    "left": ("gauche", "parti", "quitté"),
    "glasses": ("lunettes", "verres"),
    "spring": ("printemps", "source"),
    "match": ("match", "allumette"),
    "date": ("date", "datte"),
    "saw": ("scie", "vu"),
    "fall": ("automne", "tombent"),
    "park": ("parc", "garent"),
    "ring": ("bague", "sonnent"),
    "cook": ("cuisinier", "cuisinent"),
    "drink": ("boisson", "boivent"),
    "train": ("train", "entraînent"),
    "show": ("spectacle", "montrent"),
    "plant": ("plante", "plantent"),
    "cold": ("froid", "rhume"),
    "close": ("près", "ferment"),
    "like": ("comme", "aiment"),
    "well": ("bien", "puits"),
    "clean": ("propre", "nettoient"),
    "open": ("ouvert", "ouvrent"),
    "leaves": ("feuilles", "part"),
    "her": ("sa", "la", "l'"),
}


def aligned(pair, word):
    return {pair.target[j] for i, j in pair.alignment if pair.source[i] == word}


@pytest.mark.parametrize("word", HOMOGRAPHS)
def test_a_homograph_is_translated_by_its_sense(word):
    seen = {french for pair in pairs() if word in pair.source for french in aligned(pair, word)}
    assert seen.issuperset(HOMOGRAPHS[word]), f"{word}: {seen}"


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.slow
def test_one_english_sentence_has_one_french(seed):
    translations = defaultdict(set)
    for split in SPLITS:
        for pair in pairs(split, 25_000 if split == "train" else 3000, seed):
            translations[pair.source].add(pair.target)
    assert [t for t in translations.values() if len(t) > 1] == []


# --- French ------------------------------------------------------------------------------------------------------


def test_words_elide_before_a_vowel_and_only_there():
    full = {"le", "la", "de", "ne", "je", "que", "me", "te"}
    for pair in everything():
        for word, after in pairwise(pair.target):
            if word in full:
                assert not vowel(after), f"{word} {after}: {pair.target}"
            if word.endswith("'"):
                assert vowel(after), f"{word} {after}: {pair.target}"


def test_prepositions_contract_with_the_article():
    for pair in everything():
        for (word, after), then in zip(pairwise(pair.target), [*pair.target[2:], "."], strict=False):
            assert (word, after) not in {("de", "le"), ("de", "les"), ("à", "les")}, pair.target
            assert (word, after) != ("à", "le"), f"{pair.target} {then}"


def test_possessives_and_demonstratives_yield_before_a_vowel():
    for pair in everything():
        for word, after in pairwise(pair.target):
            if word in {"ma", "ta", "sa", "ce", "beau", "vieux", "nouveau"} and after in NOUN_FORMS:
                plural = NOUN_FORMS[after][1] and word == "vieux"
                assert plural or not vowel(after), f"{word} {after}"
            if word in {"bel", "vieil", "nouvel", "cet"}:
                assert vowel(after), f"{word} {after}"


#: French form of a noun: (feminine, plural); those of both numbers are left out
NOUN_FORMS = {}
for _noun in NOUNS:
    _french = _noun.french[0]
    for _number, _form in enumerate(_french.forms):
        if _french.forms[0] != _french.forms[1] and _form not in {"avions", "montre", "montres", "plante", "plantes"}:
            NOUN_FORMS[_form] = (_french.feminine, bool(_number))
#: an adjective's form: the set of (feminine, plural) it can have
ADJECTIVE_FORMS = defaultdict(set)
for _adjective in ADJECTIVES:
    for _feminine, _forms in enumerate(_adjective.french[0].forms):
        for _number, _form in enumerate(_forms):
            ADJECTIVE_FORMS[_form].add((bool(_feminine), bool(_number)))
    ADJECTIVE_FORMS[_adjective.french[0].before_vowel].add((False, False))
BEFORE = {form for a in ADJECTIVES if a.french[0].precedes for g in a.french[0].forms for form in g} | {
    *("bel", "vieil", "nouvel")
}
ARTICLES = {
    "le": (False, False), "un": (False, False), "la": (True, False), "une": (True, False), "cet": (False, False),
    "cette": (True, False), "ce": (False, False), "ma": (True, False), "sa": (True, False), "ta": (True, False),
    "les": (None, True), "mes": (None, True), "ses": (None, True), "tes": (None, True), "ces": (None, True),
    "nos": (None, True), "leurs": (None, True), "notre": (None, False), "leur": (None, False), "l'": (None, False),
    "chaque": (None, False), "mon": (None, False), "ton": (None, False), "son": (None, False), "aux": (None, True),
    "au": (False, False),
}  # fmt: skip


def test_articles_agree_with_their_nouns():
    checked = 0
    for pair in everything():
        for word, after in pairwise(pair.target):
            if word in ARTICLES and after in NOUN_FORMS:
                feminine, plural = ARTICLES[word]
                assert plural == NOUN_FORMS[after][1], f"{word} {after}: {pair.target}"
                assert feminine in (None, NOUN_FORMS[after][0]), f"{word} {after}: {pair.target}"
                checked += 1
    assert checked > 5_000


def test_adjectives_agree_and_stand_where_they_belong():
    checked = 0
    for pair in everything():
        for word, after in pairwise(pair.target):
            if word in BEFORE and after in NOUN_FORMS:
                assert NOUN_FORMS[after] in ADJECTIVE_FORMS[word], f"{word} {after}: {pair.target}"
                checked += 1
            if word in NOUN_FORMS and after in ADJECTIVE_FORMS and word not in ADJECTIVE_FORMS:
                assert after not in BEFORE, f"{after} stands after {word}: {pair.target}"
                assert NOUN_FORMS[word] in ADJECTIVE_FORMS[after], f"{word} {after}: {pair.target}"
                checked += 1
    assert checked > 2500


def test_negation_surrounds_one_verb():
    for pair in everything():
        target = pair.target
        for i, word in enumerate(target):
            if word in {"ne", "n'"}:
                closing = next(j for j in range(i, len(target)) if target[j] in {"pas", "jamais"})
                inside = [w for w in target[i + 1 : closing] if w not in {"me", "m'", "te", "t'", "le", "la", "l'"}]
                inside = [w for w in inside if w not in {"les", "y"} and not (w == "nous" and len(inside) > 1)]
                assert len(inside) == 1, f"{target[i : closing + 1]} in {target}"
        negatives = sum(w in {"pas", "jamais"} for w in target)
        assert sum(w in {"ne", "n'"} for w in target) == negatives


def test_a_negated_object_takes_de():
    for pair in everything():
        text = " ".join(pair.target)
        for verb in re.findall(r"\bn[e'] (\w+) (?:pas|jamais) (?:un|une|du|des) ", text):
            assert verb.startswith(("jou", "vien", "ven")), text  # their own de: jouer du piano, venir du marché
        assert len(re.findall(r"\bn[e'] (?:a|as|ont|avons) (?:pas|jamais) \w+é (?:un|une|des) ", text)) == 0, text


def test_the_compound_past_with_etre_agrees_with_its_subject():
    for pair in pairs():
        head = pair.target[:3]
        if head[0] == "elle" and head[1] == "est" and pair.source[1] in {"arrived", "left", "went", "fell", "came"}:
            assert head[2].endswith("e"), head
        if head[0] in {"ils", "nous"} and pair.source[1] in {"arrived", "went", "fell", "came", "stayed"}:
            assert head[2].endswith("s"), head


def test_a_participle_agrees_with_the_object_before_it():
    checked = 0
    participles = {
        form: {(bool(g), bool(n)) for g in (0, 1) for n in (0, 1) if forms[g][n] == form}
        for verb in VERBS
        for forms in [verb.french[0].participle]
        for row in forms
        for form in row
    }
    for pair in everything():
        text = " ".join(pair.target)
        for noun, participle in re.findall(
            r"(\w+) (?:qu' (?:il|elle|ils)|que tu|que nous|que j') (?:a|as|ont|avons|ai) (\w+)", text
        ):
            if noun in NOUN_FORMS and participle in participles:
                assert NOUN_FORMS[noun] in participles[participle], text
                checked += 1
    assert checked > 50


# --- English -----------------------------------------------------------------------------------------------------


def test_a_becomes_an_before_a_vowel_and_only_there():
    for pair in everything():
        for word, after in pairwise(pair.source):
            assert word != "a" or after[0] not in "aeiou", pair.source
            assert word != "an" or after[0] in "aeiou", pair.source


def test_the_third_person_has_its_s_and_do_takes_a_bare_verb():
    base = {verb.base for verb in VERBS}
    third = {verb.third for verb in VERBS}
    past = {verb.past for verb in VERBS} - base - {""}
    for pair in everything():
        for (word, after), verb in zip(pairwise(pair.source), (*pair.source[2:], ""), strict=True):
            if word in {"i", "you", "we", "they"} and pair.source[0] == word:
                assert after not in third - base, pair.source
            if word in {"he", "she"} and pair.source[0] == word:
                assert after not in base - past, pair.source
            if after == "not" and word in {"do", "does", "did"}:
                assert verb in base | {"rain", "snow"}, pair.source


def test_some_becomes_any_under_negation():
    for pair in pairs():
        for i, word in enumerate(pair.source[:-1]):
            if word in {"not", "never"} and pair.source[i + 2] == "some":
                pytest.fail(" ".join(pair.source))


# --- alignment ---------------------------------------------------------------------------------------------------


def test_alignments_are_in_range_and_cover_every_word():
    for pair in everything():
        assert all(0 <= i < len(pair.source) and 0 <= j < len(pair.target) for i, j in pair.alignment)
        assert len(set(pair.alignment)) == len(pair.alignment)
        covered, covering = {i for i, _ in pair.alignment}, {j for _, j in pair.alignment}
        assert covered == set(range(len(pair.source))), pair
        assert covering == set(range(len(pair.target))), pair


def test_names_are_aligned_with_themselves():
    names = {name.forms[0] for name in NAMES}
    for pair in everything():
        for i, j in pair.alignment:
            if pair.source[i] in names:
                assert pair.target[j] == pair.source[i]


def test_an_adjective_after_its_noun_crosses():
    pair = next(p for p in pairs() if p.source[:3] == ("the", "black", "cat"))
    assert {(1, 2), (2, 1)} <= set(pair.alignment)


# --- splits and options ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_splits_share_no_sentence_with_training():
    train = {pair.source for pair in pairs()}
    for split in set(SPLITS) - {"train"}:
        assert not train & {pair.source for pair in pairs(split, 5000, 1)}, split
    assert not any(is_held_out(source) for source in train)
    assert all(is_held_out(pair.source) for pair in pairs("held_out", 1500))


def test_held_out_combinations_are_never_seen_in_training():
    banned = held_out_combinations()
    assert len(banned) > 100
    train = pairs()
    assert all(banned.isdisjoint(pair.combinations) for pair in train)
    assert all(not banned.isdisjoint(pair.combinations) for pair in pairs("held_out_combinations", 1500))
    for split in ("held_out", "longer", "longer_and_deeper"):
        assert all(banned.isdisjoint(pair.combinations) for pair in pairs(split, 1500)), split


def test_no_held_out_adjective_stands_before_its_noun_in_training():
    """By the words alone: where an adjective and a noun have one sense each."""
    senses = defaultdict(set)
    for word in (*NOUNS, *ADJECTIVES, *VERBS):
        for form in {*getattr(word, "forms", ()), getattr(word, "english", ""), getattr(word, "base", "")} - {""}:
            senses[form].add(word.key)
    adjectives = {a.key: a.english for a in ADJECTIVES}
    nouns = {n.key: n.forms for n in NOUNS}
    bigrams = {
        (adjectives[a], form)
        for a, n in held_out_combinations()
        if a in adjectives and len(senses[adjectives[a]]) == 1
        for form in nouns[n]
        if form and len(senses[form]) == 1
    }
    seen = {bigram for pair in pairs() for bigram in pairwise(pair.source)}
    assert len(bigrams) > 100
    assert not bigrams & seen


def test_every_word_keeps_partners_in_training():
    partners = defaultdict(set)
    for pair in pairs():
        for word, noun in pair.combinations:
            partners[word].add(noun)
    for word in {word for word, _ in held_out_combinations()}:
        assert len(partners[word]) >= 3, word


def test_lengths_are_what_the_shapes_say():
    train = pairs()
    lengths = [len(pair.source) for pair in train]
    assert min(lengths) >= 3
    assert max(lengths) <= 14
    assert 0.25 < sum(length <= 5 for length in lengths) / len(lengths) < 0.45
    assert max(pair.depth for pair in train) == 1
    assert all(len(p.source) > 14 and p.depth <= 1 for p in pairs("longer", 1500))
    assert all(len(p.source) > 14 and p.depth >= 2 for p in pairs("longer_and_deeper", 1500))


def test_synonyms_change_the_french_alone_and_take_all_words():
    plain = pairs()[:5000]
    varied = list(islice(generate(0, synonyms=True), 5000))
    assert [pair.source for pair in plain] == [pair.source for pair in varied]
    assert sum(a.target != b.target for a, b in zip(plain, varied, strict=True)) / 5000 > 0.4
    cars = [word for p in varied for word in p.target if word in {"voiture", "auto", "automobile"}]
    shares = [cars.count(word) / len(cars) for word in ("voiture", "auto", "automobile")]
    assert all(0.15 < share < 0.55 for share in shares), shares


@pytest.mark.slow
def test_noise_spoils_its_share_and_nothing_else():
    plain = pairs()
    for kind in ("empty", "wrong"):
        noisy = list(islice(generate(0, noise=0.05, noise_kind=kind), len(plain)))
        spoilt = [(a, b) for a, b in zip(plain, noisy, strict=True) if not b.alignment]
        assert all(a == b for a, b in zip(plain, noisy, strict=True) if b.alignment)
        assert all(a.source == b.source for a, b in spoilt)
        assert 0.04 < len(spoilt) / len(plain) < 0.06
        if kind == "empty":
            assert all(b.target == () for _, b in spoilt)
        else:
            assert sum(a.target != b.target for a, b in spoilt) > 0.95 * len(spoilt)


# --- text ----------------------------------------------------------------------------------------------------------


def test_tokens_survive_being_written_and_read():
    for pair in everything():
        assert tuple(tokenize(detokenize(pair.source, "en"), "en")) == pair.source
        assert tuple(tokenize(detokenize(pair.target, "fr"), "fr")) == pair.target


def test_sentences_are_written_as_one_writes_them():
    assert detokenize(["paul", "'s", "cat", "sleeps", "."], "en") == "paul's cat sleeps."
    assert detokenize(["est-ce", "qu'", "il", "l'", "a", "vue", "?"], "fr") == "est-ce qu'il l'a vue ?"
    assert tokenize("The cat doesn't sleep, and you can't!", "en") == (
        ["the", "cat", "does", "not", "sleep", ",", "and", "you", "cannot", "!"]
    )
    assert tokenize("Aujourd’hui, l’ami n’a pas dormi.", "fr") == (
        ["aujourd'hui", ",", "l'", "ami", "n'", "a", "pas", "dormi", "."]
    )


def test_aligned_files_are_read_plain_or_gzipped(tmp_path):
    (tmp_path / "a.en").write_text("The cat sleeps.\nHello!\n", encoding="utf-8")
    with gzip.open(tmp_path / "a.fr.gz", "wt", encoding="utf-8") as stream:
        stream.write("Le chat dort.\nBonjour !\n")
    read = list(read_aligned(tmp_path / "a.en", tmp_path / "a.fr.gz"))
    assert [pair.source for pair in read] == [("the", "cat", "sleeps", "."), ("hello", "!")]
    assert read[1].target == ("bonjour", "!")


def test_files_of_different_lengths_are_refused_with_the_place(tmp_path):
    (tmp_path / "a.en").write_text("one\ntwo\nthree\nfour\n", encoding="utf-8")
    (tmp_path / "a.fr").write_text("un\ndeux\n", encoding="utf-8")
    with pytest.raises(CorpusFileError, match=r"a\.fr ends after line 2, .*a\.en goes on to line 4: line 3 of a\.en"):
        list(read_aligned(tmp_path / "a.en", tmp_path / "a.fr"))
    with pytest.raises(CorpusFileError, match=r"a\.fr ends after line 2, .*a\.en goes on to line 4: line 3 of a\.en"):
        list(read_aligned(tmp_path / "a.fr", tmp_path / "a.en", languages=("fr", "en")))


def test_unreadable_files_are_refused_with_the_place(tmp_path, monkeypatch):
    (tmp_path / "bad.en").write_bytes(b"fine\n\xff\xfe\n")
    (tmp_path / "bad.fr.gz").write_bytes(b"no gzip")
    (tmp_path / "a.fr").write_text("un\ndeux\n", encoding="utf-8")
    with pytest.raises(CorpusFileError, match=r"bad\.en, line 2: not UTF-8"):
        list(read_aligned(tmp_path / "bad.en", tmp_path / "a.fr"))
    with pytest.raises(CorpusFileError, match=r"bad\.fr\.gz: not a whole gzip file"):
        list(read_aligned(tmp_path / "a.fr", tmp_path / "bad.fr.gz"))
    with pytest.raises(CorpusFileError, match="no such file"):
        list(read_aligned(tmp_path / "none", tmp_path / "a.fr"))
    whole = gzip.compress(b"un\ndeux\n")
    (tmp_path / "torn.fr.gz").write_bytes(whole[:10] + b"\xff" + whole[11:])  # no such type of block
    with pytest.raises(CorpusFileError, match=r"torn\.fr\.gz: not a whole gzip file"):
        list(read_aligned(tmp_path / "a.fr", tmp_path / "torn.fr.gz"))

    def forbidden(*arguments, **named):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(CorpusFileError, match=r"a\.fr: cannot be read \(Permission denied\)"):
        list(read_aligned(tmp_path / "a.fr", tmp_path / "a.fr"))


def test_tables_are_read_by_column(tmp_path):
    (tmp_path / "t.tsv").write_text("1\tGo.\t2\tVa !\n3\tRun!\t4\tCours !\n", encoding="utf-8")
    read = list(read_table(tmp_path / "t.tsv", columns=(1, 3)))
    assert [pair.target for pair in read] == [("va", "!"), ("cours", "!")]
    (tmp_path / "t.tsv").write_text("Go.\tVa !\nRun! Cours !\n", encoding="utf-8")
    with pytest.raises(
        CorpusFileError, match=r"t\.tsv, line 2: 1 column where at least 2 are needed, separated by tabs$"
    ):
        list(read_table(tmp_path / "t.tsv"))


@pytest.mark.skipif(not MULTI30K.is_dir(), reason="real text is not committed")
def test_real_text_is_read_where_it_is():
    read = list(read_aligned(MULTI30K / "val.en.gz", MULTI30K / "val.fr.gz"))
    assert len(read) > 100
    assert all(pair.source and pair.target for pair in read)
