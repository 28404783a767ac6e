"""Archives are read like folders, whichever program packed them, and can't harm their reader or other students."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import struct
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from collecting import Class, place, scratch, tarred, zipped
from conftest import LESSON

from autograder.collecting.archives import members
from course_lib.course import CourseError

MINE = scratch("def softmax(x, dim):\n    return x")
FILES = {f"{LESSON}.ipynb": MINE}

ARCHIVES = {
    "work.zip": zipped(FILES),
    "WORK.ZIP": zipped(FILES),
    "work.tar": tarred(FILES, "w"),
    "work.tar.gz": tarred(FILES),
    "work.tgz": tarred(FILES),
    "work.tar.xz": tarred(FILES, "w:xz"),
    "work.tar.bz2": tarred(FILES, "w:bz2"),
    f"{LESSON}.ipynb.gz": gzip.compress(MINE),
    f"{LESSON}.ipynb": zipped(FILES),
    "zip in zip.zip": zipped({"a.zip": zipped({"b.zip": zipped(FILES)})}),
    "tar in zip.zip": zipped({"a/b/c.tgz": tarred(FILES)}),
    "backslashes.zip": zipped({f"folder\\{LESSON}.ipynb": MINE}),
    "upwards.tar": tarred({f"../../../{LESSON}.ipynb": MINE}, "w"),
    "absolute.tar.gz": tarred({f"/etc/{LESSON}.ipynb": MINE}),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_read(tmp_path: Path, name: str) -> None:
    a_class = Class(tmp_path)
    a_class.collect({f"kim/{name}": ARCHIVES[name]})
    assert "softmax" in a_class.content("kim") and a_class.has("kim") == "collected"
    assert {path.name for path in tmp_path.iterdir()} == {"downloads1", "submitted"}


@pytest.mark.parametrize("name", ["class.zip", "class.tar.gz", "class.tar.xz"])
def test_a_whole_class_may_be_an_archive(tmp_path: Path, name: str) -> None:
    files = {f"{student}/{LESSON}.ipynb": MINE for student in ("kim", "ada")}
    packed = zipped(files) if name.endswith("zip") else tarred(files, "w:xz" if "xz" in name else "w:gz")
    a_class = Class(tmp_path)
    a_class.collect_from(place(tmp_path, {name: packed}) / name)
    assert (a_class.has("kim"), a_class.has("ada"), a_class.has("zo")) == ("collected", "collected", "nothing")


@pytest.mark.parametrize("name", ["work.7z", "work.rar", "WORK.RAR"])
def test_an_archive_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    a_class = Class(tmp_path)
    outcome = a_class.collect({f"kim/{name}": b"7z\xbc\xaf'\x1c" + bytes(50)})[f"kim/{name}"]
    assert outcome.needs_a_look and "unpack it" in outcome.note and a_class.has("kim") == "to decide"


def tar_of(*entries: tarfile.TarInfo, data: bytes = b"") -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        for entry in entries:
            archive.addfile(entry, io.BytesIO(data) if entry.isreg() else None)
    return into.getvalue()


def entry(kind: bytes, name: str = f"{LESSON}.ipynb", link: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, link
    return info


def with_size(size: bytes) -> bytes:
    """Make a tar that states a wrong size for its file, with a matching checksum."""
    data = bytearray(tar_of(entry(tarfile.REGTYPE)))
    data[124:136] = size
    data[148:156] = b" " * 8
    data[148:156] = f"{sum(data[:512]):06o}\0 ".encode()
    return bytes(data)


def zip_with_link() -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        info = zipfile.ZipInfo(f"{LESSON}.ipynb")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return into.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "symbolic link.tar": lambda: tar_of(entry(tarfile.SYMTYPE)),
    "hard link.tar": lambda: tar_of(entry(tarfile.LNKTYPE)),
    "device.tar": lambda: tar_of(entry(tarfile.CHRTYPE)),
    "pipe.tar": lambda: tar_of(entry(tarfile.FIFOTYPE)),
    "link.zip": zip_with_link,
    "gzip bomb.tar.gz": lambda: gzip.compress(bytes(300_000_000), 1),
    "xz bomb.tar.xz": lambda: lzma.compress(bytes(300_000_000), preset=0),
    "many files.tar.gz": lambda: tarred({f"{n}.txt": b"" for n in range(1_100)}),
    "huge size.tar": lambda: with_size(b"77777777777\0"),
    "negative size.tar": lambda: with_size(b"\xff" * 12),
    "cut.tar.gz": lambda: tarred(FILES)[:-30],
    "cut.tar": lambda: tarred(FILES, "w")[:700],
    "noise.tgz": lambda: bytes(range(256)) * 100,
    "empty.tar.gz": lambda: b"",
    "long name.tar": lambda: tarred({"a/" * 300 + f"{LESSON}.ipynb": MINE}, "w"),
    "deep.zip": lambda: zipped({"a.zip": zipped({"b.zip": zipped({"c.zip": zipped({"d.zip": zipped(FILES)})})})}),
    "nested bombs.zip": lambda: zipped({f"{n}.tgz": gzip.compress(bytes(90_000_000), 9) for n in range(3)}),
    "not a zip.zip": lambda: b"PK" + bytes(100),
    "no file.ipynb.gz": lambda: gzip.compress(b""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_costs_nobody_anything_and_has_a_reason(tmp_path: Path, name: str) -> None:
    data = HOSTILE[name]()
    a_class = Class(tmp_path)
    files = place(tmp_path, {f"kim/{name}": data, f"ada/{LESSON}.ipynb": MINE})
    tracemalloc.start()
    start = time.process_time()
    outcomes = a_class.collect_from(files)
    spent, most = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcomes.pop(f"ada/{LESSON}.ipynb").became == "new"
    assert all(outcome.note for outcome in outcomes.values())
    assert any(outcome.needs_a_look for outcome in outcomes.values())
    assert a_class.has("kim") == "to decide"
    assert spent < 20 and most < 600_000_000
    assert {path.name for path in tmp_path.iterdir()} == {"downloads", "submitted"}


def test_what_is_neither_a_folder_nor_an_archive_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CourseError, match="neither a folder nor"):
        Class(tmp_path).collect_from(place(tmp_path, {"a.txt": "x"}) / "a.txt")


def overlapping_zip(count: int, size: int) -> bytes:
    """Make a zip that lists one packed file many times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    name, raw = b"x.ipynb", bytes(size)
    data = packer.compress(raw) + packer.flush()
    about = (0, 8, 0, 0, zlib.crc32(raw), len(data), size, len(name), 0)
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, *about) + name
    listed = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, *about, 0, 0, 0, 0, 0) + name
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, count, count, count * len(listed), len(local) + len(data), 0)
    return local + data + listed * count + end


