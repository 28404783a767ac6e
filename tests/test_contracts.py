"""Every private or unstable API that the course depends on still is what the course expects.

Each test names the module of ours that breaks if it fails. The workflow also runs this file against the newest
releases, whatever the upper bounds in pyproject.toml are.
"""

from __future__ import annotations

import ctypes
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
import nbgrader
import numpy as np
import pytest
import torch
import typer
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, BaseConverter, GenerateFeedback
from nbgrader.preprocessors import AssignLatePenalties, GetGrades, SaveAutoGrades, SaveCells
from sqlalchemy.orm import scoped_session
from torch import nn


def parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


# ---- nbgrader ----


@pytest.fixture
def book(tmp_path: Path) -> Any:
    from autograder.gradebook.tables import make_tables

    url = f"sqlite:///{tmp_path}/gradebook.db"
    make_tables(url)
    with Gradebook(url) as opened:
        yield opened


def test_a_gradebook_has_a_scoped_session_and_an_engine(book: Any) -> None:
    """For `records.saving.one_transaction`, which configures the session, and `people.remove`."""
    assert isinstance(book.db, scoped_session)
    assert book.engine.dialect.name == "sqlite"
    assert book.db.get_bind() is book.engine


@pytest.mark.parametrize(
    ("method", "takes"),
    [
        ("update_or_create_assignment", ["name"]),
        ("update_or_create_student", ["student_id"]),
        ("update_or_create_submission", ["assignment", "student"]),
        ("find_submission", ["assignment", "student"]),
        ("find_grade", ["grade_cell", "notebook", "assignment", "student"]),
        ("remove_student", ["student_id"]),
    ],
)
def test_the_gradebooks_methods_take_these_arguments(method: str, takes: Sequence[str]) -> None:
    """For `records.gradebook`, `completion` and `people`."""
    assert parameters(getattr(Gradebook, method))[1 : 1 + len(takes)] == takes


def test_the_gradebooks_tables_have_the_columns_that_we_read_and_write() -> None:
    from nbgrader.api import Assignment, Grade, GradeCell, SourceCell, Student, SubmittedAssignment, SubmittedNotebook

    columns: dict[type, str] = {
        Assignment: "id name duedate submissions notebooks",
        Grade: "cell_id notebook_id auto_score manual_score extra_credit needs_manual_grade",
        GradeCell: "id name max_score cell_type notebook_id",
        SourceCell: "name source checksum",
        Student: "id first_name last_name email lms_user_id submissions",
        SubmittedAssignment: "student_id timestamp extension assignment notebooks total_seconds_late",
        SubmittedNotebook: "late_submission_penalty grades score assignment",
    }
    lacking = [f"{table.__name__}.{name}" for table, names in columns.items() for name in names.split()
               if not hasattr(table, name)]  # fmt: skip
    assert not lacking


def test_nbgraders_log_has_the_name_that_we_silence() -> None:
    """For `records.gradebook_errors`, which hides tracebacks that nbgrader logs before it raises."""
    from nbgrader.api import app_log

    assert callable(app_log.setLevel)


def test_the_migrations_are_in_a_folder_of_the_package() -> None:
    """For `records.tables`, which records the version of a new gradebook."""
    from alembic.script import ScriptDirectory

    assert ScriptDirectory(str(Path(nbgrader.__file__).parent / "alembic")).get_current_head()


def test_saving_autogrades_reads_these_attributes_of_the_preprocessor(released: Any) -> None:
    """For `records.saving`, which sets them instead of calling ``preprocess``, which would open another gradebook."""
    asked: list[tuple[str, ...]] = []

    class Found:
        auto_score: float | None = None
        manual_score = None
        needs_manual_grade = False
        auto_comment: str | None = None

    class Book:
        db = type("Session", (), {"commit": staticmethod(lambda: None)})

        def find_grade(self, *names: str) -> Found:
            asked.append(names)
            return Found()

        find_comment = find_grade

    saver = SaveAutoGrades()
    saver.gradebook, saver.notebook_id, saver.assignment_id, saver.student_id = Book(), "notebook", "lesson", "ada"
    for index, cell in enumerate(released.cells):
        saver.preprocess_cell(cell, {}, index)
    assert asked
    assert all(names[1:] == ("notebook", "lesson", "ada") for names in asked)


