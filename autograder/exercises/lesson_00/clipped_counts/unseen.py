# %% wrong (first): matches are not clipped, a repeated n-gram counts each time
# true: unclipped
def clipped_counts(hypothesis, reference, n):
    hyp = [tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)]
    ref = [tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)]
    matches = 0
    for gram in hyp:
        if gram in ref:
            matches += 1
    return matches, len(hyp)

# %% wrong (first): clips every n-gram to one match (sets), though the reference may have it twice
# true: matches_counted_once
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return [tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    h, r = ngrams(hypothesis), ngrams(reference)
    return len(set(h) & set(r)), len(h)

# %% wrong (first): total counts different n-grams (len of the Counter), not all of them
# true: total_of_different_ones
def clipped_counts(hypothesis, reference, n):
    def grams(seq):
        stats = {}
        for i in range(len(seq) - n + 1):
            key = tuple(seq[i:i + n])
            stats[key] = stats.get(key, 0) + 1
        return stats
    out_stats, ref_stats = grams(hypothesis), grams(reference)
    cp_sum = 0
    for key in out_stats:
        cp_sum += min(ref_stats.get(key, 0), out_stats[key])
    return cp_sum, len(out_stats)

# %% wrong (first): the last n-gram is left out (range one short)
# true: last_one_left_out
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    h = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n))
    r = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n))
    matches = sum((h & r).values())
    total = max(0, sum(h.values()))
    return matches, total

# %% wrong (first): the slice is taken at every start, so shorter tails count as n-grams
# true: shorter_ones_at_the_end
def clipped_counts(hypothesis, reference, n):
    hyp_counts = Counter([tuple(hypothesis[i:i + n]) for i in range(len(hypothesis))])
    ref_counts = Counter([tuple(reference[i:i + n]) for i in range(len(reference))])
    matches = sum(min(c, ref_counts[g]) for g, c in hyp_counts.items())
    return matches, sum(hyp_counts.values())

# %% wrong (first): the total is that of the reference, so the ratio is a recall
# true: total_of_the_reference
def clipped_counts(hypothesis, reference, n):
    ngram = lambda s: Counter(zip(*[s[i:] for i in range(n)]))
    h, r = ngram(hypothesis), ngram(reference)
    overlap = h & r
    return sum(overlap.values()), sum(r.values())

# %% wrong (first): n-grams are joined to strings without a separator, so different n-grams fall together
# true: joined_without_a_separator
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return ["".join(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    hyp = Counter(ngrams(hypothesis))
    ref = Counter(ngrams(reference))
    matches = sum(min(hyp[g], ref[g]) for g in hyp)
    return int(matches), int(sum(hyp.values()))

# %% wrong (first): total is len - n + 1 without a floor, negative where the hypothesis is shorter than n - 1
# true: total_below_zero
def clipped_counts(hypothesis, reference, n):
    assert n >= 1, "n starts at 1"
    h = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1))
    r = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n + 1))
    matches = sum((h & r).values())
    total = len(hypothesis) - n + 1
    return matches, total

# %% wrong (first): total is at least 1, to avoid a division by zero later
# true: total_at_least_one
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    h_ngr = Counter([tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)])
    r_ngr = Counter([tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)])
    overlap = {g: min(h_ngr[g], r_ngr.get(g, 0)) for g in h_ngr}
    num = sum(overlap.values())
    den = max(1, sum(h_ngr.values()))
    return num, den

# %% wrong (first): found n-grams are removed from the reference tokens themselves, which changes the caller's list and cuts new n-grams apart
def clipped_counts(hypothesis, reference, n):
    matches = 0
    total = 0
    for i in range(len(hypothesis) - n + 1):
        total += 1
        gram = list(hypothesis[i:i + n])
        for j in range(len(reference) - n + 1):
            if list(reference[j:j + n]) == gram:
                del reference[j:j + n]
                matches += 1
                break
    return matches, total

# %% wrong (first): counts orders 1 to n together instead of n-grams of length n only
# true: all_orders_up_to_n
def clipped_counts(hypothesis, reference, n):
    matches = total = 0
    for k in range(1, n + 1):
        h = Counter(tuple(hypothesis[i:i + k]) for i in range(len(hypothesis) - k + 1))
        r = Counter(tuple(reference[i:i + k]) for i in range(len(reference) - k + 1))
        matches += sum((h & r).values())
        total += sum(h.values())
    return matches, total

# %% wrong (first): n-grams are compared as bags, the order of the tokens in them is lost (they are sorted)
# true: order_within_ignored
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        # a Counter wants hashable keys
        return Counter(tuple(sorted(tokens[i:i + n])) for i in range(len(tokens) - n + 1))
    h, r = ngrams(hypothesis), ngrams(reference)
    return sum((h & r).values()), sum(h.values())

# %% wrong (first): steps by n, so the n-grams do not overlap / matches are not clipped
def clipped_counts(hypothesis, reference, n):
    hyp = [tuple(hypothesis[i:i + n]) for i in range(0, len(hypothesis) - n + 1, n)]
    ref = set(tuple(reference[i:i + n]) for i in range(0, len(reference) - n + 1))
    return sum(g in ref for g in hyp), len(hyp)

# %% wrong (first): returns the ratio, the precision, and not the two counts
# true: divided
def clipped_counts(hypothesis, reference, n):
    counts = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1))
    if not counts:
        return 0.0
    ref = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n + 1))
    clipped = {g: min(c, ref[g]) for g, c in counts.items()}
    return sum(clipped.values()) / sum(counts.values())

