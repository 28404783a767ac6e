"""Outputs that came from a notebook: keep what nbformat allows, and drop the rest."""

from __future__ import annotations

import json
from typing import Any

from course_lib.running.limits import Limits
from course_lib.running.media import IMAGES, LONGEST_ALT, TEXTS, alt_of
from course_lib.running.outcome import Output

_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n")


def read_outputs(data: bytes, limits: Limits) -> list[Output]:
    """Rebuild the outputs in a message field by field.

    HTML and SVG in them is still the student's: sanitise it before showing it.
    """
    try:
        outputs = json.loads(data)
    except (ValueError, RecursionError):
        return []
    if not isinstance(outputs, list):
        return []
    return [kept for output in outputs[:10_000] if (kept := _read(output, limits))]


def _read(output: Any, limits: Limits) -> Output | None:
    if not isinstance(output, dict):
        return None
    longest = limits.cell_text + 1000
    match output.get("output_type"):
        case "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return {"output_type": "stream", "name": name, "text": _text(output.get("text"), longest)}
        case "error":
            lines = output.get("traceback")
            return {
                "output_type": "error",
                "ename": _text(output.get("ename"), 200),
                "evalue": _text(output.get("evalue"), 2000),
                "traceback": [_text(line, longest) for line in lines[:1000]] if isinstance(lines, list) else [],
            }
        case "display_data" | "execute_result" as kind:
            found = output.get("data")
            data = {k: _text(found[k], longest) for k in TEXTS if k in found} if isinstance(found, dict) else {}
            if isinstance(found, dict):
                data |= {k: found[k] for k in IMAGES if _is_image(found.get(k))}
            alts = {k: _text(alt_of(output.get("metadata"), k), LONGEST_ALT) for k in IMAGES if k in data}
            described = {k: {"alt": alt} for k, alt in alts.items() if alt}
            kept: Output = {"output_type": kind, "data": data, "metadata": described}
            if kind == "execute_result":
                count = output.get("execution_count")
                kept["execution_count"] = count if isinstance(count, int) else None
            return kept if data else None
    return None


def _text(value: Any, longest: int) -> str:
    """Return a string that any file can contain: lone surrogates would cause an error when it is written."""
    text = value[:longest] if isinstance(value, str) else ""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_image(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and _BASE64.issuperset(value)
