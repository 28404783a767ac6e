# %% wrong: sets of n-grams are intersected, so one that both have twice matches once
# true: matches_counted_once
# Violates "One that the reference has twice matches at most twice": a second, legitimate match is lost.
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    hyp = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    ref = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return len(set(hyp) & set(ref)), len(hyp)


# %% wrong: the total is at least 1, as in NLTK's modified_precision
# true: total_at_least_one
# Violates "all n-grams of the hypothesis: 0 where it is shorter than n".
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    counts = Counter(zip(*[hypothesis[i:] for i in range(n)]))
    reference_counts = Counter(zip(*[reference[i:] for i in range(n)]))
    clipped = {ngram: min(count, reference_counts[ngram]) for ngram, count in counts.items()}
    numerator = sum(clipped.values())
    denominator = max(1, sum(counts.values()))  # avoid a division by zero later
    return numerator, denominator


# %% right: a pool of the reference's n-grams from which each match takes one out
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def grams(tokens):
        start = 0
        while start + n <= len(tokens):
            yield list(tokens[start : start + n])
            start += 1

    pool, matches, total = list(grams(reference)), 0, 0
    for gram in grams(hypothesis):
        total += 1
        if gram in pool:
            pool.remove(gram)
            matches += 1
    return matches, total
