# %% wrong: joins the tokens of an n-gram without a separator, so that different n-grams become one
# true: joined_without_a_separator
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    def ngrams(tokens):
        return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    hyp, ref = ngrams(hypothesis), ngrams(reference)
    matches = sum(min(count, ref[gram]) for gram, count in hyp.items())
    return matches, sum(hyp.values())


# %% wrong: a hypothesis shorter than n has a total of 1, NLTK's guard against dividing by zero
# true: total_at_least_one
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    # after nltk.translate.bleu_score.modified_precision
    counts = Counter(zip(*(hypothesis[i:] for i in range(n))))
    reference_counts = Counter(zip(*(reference[i:] for i in range(n))))
    clipped = {ngram: min(count, reference_counts[ngram]) for ngram, count in counts.items()}
    numerator = sum(clipped.values())
    denominator = max(1, sum(counts.values()))
    return numerator, denominator


# %% wrong: an n-gram that both have twice matches once only / the total is negative where the hypothesis is much shorter than n
# true: matches_counted_once, total_below_zero
def clipped_counts(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> tuple[int, int]:
    hyp = {tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)}
    ref = {tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)}
    return len(hyp & ref), len(hypothesis) - n + 1


# %% right: two sorted lists of n-grams, merged with two fingers
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
