"""formgrader's page of a submission without the network: formulas are MathML, and MathJax is not loaded.

Its template loads MathJax from another site, and where that is out of reach, its script stops before the keyboard's
shortcuts work.
"""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.records.typeset import formula

_OURS = Path(__file__).parent / "formgrader"


class _WithFormulas(IPythonRenderer):  # type: ignore[misc]
    """nbconvert's own, which leaves formulas to MathJax."""

    def inline_math(self, body: str) -> str:
        """A formula within a line."""
        return str(formula(body))

    def block_math(self, body: str) -> str:
        """A formula by itself."""
        return str(formula(body, block=True))


def markdown2html(source: str) -> str:
    """A filter of nbconvert's templates: a cell of Markdown as HTML."""
    return str(MarkdownWithMath(renderer=_WithFormulas(escape=False)).render(source))


def template_paths() -> list[str]:
    """Where formgrader looks for its templates: in our folder first."""
    from nbgrader.server_extensions.formgrader.handlers import template_path

    exporter = HTMLExporter(template_name="formgrade", extra_template_basedirs=[template_path])
    return [str(_OURS), *exporter.template_paths]
