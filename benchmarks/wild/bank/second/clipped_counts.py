# %% wrong: the total is never below 1, also where the translation is shorter than n
# true: total_at_least_one
def _ngrams(tokens, n):
    return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]


def clipped_counts(hypothesis, reference, n):
    counts = Counter(_ngrams(hypothesis, n))
    max_counts = Counter(_ngrams(reference, n))
    clipped = {gram: min(count, max_counts[gram]) for gram, count in counts.items()}
    numerator = sum(clipped.values())
    # no division by zero later
    denominator = max(1, sum(counts.values()))
    return numerator, denominator


# %% wrong: the tokens of an n-gram are glued together without a gap, so that different n-grams count as the same
# true: joined_without_a_separator
def clipped_counts(hypothesis, reference, n):
    hyp_ngrams = Counter("".join(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
    ref_ngrams = Counter("".join(reference[i : i + n]) for i in range(len(reference) - n + 1))
    matches = 0
    total = 0
    for ngram in hyp_ngrams:
        matches += min(hyp_ngrams[ngram], ref_ngrams.get(ngram, 0))
        total += hyp_ngrams[ngram]
    return matches, total


# %% wrong: an n-gram that stands several times in both is matched once only, and the total counts different n-grams instead of all
# true: different_ones_only
def clipped_counts(hypothesis, reference, n):
    assert n >= 1
    hyp = set(zip(*[hypothesis[i:] for i in range(n)]))
    ref = set(zip(*[reference[i:] for i in range(n)]))
    return len(hyp & ref), len(hyp)


# %% right: every match takes its partner out of a copied list of the reference's n-grams
def clipped_counts(hypothesis, reference, n):
    left = []
    for start in range(len(reference) - n + 1):
        left.append(tuple(reference[start : start + n]))
    matches = 0
    total = 0
    for start in range(len(hypothesis) - n + 1):
        ngram = tuple(hypothesis[start : start + n])
        total += 1
        if ngram in left:
            left.remove(ngram)
            matches += 1
    return matches, total
