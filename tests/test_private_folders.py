"""A submission can't read classmates' work on the grading machine, whichever user grades."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import LESSON
from ordinary_user import run_as_ordinary_user

from autograder.building.release import release_library
from autograder.class_folder.folder import make_class_folder
from autograder.class_folder.writing import write_whole
from autograder.grading import visible
from autograder.grading.bubblewrap import bubblewrap_unavailable
from autograder.grading.examine_sandbox import examine_sandbox
from autograder.grading.private_folders import EXCHANGES, private_folders
from autograder.grading.sandbox import Sandbox
from autograder.grading.secret import SECRET, course_secret
from autograder.records.archive import Archive
from autograder.records.purge import Purge
from course_lib.course import Course
from course_lib.running.cell import Cell
from course_lib.running.runner import CannotStart

sandboxed = pytest.mark.skipif(bool(bubblewrap_unavailable()), reason="no sandbox here")


@pytest.fixture(scope="module")
def library(course: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release_library(course, LESSON, tmp_path_factory.mktemp("released"), whole=False)


@pytest.fixture
def inside_python() -> Iterator[Path]:
    """A class's folder in the worst place, among the packages that every submission can read."""
    with tempfile.TemporaryDirectory(dir=sysconfig.get_path("purelib")) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "kim.ipynb").write_text("kim's work")
        yield folder


def shown(sandbox: Sandbox, source: str) -> str:
    outcome = sandbox.run([Cell("ours", "own", source)], {})
    return "".join(o.get("text") or o.get("evalue", "") for o in outcome.outputs["ours"])


@sandboxed
@pytest.mark.slow
def test_only_programs_libraries_fonts_and_time_zones_of_usr_are_visible(library: Path) -> None:
    source = (
        "import os\nprint(*(f'{d}/{n}' for d in ('/usr', '/usr/local') if os.path.isdir(d) for n in os.listdir(d)))"
    )
    with Sandbox(library) as sandbox:
        seen = set(shown(sandbox, source).split())
        shared = set(shown(sandbox, "import os\nprint(*os.listdir('/usr/share'))").split())
    names = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "include", "share"}
    local = {f"/usr/local/{name}" for name in ("lib", "lib32", "lib64", "include", "share")}
    libraries = {"/" + "/".join(path.parts[1:4]) for path in visible._library_folders()}
    assert seen <= {f"/usr/{name}" for name in names} | {"/usr/local"} | local | libraries
    assert shared <= {"zoneinfo", "fonts", "fontconfig", "matplotlib"}


@sandboxed
@pytest.mark.slow
def test_a_private_folder_is_hidden_even_among_installed_packages(library: Path, inside_python: Path) -> None:
    look = f"import os\nprint(os.listdir({str(visible._place(inside_python))!r}))"
    with Sandbox(library) as careless:
        assert "kim.ipynb" in shown(careless, look), "the folder is visible if it is not private"
    with Sandbox(library, private=(inside_python,)) as sandbox:
        assert shown(sandbox, look).strip() == "[]"
        assert "Read-only" in shown(sandbox, f"open({str(inside_python / 'left')!r}, 'w')"), "nobody can write to it"


@sandboxed
def test_a_link_to_a_private_folder_leads_nowhere(library: Path, inside_python: Path, tmp_path: Path) -> None:
    link = tmp_path / "class"
    link.symlink_to(inside_python)
    with Sandbox(library, private=(link,)) as sandbox:
        assert shown(sandbox, f"import os\nprint(os.listdir({str(visible._place(inside_python))!r}))").strip() == "[]"


def test_students_work_around_pythons_own_library_is_refused_in_a_sentence() -> None:
    with pytest.raises(CannotStart, match=r"must hide \S+ from submissions, but Python is in it"):
        list(visible.file_system([Path(sysconfig.get_path("stdlib"))]))


def test_an_environment_in_the_class_folder_stays_usable() -> None:
    options = list(visible.file_system([Path(sys.prefix).parent, Path(sys.prefix)]))
    assert str(Path(sys.prefix) / "lib") in options


