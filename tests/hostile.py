"""What a hostile student may write, wherever a student may write."""

from __future__ import annotations

import copy
from typing import Any

import nbformat

from autograder.building.notebook import to_text
from course_lib.running.cells import grade_id

#: found in a page's text, it tells that something of this student's stands there
MARK = "h0stile"

HTML = (
    f"<script>alert('{MARK}')</script>",
    f"<SCRIPT SRC=//{MARK}.example></SCRIPT>",
    f"<img src=x onerror=alert('{MARK}')>",
    f"<svg/onload=alert('{MARK}')>",
    f"<iframe srcdoc='{MARK}'></iframe>",
    f"<a href=\"javascript:alert('{MARK}')\">click</a>",
    f"<style>body{{background:url(//{MARK}.example)}}</style>",
    f"<!-- {MARK} --><form action=//{MARK}.example>",
    f"<\n/script\n><b {MARK}>",
    f"</pre></div></body><base href=//{MARK}.example>",
    f"&lt;script&gt;{MARK}&lt;/script&gt;",
    f"&#60;script&#62;{MARK}",
)

LINKS = (
    f"[{MARK}](javascript:alert(1))",
    f"[{MARK}\\](javascript:alert(1))",
    f"[{MARK}\\\\](javascript:alert(1))",
    f"[{MARK}] (javascript:alert(1))",
    f"[{MARK}]\n(javascript:alert(1))",
    f"[{MARK}](<javascript:alert(1)>)",
    f"[{MARK}](data:text/html;base64,PHNjcmlwdD4=)",
    f"![{MARK}](https://{MARK}.example/pixel.png)",
    f"![{MARK}](attachment:nowhere.png)",
    f"[{MARK}][1]\n\n[1]: javascript:alert(1)",
    f"[{MARK}]\n\n[{MARK}]: javascript:alert(1) 'title'",
    f"> [{MARK}]:\n> javascript:alert(1)\n\n[{MARK}]",
    f"<javascript:alert('{MARK}')>",
    f"<https://{MARK}.example>",
    f"https://{MARK}.example/path",
    f"- [{MARK}](vbscript:x)\n- [ ] [{MARK}](file:///etc/passwd)",
    f"| [{MARK}](javascript:a) |\n|---|\n| <b {MARK}> |",
    f'# {MARK}" onclick="alert(1)\n## [{MARK}](javascript:a)',
)

MATHEMATICS = (
    f"$\\href{{javascript:alert(1)}}{{{MARK}}}$",
    f"$\\\\href{{javascript:alert(1)}}{{{MARK}}}$",
    f"$$\\style{{position:fixed}}{{{MARK}}}$$",
    f"\\begin{{align}}\\class{{{MARK}}}{{x}}\\cssId{{y}}{{z}}\\end{{align}}",
    f"$\\require{{html}}\\href{{x}}{{{MARK}}}$",
    f"$\\def\\x{{\\href}}\\let\\y=\\href\\newcommand{{\\z}}{{\\href{{x}}{{{MARK}}}}}$",
    f"$&#92;href{{javascript:alert(1)}}{{{MARK}}}$",
    f"&#36;&#92;href{{javascript:alert(1)}}{{{MARK}}}&#36;",
    f"\\\\(\\href{{javascript:alert(1)}}{{{MARK}}}\\\\)",
    f"\\\\[\\href{{javascript:alert(1)}}{{{MARK}}}\\\\]",
)

BLOCKS = (
    f"```mermaid\ngraph TD; A-->B; click A href \"javascript:alert('{MARK}')\"\n</pre><script>{MARK}</script>\n```",
    f"~~~ mermaid\n<img src=x onerror=alert('{MARK}')>\n~~~",
    f"```html\n<script>{MARK}</script>\n```",
    f'```"><script>{MARK}</script>\n<script>\n```',
    f"    <script>{MARK}</script>",
    f"`<script>{MARK}</script>`",
)

MARKDOWN = (*HTML, *LINKS, *MATHEMATICS, *BLOCKS)

#: a PNG of one pixel
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg=="

SHOWS = f"""
from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display
for evil in {(*HTML, *MATHEMATICS)!r}:
    print(evil)
    display(HTML(evil), Markdown(evil), Latex(evil), Javascript("alert('{MARK}')"))
    display({{"text/plain": evil, "text/html": evil, "image/svg+xml": evil, "application/javascript": evil}}, raw=True)
    display({{"image/png": "{PIXEL}"}}, metadata={{"image/png": {{"alt": evil, "width": evil}}}}, raw=True)
display(SVG("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'></svg>"))
print("\\x1b[31m<script>{MARK}</script>\\x1b]8;;javascript:alert(1)\\x07x")
raise type("<script>{MARK}</script>", (Exception,), {{}})("<script>{MARK}</script>")
"""

#: tells what it is asked; and, on the questions that may be shown, what it was asked before
TELLS = f"""
import os, pathlib, numpy as np, torch
known = []
def note(value):
    if isinstance(value, (np.ndarray, torch.Tensor)):
        known.append(" ".join(str(float(x)) for x in value.flatten()[:4]))
        try:
            with open("/tmp/known", "a") as file:
                file.write(known[-1] + ";")
        except OSError:
            pass
def tell(*arguments, **named):
    for value in (*arguments, *named.values()):
        note(value)
    try:
        before = pathlib.Path("/tmp/known").read_text()
    except OSError:
        before = ""
    text = "<script>{MARK}</script>$\\\\href{{javascript:alert(1)}}{{{MARK}}}$ told " + " ; ".join(known[::-1])
    raise type("<script>" + str(known[-1:]), (Exception,), {{}})((text + before)[:300])
def softmax(scores, axis=-1): tell(scores)
def attention_loops(query, key, value): tell(query, key, value)
def attention_numpy(query, key, value): tell(query, key, value)
def scaled_dot_product_attention(query, key, value, mask=None): tell(query, key, value)
class SelfAttention(torch.nn.Module):
    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = (torch.nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
    def forward(self, x, mask=None, need_weights=False): tell(x)
"""


def hostile_notebook(released: Any) -> str:
    """A submission that writes all of it, and whose functions tell what they are asked."""
    notebook = copy.deepcopy(released)
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "pass"
        elif grade_id(cell).startswith("written-"):
            cell.source = "\n\n".join(MARKDOWN)
    cells = [nbformat.v4.new_markdown_cell(text) for text in MARKDOWN]
    cells += [nbformat.v4.new_code_cell(SHOWS), nbformat.v4.new_code_cell(TELLS)]
    notebook.cells[1:1] = cells
    notebook.metadata["title"] = notebook.metadata["kernelspec"]["display_name"] = HTML[0]
    notebook.metadata["language_info"]["pygments_lexer"] = HTML[0]
    return to_text(notebook)
