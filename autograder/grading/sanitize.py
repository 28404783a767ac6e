"""Sanitise a student's text for pages that others open, such as feedback and formgrader.

These pages render Markdown and mathematics without a filter, and rendering some texts takes quadratic time. So change
what is shown, but not what is run and judged.
"""

from __future__ import annotations

import re

from course_lib.checking.formatting import visible

NOTHING = "\u200b"  #: a zero-width space, which is invisible in text, code and formulas but breaks up any syntax

#: what to break up, so that nothing becomes HTML, an entity, a link, an image, their definition, or a diagram
_BROKEN_UP = re.compile(
    r"<(?=[a-z/!?]) | &(?=[a-z\#]) | \](?=\s*[(\[:]) | (?:https?|ftp):(?=//) | mer(?=maid)", re.IGNORECASE | re.VERBOSE
)
#: a MathJax command, or a line break with a distance, which may be negative
_COMMAND = re.compile(r"(?<!\\)\\+(?:(?=([A-Za-z]+))|(?<=\\\\)(?=\s{0,9}\[))")
#: the commands that only write formulas. Others could open a page, load more of MathJax, change this page or the
#: meaning of other formulas, or cover what others wrote, such as a grader's notes
WRITES = frozenset(
    """
    alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
    varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi
    Psi Omega ell hbar infty partial nabla emptyset varnothing forall exists nexists neg top bot angle prime Re
    Im aleph sum prod int oint bigcup bigcap bigoplus bigotimes bigodot lim limsup liminf max min sup inf arg
    argmax argmin exp ln log lg sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan det dim ker deg
    gcd hom Pr mod bmod pmod cdot times div pm mp ast star circ bullet odot oplus ominus otimes oslash cup cap
    setminus wedge vee land lor lnot le leq ge geq ne neq lt gt ll gg approx sim simeq cong equiv propto prec
    succ in notin ni subset subseteq supset supseteq mid nmid parallel perp models vdash colon to gets mapsto
    rightarrow leftarrow leftrightarrow Rightarrow Leftarrow Leftrightarrow implies impliedby iff longrightarrow
    longleftarrow longmapsto uparrow downarrow Uparrow Downarrow updownarrow hookrightarrow nearrow searrow dots
    ldots cdots vdots ddots dotsc dotsb quad qquad frac tfrac dfrac cfrac binom sqrt over choose stackrel
    overset underset substack hat widehat bar overline underline tilde widetilde vec dot ddot check breve acute
    grave overbrace underbrace overrightarrow overleftarrow not left right middle big Big bigg Bigg bigl bigr
    Bigl Bigr biggl biggr langle rangle lfloor rfloor lceil rceil lbrace rbrace lbrack rbrack vert Vert lvert
    rvert lVert rVert text textbf textit textrm texttt textsf mathrm mathbf mathit mathsf mathtt mathbb mathcal
    mathfrak mathscr boldsymbol bm operatorname rm bf it begin end hline limits nolimits displaystyle textstyle
    scriptstyle
    """.split()  # noqa: SIM905 - a list of them is three times as long
)

#: a heading. Its text becomes the id of its element, and formgrader finds the points of a cell by such an id
_HEADING = re.compile(r"^([ \t>*+\-\d.)]*\#{1,6})(?=[ \t])|$(?=\n[ \t>]*(?:=+|-+)[ \t]*$)", re.MULTILINE)

#: colours that a page may keep. Others are left out, because nbconvert fails on some of them
_COLOUR = re.compile(r"\x1b\[(?:(?:[01347]|2[2-7]|[39][0-7]|4[0-7]|39|49|10[0-7])(?:;(?=\d)|(?=m)))*m")
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]?|\x1b[@-_]?")
#: characters that neither a page nor a terminal shows
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

LONGEST_CODE = 100_000  #: the most characters of all cells together
_BLANK_LINES = 3  #: the most in a row, because thousands take the highlighter minutes
_LONGEST_LINE = 500  #: the most characters, because a line of a hundred times as many takes minutes, too


def harmless_markdown(source: str) -> str:
    """Return a student's prose, changed so that nothing becomes HTML, a link, or a harmful MathJax command."""
    formulas = _COMMAND.sub(lambda found: found[0] if found[1] in WRITES else found[0] + NOTHING, visible(source))
    headings = _HEADING.sub(lambda found: found[0] + NOTHING, formulas)
    return _BROKEN_UP.sub(lambda found: found[0] + NOTHING, headings)


def harmless_text(text: str) -> str:
    """Return the text that a student's cell printed, without terminal control codes except plain colours."""
    parts, end = [], 0
    for found in _ESCAPE.finditer(text):
        parts.append(visible(_CONTROLS.sub("", text[end : found.start()])))
        parts.append(found[0] if _COLOUR.fullmatch(found[0]) else "")
        end = found.end()
    return "".join((*parts, visible(_CONTROLS.sub("", text[end:]))))


def harmless_code(source: str, longest: int = LONGEST_CODE) -> str:
    """Return a student's code, cut to the length and the number of blank lines that a person would write."""
    lines: list[str] = []
    blank = 0
    for line in visible(source[:longest]).split("\n"):
        blank = 0 if line.strip() else blank + 1
        if blank <= _BLANK_LINES:
            lines.append(line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + " …")
    left_out = len(source) - longest
    return "\n".join(lines) + (f"\n# … and {left_out:,} characters more" if left_out > 0 else "")
