"""How often each head of a decoder looks at the word that the gold alignment names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from course_lib.figures.picture import Picture
from course_lib.figures.style import BLUE, SKY, entitle, grid, legend, new_figure


def agreement_by_head(shares: Mapping[str, Sequence[float]]) -> Picture:
    """Draw a bar for each head of each layer, and a darker one for the mean over its heads.

    Args:
        shares: by ``"layer 1"`` and so on, the share of each head and, last, of the heads' mean; by ``"diagonal"``,
            the share reached by looking along the diagonal.
    """
    layers = [name for name in shares if name.startswith("layer")]
    (diagonal,) = shares["diagonal"]
    figure, panels = new_figure(9, 3.9, columns=len(layers), sharey=True)
    for axes, name in zip(panels, layers, strict=True):
        *heads, together = shares[name]
        axes.bar(range(len(heads)), heads, color=SKY)
        axes.bar(len(heads), together, color=BLUE)
        for place, share in enumerate(shares[name]):
            axes.text(place, share / 2, f"{share:.0%}", ha="center", color="white" if place == len(heads) else "black")
        axes.axhline(diagonal, color="#4A4A4A", linewidth=1.6, linestyle=":", label="along the diagonal")
        axes.set_xticks(range(len(heads) + 1), [*(f"head {h}" for h in range(len(heads))), "mean"])
        axes.set_xlabel(f"cross-attention of {name}")
        axes.set_ylim(0, 1.25)
        axes.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
        grid(axes)
    panels[0].set_ylabel("looks most at an aligned word")
    legend(panels[0], "upper left")
    best = max(layers, key=lambda name: shares[name][-1])
    message = (
        f"Content words: the heads of {best} together look at an aligned word {shares[best][-1]:.0%} of the time, "
        f"the diagonal {diagonal:.0%}"
    )
    entitle(figure, message)
    clauses = "; ".join(
        f"{name}: heads "
        + ", ".join(f"{share:.0%}" for share in shares[name][:-1])
        + f", their mean {shares[name][-1]:.0%}"
        for name in layers
    )
    return Picture(figure, message, f"Share of content words by head. {clauses}. The diagonal reaches {diagonal:.0%}.")
