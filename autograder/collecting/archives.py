"""Read zips and tars in memory, without unpacking them onto the disk. Yield only plain files of bounded size.

The limits cover everything that a hostile archive could use: its unpacked size, its number of files, how deeply
archives are nested in it, and its compression method. Links, devices and sparse files are reported but not followed.
"""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from course_lib.our_errors import report

#: the most bytes of one file, and of all files in an archive that a student handed in
LARGEST = 100_000_000
#: the largest unpacked size, in bytes, of a compressed tar that the instructor made
_LARGEST_TAR = 1_000_000_000
#: the most files in an archive, the most in a student's archive, and the deepest nesting of archives
_MOST_FILES, _MOST_INNER_FILES, _DEEPEST = 100_000, 1_000, 4
_TOO_MANY = f"it holds more than {_MOST_FILES:,} files"
_MORE_THAN_ONES = "it holds more files than a submission has"
#: the most characters of a name, with its folders
_LONGEST_NAME = 500
#: the methods with which Canvas, Moodle and operating systems compress zips; the output of others cannot be bounded
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: the highest compression ratio: text compresses about a hundredfold, a zip bomb a thousandfold
_MOST_SHRUNK = 300
_SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tbz", ".gz")
#: the formats that are recognised but not read
_NAMED = {
    **{".7z": "a 7z archive", ".rar": "a RAR archive", ".zst": "a Zstandard archive", ".lzh": "an LHA archive"},
    **{".eml": "a saved e-mail", ".msg": "a saved e-mail", "winmail.dat": "an attachment of Outlook"},
}


@dataclass(frozen=True)
class Member:
    """A file in an archive, or in an archive nested in it.

    Attributes:
        path: the file's path within the outermost archive.
        data: the file's content, or None if it cannot be read.
        problem: why it cannot be read.
        is_archive: whether it is an archive that cannot be read, or holds nothing.
    """

    path: PurePosixPath
    data: bytes | None
    problem: str = ""
    is_archive: bool = False


class _ArchiveError(Exception):
    """An archive was not read. The message says why."""


#: the errors of Python's readers of archives that are broken, encrypted or packed in an unknown way
_BROKEN = (
    _ArchiveError, zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, struct.error,
    OSError, EOFError, ValueError, OverflowError, RuntimeError, MemoryError,
)  # fmt: skip


@dataclass
class _Budget:
    """How much of one student's submission may still be unpacked."""

    files: int
    bytes: int

    def take(self, files: int, size: int) -> None:
        self.files -= files
        self.bytes -= size
        if self.files < 0:
            raise _ArchiveError(_MORE_THAN_ONES)
        if self.bytes < 0:
            raise _ArchiveError(f"it would unpack to more than {LARGEST // 1_000_000} MB")


def is_archive(path: PurePosixPath, data: bytes) -> bool:
    """Return whether `members` can read a file, by its extension. An archive that was renamed to ``.ipynb`` counts."""
    name = path.name.lower()
    if name.endswith(_SUFFIXES):
        return True
    return name.endswith(".ipynb") and data.startswith((b"PK\x03\x04", b"\x1f\x8b"))


def is_archives_name(part: str) -> bool:
    """Return whether a part of a path has the extension of an archive."""
    return part.lower().endswith(_SUFFIXES)


def archive_stem(part: str) -> str:
    """Return an archive's name without the extension. Return other names unchanged."""
    found = max((end for end in _SUFFIXES if part.lower().endswith(end)), key=len, default="")
    return part[: len(part) - len(found)]


def named_archive(name: str) -> str:
    """Name the format of an archive that cannot be read here. Return an empty string for all other files."""
    return next((what for end, what in _NAMED.items() if name.lower().endswith(end)), "")


def is_hidden(path: PurePosixPath) -> bool:
    """Return whether a file belongs to the operating system or an editor. Such files are skipped."""
    *folders, name = path.parts or ("",)
    if any(part.startswith(".") or part == "__MACOSX" for part in folders) or name.startswith("._"):
        return True
    return name.startswith(".") and not name.lower().endswith(".ipynb")


