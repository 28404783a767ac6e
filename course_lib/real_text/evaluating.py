"""How good translations are: BLEU and chrF, as reported in papers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sacrebleu


@dataclass(frozen=True)
class Scores:
    """Scores with the signatures that make them comparable.

    Attributes:
        bleu: cased, of detokenised text, with sacreBLEU's own tokeniser.
        lower_case: BLEU of lower-case, tokenised text, which most papers on Multi30k report.
        chrf: chrF2.
        signatures: of the three, in this order.
    """

    bleu: float
    lower_case: float
    chrf: float
    signatures: tuple[str, str, str]


def evaluate(translations: Sequence[str], references: Sequence[str]) -> Scores:
    """Score translations against one reference each (Post 2018, Popović 2015)."""
    metrics = sacrebleu.BLEU(), sacrebleu.BLEU(lowercase=True), sacrebleu.CHRF()
    bleu, lower_case, chrf = (m.corpus_score(list(translations), [list(references)]).score for m in metrics)
    of_bleu, of_lower, of_chrf = (str(metric.get_signature()) for metric in metrics)
    return Scores(bleu, lower_case, chrf, (of_bleu, of_lower, of_chrf))
