"""Show cards in a real kernel, as JupyterLab does. This is slow, so only a handful of notebooks goes through it."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from five_paths.kernel import cells_of

_CHECK = re.compile(r'\bcheck\("(\w+)"')


def points_in_a_real_kernel(path: Path, folder: Path, but: set[str]) -> dict[str, float]:
    """Run a notebook from top to bottom, and read the points that its check cells show.

    Args:
        folder: the folder in which the kernel starts.
        but: the sources of cells to leave out.
    """
    sources = [source for source in cells_of(path) if source not in but]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    NotebookClient(
        notebook, timeout=300, allow_errors=True, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    points = {}
    for cell in notebook.cells:
        shown = [output.data["text/plain"] for output in cell.outputs if output.output_type == "execute_result"]
        if (called := _CHECK.search(cell.source)) and shown:
            points[called[1]] = float(shown[-1])
    return points
