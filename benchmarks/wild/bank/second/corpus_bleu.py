# %% wrong: the brevity penalty is taken for each sentence and averaged, instead of once from the summed lengths
# true: penalty_by_sentence
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("hypotheses and references differ in number")
    if len(hypotheses) == 0:
        return 0.0
    matches = [0] * max_n
    totals = [0] * max_n
    penalties = []
    for hypothesis, reference in zip(hypotheses, references):
        penalties.append(brevity_penalty(len(hypothesis), len(reference)))
        for n in range(1, max_n + 1):
            m, t = clipped_counts(hypothesis, reference, n)
            matches[n - 1] += m
            totals[n - 1] += t
    if min(matches) == 0 or min(totals) == 0:
        return 0.0
    log_precision = sum(math.log(m / t) for m, t in zip(matches, totals)) / max_n
    bp = sum(penalties) / len(penalties)
    return 100 * bp * math.exp(log_precision)


# %% wrong: every order weighs a quarter whatever max_n is / files of different length are cut to the shorter one in silence
# true: fourth_root_always, missing_references_accepted
def corpus_bleu(hypotheses, references, max_n=4):
    weights = (0.25, 0.25, 0.25, 0.25)
    p_numerators = Counter()
    p_denominators = Counter()
    hyp_len, ref_len = 0, 0
    for hyp, ref in zip(hypotheses, references):
        for n in range(1, max_n + 1):
            num, den = clipped_counts(hyp, ref, n)
            p_numerators[n] += num
            p_denominators[n] += den
        hyp_len += len(hyp)
        ref_len += len(ref)
    s = 0.0
    for n, w in zip(range(1, max_n + 1), weights):
        if p_numerators[n] == 0:
            return 0.0
        s += w * math.log(p_numerators[n] / p_denominators[n])
    return 100.0 * brevity_penalty(hyp_len, ref_len) * math.exp(s)


# %% wrong: orders of which the corpus has no n-gram at all are left out of the mean, instead of making BLEU 0
# true: orders_without_ngrams_left_out
import numpy as np


def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses but {len(references)} references")
    stats = np.zeros((max_n, 2))
    for hypothesis, reference in zip(hypotheses, references):
        stats += np.array([clipped_counts(hypothesis, reference, n + 1) for n in range(max_n)])
    effective = stats[stats[:, 1] > 0]  # orders that exist in this corpus
    if len(effective) == 0:
        return 0.0
    precisions = effective[:, 0] / effective[:, 1]
    if (precisions == 0).any():
        return 0.0
    c = sum(len(h) for h in hypotheses)
    r = sum(len(r) for r in references)
    return float(100 * brevity_penalty(c, r) * np.exp(np.mean(np.log(precisions))))


# %% right: a product and its root, order by order in the outer loop
def corpus_bleu(hypotheses, references, max_n=4):
    pairs = list(zip(hypotheses, references, strict=True))
    product = 1.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in pairs:
            m, t = clipped_counts(hypothesis, reference, n)
            matches, total = matches + m, total + t
        if total == 0:
            return 0.0
        product *= matches / total
    bp = brevity_penalty(sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs))
    return 100 * bp * product ** (1 / max_n)
