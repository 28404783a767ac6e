"""Let `nbgrader collect` copy only the plain files of a submission. nbgrader itself follows links.

Students own their submissions in nbgrader's exchange, so a link there could stand for any file that the instructor can
read, such as a classmate's work or the solutions.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from nbgrader.exchange.default import ExchangeCollect

from autograder.submissions.plain_files import plain_files


class CollectPlainFiles(ExchangeCollect):  # type: ignore[misc]
    """Collects submissions from the exchange."""

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy a submission's plain files to a folder of ours first, and let nbgrader copy from there.

        Raises:
            RuntimeError: the files are larger than nbgrader allows.
        """
        submission, left = Path(src), 1_000 * self.coursedir.max_dir_size + 1
        with TemporaryDirectory() as folder:
            copied = Path(folder) / "submission"
            copied.mkdir()
            for path, data in plain_files(submission.parent, left, PurePosixPath(submission.name)):
                if data is not None and left > 0:  # nbgrader refuses what is cut off, because it is too large
                    target = copied.joinpath(*path.parts[1:])
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(data[:left])
                    left -= len(data)
            super().do_copy(str(copied), dest, log)
