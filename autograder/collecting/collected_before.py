"""Remember which download a collected notebook came from, so that a later run keeps the newer of two files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import Any

from autograder.class_folder.writing import write_whole
from autograder.collecting.choosing import Candidate, PassedOver, passed_over, why_earlier
from autograder.collecting.evidence import Evidence
from autograder.submissions.plain_files import read_submitted
from autograder.submissions.submission import DOWNLOAD
from autograder.submissions.submission_time import HandedIn

_LONGEST = 20_000  #: the maximum size of a record, in bytes


def remember(path: Path, one: Candidate, content: bytes) -> None:
    """Write the record of a notebook's download next to the notebook."""
    record = {"path": str(one.path), "number": one.number, "source": one.source, "trust": one.trust}
    record["sha256"] = hashlib.sha256(content).hexdigest()
    write_whole(path.with_name(DOWNLOAD), json.dumps(record, indent=1) + "\n")


def recall(path: Path, content: bytes, shows: Evidence, time: HandedIn, new: Candidate) -> Candidate:
    """Return, as a candidate, the notebook that was collected before, so that it can be compared with a new one.

    If it has no record, or if somebody has changed it since, nothing is known except its content and its time. Assume
    that both came from the same account unless Moodle's, Canvas's or Gradescope's numbers or addresses say otherwise.
    """
    record = _record(path.with_name(DOWNLOAD))
    if record.get("sha256") != hashlib.sha256(content).hexdigest():
        record = {}
    name, number, source, trust = (record.get(key) for key in ("path", "number", "source", "trust"))
    accounts = [_account(one) for one in (source, new.source) if isinstance(one, str)]
    is_another_account = len(accounts) == 2 and all(accounts) and accounts[0] != accounts[1]
    return Candidate(
        PurePosixPath(name) if isinstance(name, str) else PurePosixPath(*path.parts[-3:]),
        new.student,
        b"",
        shows,
        time.time,
        number=number if isinstance(number, int) else 0,
        source=source if is_another_account and isinstance(source, str) else new.source,
        trust=trust if isinstance(trust, int) else new.trust,
    )


def why_it_stays(before: Candidate, new: Candidate) -> PassedOver | None:
    """Explain why a new notebook does not replace the one collected before, or return None if it does.

    Replace a notebook only with one that is clearly later or, if they come from different accounts, more certainly the
    student's.
    """
    replaced = new.trust > before.trust if new.source != before.source else bool(why_earlier(before, new))
    return None if replaced else passed_over(new, before, f"{before.path}, which was collected before, is kept")


def _account(source: str) -> str:
    """Return the account in a source, without the folder of downloads, whose name may change from run to run."""
    system, _, rest = source.partition(": ")
    if system == "Moodle":
        return f"{system}: {rest.rpartition(': ')[2]}"
    return source if system in ("Canvas", "Gradescope") else ""


def _record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(read_submitted(path, _LONGEST) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}
