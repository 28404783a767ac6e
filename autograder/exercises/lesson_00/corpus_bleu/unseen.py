# %% wrong (first): an average of sentence scores, not one score from summed counts
# true: average_of_sentences
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not as many references as hypotheses")
    if not hypotheses:
        return 0.0
    scores = []
    for h, r in zip(hypotheses, references):
        ps = []
        for n in range(1, max_n + 1):
            m, t = clipped_counts(h, r, n)
            ps.append(m / t if t else 0.0)
        if min(ps) == 0:
            scores.append(0.0)
            continue
        scores.append(brevity_penalty(len(h), len(r)) * math.exp(sum(map(math.log, ps)) / max_n))
    return 100 * sum(scores) / len(scores)

# %% wrong (first): the precisions are averaged over the sentences, counts are not summed first
# true: average_of_precisions
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError
    if len(hypotheses) == 0:
        return 0.0
    log_sum = 0.0
    for n in range(1, max_n + 1):
        p = 0.0
        for h, r in zip(hypotheses, references):
            matches, total = clipped_counts(h, r, n)
            if total > 0:
                p += matches / total
        p /= len(hypotheses)
        if p == 0:
            return 0.0
        log_sum += math.log(p) / max_n
    c = sum(len(h) for h in hypotheses)
    r = sum(len(ref) for ref in references)
    return 100.0 * brevity_penalty(c, r) * math.exp(log_sum)

# %% wrong (first): an arithmetic mean of the precisions
# true: arithmetic_mean_but_zero
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError("lengths differ")
    precisions = []
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        matches = sum(m for m, _ in counts)
        total = sum(t for _, t in counts)
        if matches == 0:
            return 0.0
        precisions.append(matches / total)
    bp = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * bp * sum(precisions) / len(precisions)

# %% wrong (first): the root is always the fourth, whatever max_n is
# true: fourth_root_always
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses, {len(references)} references")
    weights = [0.25] * max_n
    s = 0
    for n, w in enumerate(weights, start=1):
        num = den = 0
        for h, r in zip(hypotheses, references):
            a, b = clipped_counts(h, r, n)
            num += a
            den += b
        if num == 0 or den == 0:
            return 0.0
        s += w * math.log(num / den)
    bp = brevity_penalty(sum(len(h) for h in hypotheses), sum(len(r) for r in references))
    return 100 * bp * math.exp(s)

# %% wrong (first): the brevity penalty is averaged over the sentences, so long ones do not make up for short ones
# true: penalty_by_sentence
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("mismatch")
    if not hypotheses:
        return 0.0
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        m, t = map(sum, zip(*pairs))
        if m == 0:
            return 0.0
        product *= m / t
    bp = sum(brevity_penalty(len(h), len(r)) for h, r in zip(hypotheses, references)) / len(hypotheses)
    return 100 * bp * product ** (1 / max_n)

# %% wrong (first): orders without a match are left out of the mean instead of making it 0
# true: zeros_left_out
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("different numbers")
    p_ns = []
    for n in range(1, max_n + 1):
        num, den = 0, 0
        for h, r in zip(hypotheses, references):
            m, t = clipped_counts(h, r, n)
            num, den = num + m, den + t
        p_ns.append(num / den if den else 0)
    if not any(p_ns):
        return 0.0
    s = math.fsum(1 / max_n * math.log(p) for p in p_ns if p)
    bp = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * bp * math.exp(s)

# %% wrong (first): smooths every order above the first by adding one to matches and total
# true: one_added_from_the_second_order_on
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("len(hypotheses) != len(references)")
    log_p = 0.0
    for n in range(1, max_n + 1):
        m = t = 0
        for hyp, ref in zip(hypotheses, references):
            a, b = clipped_counts(hyp, ref, n)
            m += a
            t += b
        if n > 1:
            m, t = m + 1, t + 1
        if m == 0 or t == 0:
            return 0.0
        log_p += math.log(m) - math.log(t)
    c, r = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * brevity_penalty(c, r) * math.exp(log_p / max_n)

# %% wrong (first): between 0 and 1, not in percent
# true: a_share
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("unequal")
    ps = []
    for n in range(1, max_n + 1):
        matched, total = 0, 0
        for i in range(len(hypotheses)):
            m, t = clipped_counts(hypotheses[i], references[i], n)
            matched += m
            total += t
        if not matched:
            return 0.0
        ps.append(matched / total)
    bp = brevity_penalty(sum(len(h) for h in hypotheses), sum(len(r) for r in references))
    return bp * math.prod(ps) ** (1.0 / max_n)

