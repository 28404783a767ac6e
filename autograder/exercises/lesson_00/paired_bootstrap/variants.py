def picked(corpus, sample):
    return [corpus[i] for i in sample]


# %% right: mean of booleans
def paired_bootstrap(first, second, references, samples):
    def wins(sample):
        right = picked(references, sample)
        return corpus_bleu(picked(first, sample), right) > corpus_bleu(picked(second, sample), right)

    return sum(map(wins, samples)) / len(samples)


# %% right: differences in numpy
def paired_bootstrap(first, second, references, samples):
    import numpy as np

    gaps = []
    for sample in samples:
        a, b, r = [], [], []
        for i in sample:
            a.append(first[i])
            b.append(second[i])
            r.append(references[i])
        gaps.append(corpus_bleu(a, r) - corpus_bleu(b, r))
    return float(np.mean(np.array(gaps) > 0))


# %% right: triples
def paired_bootstrap(first, second, references, samples):
    triples = list(zip(first, second, references, strict=True))
    better = 0
    for sample in samples:
        ours, theirs, right = zip(*(triples[i] for i in sample), strict=True)
        if corpus_bleu(ours, right) > corpus_bleu(theirs, right):
            better = better + 1
    return better / len(samples)


# %% right: counts added up
def paired_bootstrap(first, second, references, samples):
    import math
    from collections import Counter

    def counts(system):
        rows = []
        for ours, right in zip(system, references, strict=True):
            row = [len(ours), len(right)]
            for n in (1, 2, 3, 4):
                a, b = (Counter(tuple(s[i : i + n]) for i in range(len(s) - n + 1)) for s in (ours, right))
                row += [(a & b).total(), a.total()]
            rows.append(row)
        return rows

    def bleu(rows, sample):
        c, r, *rest = (sum(rows[i][k] for i in sample) for k in range(10))
        if 0 in rest[::2]:
            return 0.0
        mean = math.exp(sum(math.log(m / t) for m, t in zip(rest[::2], rest[1::2], strict=True)) / 4)
        return round(min(1.0, math.exp(1 - r / c)) * mean, 12)

    a, b = counts(first), counts(second)
    return sum(bleu(a, sample) > bleu(b, sample) for sample in samples) / len(samples)


# %% right: list of winners
def paired_bootstrap(first, second, references, samples):
    winners = []
    for numbers in samples:
        scores = {}
        for name, system in (("first", first), ("second", second)):
            scores[name] = corpus_bleu(picked(system, numbers), picked(references, numbers))
        if scores["first"] == scores["second"]:
            winners.append(None)
        else:
            winners.append(max(scores, key=scores.get))
    return winners.count("first") / len(winners)


# %% wrong: samples not paired
# defines: samples_not_paired
def paired_bootstrap(first, second, references, samples):
    wins = 0
    for ours, theirs in zip(samples, [*samples[1:], samples[0]], strict=True):
        a = corpus_bleu([first[i] for i in ours], [references[i] for i in ours])
        b = corpus_bleu([second[i] for i in theirs], [references[i] for i in theirs])
        wins += a > b
    return wins / len(samples)


# %% wrong: not worse
# true: ties_are_wins
def paired_bootstrap(first, second, references, samples):
    worse = 0
    for sample in samples:
        right = picked(references, sample)
        worse += corpus_bleu(picked(second, sample), right) > corpus_bleu(picked(first, sample), right)
    return 1 - worse / len(samples)


# %% wrong: if it is in the sample
# true: repeats_left_out
def paired_bootstrap(first, second, references, samples):
    wins = 0
    for sample in samples:
        kept = [i for i in range(len(references)) if i in sample]
        right = picked(references, kept)
        wins += corpus_bleu(picked(first, kept), right) > corpus_bleu(picked(second, kept), right)
    return wins / len(samples)


# %% wrong: scores of sentences first
# true: sentences_averaged
def paired_bootstrap(first, second, references, samples):
    a = [corpus_bleu([ours], [right]) for ours, right in zip(first, references, strict=True)]
    b = [corpus_bleu([ours], [right]) for ours, right in zip(second, references, strict=True)]
    return sum(sum(a[i] - b[i] for i in sample) > 1e-9 for sample in samples) / len(samples)


# %% trivial: half
def paired_bootstrap(first, second, references, samples):
    return 0.5


# %% trivial: who is better on everything
def paired_bootstrap(first, second, references, samples):
    return float(corpus_bleu(first, references) > corpus_bleu(second, references))


# %% trivial: zero
def paired_bootstrap(first, second, references, samples):
    return 0.0
