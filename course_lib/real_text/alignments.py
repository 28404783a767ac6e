"""A page that shows, for each translation, where the cross-attention looked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from jinja2 import Environment
from torch import Tensor

from course_lib.real_text.translating import Translated

if TYPE_CHECKING:
    from course_lib.real_text.run import Run

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Where the translator looked</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --full: 0, 114, 178; }
@media (prefers-color-scheme: dark) { :root { --ink: #eef1f4; --paper: #16191d; --full: 98, 184, 238; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem;
  color: var(--ink); background: var(--paper); }
.wide { overflow-x: auto; } table { border-collapse: collapse; margin: .5rem 0 2rem; }
th { font-weight: 400; padding: 0 .3rem; } thead th { writing-mode: vertical-rl; transform: rotate(180deg); }
tbody th { text-align: right; white-space: nowrap; }
td { width: 1.6rem; height: 1.6rem; padding: 0; border: 1px solid #8884; }
h2 { font-size: 1rem; margin: 0; }
</style>
<h1>Where the translator looked</h1>
<p>A row is a subword that was written, a column one that was read; the darker a cell, the more of the cross-attention's
weight it has, averaged over all heads of all layers. A space is shown as ▁.</p>
{% for one in sentences %}
<h2>{{ one.source }}</h2>
<p>{{ one.target }}</p>
<div class="wide" tabindex="0" role="region" aria-label="attention of sentence {{ loop.index }}"><table>
<thead><tr><td></td>{% for word in one.read %}<th scope="col">{{ word }}</th>{% endfor %}</tr></thead>
<tbody>
{% for word, row in one.rows %}<tr><th scope="row">{{ word }}</th>
{%- for weight in row -%}
<td style="background: rgba(var(--full), {{ weight }})" title="{{ weight }}"></td>
{%- endfor %}</tr>
{% endfor %}</tbody></table></div>
{% else %}<p>No line was translated.</p>
{% endfor %}
</html>
"""


def page(network: Any, run: Run, translated: Sequence[tuple[str, Translated]], device: str = "cpu") -> str:
    """Return the page as HTML, with everything escaped.

    Args:
        network: the trained network.
        run: provides the subwords.
        translated: lines and their translations.
    """
    sentences = []
    pieces = run.subwords.tokens
    for line, found in translated:
        ids = run.subwords.encode(line)[1:-1]
        weights = looked_at(network, ids, [run.subwords.bos_id, *found.ids[:-1]], device).mean(dim=0)  # (T, S)
        rows = [
            (pieces[written], [f"{weight:.2f}" for weight in row])
            for written, row in zip(found.ids, weights.tolist(), strict=True)
        ]
        sentences.append({"source": line, "target": found.text, "read": [pieces[i] for i in ids], "rows": rows})
    return Environment(autoescape=True).from_string(_PAGE).render(sentences=sentences)


@torch.no_grad()
def looked_at(network: Any, source: list[int], target: list[int], device: str = "cpu") -> Tensor:
    """Return the cross-attention weights (L H, T, S) of every head of every layer, from the ids of a sentence."""
    kept: list[Tensor] = []

    def looked(attention: Any, arguments: tuple[Any, ...]) -> None:
        query, key, _, mask = (*arguments, None)[:4]
        width = attention.w_q.out_features // attention.num_heads
        q, k = (
            w(x).view(*x.shape[:2], attention.num_heads, width).transpose(1, 2)
            for w, x in ((attention.w_q, query), (attention.w_k, key))
        )
        scores = q @ k.mT / width**0.5  # (1, H, T, S)
        kept.append(torch.softmax(scores if mask is None else scores.masked_fill(~mask, -torch.inf), -1)[0])

    hooks = [layer.cross_attention.register_forward_pre_hook(looked) for layer in network.decoder.layers]
    try:
        ids = (torch.tensor([row], device=device) for row in (source, target))
        network(*ids)
    finally:
        for hook in hooks:
            hook.remove()
    return torch.cat(kept).cpu()
