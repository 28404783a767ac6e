"""Who looks at whom, one word at a time: choose a word, and see where each head looks.

The view is a form with two groups of radio buttons, one for words and one for heads, and style sheets that
show the chosen ones. It contains no script. A browser moves between radio buttons by arrow keys,
announces them to a screen reader, and keeps the groups of two forms apart, so two views on one page
do not affect each other. If styles are removed too, all weights appear as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from course_lib.figures.attention_map import as_table
from course_lib.figures.view import View

#: a line thinner than this is not drawn; its weight is still printed next to its word
_FAINTEST = 0.01


def attention_view(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    title: str | None = None,
    heads: Sequence[str] | None = None,
    focus: str | None = None,
) -> View:
    """Show where one word looks, chosen with the mouse or with Tab and the arrow keys.

    Args:
        weights: (T, S), or (H, T, S).
        queries: T words.
        keys: S words.
        title: the view's message.
        heads: H names; by default ``head 0``, ``head 1``, …
        focus: the query chosen at first; by default, the query with the largest weight.

    Raises:
        ValueError: the weights do not fit the words or the names.
    """
    tables = _as_tables(weights, queries, keys)  # (H, T, S)
    names = list(heads) if heads is not None else [f"head {h}" for h in range(len(tables))]
    if len(names) != len(tables):
        raise ValueError(f"There are {len(tables)} heads and {len(names)} names for them.")
    chosen = queries.index(focus) if focus is not None else int(tables.max(axis=(0, 2)).argmax())
    message = title or "Where a word looks"
    markup = "".join(_markup(tables, queries, keys, names, message, chosen))
    return View(markup, message, _in_words(tables, queries, keys, names))


def _as_tables(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str]) -> NDArray[np.float64]:
    detached: Any = weights.detach() if hasattr(weights, "detach") else weights
    array = np.asarray(detached, dtype=np.float64)
    tables = array if array.ndim > 2 else array[None]  # (H, T, S)
    return np.stack([as_table(table, queries, keys) for table in tables])


def _markup(
    tables: NDArray[np.float64],
    queries: Sequence[str],
    keys: Sequence[str],
    names: Sequence[str],
    title: str,
    chosen: int,
) -> Iterator[str]:
    rows = max(len(queries), len(keys))
    prefixes = [f"{name}: " for name in names] if len(names) > 1 else [""]
    # "dialog": outside of a dialog, Enter then submits to nowhere, without loading a page
    yield (
        '<form class="attention-view" method="dialog" autocomplete="off" '
        f'role="group" aria-label="{escape(title)}" style="--rows:{rows}">'
        f"<style>{_STYLE}{_showing('head', len(names))}{_showing('word', len(queries))}</style>"
        f'<div class="title"><strong>{escape(title)}</strong></div>'
    )
    if len(names) > 1:
        yield from _choice("head", names, 0)
    yield '<div class="body">'
    yield from _choice("word", queries, chosen)
    for h, table in enumerate(tables):
        yield f'<div class="head" data-head="{h}">'
        yield from _lines(table)
        yield from (_looked_at(i, f"{prefixes[h]}“{queries[i]}”", row, keys) for i, row in enumerate(table))
        yield "</div>"
    yield '</div><div aria-live="polite">'
    for h, table in enumerate(tables):
        for i, row in enumerate(table):
            most = int(row.argmax())
            said = f"{prefixes[h]}“{queries[i]}” looks most at “{keys[most]}”: {row[most]:.2f}"
            yield f'<div data-head="{h}"><div data-word="{i}">{escape(said)}</div></div>'
    yield "</div></form>"


def _choice(name: str, words: Sequence[str], chosen: int) -> Iterator[str]:
    """Return one radio button per word."""
    about = {"head": "show", "word": "who looks"}[name]
    yield f'<div class="choose-{name}" role="radiogroup" aria-label="{about}"><span class="name">{about}</span>'
    for number, word in enumerate(words):
        checked = " checked" if number == chosen else ""
        yield f'<label><input type="radio" name="{name}" value="{number}"{checked}><span>{escape(word)}</span></label> '
    yield "</div>"


def _lines(table: NDArray[np.float64]) -> Iterator[str]:
    """Draw a line from each query to each key: wider and stronger with the weight. Rows are one unit high."""
    # without the style sheet its size is 0, because lines between words in other positions would be misleading
    yield (
        f'<svg aria-hidden="true" width="0" height="0" viewBox="0 0 1 {max(table.shape)}" preserveAspectRatio="none">'
    )
    for i, row in enumerate(table):
        yield f'<g data-of-word="{i}">'
        for j, weight in enumerate(row):
            if weight >= _FAINTEST:
                yield (
                    f'<path d="M0 {i + 0.5}C.4 {i + 0.5} .6 {j + 0.5} 1 {j + 0.5}" '
                    f'stroke-width="{1 + 7 * weight:.2f}" stroke-opacity="{0.25 + 0.75 * weight:.2f}"/>'
                )
        yield "</g>"
    yield "</svg>"


def _looked_at(query: int, about: str, row: NDArray[np.float64], keys: Sequence[str]) -> str:
    """Return the keys with their weights for one query."""
    items = " ".join(
        f'<span role="listitem" style="--weight:{weight:.4f}">'
        f"<span>{escape(key)}</span> <span>{weight:.2f}</span></span>"
        for key, weight in zip(keys, row, strict=True)
    )
    return (
        f'<div data-word="{query}"><span class="name">{escape(about)} looks at</span> '
        f'<span role="list">{items}</span></div>'
    )


def _showing(name: str, count: int) -> str:
    """Show only the chosen word or head; draw the lines of all other words faintly."""
    chosen = [(n, f'.attention-view:has([name={name}][value="{n}"]:checked)') for n in range(count)]
    return "".join(
        f'{its} [data-{name}]:not([data-{name}="{n}"]){{display:none}}{its} [data-of-{name}="{n}"]{{opacity:1}}'
        for n, its in chosen
    )


def _in_words(tables: NDArray[np.float64], queries: Sequence[str], keys: Sequence[str], names: Sequence[str]) -> str:
    clauses = (
        (f"{names[h]}, " if len(names) > 1 else "")
        + f"{query}: "
        + ", ".join(f"{key} {weight:.2f}" for key, weight in zip(keys, row, strict=True))
        for h, table in enumerate(tables)
        for query, row in zip(queries, table, strict=True)
    )
    return f"Attention weights. {'; '.join(clauses)}."


# text has the page's own colour, so that it is readable on white and on black; the blue is visible on both
_STYLE = """
.attention-view{--row:1.9em;--blue:#2a86c8;line-height:1.3;max-width:100%;overflow-x:auto;padding:3px}
.attention-view .title{font-size:1.08em;margin:0 0 .4em}
.attention-view .name{padding-left:.5em;display:block;font-size:.86em;opacity:.75;
height:var(--row);line-height:var(--row);white-space:nowrap}
.attention-view .choose-head{display:flex;flex-wrap:wrap;gap:.3em;align-items:center}
.attention-view .choose-head .name{padding-left:0;margin-right:.5em}
.attention-view .choose-word{display:flex;flex-direction:column}
.attention-view .choose-word label{justify-content:flex-end}
.attention-view label{display:flex;align-items:center;box-sizing:border-box;height:var(--row);padding:0 .7em;
position:relative;cursor:pointer;white-space:nowrap;border:2px solid transparent;border-radius:5px;margin:0}
.attention-view label:hover{background:#8883}
.attention-view label:has(:checked){border-color:var(--blue);background:#8882;font-weight:bold}
.attention-view label:has(:focus-visible){outline:3px solid currentColor;outline-offset:-1px}
.attention-view input{position:absolute;opacity:0;width:1px;height:1px;margin:0}
.attention-view .body,.attention-view .head{display:flex;align-items:flex-start}
.attention-view svg{width:8em;height:calc(var(--row)*var(--rows));margin-top:var(--row);flex:none}
.attention-view path{fill:none;stroke:var(--blue);vector-effect:non-scaling-stroke}
.attention-view g{opacity:.12}
.attention-view [role=list]{display:grid;grid-template-columns:max-content max-content 9em;column-gap:.9em;
grid-auto-rows:var(--row);align-items:center;white-space:nowrap;padding-left:.5em}
.attention-view [role=listitem]{display:contents}
.attention-view [role=listitem]::after{content:"";height:.8em;width:calc(var(--weight)*100%);background:var(--blue)}
.attention-view [role=listitem] span+span{font-variant-numeric:tabular-nums}
.attention-view [aria-live]{margin:.5em 0 0}
"""