def members(data: bytes, at: PurePosixPath, is_students: bool) -> Iterator[Member]:
    """Yield every plain file of an archive and of the archives in it, under the archive's own path.

    The archives that can't be read in what one student handed in are one file together, because there may be many.

    Args:
        is_students: whether a student handed the archive in. Any other archive may hold a whole class.
    """
    yield from _of_student(data, at, 0) if is_students else _members(data, at, None, 0)


def _of_student(data: bytes, at: PurePosixPath, depth: int) -> Iterator[Member]:
    first, count = None, 0
    for one in _members(data, at, _Budget(_MOST_INNER_FILES, LARGEST), depth):
        if one.is_archive and one.path != at and not is_hidden(one.path):
            first, count = first or one, count + 1
        else:
            yield one
    if first and count == 1:
        yield first
    elif first:
        name = str(first.path.relative_to(at))[-100:]
        problem = f"{count} archives in it cannot be read. The first is {name}: {first.problem}"
        yield Member(at, None, problem, is_archive=True)


def _members(data: bytes, at: PurePosixPath, budget: _Budget | None, depth: int) -> Iterator[Member]:
    """Yield the files of an archive. Without a budget, each archive in it is what a student handed in."""
    empty = True
    if depth >= _DEEPEST:
        yield Member(at, None, "archives are nested too deep in it: unpack it", is_archive=True)
        return
    try:
        read: Callable[..., Iterator[Member]] = _in_zip if data[:2] == b"PK" else _in_tar
        for one in read(data, at, budget):
            empty = empty and is_hidden(one.path)
            if one.data is None or not is_archive(one.path, one.data):
                yield one
            elif budget:
                yield from _members(one.data, one.path, budget, depth + 1)
            else:
                yield from _of_student(one.data, one.path, depth + 1)
        if empty:
            yield Member(at, None, "the archive is empty", is_archive=True)
    except Exception as error:  # a broken archive must not prevent the collection of the others
        _report_ours(error, "reading an archive")
        yield Member(at, None, f"the archive cannot be read: {_said(error)}", is_archive=True)