# %% wrong (first): total counts different n-grams only / each match counts once only, both are sizes of sets
# true: different_ones_only
def clipped_counts(hypothesis, reference, n):
    hyp = {tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)}
    ref = {tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)}
    return len(hyp.intersection(ref)), len(hyp)

# %% right (first): Counter intersection
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))
    hyp, ref = ngrams(hypothesis), ngrams(reference)
    return sum((hyp & ref).values()), sum(hyp.values())

# %% right (first): zip of shifted lists, min per n-gram
def clipped_counts(hypothesis, reference, n):
    hyp = list(zip(*(list(hypothesis)[k:] for k in range(n))))
    ref = Counter(zip(*(list(reference)[k:] for k in range(n))))
    hyp_counts = Counter(hyp)
    matches = 0
    for gram, count in hyp_counts.items():
        matches += min(count, ref.get(gram, 0))
    return matches, len(hyp)

# %% right (first): a budget that each match uses up, loops only
def clipped_counts(hypothesis, reference, n):
    left = {}
    for j in range(len(reference) - n + 1):
        gram = " ".join(reference[j:j + n]), tuple(reference[j:j + n])
        left[gram[1]] = left.get(gram[1], 0) + 1
    matches, total = 0, 0
    i = 0
    while i + n <= len(hypothesis):
        gram = tuple(hypothesis[i:i + n])
        total += 1
        if left.get(gram, 0) > 0:
            left[gram] -= 1
            matches += 1
        i += 1
    return matches, total

# %% wrong (second): the total is never below 1, also where the translation is shorter than n
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


# %% wrong (second): the tokens of an n-gram are glued together without a gap, so that different n-grams count as the same
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


# %% wrong (second): an n-gram that stands several times in both is matched once only, and the total counts different n-grams instead of all
# true: different_ones_only
def clipped_counts(hypothesis, reference, n):
    assert n >= 1
    hyp = set(zip(*[hypothesis[i:] for i in range(n)]))
    ref = set(zip(*[reference[i:] for i in range(n)]))
    return len(hyp & ref), len(hyp)


# %% right (second): every match takes its partner out of a copied list of the reference's n-grams
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

# %% wrong (third): joins the tokens of an n-gram without a separator, so that different n-grams become one
# true: joined_without_a_separator
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    hyp, ref = ngrams(hypothesis), ngrams(reference)
    matches = sum(min(count, ref[gram]) for gram, count in hyp.items())
    return matches, sum(hyp.values())


# %% wrong (third): a hypothesis shorter than n has a total of 1, NLTK's guard against dividing by zero
# true: total_at_least_one
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    # after nltk.translate.bleu_score.modified_precision
    counts = Counter(zip(*(hypothesis[i:] for i in range(n))))
    reference_counts = Counter(zip(*(reference[i:] for i in range(n))))
    clipped = {ngram: min(count, reference_counts[ngram]) for ngram, count in counts.items()}
    numerator = sum(clipped.values())
    denominator = max(1, sum(counts.values()))
    return numerator, denominator


# %% wrong (third): an n-gram that both have twice matches once only / the total is negative where the hypothesis is much shorter than n
# true: matches_counted_once, total_below_zero
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    hyp = {tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)}
    ref = {tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)}
    return len(hyp & ref), len(hypothesis) - n + 1


# %% right (third): two sorted lists of n-grams, merged with two fingers
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    ours = sorted(tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
    theirs = sorted(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
    matches = i = j = 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j]:  # each gram of the reference is used up by one partner
            matches, i, j = matches + 1, i + 1, j + 1
        elif ours[i] < theirs[j]:
            i += 1
        else:
            j += 1
    return matches, len(ours)

# %% wrong (last): sets of n-grams are intersected, so one that both have twice matches once
# true: matches_counted_once
# Violates "One that the reference has twice matches at most twice": a second, legitimate match is lost.
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    hyp = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    ref = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return len(set(hyp) & set(ref)), len(hyp)


# %% wrong (last): the total is at least 1, as in NLTK's modified_precision
# true: total_at_least_one
# Violates "all n-grams of the hypothesis: 0 where it is shorter than n".
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    counts = Counter(zip(*[hypothesis[i:] for i in range(n)]))
    reference_counts = Counter(zip(*[reference[i:] for i in range(n)]))
    clipped = {ngram: min(count, reference_counts[ngram]) for ngram, count in counts.items()}
    numerator = sum(clipped.values())
    denominator = max(1, sum(counts.values()))  # avoid a division by zero later
    return numerator, denominator


# %% right (last): a pool of the reference's n-grams from which each match takes one out
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


# %% wrong (fifth): the total is negative if the translation is shorter than n - 1
# true: total_below_zero
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    ours = Counter(tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1))
    theirs = Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
    matches = sum(min(count, theirs[gram]) for gram, count in ours.items())
    return matches, len(hypothesis) - n + 1


# %% wrong (fifth): n-grams are joined to strings, so (a, bc) equals (ab, c)
# true: joined_without_a_separator
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def grams(tokens):
        return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    ours, theirs = grams(hypothesis), grams(reference)
    return (ours & theirs).total(), ours.total()


# %% right (fifth): every n-gram of the reference is crossed off a list once it has been matched
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    left = [list(reference[i : i + n]) for i in range(max(0, len(reference) - n + 1))]
    matches = total = 0
    for start in range(len(hypothesis)):
        gram = list(hypothesis[start : start + n])
        if len(gram) < n:
            break
        total += 1
        if gram in left:
            left.remove(gram)
            matches += 1
    return matches, total