def test_nbgraders_preprocessors_take_a_notebook_and_resources() -> None:
    """For `records.gradebook`, which calls them without nbgrader's applications."""
    for kind in (SaveCells, GetGrades):
        assert parameters(kind.preprocess) == ["self", "nb", "resources"]


def test_the_late_policy_is_loaded_by_a_method_of_the_preprocessor() -> None:
    """For `records.lateness`."""
    step = AssignLatePenalties()
    step.init_plugin()
    assert callable(step.plugin_inst.late_submission_penalty)


def test_converting_a_submission_calls_the_methods_that_we_override() -> None:
    """For `PlainAutograde` and `CourseFeedback`."""
    overridden = {
        "init_notebooks": ["self"],
        "init_destination": ["self", "assignment_id", "student_id"],
        "init_assignment": ["self", "assignment_id", "student_id"],
        "init_single_notebook_resources": ["self", "notebook_filename"],
        "convert_single_notebook": ["self", "notebook_filename"],
        "convert_notebooks": ["self"],
    }
    for name, takes in overridden.items():
        assert parameters(getattr(Autograde, name)) == takes
        assert parameters(getattr(BaseConverter, name)) == takes
    source = inspect.getsource(BaseConverter)
    for name in ("init_destination", "init_assignment", "convert_single_notebook"):
        assert f"self.{name}(" in source
    assert "convert_single_notebook" in dir(GenerateFeedback)


def test_a_converter_has_the_private_members_that_we_use() -> None:
    """For `PlainAutograde`."""
    for name in ("_format_source", "_format_dest"):
        assert parameters(getattr(BaseConverter, name))[:3] == ["self", "assignment_id", "student_id"]
    assert Autograde._sanitizing is True
    assert "write_single_notebook" in dir(BaseConverter)


def test_nbgraders_applications_take_the_converters_from_these_modules() -> None:
    """For `put_in_place`, which replaces them there."""
    from nbgrader.apps import api, autogradeapp, generatefeedbackapp

    for module, name in (
        (autogradeapp, "Autograde"), (api, "Autograde"), (generatefeedbackapp, "GenerateFeedback"),
        (api, "GenerateFeedback"),
    ):  # fmt: skip
        assert f"{name}(" in inspect.getsource(module)
        assert isinstance(getattr(module, name), type)


def test_autograding_has_the_steps_that_we_replace_and_no_new_ones() -> None:
    """For `nbgrader_config`: a new step of nbgrader's would be missing from our lists."""
    sanitize, autograde = (
        [step.__name__ for step in getattr(Autograde, f"{part}_preprocessors").default_args[0]]
        for part in ("sanitize", "autograde")
    )
    assert sanitize == ["ClearOutput", "DeduplicateIds", "OverwriteKernelspec", "OverwriteCells", "CheckCellMetadata"]
    assert autograde == [
        "Execute", "IgnorePattern", "ClearMetadataPreprocessor", "LimitOutput", "SaveAutoGrades",
        "AssignLatePenalties", "CheckCellMetadata",
    ]  # fmt: skip


def test_nbgrader_reads_times_with_the_methods_that_we_replace() -> None:
    """For `read_times_as_we_do`."""
    from nbgrader.apps.api import NbGraderAPI
    from nbgrader.coursedir import CourseDirectory

    assert parameters(CourseDirectory.get_existing_timestamp) == ["self", "dest_path"]
    assert parameters(NbGraderAPI.get_submitted_timestamp) == ["self", "assignment_id", "student_id"]
    assert parameters(CourseDirectory.format_path)[:4] == ["self", "nbgrader_step", "student_id", "assignment_id"]