# %% wrong (first): zip goes on in silence where there are fewer references, no ValueError is raised
# true: missing_references_accepted
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    matches = [0] * max_n
    totals = [0] * max_n
    c = r = 0
    for hyp, ref in zip(hypotheses, references):
        c += len(hyp)
        r += len(ref)
        for n in range(max_n):
            m, t = clipped_counts(hyp, ref, n + 1)
            matches[n] += m
            totals[n] += t
    if min(matches) == 0:
        return 0.0
    log_mean = sum(math.log(m / t) for m, t in zip(matches, totals)) / max_n
    return 100 * brevity_penalty(c, r) * math.exp(log_mean)

# %% wrong (first): the penalty compares numbers of sentences, not of tokens, so it is always 1
# true: no_brevity_penalty
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("two files have slipped")
    total_log = 0
    for n in range(1, max_n + 1):
        both = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        hits, tries = sum(b[0] for b in both), sum(b[1] for b in both)
        if hits == 0:
            return 0.0
        total_log += math.log(hits / tries)
    return 100 * brevity_penalty(len(hypotheses), len(references)) * math.exp(total_log / max_n)

# %% wrong (first): all sentences are joined to one long sentence, so n-grams reach over sentence ends and matches are clipped over the whole corpus
# true: one_long_sentence
from itertools import chain

def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not the same number of sentences")
    hyp, ref = list(chain.from_iterable(hypotheses)), list(chain.from_iterable(references))
    result = 1.0
    for n in range(1, max_n + 1):
        m, t = clipped_counts(hyp, ref, n)
        if m == 0:
            return 0.0
        result *= (m / t) ** (1 / max_n)
    return 100 * brevity_penalty(len(hyp), len(ref)) * result

# %% wrong (first): range(1, max_n) leaves out the longest order / crashes for a corpus without sentences
# true: highest_order_left_out
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError
    ps = []
    for n in range(1, max_n):
        m, t = np.sum([clipped_counts(h, r, n) for h, r in zip(hypotheses, references)], axis=0)
        if m == 0:
            return 0.0
        ps.append(m / t)
    bp = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return float(100 * bp * np.exp(np.mean(np.log(ps))))
import numpy as np

# %% wrong (first): sentences shorter than max_n are skipped altogether
# true: short_sentences_skipped
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("lengths")
    m, t = [0] * max_n, [0] * max_n
    c = r = 0
    for hyp, ref in zip(hypotheses, references):
        if len(hyp) < max_n:
            continue  # there is no n-gram of the longest order in it
        c += len(hyp)
        r += len(ref)
        for n in range(1, max_n + 1):
            a, b = clipped_counts(hyp, ref, n)
            m[n - 1] += a
            t[n - 1] += b
    if 0 in m:
        return 0.0
    score = math.exp(sum(math.log(x / y) for x, y in zip(m, t)) / max_n)
    return 100 * brevity_penalty(c, r) * score

# %% wrong (first): hypothesis and reference exchanged in the counts, n-gram recalls instead of precisions
# true: recall
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("lengths")
    log_p = 0.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for reference, hypothesis in zip(references, hypotheses):
            a, b = clipped_counts(reference, hypothesis, n)
            matches += a
            total += b
        if matches == 0 or total == 0:
            return 0.0
        log_p += math.log(matches / total) / max_n
    return 100.0 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * math.exp(log_p)

# %% wrong (first): the score is rounded to two decimals / the brevity penalty is forgotten
# true: no_brevity_penalty, rounded
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("lengths")
    if len(hypotheses) == 0:
        return 0.0
    log_p = 0.0
    for n in range(1, max_n + 1):
        matches, total = [sum(x) for x in zip(*[clipped_counts(h, r, n) for h, r in zip(hypotheses, references)])]
        if matches == 0 or total == 0:
            return 0.0
        log_p += math.log(matches / total)
    return round(100 * math.exp(log_p / max_n), 2)

# %% wrong (first): an epsilon is put in place of a precision of 0, so BLEU is never 0 / no error where the numbers of sentences differ
def corpus_bleu(hypotheses, references, max_n=4):
    eps = 1e-10
    log_p, c, r = 0.0, 0, 0
    for n in range(1, max_n + 1):
        hits = tries = 0
        for h, ref in zip(hypotheses, references):
            a, b = clipped_counts(h, ref, n)
            hits += a
            tries += b
        log_p += math.log(hits / max(tries, 1) + eps)
    for h, ref in zip(hypotheses, references):
        c, r = c + len(h), r + len(ref)
    return 100 * brevity_penalty(c, r) * math.exp(log_p / max_n)

# %% wrong (first): the geometric mean has no root, the precisions are multiplied only / between 0 and 1, not in percent
# true: a_share, product_without_root
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("unequal lengths")
    score = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        total = sum(t for _, t in counts)
        score *= sum(m for m, _ in counts) / total if total else 0.0
    return score