def _in_zip(data: bytes, at: PurePosixPath, budget: _Budget | None) -> Iterator[Member]:
    _refuse_many(data, budget.files if budget else _MOST_FILES)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        _refuse_overlaps(archive)
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > _MOST_FILES:
            raise _ArchiveError(_TOO_MANY)
        if budget:
            budget.take(max(len(entries), len(archive.infolist()) // 2), sum(entry.file_size for entry in entries))
        for entry in entries:
            path = _within(at, _name(entry))
            if path is None:
                yield Member(at / entry.filename[-50:].replace("/", "-"), None, "its name is longer than any file's")
            elif entry.external_attr >> 28 == 0o12:
                yield Member(path, None, "it is a link")
            else:
                yield _entry(archive, entry, path)


def _refuse_many(data: bytes, most: int) -> None:
    """Refuse a zip that lists more than ``most`` files, and as many folders, before `zipfile` makes an object for each.

    The number in the record at the end of a zip is not compared, because `zipfile` doesn't go by it. It reads as much
    of the list as the record says, so the list's entries are counted there.
    """
    end = zipfile._EndRecData(io.BytesIO(data))  # type: ignore[attr-defined]
    if not end:
        return  # `zipfile` says why it can't be read
    after, size = end[zipfile._ECD_LOCATION], end[zipfile._ECD_SIZE]  # type: ignore[attr-defined]
    longer = zipfile.sizeEndCentDir64 + zipfile.sizeEndCentDir64Locator  # type: ignore[attr-defined]
    if data.count(zipfile.stringCentralDir, max(after - size - longer, 0), after) > 2 * most:  # type: ignore[attr-defined]
        raise _ArchiveError(_TOO_MANY if most >= _MOST_FILES else _MORE_THAN_ONES)


def _refuse_overlaps(archive: zipfile.ZipFile) -> None:
    """Reject a zip whose entries share bytes, because one compressed file could then be unpacked many times."""
    entries = sorted(archive.infolist(), key=lambda entry: entry.header_offset)
    starts = [*(entry.header_offset for entry in entries[1:]), archive.start_dir]
    for entry, following in zip(entries, starts, strict=False):  # an empty zip has one start but no entries
        if entry.header_offset + zipfile.sizeFileHeader + entry.compress_size > following:  # type: ignore[attr-defined]
            raise _ArchiveError("its files overlap, as they do in a zip bomb")


def _name(entry: zipfile.ZipInfo) -> str:
    """Return a file's name. Decode UTF-8 that is declared as code page 437, as macOS writes it."""
    if entry.flag_bits & 0x800:
        return entry.filename
    try:
        return entry.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return entry.filename


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: PurePosixPath) -> Member:
    if entry.flag_bits & 1:
        return Member(path, None, "it is encrypted: ask for it without a password")
    if entry.file_size > max(1_000_000, _MOST_SHRUNK * entry.compress_size):
        return Member(path, None, "it would unpack to far more than any notebook")
    if entry.compress_type not in _PACKED:
        return Member(path, None, "it is packed in a way that cannot be read here: pack it again as a plain zip")
    try:
        with archive.open(entry) as file:
            data = file.read(min(LARGEST, entry.file_size) + 1)
    except Exception as error:  # a broken file must not prevent the collection of the others in its archive
        _report_ours(error, "unpacking a file")
        return Member(path, None, f"it cannot be unpacked: {_said(error)}")
    return Member(path, data)


def _in_tar(data: bytes, at: PurePosixPath, budget: _Budget | None) -> Iterator[Member]:
    unpacked = _unpacked(data, LARGEST if budget else _LARGEST_TAR)
    if not _is_tar(unpacked):
        if unpacked is data:
            raise _ArchiveError("it is not an archive")
        if budget:
            budget.take(1, len(unpacked))
        name = archive_stem(at.name)
        yield Member(at / (name if "." in name else f"{name}.ipynb"), unpacked)
        return
    last, count = -1, 0
    with tarfile.open(fileobj=io.BytesIO(unpacked), mode="r:") as archive:
        while (entry := archive.next()) is not None:
            if archive.offset <= last:  # a negative size would send the reader back, and it would loop forever
                raise _ArchiveError("it is damaged")
            last, count = archive.offset, count + 1
            if count > _MOST_FILES:
                raise _ArchiveError(_TOO_MANY)
            if entry.isdir():
                continue
            if budget:
                budget.take(1, max(entry.size, 0))
            path = _within(at, entry.name)
            if path is None:
                yield Member(at / entry.name[-50:].replace("/", "-"), None, "its name is longer than any file's")
            elif not entry.isreg() or entry.issparse():
                yield Member(path, None, "it is a link" if entry.issym() or entry.islnk() else "it is not a plain file")
            else:
                file = archive.extractfile(entry)
                yield Member(path, file.read(min(LARGEST, entry.size) + 1) if file else None)


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def _unpacked(data: bytes, most: int) -> bytes:
    """Decompress a tar. Return data that is not compressed unchanged."""
    unpacker: Any
    if data[:2] == b"\x1f\x8b":
        unpacker = zlib.decompressobj(wbits=31)
    elif data[:6] == b"\xfd7zXZ\x00":
        unpacker = lzma.LZMADecompressor(memlimit=LARGEST)
    elif data[:3] == b"BZh":
        unpacker = bz2.BZ2Decompressor()
    else:
        return data
    unpacked: bytes = unpacker.decompress(data, most + 1)
    if len(unpacked) > most:
        raise _ArchiveError(f"it would unpack to more than {most // 1_000_000} MB")
    if not unpacker.eof:
        raise _ArchiveError("it was cut short")
    return unpacked


def _within(at: PurePosixPath, name: str) -> PurePosixPath | None:
    """Return a file's path within its archive, without any ``..``. Return None if the name is too long."""
    if len(name) > _LONGEST_NAME:
        return None
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return at.joinpath(*parts) if parts else at / "-"


def _report_ours(error: Exception, doing: str) -> None:
    """Report an error that a broken archive does not explain."""
    if not isinstance(error, _BROKEN):
        report(error, doing)


def _said(error: Exception) -> str:
    return str(error)[:100] or type(error).__name__
