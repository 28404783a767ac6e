# %% wrong (fifth): a tie counts as a win of the first system
# true: ties_are_wins
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    wins = 0
    for sample in samples:
        right = [references[i] for i in sample]
        a = corpus_bleu([first[i] for i in sample], right)
        b = corpus_bleu([second[i] for i in sample], right)
        if a >= b:
            wins += 1
    return wins / len(samples)


# %% wrong (fifth): a sentence that was drawn twice counts only once
# true: repeats_left_out
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    wins = 0
    for sample in samples:
        drawn = set(sample)
        ours = [tokens for i, tokens in enumerate(first) if i in drawn]
        theirs = [tokens for i, tokens in enumerate(second) if i in drawn]
        right = [tokens for i, tokens in enumerate(references) if i in drawn]
        wins += corpus_bleu(ours, right) > corpus_bleu(theirs, right)
    return wins / len(samples)


# %% wrong (fifth): compares averages of sentence scores, not corpus scores
# true: sentences_averaged
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    a = [corpus_bleu([said], [right]) for said, right in zip(first, references)]
    b = [corpus_bleu([said], [right]) for said, right in zip(second, references)]
    wins = 0
    for sample in samples:
        mean_a = sum(a[i] for i in sample) / len(sample)
        mean_b = sum(b[i] for i in sample) / len(sample)
        wins += mean_a > mean_b
    return wins / len(samples)


# %% wrong (fifth): the translations are resampled, the references stay in their old order
# true: references_not_resampled
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    wins = 0
    for sample in samples:
        right = references[: len(sample)]
        score_first = corpus_bleu([first[i] for i in sample], right)
        score_second = corpus_bleu([second[i] for i in sample], right)
        if score_first > score_second:
            wins += 1
    return wins / len(samples)


# %% wrong (fifth): the wins are divided by the number of sentences, not of samples
# true: divided_by_sentences
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    n = len(references)
    wins = 0
    for sample in samples:
        test_set = [references[i] for i in sample]
        better = corpus_bleu([first[i] for i in sample], test_set)
        worse = corpus_bleu([second[i] for i in sample], test_set)
        wins += int(better > worse)
    return wins / n


# %% wrong (fifth): ties are left out of the number of samples, and only ties is an error
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    wins, losses = 0, 0
    for sample in samples:
        right = [references[i] for i in sample]
        gap = corpus_bleu([first[i] for i in sample], right) - corpus_bleu([second[i] for i in sample], right)
        if gap > 0:
            wins += 1
        elif gap < 0:
            losses += 1
    return wins / (wins + losses)


# %% wrong (fifth): scores are rounded to whole BLEU points, so a small lead becomes a tie
# true: scores_rounded
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    def score(system, sample):
        return round(corpus_bleu([system[i] for i in sample], [references[i] for i in sample]))

    return sum(score(first, sample) > score(second, sample) for sample in samples) / len(samples)


# %% wrong (fifth): adds up the counts of sentences once, but forgets the brevity penalty
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    def table(system):
        return [[clipped_counts(h, r, n) for n in (1, 2, 3, 4)] for h, r in zip(system, references, strict=True)]

    def score(counts, sample):
        product = 1.0
        for n in range(4):
            matches = sum(counts[i][n][0] for i in sample)
            total = sum(counts[i][n][1] for i in sample)
            if matches == 0:
                return 0.0
            product *= matches / total
        return 100 * product**0.25

    a, b = table(first), table(second)
    return sum(score(a, sample) > score(b, sample) for sample in samples) / len(samples)


# %% wrong (fifth): scored by sacreBLEU with its default smoothing, so orders without a match aren't 0
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    import sacrebleu

    def score(system, sample):
        hypotheses = [" ".join(system[i]) for i in sample]
        right = [" ".join(references[i]) for i in sample]
        return sacrebleu.corpus_bleu(hypotheses, [right], tokenize="none", force=True).score

    wins = [score(first, sample) > score(second, sample) for sample in samples]
    return sum(wins) / len(wins)


# %% wrong (fifth): itemgetter returns the sentence itself, not a list, for a sample of one number
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    from operator import itemgetter

    wins = 0
    for sample in samples:
        draw = itemgetter(*sample)
        if corpus_bleu(draw(first), draw(references)) > corpus_bleu(draw(second), draw(references)):
            wins += 1
    return wins / len(samples)


# %% right (fifth): triples of sentences are drawn and taken apart again
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    triples = list(zip(first, second, references, strict=True))
    won = []
    for sample in samples:
        ours, theirs, right = (list(column) for column in zip(*[triples[number] for number in sample], strict=True))
        won.append(corpus_bleu(ours, right) > corpus_bleu(theirs, right))
    return won.count(True) / len(won)


# %% right (fifth): counts of each sentence only once, then sums of them for each sample
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    orders = range(1, 5)

    def statistics(system):
        rows = []
        for said, right in zip(system, references, strict=True):
            row = [len(said), len(right)]
            for n in orders:
                row.extend(clipped_counts(said, right, n))
            rows.append(row)
        return rows

    def bleu(rows, sample):
        c, r, *counts = [sum(column) for column in zip(*(rows[i] for i in sample), strict=True)]
        product = 1.0
        for matches, total in zip(counts[::2], counts[1::2], strict=True):
            if matches == 0 or total == 0:
                return 0.0
            product *= matches / total
        return 100 * brevity_penalty(c, r) * product ** (1 / 4)

    rows_first, rows_second = statistics(first), statistics(second)
    wins = sum(1 for sample in samples if bleu(rows_first, sample) > bleu(rows_second, sample))
    return wins / len(samples)


# %% right (fifth): a Counter says how often each sentence counts; the mean is taken in float64
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    wins = torch.zeros(len(samples), dtype=torch.float64)
    for k, sample in enumerate(samples):
        numbers = list(Counter(sample).elements())  # the same numbers, equal ones next to each other
        right = [references[i] for i in numbers]
        scores = [corpus_bleu([system[i] for i in numbers], right) for system in (first, second)]
        wins[k] = float(scores[0] > scores[1])
    return wins.mean().item()


# %% right (fifth): starts from the number of samples and takes off losses and ties
def paired_bootstrap(
    first: Sequence[Sequence[str]],
    second: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    samples: Sequence[Sequence[int]],
) -> float:
    def pick(corpus, sample):
        return list(map(corpus.__getitem__, sample))

    not_won = 0
    for sample in samples:
        right = pick(references, sample)
        if corpus_bleu(pick(second, sample), right) >= corpus_bleu(pick(first, sample), right):
            not_won += 1
    return (len(samples) - not_won) / len(samples)
