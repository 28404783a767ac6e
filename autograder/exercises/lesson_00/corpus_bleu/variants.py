def sums(hypotheses, references, max_n):
    """Matches and totals of each order."""
    pairs = list(zip(hypotheses, references, strict=True))
    counts = [[clipped_counts(h, r, n) for h, r in pairs] for n in range(1, max_n + 1)]
    return [(sum(m for m, _ in order), sum(t for _, t in order)) for order in counts]


def lengths(corpus):
    return sum(len(tokens) for tokens in corpus)


def _precisions(hypotheses, references, max_n):
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        yield sum(m for m, _ in pairs) / max(sum(t for _, t in pairs), 1)


# %% right: lists of counts
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("lengths differ")
    correct, total = [0] * max_n, [0] * max_n
    for i in range(len(hypotheses)):
        for n in range(1, max_n + 1):
            m, t = clipped_counts(hypotheses[i], references[i], n)
            correct[n - 1] += m
            total[n - 1] += t
    if min(correct) == 0:
        return 0.0
    product = 1.0
    for m, t in zip(correct, total, strict=True):
        product *= m / t
    c, r = sum(len(h) for h in hypotheses), sum(len(r) for r in references)
    return 100 * brevity_penalty(c, r) * product ** (1 / max_n)


# %% right: without the other exercises
def corpus_bleu(hypotheses, references, max_n=4):
    from collections import Counter

    pairs = list(zip(hypotheses, references, strict=True))

    def grams(tokens, n):
        return Counter(zip(*(tokens[k:] for k in range(n)), strict=False))

    precisions = []
    for n in range(1, max_n + 1):
        matches = sum((grams(h, n) & grams(r, n)).total() for h, r in pairs)
        total = sum(max(0, len(h) - n + 1) for h, _ in pairs)
        precisions.append(matches / total if total else 0)
    if 0 in precisions:
        return 0.0
    c, r = sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs)
    return min(1, math.exp(1 - r / c)) * math.prod(precisions) ** (1 / max_n) * 100


# %% right: through numpy
def corpus_bleu(hypotheses, references, max_n=4):
    import numpy as np

    orders = range(1, max_n + 1)
    counts = np.array([[clipped_counts(h, r, n) for n in orders] for h, r in zip(hypotheses, references, strict=True)])
    matches, totals = counts.sum(axis=0).T
    with np.errstate(divide="ignore"):
        mean = np.exp(np.mean(np.log(matches / np.maximum(totals, 1))))
    return 100 * mean * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))


# %% right: logarithm of zero
def corpus_bleu(hypotheses, references, max_n=4):
    from itertools import chain

    total_log = 0
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        matches = sum(m for m, _ in pairs)
        total = sum(t for _, t in pairs)
        total_log += (math.log(matches) - math.log(total)) / max_n if matches else float("-inf")
    return math.exp(total_log) * brevity_penalty(len([*chain(*hypotheses)]), len([*chain(*references)])) * 100.0


# %% right: statistics module
def corpus_bleu(hypotheses, references, max_n=4):
    import statistics

    if len(hypotheses) > len(references) or len(hypotheses) < len(references):
        raise ValueError(f"{len(hypotheses)} != {len(references)}")
    precisions = []
    for n in range(1, max_n + 1):
        both = [clipped_counts(*pair, n) for pair in zip(hypotheses, references, strict=False)]
        matches, totals = (sum(b[k] for b in both) for k in (0, 1))
        if not matches:
            return 0.0
        precisions.append(matches / totals)
    lengths = [sum(len(tokens) for tokens in corpus) for corpus in (hypotheses, references)]
    return 100 * brevity_penalty(*lengths) * statistics.geometric_mean(precisions)


# %% wrong: average of sentences
# defines: average_of_sentences
def corpus_bleu(hypotheses, references, max_n=4):
    scores = []
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        logarithms = 0.0
        for n in range(1, max_n + 1):
            matches, total = clipped_counts(hypothesis, reference, n)
            logarithms += math.log(matches / total) if matches else -math.inf
        scores.append(brevity_penalty(len(hypothesis), len(reference)) * math.exp(logarithms / max_n))
    return 100 * sum(scores) / len(scores)


# %% wrong: average of precisions
# defines: average_of_precisions
def corpus_bleu(hypotheses, references, max_n=4):
    logarithms = 0.0
    for n in range(1, max_n + 1):
        precisions = []
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            matches, total = clipped_counts(hypothesis, reference, n)
            precisions.append(matches / total if total else 0.0)
        precision = sum(precisions) / len(precisions)
        if precision == 0:
            return 0.0
        logarithms += math.log(precision)
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.exp(logarithms / max_n)


# %% wrong: one long sentence
# defines: one_long_sentence
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not as many references as hypotheses")
    hypothesis = [token for tokens in hypotheses for token in tokens]
    reference = [token for tokens in references for token in tokens]
    logarithms = 0.0
    for n in range(1, max_n + 1):
        matches, total = clipped_counts(hypothesis, reference, n)
        if matches == 0:
            return 0.0
        logarithms += math.log(matches / total)
    return 100 * brevity_penalty(len(hypothesis), len(reference)) * math.exp(logarithms / max_n)


# %% wrong: smoothed like sacrebleu
# defines: smoothed_like_sacrebleu
def corpus_bleu(hypotheses, references, max_n=4):
    logarithms, halved = 0.0, 1.0
    for n in range(1, max_n + 1):
        matches = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            matched, counted = clipped_counts(hypothesis, reference, n)
            matches, total = matches + matched, total + counted
        if total == 0 or (n == 1 and matches == 0):
            return 0.0
        if matches == 0:
            halved /= 2
        logarithms += math.log((matches or halved) / total)
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.exp(logarithms / max_n)


# %% wrong: plain mean
# true: arithmetic_mean
def corpus_bleu(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * sum(precisions) / len(precisions)


# %% wrong: product only
# true: product_without_root
def corpus_bleu(hypotheses, references, max_n=4):
    score = 100 * brevity_penalty(lengths(hypotheses), lengths(references))
    for m, t in sums(hypotheses, references, max_n):
        score *= m / max(t, 1)
    return score


# %% wrong: log of everything
# true: stops_at_zero
def corpus_bleu(hypotheses, references, max_n=4):
    logs = [math.log(m) - math.log(t) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.exp(sum(logs) / max_n)


# %% wrong: never quite zero
# true: epsilon_for_zero
def corpus_bleu(hypotheses, references, max_n=4):
    precisions = [p or 1e-12 for p in _precisions(hypotheses, references, max_n)]
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.prod(precisions) ** (1 / max_n)


# %% wrong: two digits
# true: rounded
def corpus_bleu(hypotheses, references, max_n=4):
    mean = math.prod(_precisions(hypotheses, references, max_n)) ** (1 / max_n)
    return float(f"{100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * mean:.2f}")


# %% wrong: mean of what is there
# true: zeros_left_out_of_the_mean
def corpus_bleu(hypotheses, references, max_n=4):
    found = [matches / total for matches, total in sums(hypotheses, references, max_n) if matches]
    if not found:
        return 0.0
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(found) ** (1 / len(found))


# %% trivial: zero
def corpus_bleu(hypotheses, references, max_n=4):
    return 0.0


# %% trivial: hundred
def corpus_bleu(hypotheses, references, max_n=4):
    return 100.0


# %% trivial: exact match
def corpus_bleu(hypotheses, references, max_n=4):
    return 100 * sum(h == r for h, r in zip(hypotheses, references, strict=True)) / max(len(hypotheses), 1)
