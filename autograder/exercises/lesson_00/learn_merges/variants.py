# %% right: counter of a generator
def learn_merges(counts, steps):
    from itertools import pairwise

    texts = [(list(word), count) for word, count in counts.items()]
    merges = []
    while len(merges) < steps:
        pairs = Counter()
        for pieces, count in texts:
            for pair in pairwise(pieces):
                pairs.update({pair: count})
        if len(pairs) == 0:
            return merges
        most = max(pairs.values())
        merges.append(sorted(pair for pair in pairs if pairs[pair] == most)[0])
        texts = [(apply_merges(pieces, merges[-1:]), count) for pieces, count in texts]
    return merges


# %% right: all merges from the letters again
def learn_merges(counts, steps):
    merges = []
    for _ in range(steps):
        found = {}
        for word, count in counts.items():
            pieces = apply_merges(word, merges)
            for i in range(len(pieces) - 1):
                pair = pieces[i], pieces[i + 1]
                found[pair] = found.get(pair, 0) + count
        if found:
            merges.append(sorted(found.items(), key=lambda item: (-item[1], item[0]))[0][0])
    return merges


# %% right: without the other exercise
def learn_merges(counts, steps):
    words = {tuple(word): count for word, count in counts.items()}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in words.items():
            for a, b in zip(word, word[1:], strict=False):
                pairs[a, b] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        new = {}
        for word, count in words.items():
            out = []
            for piece in word:
                if out and (out[-1], piece) == best:
                    out[-1] += piece
                else:
                    out.append(piece)
            new[tuple(out)] = count
        words = new
    return merges


# %% right: sorted before the stable maximum
def learn_merges(counts, steps):
    from collections import defaultdict

    pieces_of = {word: list(word) for word in counts}
    merges = []
    for step in range(steps):
        pairs = defaultdict(int)
        for word in pieces_of:
            pieces = pieces_of[word]
            for i, piece in enumerate(pieces[1:]):
                pairs[pieces[i], piece] += counts[word]
        if not pairs:
            break
        best = max(sorted(pairs), key=pairs.get)
        merges += [best]
        for word in pieces_of:
            pieces_of[word] = apply_merges(pieces_of[word], [best])
    return merges


# %% right: every word as often as it occurs
def learn_merges(counts, steps):
    text = [list(word) for word, count in counts.items() for _ in range(count)]
    merges = []
    for _ in range(steps):
        pairs = Counter(pair for pieces in text for pair in zip(pieces, pieces[1:], strict=False))
        if not pairs:
            break
        (best, _), *_ = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))
        merges.append(best)
        text = [apply_merges(pieces, [best]) for pieces in text]
    return merges


# %% wrong: all at once
# defines: all_at_once
def learn_merges(counts, steps):
    pairs = Counter()
    for word, count in counts.items():
        for pair in zip(word, word[1:], strict=False):
            pairs[pair] += count
    return sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:steps]


# %% wrong: most common
# true: first_found_of_ties
def learn_merges(counts, steps):
    words = {word: [*word] for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, pieces in words.items():
            for i in range(len(pieces) - 1):
                pairs[pieces[i], pieces[i + 1]] += counts[word]
        if not pairs:
            break
        best = pairs.most_common(1)[0][0]
        merges.append(best)
        words = {word: apply_merges(pieces, [best]) for word, pieces in words.items()}
    return merges


# %% wrong: counter of all words
# true: words_counted_once
def learn_merges(counts, steps):
    texts = [list(word) for word in counts]
    merges = []
    for _ in range(steps):
        pairs = Counter(pair for pieces in texts for pair in zip(pieces, pieces[1:], strict=False))
        if not pairs:
            break
        merges.append(min(pairs, key=lambda pair: (-pairs[pair], pair)))
        texts = [apply_merges(pieces, merges[-1:]) for pieces in texts]
    return merges


# %% wrong: pieces in a list
# true: joined_pieces_returned
def learn_merges(counts, steps):
    words, pieces = [[list(word), count] for word, count in counts.items()], []
    for _ in range(steps):
        pairs = Counter()
        for word, count in words:
            for pair in zip(word, word[1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        pieces.append("".join(best))
        for each in words:
            each[0] = apply_merges(each[0], [best])
    return pieces


# %% trivial: nothing
def learn_merges(counts, steps):
    return []


# %% trivial: the first letters
def learn_merges(counts, steps):
    return [(word[0], word[1]) for word in counts if len(word) > 1][:steps]


# %% trivial: every pair
def learn_merges(counts, steps):
    return sorted({pair for word in counts for pair in zip(word, word[1:], strict=False)})[:steps]