@pytest.mark.parametrize("where", ["work.zip", "kim/work.zip", "leekim_102_9_work.zip"])
def test_a_zip_whose_files_overlap_is_refused(tmp_path: Path, where: str) -> None:
    [outcome] = Class(tmp_path).collect({where: overlapping_zip(3, 900_000)}).values()
    assert outcome.needs_a_look and "its files overlap" in outcome.note


def listing_zip(count: int, longer: bool) -> bytes:
    """A zip that only lists files, and says in its last record that it lists none.

    Args:
        longer: whether it has the records of a zip with more than 65,535 files, too.
    """
    listed = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, *[0] * 7, 1, *[0] * 6) + b"a"
    size = count * len(listed)
    zip64 = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 0, 0, size, 0) + struct.pack(
        "<4sIQI", b"PK\6\7", 0, size, 1
    )
    about = (0xFFFFFFFF, 0xFFFFFFFF) if longer else (size, 0)
    return listed * count + (zip64 if longer else b"") + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, *about, 0)


@pytest.mark.parametrize("longer", [False, True])
@pytest.mark.parametrize("is_students", [False, True])
def test_a_long_list_of_files_is_refused_before_it_is_read(longer: bool, is_students: bool) -> None:
    data = listing_zip(1_000_000, longer)
    tracemalloc.start()
    start = time.process_time()
    [member] = members(data, PurePosixPath("work.zip"), is_students)
    spent, most = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert member.data is None and "it holds more" in member.problem
    assert spent < 1 and most < 2_000_000


