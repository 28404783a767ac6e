def ngrams(tokens, n):
    return list(zip(*(tokens[k:] for k in range(n)), strict=False))


# %% right: intersection of counters
def clipped_counts(hypothesis, reference, n):
    def ngrams(tokens):
        return [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]

    mine = ngrams(hypothesis)
    return (Counter(mine) & Counter(ngrams(reference))).total(), len(mine)


# %% right: partners taken away
def clipped_counts(hypothesis, reference, n):
    left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
    matches = total = 0
    for i in range(len(hypothesis) - n + 1):
        total += 1
        if hypothesis[i : i + n] in left:
            left.remove(hypothesis[i : i + n])
            matches += 1
    return matches, total


# %% right: shifted lists
def clipped_counts(hypothesis, reference, n):
    mine = list(zip(*(hypothesis[k:] for k in range(n)), strict=False))
    theirs = list(zip(*(reference[k:] for k in range(n)), strict=False))
    return sum(min(mine.count(g), theirs.count(g)) for g in set(mine)), len(mine)


# %% right: dictionaries
def clipped_counts(hypothesis, reference, n):
    counts = {}
    for i in range(len(reference) - n + 1):
        key = " ".join(reference[i : i + n])
        counts[key] = counts.get(key, 0) + 1
    matches = 0
    for i in range(len(hypothesis) - n + 1):
        key = " ".join(hypothesis[i : i + n])
        if counts.get(key, 0) > 0:
            counts[key] -= 1
            matches += 1
    return matches, max(0, len(hypothesis) - n + 1)


# %% right: counters subtracted
def clipped_counts(hypothesis, reference, n):
    mine, theirs = Counter(), Counter()
    for counter, tokens in ((mine, hypothesis), (theirs, reference)):
        start = 0
        while start + n <= len(tokens):
            counter[tuple(tokens[start : start + n])] += 1
            start += 1
    unmatched = mine - theirs
    return sum(mine.values()) - sum(unmatched.values()), sum(mine.values())


# %% wrong: all orders up to n
# defines: all_orders_up_to_n
def clipped_counts(hypothesis, reference, n):
    matches = total = 0
    for order in range(1, n + 1):
        ours = Counter(tuple(hypothesis[i : i + order]) for i in range(len(hypothesis) - order + 1))
        theirs = Counter(tuple(reference[i : i + order]) for i in range(len(reference) - order + 1))
        matches += sum((ours & theirs).values())
        total += sum(ours.values())
    return matches, total


# %% wrong: side by side
# true: same_place_only
def clipped_counts(hypothesis, reference, n):
    mine, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return sum(a == b for a, b in zip(mine, theirs, strict=False)), len(mine)


# %% wrong: counters of tokens
# true: single_tokens
def clipped_counts(hypothesis, reference, n):
    return (Counter(hypothesis) & Counter(reference)).total(), len(hypothesis)


# %% wrong: blocks
# true: one_after_the_other
def clipped_counts(hypothesis, reference, n):
    mine, theirs = (Counter(ngrams(tokens, n)[::n]) for tokens in (hypothesis, reference))
    return (mine & theirs).total(), mine.total()


# %% trivial: zeros
def clipped_counts(hypothesis, reference, n):
    return 0, 0


# %% trivial: all match
def clipped_counts(hypothesis, reference, n):
    return max(0, len(hypothesis) - n + 1), max(0, len(hypothesis) - n + 1)


# %% trivial: the lengths
def clipped_counts(hypothesis, reference, n):
    return len(hypothesis), len(reference)
