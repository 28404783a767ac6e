"""Make formgrader's page of a submission work offline, with MathML instead of MathJax.

The original template loads MathJax from another site. If that is unreachable, its script stops before the keyboard
shortcuts work.
"""

from __future__ import annotations

from pathlib import Path

from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.records.typeset import formula

_OURS = Path(__file__).parent / "formgrader"


class _WithFormulas(IPythonRenderer):  # type: ignore[misc]
    """Renders formulas as MathML, unlike nbconvert's own renderer, which leaves them to MathJax."""

    def inline_math(self, body: str) -> str:
        """Render a formula within a line."""
        return str(formula(body))

    def block_math(self, body: str) -> str:
        """Render a formula on its own line."""
        return str(formula(body, block=True))


def markdown2html(source: str) -> str:
    """Render a Markdown cell as HTML. This is a filter for nbconvert's templates."""
    return str(MarkdownWithMath(renderer=_WithFormulas(escape=False)).render(source))


def template_paths() -> list[str]:
    """Return the folders in which formgrader looks for its templates, with ours first."""
    from nbgrader.server_extensions.formgrader.handlers import template_path

    exporter = HTMLExporter(template_name="formgrade", extra_template_basedirs=[template_path])
    return [str(_OURS), *exporter.template_paths]
