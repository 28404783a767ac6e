"""Where sentence pairs come from: Multi30k, two aligned files, or a table with two columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from course_lib.corpus import lines_of, rows_of
from course_lib.corpus.files import CorpusFileError
from course_lib.course import CourseError

#: a sentence and its translation, as they were written
TextPair = tuple[str, str]
Split = Literal["train", "valid", "test"]

#: the languages of Multi30k that have a translation in every split
LANGUAGES = ("en", "de", "fr")
#: Multi30k's names for the splits
FILES: dict[Split, str] = {"train": "train", "valid": "val", "test": "test_2016_flickr"}
#: the splits' names in other copies of Multi30k, such as the one that torchtext left behind
OTHER_NAMES: dict[Split, tuple[str, ...]] = {"train": (), "valid": ("valid",), "test": ("test2016", "test")}
#: where Multi30k's files are, at one fixed commit, and their digests
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
#: in a corpus without splits, one in this many sentences is held out for validation, and another for the test
_HELD_OUT, _MOST_HELD_OUT = 20, 1000
#: the most pairs of a held-out sentence: short ones, linked by their translations, may be a tenth of a table
_LARGEST = 20


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs in three splits.

    Attributes:
        name: its name, as shown to people.
        languages: the source and target languages.
        splits: the pairs of each; a split may be empty.
        left_out: what was left out, in words; empty if nothing was.
    """

    name: str
    languages: tuple[str, str]
    splits: dict[Split, list[TextPair]]
    left_out: str = ""


def multi30k(folder: Path | None, source: str, target: str, splits: Iterable[Split] = FILES) -> Corpus:
    """Load Multi30k: 29,000 captions of photographs with their translations (Elliott et al. 2016 and 2017).

    The captions are for research and teaching and have no open licence. They are not part of this course, and nothing
    learned from them should become part of it.

    Args:
        folder: contains ``train.en.gz`` or ``train.en``, and so on; without one, the files are downloaded into the
            user's cache.
        source, target: two of `LANGUAGES`.
        splits: the splits to load.

    Raises:
        CourseError: the language does not exist, a file is missing, or it cannot be downloaded.
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
    import pooch  # type: ignore[import-untyped]  # downloads the files: not needed if they are there

    try:
        path = pooch.retrieve(
            ADDRESS + name, known_hash=f"sha256:{CHECKSUMS[name]}", fname=name, path=pooch.os_cache("attention-course")
        )
    except Exception as error:  # many kinds: no network, full disk, unexpected file
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
    """Load two files with corresponding lines, plain or ``.gz``; some sentences are held out.

    Raises:
        CourseError: a file is missing, is not text, is empty, or has more lines than the other.
    """
    name = f"{source.name} and {target.name}"
    return _whole(Corpus(name, languages, *_held_out(_read(lines_of(source, target)))))


def table(path: Path, columns: tuple[int, int], languages: tuple[str, str]) -> Corpus:
    """Load two columns of a tab-separated file, such as Tatoeba's exports; some sentences are held out.

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
    """Hold out sentences at fixed intervals for validation, and the ones after them for the test; train on the others.

    A sentence comes with all its translations, and with all other sentences that share one of them. So nothing that is
    held out occurs in training.
    """
    groups = _connected(pairs)
    every = max(_HELD_OUT, len(groups) // _MOST_HELD_OUT)
    splits: dict[Split, list[TextPair]] = {"train": [], "valid": [], "test": []}
    for number, group in enumerate(groups, start=1):
        held_out: Split = "valid" if number % every == 0 else "test" if number % every == 1 < number else "train"
        splits[held_out if len(group) <= _LARGEST else "train"] += group
    return (splits,)


def _connected(pairs: list[TextPair]) -> list[list[TextPair]]:
    """Group pairs that share a source or a target, directly or through other pairs."""
    before = list(range(len(pairs)))  # an earlier pair of each pair's group; the first has itself
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
    """Remove pairs with an empty side, and note how many there were.

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