@pytest.mark.parametrize("name", ["//a.txt", "\\\\a.txt", "///a.txt", "/..//a.txt"])
def test_no_name_in_an_archive_leaves_it(tmp_path: Path, name: str) -> None:
    a_class = Class(tmp_path)
    a_class.collect({"leekim_102_9001_work.zip": zipped({name: b"x", f"{LESSON}.ipynb": MINE})})
    assert "return x" in a_class.content("kim")


def test_a_zip_within_a_zip_is_counted_by_itself() -> None:
    inner = zipped({f"{n}.txt": b"" for n in range(700)})
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_STORED) as archive:
        for name in ("a.bin", "b.bin", "c.bin", "d.bin"):
            archive.writestr(name, inner)
    found = list(members(into.getvalue(), PurePosixPath("work.zip"), is_students=True))
    assert [member.data for member in found] == [inner] * 4


def nested(levels: int, each: int, within: bytes) -> bytes:
    """Make a zip that holds several zips, which hold several zips in turn, and so on."""
    for _ in range(levels):
        within = zipped({f"{n}.zip": within for n in range(each)})
    return within


@pytest.mark.parametrize("where", ["kim/work.zip", "leekim_102_9_work.zip", "canvas.zip/leekim_102_9_work.zip"])
@pytest.mark.parametrize(
    ("inside", "why"),
    [
        (nested(6, 3, zipped({"x.txt": b""})), r"(27|81) archives in it cannot be read"),
        (nested(2, 5, b"PK not a zip"), "25 archives in it cannot be read"),
        (nested(2, 40, zipped(dict.fromkeys("abc", b""))), "archives in it cannot be read. The first is"),
    ],
)
def test_archives_in_a_students_archive_that_cannot_be_read_are_one_row_that_needs_a_decision(
    tmp_path: Path, where: str, inside: bytes, why: str
) -> None:
    outer, _, inner = where.rpartition(".zip/")
    files = {f"{outer}.zip": zipped({inner: inside})} if outer else {where: inside}
    a_class = Class(tmp_path)
    rows = [outcome for outcome in a_class.collect(files).values() if outcome.became == "unreadable"]
    assert [(str(outcome.path), outcome.needs_a_look) for outcome in rows] == [(where, True)]
    assert re.search(why, rows[0].note)
    assert a_class.has("kim") == "to decide"


def test_a_notebook_next_to_archives_that_cannot_be_read_is_collected(tmp_path: Path) -> None:
    broken = {f"{n}.zip": b"PK" for n in range(3)} | {"__MACOSX/._1.zip": b"x", ".2.zip": b"x"}
    a_class = Class(tmp_path)
    outcomes = a_class.collect({"kim/work.zip": zipped({f"{LESSON}.ipynb": MINE, **broken})})
    assert {path: outcome.became for path, outcome in outcomes.items()} == {
        "kim/work.zip": "unreadable",
        f"kim/work.zip/{LESSON}.ipynb": "new",
    }
    assert outcomes["kim/work.zip"].note.startswith("3 archives")
    [one] = [outcome for outcome in a_class.collect({"kim/work.zip": zipped({"a.zip": b"PK"})}).values()]
    assert str(one.path) == "kim/work.zip/a.zip", "a single one is named by itself"


BOMBS: dict[str, Callable[[], bytes]] = {
    "leekim_102_9_work.zip": lambda: zipped({f"{n}.ipynb": b"0" * 990_000 for n in range(110)}),
    "leekim_102_9_work.tar.gz": lambda: gzip.compress(bytes(150_000_000), 1),
    "Kim Lee_1_assignsubmission_file_work.zip": lambda: zipped({f"{n}.txt": b"" for n in range(1_100)}),
    "anon_x4fGh_9_work.zip": lambda: zipped({f"{n}.txt": b"" for n in range(1_100)}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_an_archive_directly_in_an_unpacked_download_has_the_limits_of_one_student(tmp_path: Path, name: str) -> None:
    a_class = Class(tmp_path)
    outcomes = a_class.collect({name: BOMBS[name](), f"lovelaceada_101_9_{LESSON}.ipynb": MINE})
    assert a_class.has("ada") == "collected"
    assert outcomes[name].became == "unreadable" and outcomes[name].needs_a_look