# %% right (first): two lists of sums, logarithms
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses but {len(references)} references")
    matches, totals = [0] * max_n, [0] * max_n
    for hyp, ref in zip(hypotheses, references):
        for n in range(1, max_n + 1):
            m, t = clipped_counts(hyp, ref, n)
            matches[n - 1] += m
            totals[n - 1] += t
    if not all(matches):
        return 0.0
    log_mean = sum(math.log(m / t) for m, t in zip(matches, totals)) / max_n
    bp = brevity_penalty(sum(len(h) for h in hypotheses), sum(len(r) for r in references))
    return 100 * bp * math.exp(log_mean)

# %% right (first): order by order, product and root, zip strict raises the error
def corpus_bleu(hypotheses, references, max_n=4):
    pairs = list(zip(hypotheses, references, strict=True))
    product = 1.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in pairs:
            a, b = clipped_counts(hypothesis, reference, n)
            matches, total = matches + a, total + b
        product *= matches / total if total else 0.0
    c = sum(len(h) for h, _ in pairs)
    r = sum(len(ref) for _, ref in pairs)
    return 100.0 * brevity_penalty(c, r) * product ** (1 / max_n) if pairs else 0.0

# %% right (first): numpy table of counts, n-grams counted by hand in a helper, no use of the earlier functions
from collections import Counter

import numpy as np

def _stats(hyp, ref, max_n):
    row = []
    for n in range(1, max_n + 1):
        h = Counter(tuple(hyp[i:i + n]) for i in range(len(hyp) + 1 - n))
        r = Counter(tuple(ref[i:i + n]) for i in range(len(ref) + 1 - n))
        row.append((sum(min(h[g], r[g]) for g in h), sum(h.values())))
    return row

def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("every hypothesis needs one reference")
    if len(hypotheses) == 0:
        return 0.0
    table = np.array([_stats(h, r, max_n) for h, r in zip(hypotheses, references)], dtype=np.float64)  # (N, max_n, 2)
    matches, totals = table.sum(axis=0).T
    if (matches == 0).any() or (totals == 0).any():
        return 0.0
    c = sum(map(len, hypotheses))
    r = sum(map(len, references))
    bp = 1.0 if c >= r else float(np.exp(1 - r / c))
    return float(100 * bp * np.exp(np.log(matches / totals).mean()))

# %% wrong (second): the brevity penalty is taken for each sentence and averaged, instead of once from the summed lengths
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


# %% wrong (second): every order weighs a quarter whatever max_n is / files of different length are cut to the shorter one in silence
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


# %% wrong (second): orders of which the corpus has no n-gram at all are left out of the mean, instead of making BLEU 0
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


# %% right (second): a product and its root, order by order in the outer loop
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

# %% wrong (third): the brevity penalty is worked out sentence by sentence and averaged
# true: penalty_by_sentence
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses, {len(references)} references")
    if not hypotheses:
        return 0.0
    log_p = 0.0
    for n in range(1, max_n + 1):
        num = den = 0
        for hyp, ref in zip(hypotheses, references):
            m, t = clipped_counts(hyp, ref, n)
            num += m
            den += t
        if num == 0 or den == 0:
            return 0.0
        log_p += math.log(num / den) / max_n
    penalties = [brevity_penalty(len(hyp), len(ref)) for hyp, ref in zip(hypotheses, references)]
    return 100 * sum(penalties) / len(penalties) * math.exp(log_p)


# %% wrong (third): every order weighs a quarter whatever max_n is
# true: fourth_root_always
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError("The number of hypotheses and their reference(s) should be the same")
    hyp_len = sum(map(len, hypotheses))
    ref_len = sum(map(len, references))
    precisions = []
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        matches, total = sum(m for m, _ in counts), sum(t for _, t in counts)
        if not matches:
            return 0.0
        precisions.append(matches / total)
    s = sum(0.25 * math.log(p) for p in precisions)
    return 100 * brevity_penalty(hyp_len, ref_len) * math.exp(s)


# %% wrong (third): orders without a match are left out of the mean instead of making BLEU 0 / zip drops what has no partner instead of raising
# true: missing_references_accepted, zeros_left_out_of_the_mean
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    pairs = list(zip(hypotheses, references))
    logs = []
    for n in range(1, max_n + 1):
        matches, total = 0, 0
        for hypothesis, reference in pairs:
            found, all_of_them = clipped_counts(hypothesis, reference, n)
            matches += found
            total += all_of_them
        if matches > 0:
            logs.append(math.log(matches / total))
    if not logs:
        return 0.0
    bp = brevity_penalty(sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs))
    return 100.0 * bp * math.exp(sum(logs) / len(logs))


# %% right (third): a table of counts summed by torch, a product under a root instead of logarithms
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    pairs = list(zip(hypotheses, references, strict=True))  # strict: a ValueError where one side is longer
    if not pairs:
        return 0.0
    counts = torch.tensor([[clipped_counts(h, r, n) for n in range(1, max_n + 1)] for h, r in pairs])  # (N, max_n, 2)
    precisions = [m / t if t else 0.0 for m, t in counts.sum(dim=0).tolist()]
    c, r = (sum(len(pair[side]) for pair in pairs) for side in (0, 1))
    return 100 * brevity_penalty(c, r) * math.prod(precisions) ** (1 / max_n)

