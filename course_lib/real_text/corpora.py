"""Where sentence pairs come from: Multi30k, two files whose lines belong together, a table of two columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course_lib.corpus import lines_of, rows_of
from course_lib.corpus.files import CorpusFileError
from course_lib.course import CourseError

#: a sentence and its translation, as they are written
TextPair = tuple[str, str]
Split = Literal["train", "valid", "test"]

#: the languages of Multi30k that a translation is there for in every split
LANGUAGES = ("en", "de", "fr")
#: what Multi30k calls the splits
FILES: dict[Split, str] = {"train": "train", "valid": "val", "test": "test_2016_flickr"}
#: the splits' names in other copies of Multi30k, such as the one that torchtext left behind
OTHER_NAMES: dict[Split, tuple[str, ...]] = {"train": (), "valid": ("valid",), "test": ("test2016", "test")}
#: where Multi30k's files are, at one commit that does not change, and what they have to be
ADDRESS = "https://raw.githubusercontent.com/multi30k/dataset/a3d2e0d/data/task1/raw/"
CHECKSUMS = {
    "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
    "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
    "train.fr.gz": "622e75069e9f4c577425c4f277116ce66e63a2401c0a2312d90073cb12379a3c",
    "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
    "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
    "val.fr.gz": "ca3106f1a72390591d25f6c45cb4cd39dec4cd3f123e099748a3ce5256c160e9",
    "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
    "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
    "test_2016_flickr.fr.gz": "6d326e188d259fb1d04ac19eae3af956559b3a0b93d7635e56c90987c40c8b90",
}
#: of a corpus without splits, every so many-th sentence is held out for validation, and another for the test
_HELD_OUT, _MOST_HELD_OUT = 20, 1000
#: the most pairs of a sentence that is held out: short ones, linked by their translations, may be a tenth of a table
_LARGEST = 20


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs in three splits.

    Attributes:
        name: what it is called, for people.
        languages: of source and target.
        splits: the pairs of each; a split may be empty.
        left_out: what was not taken, in words; nothing where everything was.
    """

    name: str
    languages: tuple[str, str]
    splits: dict[Split, list[TextPair]]
    left_out: str = ""


def multi30k(folder: Path | None, source: str, target: str, splits: Iterable[Split] = FILES) -> Corpus:
    """Multi30k: 29,000 captions of photographs with their translations (Elliott et al. 2016 and 2017).

    The captions are for research and teaching, without an open licence: they are not part of this course, and neither
    should be what is learned from them.

    Args:
        folder: contains ``train.en.gz`` or ``train.en``, and so on; without one, the files are downloaded into the
            user's cache.
        source, target: two of `LANGUAGES`.
        splits: which are needed.

    Raises:
        CourseError: there is no such language, a file is missing, or it cannot be downloaded.
    """
    for language in (source, target):
        if language not in LANGUAGES:
            raise CourseError(f"Multi30k is here in {', '.join(LANGUAGES)}, and not in {language!r}.")
    if source == target:
        raise CourseError(f"Source and target are both {source!r}: there is nothing to translate.")
    found: dict[Split, list[TextPair]] = {}
    for split in splits:
        paths = (_file(folder, split, language) for language in (source, target))
        found[split] = _read(lines_of(*paths))
    corpus = Corpus(f"Multi30k, {source} to {target}", (source, target), found)
    return _whole(corpus)


def _file(folder: Path | None, split: Split, language: str) -> Path:
    """Find a file of Multi30k, plain or packed, or download it."""
    name = f"{FILES[split]}.{language}.gz"
    if folder is not None:
        plain = [f"{one}.{language}" for one in (FILES[split], *OTHER_NAMES[split])]
        found = (folder / f"{one}{ending}" for one in plain for ending in (".gz", ""))
        if path := next(filter(Path.is_file, found), None):
            return path
        raise CourseError(
            f"{folder} does not contain {' or '.join(plain)} of Multi30k, packed (.gz) or not. Name the folder with "
            "its files: --data DIR. Without --data they are downloaded."
        )
    import pooch  # type: ignore[import-untyped]  # what downloads: not needed by whoever has the files

    try:
        path = pooch.retrieve(
            ADDRESS + name, known_hash=f"sha256:{CHECKSUMS[name]}", fname=name, path=pooch.os_cache("attention-course")
        )
    except Exception as error:  # of many kinds: no network, no room, another file than expected
        if "does not match the known hash" in str(error):
            raise CourseError(
                f"What came for {name} of Multi30k is not the file that was expected: its checksum differs. Try again, "
                "or, if you have its files, name their folder: --data DIR."
            ) from None
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CourseError(
            f"{name} of Multi30k cannot be downloaded ({reason}). Are you online? If you have its files, name their "
            "folder: --data DIR."
        ) from None
    return Path(path)


