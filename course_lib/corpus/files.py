"""Real text: two aligned files, or a Tatoeba-style table. Plain or ``.gz``, UTF-8, one sentence per line.

``lines_of`` and ``rows_of`` return raw text, ``read_aligned`` and ``read_table`` return tokens.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from course_lib.corpus.pairs import Pair
from course_lib.corpus.tokens import Language, tokenize


class CorpusFileError(ValueError):
    """A corpus file that cannot be read. The message says which, where and why."""


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a file."""
    number = 0
    try:
        if not path.is_file():
            raise CorpusFileError(f"{path}: there is no such file")
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CorpusFileError(f"{path}, line {number}: not UTF-8 ({error.reason})") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise CorpusFileError(f"{path}: not a whole gzip file ({error})") from error
    except OSError as error:
        raise CorpusFileError(f"{path}: cannot be read ({error.strerror or error})") from error


def _pair(source: str, target: str, languages: tuple[Language, Language]) -> Pair:
    return Pair(tuple(tokenize(source, languages[0])), tuple(tokenize(target, languages[1])))


def lines_of(source: str | Path, target: str | Path) -> Iterator[tuple[str, str]]:
    """Yield the corresponding lines of two files, as raw text.

    Raises:
        CorpusFileError: a file is missing or not text, or one is shorter than the other.
    """
    paths = Path(source), Path(target)
    counts = [0, 0]
    for ours, theirs in zip_longest(_lines(paths[0]), _lines(paths[1])):
        if ours is None or theirs is None:
            short, long = (0, 1) if ours is None else (1, 0)
            rest = _lines(paths[long])
            total = sum(1 for _ in rest)
            raise CorpusFileError(
                f"{paths[short]} ends after line {counts[short]}, {paths[long]} goes on to line {total}: "
                f"line {counts[short] + 1} of {paths[long].name} has no translation"
            )
        counts = [ours[0], theirs[0]]
        yield ours[1], theirs[1]


def rows_of(path: str | Path, columns: tuple[int, int] = (0, 1)) -> Iterator[tuple[str, str]]:
    """Yield two columns of a tab-separated file, as raw text.

    Args:
        path: the file.
        columns: which columns contain source and target, counted from 0: ``(1, 3)`` if each follows its number.

    Raises:
        CorpusFileError: the file is missing or not text, or a line has too few columns.
    """
    for number, line in _lines(Path(path)):
        cells = line.split("\t")
        if len(cells) <= max(columns):
            raise CorpusFileError(
                f"{path}, line {number}: {len(cells)} column{'s' * (len(cells) != 1)} where at least "
                f"{max(columns) + 1} are needed, separated by tabs"
            )
        yield cells[columns[0]], cells[columns[1]]


def read_aligned(
    source: str | Path, target: str | Path, languages: tuple[Language, Language] = ("en", "fr")
) -> Iterator[Pair]:
    """Yield pairs of tokens from two files with corresponding lines: see `lines_of`."""
    return (_pair(*lines, languages) for lines in lines_of(source, target))


def read_table(
    path: str | Path, columns: tuple[int, int] = (0, 1), languages: tuple[Language, Language] = ("en", "fr")
) -> Iterator[Pair]:
    """Yield pairs of tokens from a tab-separated file, such as Tatoeba's exports: see `rows_of`.

    Args:
        path: the file.
        columns: which columns contain source and target, counted from 0.
        languages: the source and target languages.
    """
    return (_pair(*row, languages) for row in rows_of(path, columns))