# %% wrong (last): orders of which the corpus has no n-gram are left out of the mean
# true: orders_without_ngrams_left_out
# Violates "Where one of them has no match, or no n-gram at all, return 0".
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} translations, {len(references)} references")
    logs = []
    for n in range(1, max_n + 1):
        matches = total = 0
        for hyp, ref in zip(hypotheses, references):
            m, t = clipped_counts(hyp, ref, n)
            matches += m
            total += t
        if total == 0:
            continue
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    if not logs:
        return 0.0
    bp = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * bp * math.exp(sum(logs) / len(logs))


# %% wrong (last): each order weighs a quarter, whatever max_n is / zip drops what has no partner, and no ValueError comes
# true: fourth_root_always, missing_references_accepted
# Violates "orders 1 to max_n weigh alike" (a geometric mean of max_n precisions) and "raise a ValueError".
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    matches, totals = [0] * max_n, [0] * max_n
    c = r = 0
    for hypothesis, reference in zip(hypotheses, references):
        c += len(hypothesis)
        r += len(reference)
        for n in range(1, max_n + 1):
            m, t = clipped_counts(hypothesis, reference, n)
            matches[n - 1] += m
            totals[n - 1] += t
    if min(matches) == 0:
        return 0.0
    weight = 0.25
    log_precision = sum(weight * math.log(m / t) for m, t in zip(matches, totals))
    return 100 * brevity_penalty(c, r) * math.exp(log_precision)


# %% right (last): exact fractions, one root at the end, functional
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    from fractions import Fraction

    try:
        pairs = list(zip(hypotheses, references, strict=True))
    except ValueError:
        raise ValueError("the two files have slipped: not as many references as hypotheses") from None

    def precision(n: int) -> Fraction:
        counts = [clipped_counts(*pair, n) for pair in pairs]
        return Fraction(sum(m for m, _ in counts), sum(t for _, t in counts) or 1)

    product = math.prod(map(precision, range(1, max_n + 1)), start=Fraction(1))
    if not product:
        return 0.0
    lengths = [sum(len(side[k]) for side in pairs) for k in (0, 1)]
    return 100.0 * brevity_penalty(*lengths) * float(product) ** (1 / max_n)


# %% wrong (fifth): orders for which there are no n-grams at all are left out of the mean
# true: orders_without_ngrams_left_out
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError("as many references as hypotheses are needed")
    precisions = []
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        matches, total = sum(m for m, _ in counts), sum(t for _, t in counts)
        if total > 0:
            precisions.append(matches / total)
    if not precisions or min(precisions) == 0:
        return 0.0
    c, r = sum(map(len, hypotheses)), sum(map(len, references))
    return 100 * brevity_penalty(c, r) * math.prod(precisions) ** (1 / len(precisions))


# %% wrong (fifth): the brevity penalty is computed for each sentence and then averaged
# true: penalty_by_sentence
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses, but {len(references)} references")
    score = 1.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in zip(hypotheses, references):
            m, t = clipped_counts(hypothesis, reference, n)
            matches += m
            total += t
        if matches == 0:
            return 0.0
        score *= matches / total
    penalties = [brevity_penalty(len(h), len(r)) for h, r in zip(hypotheses, references)]
    return 100 * sum(penalties) / len(penalties) * score ** (1 / max_n)


# %% wrong (fifth): always takes the fourth root, whatever max_n is
# true: fourth_root_always
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    if len(hypotheses) != len(references):
        raise ValueError("different numbers of sentences")
    product = 1.0
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references)]
        matches = sum(count[0] for count in counts)
        total = sum(count[1] for count in counts)
        if matches == 0 or total == 0:
            return 0.0
        product *= matches / total
    bp = brevity_penalty(sum(len(h) for h in hypotheses), sum(len(r) for r in references))
    return 100 * bp * product**0.25


# %% right (fifth): one pass over a strict zip, then a mean of logarithms
def corpus_bleu(hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    matches, totals, c, r = [0] * max_n, [0] * max_n, 0, 0
    for said, right in zip(hypotheses, references, strict=True):  # strict raises the ValueError
        c, r = c + len(said), r + len(right)
        for k in range(max_n):
            matched, counted = clipped_counts(said, right, k + 1)
            matches[k] += matched
            totals[k] += counted
    if not all(matches):  # without n-grams there are no matches either
        return 0.0
    logs = [math.log(m / t) for m, t in zip(matches, totals, strict=True)]
    return 100.0 * brevity_penalty(c, r) * math.exp(math.fsum(logs) / max_n)
