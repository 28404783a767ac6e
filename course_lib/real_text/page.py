"""A run as one page that translates in the browser: the same page as for a translator of whole words."""

from __future__ import annotations

import torch

from course_lib.export.page import SUBWORDS, Exported, page_of
from course_lib.real_text.run import Run

#: bytes; most mail servers accept attachments up to this size
LARGEST = 20_000_000
#: example sentences if the source is English
EXAMPLES = (
    "A man is riding a bike.",
    "Two dogs run on the beach.",
    "A little girl in a red dress plays with a ball.",
    "A woman with a hat is selling fruit at a market.",
    "The children are jumping into the water.",
)

_NAMES = {"en": "English", "de": "German", "fr": "French", "cs": "Czech", "es": "Spanish", "it": "Italian"}


def make_run_page(run: Run, by: str = "") -> str:
    """Return the page of a run, with everything escaped; weights are rounded to 16 bits.

    Args:
        run: has weights for translation.
        by: who trained it.

    Raises:
        CourseError: it has no weights yet, or they are damaged.
    """
    s, network, subwords = run.settings, run.trained(), len(run.subwords) - 4
    source, target = (_NAMES.get(language, language.capitalize()) for language in run.languages)
    weights = {name: weight.detach() for name, weight in network.named_parameters()}
    # the page looks for the table under the target's name
    weights["target_embedding.token_embedding.weight"] = weights.pop("source_embedding.token_embedding.weight")
    ids = torch.arange(s.max_length)
    table = network.target_embedding
    weights["positions"] = (table(ids[None])[0] - table.token_embedding(ids) * s.d_model**0.5).detach()
    parameters = sum(weight.numel() for name, weight in weights.items() if name != "positions")
    whose = by or "the person who made this page"
    return page_of(
        Exported(
            cut_by=SUBWORDS,
            title=f"{by}’s translator" if by else "A translator of my own",
            lead=f"A Transformer of {parameters:,} parameters, trained from scratch on real text by {whose}. It runs "
            "here, in this page: type a sentence, and watch where it looks while it writes.",
            can=f"It knows {subwords:,} subwords and cuts every word into them, so that no word is "
            "unknown to it. It translates best what resembles the text that it was trained on.",
            cannot="It takes the likeliest subword at each step, without a beam. If a sentence is unlike its "
            "text, it is wrong and does not notice.",
            languages=((run.languages[0], source), (run.languages[1], target)),
            tokens=(run.subwords.tokens,) * 2,
            configuration={
                "d_model": s.d_model,
                "num_heads": s.num_heads,
                "num_layers": s.num_layers,
                "max_length": s.max_length,
                "norm_first": True,
            },
            weights=weights,
            facts=[
                ("Trained by", by or "The person who made this page, on their own computer"),
                ("Parameters", f"{parameters:,}, rounded to 16 bits for this page"),
                ("Shape", f"{s.num_layers} layers of encoder and of decoder, {s.num_heads} heads, width {s.d_model}"),
                ("Subwords", f"{subwords:,}, shared by both languages"),
            ],
            examples=_examples(run),
            half=True,
        )
    )


def _examples(run: Run) -> list[str]:
    """Return the examples that can be offered: English, without letters that the run has never seen."""
    if run.languages[0] != "en":
        return []
    return [text for text in EXAMPLES if run.subwords.unk_id not in run.subwords.encode(text)]