def test_the_exchange_copies_with_the_methods_that_we_override() -> None:
    """For `ReleasePackage` and `CollectPlainFiles`."""
    from nbgrader.exchange.default import ExchangeCollect, ExchangeReleaseAssignment

    assert parameters(ExchangeReleaseAssignment.copy_files) == ["self"]
    assert "self.src_path" in inspect.getsource(ExchangeReleaseAssignment.copy_files)
    assert parameters(ExchangeCollect.do_copy)[:4] == ["self", "src", "dest", "log"]
    assert callable(ExchangeCollect.fail)


def test_formgraders_templates_are_found_by_this_function() -> None:
    """For `template_paths`."""
    from nbgrader.server_extensions.formgrader.handlers import template_path

    assert (Path(template_path) / "formgrade").is_dir()


def test_nbconvert_renders_formulas_with_the_methods_that_we_override() -> None:
    """For `markdown2html`."""
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    class Renderer(IPythonRenderer):  # type: ignore[misc]
        def inline_math(self, body: str) -> str:
            return f"<i>{body}</i>"

        def block_math(self, body: str) -> str:
            return f"<b>{body}</b>"

    shown = MarkdownWithMath(renderer=Renderer(escape=False)).render("$a$ and\n\n$$b$$\n")
    assert "<i>a</i>" in shown
    assert "<b>b</b>" in shown


# ---- IPython and Jupyter ----


def test_a_shell_shows_results_through_the_hooks_that_we_override() -> None:
    """For `running.shell`."""
    for name in ("write_output_prompt", "write_format_data", "finish_displayhook", "prompt_count"):
        assert hasattr(DisplayHook, name)
    assert "self._is_active" in inspect.getsource(DisplayHook)
    assert parameters(DisplayPublisher.publish)[1:3] == ["data", "metadata"]
    assert parameters(DisplayPublisher.clear_output) == ["self", "wait"]


def test_a_shell_shows_errors_with_the_private_methods_that_we_override() -> None:
    """For `running.shell`."""
    assert parameters(InteractiveShell._showtraceback) == ["self", "etype", "evalue", "stb"]
    assert "self._showtraceback(" in inspect.getsource(InteractiveShell.showtraceback)
    assert "_format_exception_for_storage(" in inspect.getsource(InteractiveShell.run_cell_async)
    assert callable(InteractiveShell.system_raw)


def test_a_shell_passes_chosen_errors_to_a_handler() -> None:
    """For `course_lib.unwritten`, which also empties ``custom_exceptions`` for a while."""
    assert parameters(InteractiveShell.set_custom_exc) == ["self", "exc_tuple", "handler"]
    assert "self.custom_exceptions" in inspect.getsource(InteractiveShell.showtraceback) + inspect.getsource(
        InteractiveShell.run_code
    )


def test_a_kernels_shell_has_this_name() -> None:
    """For `course_lib.unwritten`, which changes nothing in other shells."""
    from ipykernel.zmqshell import ZMQInteractiveShell

    assert ZMQInteractiveShell.__name__ == "ZMQInteractiveShell"


def test_magics_become_plain_python() -> None:
    """For `running.plain_python`."""
    assert TransformerManager().transform_cell("%time 1\n!ls\n") == (
        "get_ipython().run_line_magic('time', '1')\nget_ipython().system('ls')\n"
    )


def test_a_syntax_error_names_a_cell_as_we_expect() -> None:
    """For `running.conversation`, which removes the name."""
    from IPython.core.compilerop import CachingCompiler

    assert re.fullmatch(r"<ipython-input-[^>]*>", CachingCompiler().get_code_name("raise", "raise", 1))


