# %% wrong: orders of which the corpus has no n-gram are left out of the mean
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


# %% wrong: each order weighs a quarter, whatever max_n is / zip drops what has no partner, and no ValueError comes
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


# %% right: exact fractions, one root at the end, functional
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
