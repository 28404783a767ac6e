"""An error of the course's own fails a test, and is logged in production."""

from __future__ import annotations

import pytest

from course_lib.our_errors import STRICT, about, report


def test_an_error_of_our_own_is_raised_under_test() -> None:
    with pytest.raises(ZeroDivisionError):
        report(ZeroDivisionError("ours"), "judging softmax")


def test_an_error_of_our_own_is_logged_with_its_traceback_in_production(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(STRICT)
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError as error:
        with about("ada, 03_self_attention"):
            report(error, "judging softmax")
    assert "judging softmax (ada, 03_self_attention) failed\nTraceback" in caplog.text
    assert "1 / 0" in caplog.text
    assert capsys.readouterr() == ("", ""), "a student sees no traceback of ours"
