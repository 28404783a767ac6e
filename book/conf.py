"""How Sphinx makes the book of the sources that `course book` prepares."""

import re
from typing import Any

from course_lib.version import __version__ as release

project = "Attention, from recurrence to a translator"
author = "the course"
version = release
language = "en"

extensions = ["myst_nb", "sphinx.ext.mathjax"]
nb_execution_mode = "off"  # solutions/ has run
nb_code_prompt_show, nb_code_prompt_hide = "Show the code", "Hide the code"
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
mathjax_path = "mathjax/tex-svg.js"

html_theme = "furo"
html_title = project
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
html_css_files = ["book.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_use_index = False  # terms.md is ours; Sphinx's own would be empty
templates_path = ["templates"]
exclude_patterns: list[str] = []


def setup(app: Any) -> None:
    """Let everything that can be scrolled be reached by the keyboard, and read out captions as what they are."""
    app.connect("html-page-context", _focusable)
    app.connect("html-page-context", _plain_captions, priority=900)  # after the theme has made its navigation


def _focusable(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    if "body" in context:
        context["body"] = _SCROLLED.sub(r'\g<0> tabindex="0"', context["body"])


def _plain_captions(app: Any, name: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    # Sphinx calls a caption a heading and doesn't give its level, which screen readers need
    if "furo_navigation_tree" in context:
        context["furo_navigation_tree"] = context["furo_navigation_tree"].replace(' role="heading"', "")


#: the beginning of what is wider than a telephone now and then
_SCROLLED = re.compile(r'<pre(?=[ >])(?![^>]*tabindex)|<div(?= class="(?:cell_output|table-wrapper)[ "])')
