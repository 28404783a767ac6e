"""Read CSV tables that instructors and systems write, in any encoding and with any delimiter."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from course_lib.course import CourseError
from course_lib.running.notebook_file import decode

_LARGEST = 20_000_000
#: the most lines and columns of a title above a table, and the most characters that are searched for the column names
_LONGEST_TITLE, _WIDEST_TITLE, _LONGEST_START = 5, 2, 100_000


@dataclass(frozen=True)
class Table:
    """A CSV file.

    Attributes:
        columns: the names of the columns, without blanks around them.
        rows: the line in the file and the values by column of each row. Empty rows are left out.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[int, Mapping[str, str]], ...]


def text_of(path: Path, what: str, as_written: bool = False) -> str:
    """Return a CSV file's text with its line ends. Spreadsheets save UTF-8, UTF-16 or Windows-1252.

    Args:
        what: the file's name in messages, such as "roster".
        as_written: whether to keep UTF-8's byte order mark.

    Raises:
        CourseError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise CourseError(f"There is no {what} {path}.") from None
    except OSError as error:
        raise CourseError(f"The {what} {path} cannot be read: {error.strerror}.") from None
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise CourseError(f"The {what} {path} is a workbook of a spreadsheet program. Save it as CSV.")
    if len(data) > _LARGEST:
        raise CourseError(f"The {what} {path} is larger than {_LARGEST // 1_000_000} MB.")
    mark = "\ufeff" if as_written and data.startswith(b"\xef\xbb\xbf") else ""
    return mark + decode(data)[0].lstrip("\ufeff")


def read_table(path: Path, what: str) -> Table:
    """Read a CSV file with a line of column names.

    Args:
        what: the file's name in messages, such as "roster".

    Raises:
        CourseError: the file cannot be read.
    """
    try:
        return table_in(text_of(path, what))
    except csv.Error as error:
        raise CourseError(f"The {what} {path} cannot be read: {error}. Save it as CSV.") from None


def table_in(text: str) -> Table:
    """Parse a table from a text.

    Raises:
        csv.Error: the text is not a table.
    """
    text = text.lstrip("\ufeff")
    skipped = lines_before_header(text)
    lines = list(io.StringIO(text, newline=""))[skipped:]  # a name may contain other line separators
    reader = csv.reader(lines, delimiter=delimiter_of(text))
    header: list[str] = []
    rows, line = [], skipped + 1
    for row in reader:
        values, start, line = [value.strip() for value in row], line, reader.line_num + skipped + 1
        if not any(values):
            continue
        if header:
            rows.append((start, dict(zip(header, values, strict=False))))
        else:
            header = values
    return Table(tuple(header), tuple(rows))


def lines_before_header(text: str) -> int:
    """Count the lines before the column names: Excel's ``sep=;``, or a title, an empty line and a wider table."""
    lines = _lines(text)[: _LONGEST_TITLE + 2]
    skipped = 1 if lines and lines[0][:4].lower() == "sep=" else 0
    for i in range(skipped + 1, len(lines) - 1):
        if not lines[i].strip(' \t\r\n",;|'):
            wider = _width(lines[i + 1]) > max(map(_width, lines[skipped:i]))
            return i + 1 if wider and _width(lines[skipped]) <= _WIDEST_TITLE else skipped
    return skipped


def delimiter_of(text: str) -> str:
    """Return the delimiter: the one after ``sep=``, or else the most frequent one in the line of column names."""
    text = text.lstrip("\ufeff\r\n")
    lines = _lines(text)
    if lines and lines[0][:4].lower() == "sep=" and (said := lines[0].strip("\r\n")[4:5]) in (",", ";", "\t", "|"):
        return said
    return _likely_delimiter("".join(lines[lines_before_header(text) :][:1]))


def _lines(text: str) -> list[str]:
    """Return the lines at the start of a table, split only at a row's line ends."""
    return list(io.StringIO(text.lstrip("\ufeff")[:_LONGEST_START], newline=""))


def _likely_delimiter(line: str) -> str:
    return max(",;\t|", key=line.count)


def _width(line: str) -> int:
    return len(next(csv.reader([line], delimiter=_likely_delimiter(line)), []))
