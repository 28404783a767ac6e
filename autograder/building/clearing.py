"""Clear solutions as nbgrader does, except that an answer worked out on paper stays None."""

from __future__ import annotations

from typing import Any

from nbgrader.preprocessors import ClearSolutions as OfNbgrader


class ClearSolutions(OfNbgrader):  # type: ignore[misc]  # nbgrader has no types
    """Remove the code that raises an error, if it isn't in a function: the student replaces None instead."""

    def preprocess_cell(self, cell: Any, resources: Any, cell_index: int) -> Any:
        """Clear the solution in a cell."""
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        cell.source = cell.source.removesuffix("\n" + self.code_stub[resources["language"]])
        return cell, resources