def test_packages_that_a_pth_file_adds_are_visible_without_the_course(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    added, checkout = tmp_path / "other" / "site-packages", tmp_path / "checkout"
    (added / "autograder").mkdir(parents=True)
    checkout.mkdir()
    monkeypatch.setattr(visible.sys, "path", [*sys.path, str(added), str(checkout)])
    mounts = {mount.source: mount.inside for mount in visible._mounts(())}
    assert mounts[added] == visible._place(added) and checkout not in mounts
    assert visible._Mount(visible._place(added) / "autograder") in visible._mounts(())


@sandboxed
@pytest.mark.slow
def test_the_doctor_starts_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(found.state, found.text) for found in examine_sandbox()] == [("ok", "the sandbox for grading")]
    monkeypatch.setattr(visible, "_prefixes", lambda: [Path(sys.base_prefix), Path(sys.base_prefix).resolve()])
    (found,) = examine_sandbox()
    assert found.state == "note" and "No such file" in found.text


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local"])
def test_a_prefix_in_usr_brings_nothing_but_python(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    monkeypatch.setattr(visible.sys, "prefix", prefix)
    monkeypatch.setattr(visible.sys, "base_prefix", prefix)
    sources = {path for path in visible._visible() if path.is_relative_to("/usr/local")}
    allowed = {*visible._PREFIX, *visible._USR_LOCAL}
    libraries = set(visible._library_folders())
    assert {str(path.relative_to("/usr/local")) for path in sources - libraries} <= allowed
    assert Path(prefix, "bin") in set(visible._visible())


def test_the_exchange_is_private_wherever_nbgrader_is_configured_to_have_it(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    (tmp_path / "nbgrader_config.py").write_text('c = get_config()\nc.Exchange.root = "/opt/exchange"\nprint("\\d")\n')
    jupyter = tmp_path / "jupyter"
    jupyter.mkdir()
    (jupyter / "nbgrader_config.json").write_text('{"Exchange": {"root": "/data/exchange"}}')
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(jupyter))
    found = private_folders(dataclasses.replace(course, root=tmp_path), tmp_path / "class")
    assert {Path("/opt/exchange"), Path("/data/exchange"), *EXCHANGES, tmp_path, tmp_path / "class"} <= set(found)


LOOKS = """
import os
from pathlib import Path
from autograder.building.release import release_library
from autograder.grading.sandbox import Sandbox
from course_lib.course import find_course
from course_lib.running.cell import Cell

assert os.geteuid() != 0
exchange = Path("/usr/local/share/nbgrader/exchange/course/inbound/kim+03")
exchange.mkdir(parents=True)
(exchange / "work.ipynb").write_text("kim's w" + "ork")
Path("/usr/local/etc/jupyter").mkdir(parents=True)
Path("/usr/local/etc/jupyter/token.json").write_text("kim's w" + "ork")
home = Path.home() / "course/class/submitted/kim"
home.mkdir(parents=True)
(home / "work.ipynb").write_text("kim's w" + "ork")
library = release_library(find_course(), "03_self_attention", Path.home() / "released", whole=False)
search = '''
import os
found, files = [], 0
for folder, inner, names in os.walk("/"):
    inner[:] = [name for name in inner if name not in ("proc", "lib", "lib64", "include")]
    for name in names:
        path = os.path.join(folder, name)
        files += 1
        if name in ("work.ipynb", "token.json"): found.append(path)
print(files, found)
'''
with Sandbox(library) as sandbox:
    outcome = sandbox.run([Cell("ours", "own", search)], {})
print("".join(o.get("text", o.get("evalue", "")) for o in outcome.outputs["ours"]))
"""


@sandboxed
@pytest.mark.slow
def test_a_submission_graded_by_an_ordinary_user_finds_no_classmates_work() -> None:
    with tempfile.TemporaryDirectory() as home:
        said = run_as_ordinary_user(LOOKS, Path(home), emptied=("/usr/local/share", "/usr/local/etc"))
    files, found = said.strip().split(" ", 1)
    assert int(files) > 100, "the search found no files at all"
    assert found == "[]"


# the class's folder


def test_records_about_students_are_never_readable_by_everybody(tmp_path: Path) -> None:
    for parent, expected in ((0o755, 0o600), (0o700, 0o600), (0o750, 0o600), (0o770, 0o660), (0o777, 0o600)):
        folder = tmp_path / f"{parent:o}"
        folder.mkdir()
        folder.chmod(parent)
        write_whole(folder / "grades.csv", "kim,13")
        assert mode(folder / "grades.csv") == expected


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_class_folder_is_private_to_its_owner(tmp_path: Path) -> None:
    Archive(tmp_path / "class").require()
    assert mode(tmp_path / "class") == 0o700
    course_secret(tmp_path / "other")
    assert mode(tmp_path / "other") == 0o700
    assert mode(tmp_path / "other" / SECRET) == 0o600


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody on this machine can enter, as pytest's own cannot be."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize(("before", "after"), [(0o755, 0o700), (0o711, 0o700), (0o775, 0o770), (0o2775, 0o2770)])
def test_a_class_folder_that_everybody_can_enter_is_closed_with_a_message(
    open_folder: Path, before: int, after: int, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = open_folder / "class"
    (folder / "records").mkdir(parents=True)
    folder.chmod(before)
    Archive(folder).require()
    assert mode(folder) == after, "a folder that is shared on purpose stays shared"
    group = f" and the group {folder.group()}" if after & 0o010 else ""
    assert f"Now only {folder.owner()}{group} can." in capsys.readouterr().err, "root is named like anybody else"
    Archive(folder).require()
    assert capsys.readouterr().err == ""


def test_a_folder_that_nobody_else_could_reach_is_closed_without_a_message(open_folder: Path) -> None:
    (open_folder / "home").mkdir(mode=0o700)
    folder = open_folder / "home/class"
    (folder / "records").mkdir(parents=True)
    folder.chmod(0o755)
    assert make_class_folder(folder) == "" and mode(folder) == 0o700


def test_a_file_system_without_permissions_is_named_and_nothing_is_said_to_have_changed(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "chmod", lambda path, mode: None)
    said = make_class_folder(open_folder)
    assert "its file system does not store permissions" in said and "Now only" not in said


def test_a_folder_that_holds_other_things_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    tmp_path.chmod(0o755)
    assert "chmod 700" in make_class_folder(tmp_path)
    assert mode(tmp_path) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make somebody else's folder")
def test_an_ordinary_user_learns_who_must_close_another_users_folder() -> None:
    source = (
        "from pathlib import Path\nfrom autograder.class_folder.folder import make_class_folder\n"
        "print(make_class_folder(Path('/usr/share')))"
    )
    with tempfile.TemporaryDirectory() as home:
        assert "Ask its owner" in run_as_ordinary_user(source, Path(home))


def test_a_secret_that_everybody_can_read_is_closed(tmp_path: Path) -> None:
    course_secret(tmp_path)
    (tmp_path / SECRET).chmod(0o644)
    course_secret(tmp_path)
    assert mode(tmp_path / SECRET) == 0o640


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("prepared", [(), ("students.csv",), ("students.csv", "submitted/ada/work.ipynb")])
def test_git_ignores_a_class_folder_that_a_command_makes_or_uses_first(
    tmp_path: Path, prepared: tuple[str, ...]
) -> None:
    git(tmp_path, "init", "--quiet")
    folder = tmp_path / "second class"
    for name in prepared:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("id\nada\n")
    Archive(folder).require()
    write_whole(folder / "records" / "lesson" / "ada.json", "{}")
    assert git(tmp_path, "status", "--porcelain", "--untracked-files=all") == ""
    before = (folder / ".gitignore").stat()
    Archive(folder).require()
    assert (folder / ".gitignore").stat() == before


@pytest.mark.parametrize("names", [("records", "secret.key"), ("thesis.tex",), ("students.csv", ".gitignore")])
def test_a_folder_that_is_in_use_gets_no_gitignore(tmp_path: Path, names: tuple[str, ...]) -> None:
    for name in names:
        (tmp_path / name).write_text("theirs")
    Archive(tmp_path).require()
    assert {path.name for path in tmp_path.iterdir()} == set(names)
    assert all(path.read_text() == "theirs" for path in tmp_path.iterdir())


def test_a_gitignore_is_nobodys_and_the_folder_of_an_empty_class_stays_ours(open_folder: Path) -> None:
    folder = open_folder / "class"
    Archive(folder).require()
    assert not Purge(Archive(folder)).held_of_all()
    folder.chmod(0o755)
    assert "Now only" in make_class_folder(folder)