def test_jupyter_tells_a_kernel_its_notebook() -> None:
    """For `checking.definitions` and `journey`, which read the environment variable."""
    from jupyter_server.services.sessions import sessionmanager

    assert "JPY_SESSION_NAME" in inspect.getsource(sessionmanager)


def test_a_notary_signs_a_notebook(tmp_path: Path) -> None:
    """For `app.workspace`, whose map is shown like the student's own output."""
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary(data_dir=str(tmp_path))
    notebook = nbformat.v4.new_notebook()
    notary.sign(notebook)
    assert notary.check_signature(notebook)


# ---- typer ----


def test_a_wrong_command_line_is_a_usage_error() -> None:
    """For `app.main`: typer does not export the class."""
    from course_lib.app.main import MisusedError

    assert issubclass(MisusedError, Exception)
    assert {"ctx", "format_message"} <= {*dir(MisusedError("wrong"))}
    app = typer.Typer()
    app.command()(lambda: None)
    with pytest.raises(MisusedError):
        app(["--no-such-option"], standalone_mode=False)


# ---- torch ----


def test_an_operator_has_a_packet_with_a_name() -> None:
    """For `checking.function_watch`."""
    from torch._ops import OpOverload, OpOverloadPacket

    assert isinstance(torch.ops.aten.logaddexp, OpOverloadPacket)
    assert isinstance(torch.ops.aten.logaddexp.default, OpOverload)
    assert torch.ops.aten.logaddexp.default.overloadpacket.__name__ == "logaddexp"


