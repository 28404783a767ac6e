"""Define options that several of the instructor's commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from course_lib.processors import usable_processors

ClassFolder = Annotated[
    Path | None,
    typer.Option(
        "--class",
        help="The folder of another class. Default: as set in course.toml.",
    ),
]
Submissions = Annotated[
    Path | None,
    typer.Option(help="A folder with <student>/<lesson>/<lesson>.ipynb. Default: submitted/ in the class's folder."),
]
Gradebook = Annotated[
    str | None,
    typer.Option(help="The gradebook's URL, such as sqlite:///gradebook.db. Default: as set in course.toml."),
]
RosterFile = Annotated[
    Path | None,
    typer.Option(
        help="CSV of the class with the column id and, optionally, first_name, last_name, email, lms_user_id, "
        "extra_days (how many days longer than the class a student has) and extra_days_03 (for one lesson). "
        "Default: students.csv in the class's folder, if there is one."
    ),
]
CORES = usable_processors()
PROCESSORS = "the number of processors"  #: the default number of workers, in help texts
Workers = Annotated[
    int, typer.Option(min=1, help="How many submissions run at once on this machine.", show_default=PROCESSORS)
]
Unsandboxed = Annotated[
    bool,
    typer.Option(
        "--unsandboxed", help="Run submissions with your own permissions, without the sandbox. The records mention it."
    ),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Run all submissions, even if neither they nor the course have changed since they were graded."
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(help="Run submissions on this dask scheduler's workers: tcp://HOST:PORT (see docs/cluster.md)."),
]
