# %% wrong: matches are not clipped, a repeated n-gram counts each time
# true: unclipped
def clipped_counts(hypothesis, reference, n):
    hyp = [tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)]
    ref = [tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)]
    matches = 0
    for gram in hyp:
        if gram in ref:
            matches += 1
    return matches, len(hyp)

# %% wrong: clips every n-gram to one match (sets), though the reference may have it twice
# true: matches_counted_once
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return [tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    h, r = ngrams(hypothesis), ngrams(reference)
    return len(set(h) & set(r)), len(h)

# %% wrong: total counts different n-grams (len of the Counter), not all of them
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

# %% wrong: the last n-gram is left out (range one short)
# true: last_one_left_out
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    h = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n))
    r = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n))
    matches = sum((h & r).values())
    total = max(0, sum(h.values()))
    return matches, total

# %% wrong: the slice is taken at every start, so shorter tails count as n-grams
# true: shorter_ones_at_the_end
def clipped_counts(hypothesis, reference, n):
    hyp_counts = Counter([tuple(hypothesis[i:i + n]) for i in range(len(hypothesis))])
    ref_counts = Counter([tuple(reference[i:i + n]) for i in range(len(reference))])
    matches = sum(min(c, ref_counts[g]) for g, c in hyp_counts.items())
    return matches, sum(hyp_counts.values())

# %% wrong: the total is that of the reference, so the ratio is a recall
# true: total_of_the_reference
def clipped_counts(hypothesis, reference, n):
    ngram = lambda s: Counter(zip(*[s[i:] for i in range(n)]))
    h, r = ngram(hypothesis), ngram(reference)
    overlap = h & r
    return sum(overlap.values()), sum(r.values())

# %% wrong: n-grams are joined to strings without a separator, so different n-grams fall together
# true: joined_without_a_separator
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return ["".join(tokens[i:i + n]) for i in range(len(tokens) - n + 1)]
    hyp = Counter(ngrams(hypothesis))
    ref = Counter(ngrams(reference))
    matches = sum(min(hyp[g], ref[g]) for g in hyp)
    return int(matches), int(sum(hyp.values()))

# %% wrong: total is len - n + 1 without a floor, negative where the hypothesis is shorter than n - 1
# true: total_below_zero
def clipped_counts(hypothesis, reference, n):
    assert n >= 1, "n starts at 1"
    h = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1))
    r = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n + 1))
    matches = sum((h & r).values())
    total = len(hypothesis) - n + 1
    return matches, total

# %% wrong: total is at least 1, to avoid a division by zero later
# true: total_at_least_one
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    h_ngr = Counter([tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)])
    r_ngr = Counter([tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)])
    overlap = {g: min(h_ngr[g], r_ngr.get(g, 0)) for g in h_ngr}
    num = sum(overlap.values())
    den = max(1, sum(h_ngr.values()))
    return num, den

# %% wrong: found n-grams are removed from the reference tokens themselves, which changes the caller's list and cuts new n-grams apart
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

# %% wrong: counts orders 1 to n together instead of n-grams of length n only
# true: all_orders_up_to_n
def clipped_counts(hypothesis, reference, n):
    matches = total = 0
    for k in range(1, n + 1):
        h = Counter(tuple(hypothesis[i:i + k]) for i in range(len(hypothesis) - k + 1))
        r = Counter(tuple(reference[i:i + k]) for i in range(len(reference) - k + 1))
        matches += sum((h & r).values())
        total += sum(h.values())
    return matches, total

# %% wrong: n-grams are compared as bags, the order of the tokens in them is lost (they are sorted)
# true: order_within_ignored
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        # a Counter wants hashable keys
        return Counter(tuple(sorted(tokens[i:i + n])) for i in range(len(tokens) - n + 1))
    h, r = ngrams(hypothesis), ngrams(reference)
    return sum((h & r).values()), sum(h.values())

# %% wrong: steps by n, so the n-grams do not overlap / matches are not clipped
def clipped_counts(hypothesis, reference, n):
    hyp = [tuple(hypothesis[i:i + n]) for i in range(0, len(hypothesis) - n + 1, n)]
    ref = set(tuple(reference[i:i + n]) for i in range(0, len(reference) - n + 1))
    return sum(g in ref for g in hyp), len(hyp)

# %% wrong: returns the ratio, the precision, and not the two counts
# true: divided
def clipped_counts(hypothesis, reference, n):
    counts = Counter(tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1))
    if not counts:
        return 0.0
    ref = Counter(tuple(reference[i:i + n]) for i in range(len(reference) - n + 1))
    clipped = {g: min(c, ref[g]) for g, c in counts.items()}
    return sum(clipped.values()) / sum(counts.values())

# %% wrong: total counts different n-grams only / each match counts once only, both are sizes of sets
# true: different_ones_only
def clipped_counts(hypothesis, reference, n):
    hyp = {tuple(hypothesis[i:i + n]) for i in range(len(hypothesis) - n + 1)}
    ref = {tuple(reference[i:i + n]) for i in range(len(reference) - n + 1)}
    return len(hyp.intersection(ref)), len(hyp)

# %% right: Counter intersection
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return Counter(tuple(tokens[i:i + n]) for i in range(len(tokens) - n + 1))
    hyp, ref = ngrams(hypothesis), ngrams(reference)
    return sum((hyp & ref).values()), sum(hyp.values())

# %% right: zip of shifted lists, min per n-gram
def clipped_counts(hypothesis, reference, n):
    hyp = list(zip(*(list(hypothesis)[k:] for k in range(n))))
    ref = Counter(zip(*(list(reference)[k:] for k in range(n))))
    hyp_counts = Counter(hyp)
    matches = 0
    for gram, count in hyp_counts.items():
        matches += min(count, ref.get(gram, 0))
    return matches, len(hyp)

# %% right: a budget that each match uses up, loops only
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
