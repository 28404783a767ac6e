"""What distinguishes machines whose runs differ: the processor, and settings that change its arithmetic."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

#: environment variables that make MKL compute as another processor would
SETTINGS = ("MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS")


def processor() -> str:
    """Return the model of the processor, and the settings, such as ``AMD EPYC, MKL_CBWR=COMPATIBLE``."""
    settings = (f"{name}={os.environ[name]}" for name in SETTINGS if os.environ.get(name))
    return ", ".join((_model(), *settings))


def machine_name() -> str:
    """Return the name of this machine's folder in the record, such as ``amd_epyc_mkl_cbwr_compatible``."""
    return re.sub(r"[^a-z0-9]+", "_", processor().lower()).strip("_")


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        lines = []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return (models and models[0]) or platform.processor() or platform.machine()