def aligned(source: Path, target: Path, languages: tuple[str, str]) -> Corpus:
    """Two files whose lines belong together, plain or ``.gz``; some sentences are held out.

    Raises:
        CourseError: a file is missing, is not text, is empty, or has more lines than the other.
    """
    name = f"{source.name} and {target.name}"
    return _whole(Corpus(name, languages, *_held_out(_read(lines_of(source, target)))))


def table(path: Path, columns: tuple[int, int], languages: tuple[str, str]) -> Corpus:
    """Two columns of a file of tab-separated columns, as Tatoeba's exports are; some sentences are held out.

    Raises:
        CourseError: the file is missing, is not text, is empty, or a line has too few columns.
    """
    return _whole(Corpus(path.name, languages, *_held_out(_read(rows_of(path, columns)))))


def _read(pairs: Iterable[TextPair]) -> list[TextPair]:
    try:
        return [(source.strip(), target.strip()) for source, target in pairs]
    except CorpusFileError as error:
        raise CourseError(f"{error}.") from None


def _held_out(pairs: list[TextPair]) -> tuple[dict[Split, list[TextPair]]]:
    """Every so many-th sentence for validation, the one after it for the test, the others for training.

    A sentence comes with all its translations, and with all other sentences that are translated alike: what is held
    out is nowhere in training.
    """
    groups = _connected(pairs)
    every = max(_HELD_OUT, len(groups) // _MOST_HELD_OUT)
    splits: dict[Split, list[TextPair]] = {"train": [], "valid": [], "test": []}
    for number, group in enumerate(groups, start=1):
        held_out: Split = "valid" if number % every == 0 else "test" if number % every == 1 < number else "train"
        splits[held_out if len(group) <= _LARGEST else "train"] += group
    return (splits,)


def _connected(pairs: list[TextPair]) -> list[list[TextPair]]:
    """Pairs in groups: those that have a source or a target in common, or are connected by others that have."""
    before = list(range(len(pairs)))  # of each pair, an earlier one of its group; the first has itself
    seen: dict[tuple[int, str], int] = {}

    def first(number: int) -> int:
        while before[number] != number:
            before[number] = before[before[number]]
            number = before[number]
        return number

    for number, pair in enumerate(pairs):
        for side, text in enumerate(pair):
            if text:
                one, other = first(seen.setdefault((side, text), number)), first(number)
                before[max(one, other)] = min(one, other)
    groups: dict[int, list[TextPair]] = {}
    for number, pair in enumerate(pairs):
        groups.setdefault(first(number), []).append(pair)
    return list(groups.values())


def _whole(corpus: Corpus) -> Corpus:
    """The corpus without pairs that are empty on a side; said is how many there were.

    Raises:
        CourseError: there is nothing left to train on.
    """
    kept: dict[Split, list[TextPair]] = {
        split: [pair for pair in pairs if all(pair)] for split, pairs in corpus.splits.items()
    }
    empty = sum(len(pairs) for pairs in corpus.splits.values()) - sum(len(pairs) for pairs in kept.values())
    if "train" in kept and not kept["train"]:
        raise CourseError(
            f"There are no sentence pairs in {corpus.name}: every line is empty on one side."
            if empty
            else f"There are no sentence pairs in {corpus.name}: it is empty."
        )
    said = f"{empty:,} pair{'s are' if empty > 1 else ' is'} empty on one side and left out" if empty else ""
    return Corpus(corpus.name, corpus.languages, kept, said)
