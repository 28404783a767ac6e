"""No more submissions run at once than the grader may use processors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.processors import _quotas, usable_processors


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system cannot limit a process to processors")
def test_only_processors_that_this_process_may_run_on_count() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from autograder.app import CORES; from course_lib.processors import usable_processors as n; print(CORES, n())"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1 1\n"
    assert 1 <= usable_processors() <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/a/b\n", {"a/cpu.max": "150000 100000", "a/b/cpu.max": "max 100000"}, 1.5),
        ("0::/\n", {"cpu.max": "200000 100000\n"}, 2.0),
        ("0::/not/seen/inside\n", {"cpu.max": "50000 100000"}, 0.5),
        (
            "4:memory:/\n2:cpu,cpuacct:/job\n",
            {"cpu,cpuacct/job/cpu.cfs_quota_us": "300000", "cpu,cpuacct/job/cpu.cfs_period_us": "100000"},
            3.0,
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("0::/\n", {}, None),
    ],
)
def test_a_containers_quota_counts(tmp_path: Path, groups: str, files: dict[str, str], expected: float | None) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert min(_quotas(groups, tmp_path), default=None) == expected