def test_a_dispatch_mode_sees_operators_and_need_not_load_the_compiler() -> None:
    """For `memory_watch` and `checking.function_watch`."""
    code = (
        "import sys, torch; from course_lib.memory_watch import MemoryWatch\n"
        "with MemoryWatch() as watch: kept = torch.zeros(1000) + 1\n"
        "assert watch.peak >= 4000, watch.peak\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    from torch.utils._python_dispatch import TorchDispatchMode

    assert callable(TorchDispatchMode._should_skip_dynamo)


def test_the_private_profiler_records_operators() -> None:
    """For `checking.function_watch`."""
    autograd: Any = torch.autograd
    config = autograd.ProfilerConfig(
        autograd.ProfilerState.CPU, False, False, False, False, False, torch._C._profiler._ExperimentalConfig()
    )
    autograd._enable_profiler_legacy(config)
    torch.zeros(1).softmax(0)
    events = autograd._disable_profiler_legacy()
    assert "aten::softmax" in {event.name() for some in events for event in some}


def test_torch_has_the_kernels_that_we_look_for() -> None:
    """For `checking.function_watch`: some kernels are only in builds for a graphics card."""
    from course_lib.checking.function_watch import _KERNELS

    for name, kernels in _KERNELS.items():
        there = [kernel for kernel in kernels if any(hasattr(torch.ops.aten, _ + kernel) for _ in ("", "_"))]
        assert there, name


def test_nested_structures_can_be_walked() -> None:
    """For `memory_watch`."""
    from torch.utils._pytree import tree_iter

    assert list(tree_iter(([1, {"a": 2}], 3))) == [1, 2, 3]


def test_a_list_of_tensors_is_averaged_in_place() -> None:
    """For `real_text.training`."""
    means = [torch.zeros(2)]
    torch._foreach_lerp_(means, [torch.ones(2)], 0.25)
    assert means[0].tolist() == [0.25, 0.25]


def test_the_default_generator_can_be_saved_and_restored() -> None:
    """For `checking.chance`."""
    state = torch.default_generator.get_state()
    first = torch.rand(1)
    torch.default_generator.set_state(state)
    assert torch.equal(first, torch.rand(1))


def test_a_module_takes_another_class_and_a_class_other_bases() -> None:
    """For `own_parts.shadow`, which replaces the base of classes that build on a part, and for `real_text.faster`."""

    class Old(nn.Module):
        pass

    class New(nn.Module):
        pass

    class Heir(Old):
        pass

    subclass = Heir()
    Heir.__bases__ = (New,)
    assert isinstance(subclass, New)
    subclass.__class__ = New  # type: ignore[assignment]
    assert type(subclass) is New


def message_of(code: Callable[[], object]) -> str:
    with pytest.raises((RuntimeError, AttributeError, TypeError)) as caught:
        code()
    return str(caught.value)


def test_torch_says_what_is_wrong_with_mixed_number_types() -> None:
    """For `checking.number_types`, which recognises the messages."""
    from course_lib.checking.number_types import _MIXED

    half, whole = torch.zeros(2, 2), torch.zeros(2, 2, dtype=torch.float64)
    assert _MIXED.search(message_of(lambda: half @ whole))
    assert _MIXED.search(message_of(lambda: nn.Linear(2, 2)(whole)))


def test_torch_says_when_a_modules_constructor_was_not_called() -> None:
    """For `checking.structure`."""
    from course_lib.checking.explain.structure import _NOT_BEGUN

    class Forgotten(nn.Module):
        def __init__(self) -> None:
            self.layer = nn.Linear(1, 1)

    assert _NOT_BEGUN.search(message_of(Forgotten))


def test_torch_says_when_a_tensor_that_the_gradients_need_was_changed() -> None:
    """For `checking.structure`."""
    from course_lib.checking.explain.structure import _IN_PLACE

    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y += 1
    assert _IN_PLACE.search(message_of(lambda: y.sum().backward()))


# ---- Python, and others ----


def test_python_raises_an_exception_in_another_thread() -> None:
    """For `checking.time_limit`."""
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc
    assert sys.getswitchinterval() > 0


def test_python_names_what_is_not_defined() -> None:
    """For `running.conversation` and `checking.explain.errors`, which recognise the message."""
    with pytest.raises(NameError, match=r"^name 'undefined_name' is not defined$"):
        eval("undefined_name")


def test_the_import_systems_frames_have_this_name() -> None:
    """For `running.unseen_code`, which leaves out what Python itself compiles."""
    import importlib._bootstrap_external as external

    assert external.__name__ == "importlib._bootstrap_external"
    assert sys._getframe(0).f_code.co_name == "test_the_import_systems_frames_have_this_name"


def test_dask_tells_a_dead_worker_from_an_error() -> None:
    """For `grading.cluster`."""
    from dask import config
    from distributed import Client, Future
    from distributed.comm import connect
    from distributed.scheduler import KilledWorker

    assert issubclass(KilledWorker, Exception)
    assert config.get("distributed.admin.large-graph-warning-threshold")
    assert {"nthreads", "submit", "status", "run"} <= {*dir(Client), "status"}
    assert {"add_done_callback", "cancelled", "result", "key"} <= {*dir(Future), "key"}
    assert "timeout" in parameters(connect)


def test_sentencepiece_says_why_it_cannot_learn_subwords() -> None:
    """For `real_text.subwords`, which explains the messages."""
    from course_lib.real_text.subwords import Subwords, SubwordsError

    with pytest.raises(SubwordsError, match=r"This text is too small for 500 subwords\. Ask for at most \d+"):
        Subwords.learn(["a b", "b c"], 500)


def test_pooch_says_when_a_download_is_another_file(tmp_path: Path) -> None:
    """For `real_text.corpora`."""
    import pooch

    def download(url: str, target: str, pooch: object) -> None:
        Path(target).write_text("another")

    with pytest.raises(ValueError, match="does not match the known hash"):
        pooch.retrieve("https://example.org/file", f"sha256:{'0' * 64}", path=tmp_path, downloader=download)


def test_numpy_counts_its_memory() -> None:
    """For `memory_watch`: NumPy reports to tracemalloc."""
    import tracemalloc

    tracemalloc.start()
    try:
        kept = np.zeros(100_000)
        assert tracemalloc.get_traced_memory()[0] >= kept.nbytes
    finally:
        tracemalloc.stop()
