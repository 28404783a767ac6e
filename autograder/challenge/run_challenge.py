"""Run a challenge in the terminal, with a progress bar, a leaderboard and the paths of the files."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from rich.markup import escape

from autograder.challenge.leaderboard import about, leaderboard_json, leaderboard_page, leaderboard_table
from autograder.challenge.run import hold, make_challenge, ranked
from autograder.class_folder.writing import write_json, write_whole
from autograder.records.archive import Archive
from autograder.submissions.submission import find_submissions
from autograder.terminal import out
from autograder.terminal_progress import progress_bar
from autograder.terminal_stopping import stopped_once
from course_lib.checking.formatting import printable
from course_lib.course import Course
from course_lib.processors import usable_processors

LESSON = "12"


def hold_challenge(
    course: Course,
    submissions: Path,
    archive: Archive,
    seconds: float,
    workers: int,
    json_file: Path | None,
    unsandboxed: bool,
) -> None:
    """Run every submission. Show and write the leaderboard."""
    lesson = course.lesson(LESSON)
    found = find_submissions(submissions, lesson)
    archive.require()
    challenge = make_challenge(course, lesson, archive.folder, seconds, unsandboxed, found)
    out.print(escape(about(challenge)))
    entries = []
    with stopped_once(), progress_bar() as progress:
        bar = progress.add_task("The challenge", total=len(found))
        try:
            with closing(hold(challenge, found, min(workers, len(found), usable_processors()))) as run:
                for entry in run:
                    entries.append(entry)
                    progress.advance(bar)
        except KeyboardInterrupt:
            progress.stop()
            out.print(f"Stopped after {len(entries)} of {len(found)}. Nothing was saved. Run the command again.")
            raise
    entries = ranked(entries)
    out.print(leaderboard_table(entries))
    for entry in (entry for entry in entries if entry.notes):
        more = f" ({len(entry.notes) - 1} more in challenge.json)" if len(entry.notes) > 1 else ""
        out.print(escape(printable(f"Look at {entry.student}: {entry.notes[0]}{more}")), soft_wrap=True)
    board = leaderboard_json(challenge, entries)
    page = archive.report("challenge")
    for path in filter(None, (page.with_suffix(".json"), json_file)):
        write_json(path, board)
    write_whole(page, leaderboard_page(challenge, entries))
    out.print(f"Leaderboard: {escape(str(page))}", soft_wrap=True)
