# %% wrong (fifth): of equally frequent pairs, the one that was counted first is taken
# true: first_found_of_ties
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in counts.items():
            for pair in pairwise(pieces[word]):
                pairs[pair] += count
        if not pairs:
            break
        best = pairs.most_common(1)[0][0]
        merges.append(best)
        pieces = {word: apply_merges(parts, [best]) for word, parts in pieces.items()}
    return merges


# %% wrong (fifth): of equally frequent pairs, the one that Python sorts last is taken
# true: last_of_ties
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    while len(merges) < steps:
        pairs = {}
        for word, parts in pieces.items():
            for pair in zip(parts, parts[1:]):
                pairs[pair] = pairs.get(pair, 0) + counts[word]
        if len(pairs) == 0:
            return merges
        _, best = max((times, pair) for pair, times in pairs.items())
        merges.append(best)
        for word in pieces:
            pieces[word] = apply_merges(pieces[word], [best])
    return merges


# %% wrong (fifth): equally frequent pairs are compared by their joined strings, not as tuples
# true: ties_by_text
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges: list[tuple[str, str]] = []
    for _ in range(steps):
        pairs: Counter = Counter()
        for word, parts in pieces.items():
            for left, right in pairwise(parts):
                pairs[left, right] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair[0] + pair[1]))
        merges.append(best)
        pieces = {word: apply_merges(parts, [best]) for word, parts in pieces.items()}
    return merges


# %% wrong (fifth): it stops as soon as the most frequent pair occurs only once
# true: pairs_once_refused
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in counts.items():
            for pair in pairwise(pieces[word]):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:  # joining it would save nothing
            break
        merges.append(best)
        for word in pieces:
            pieces[word] = apply_merges(pieces[word], [best])
    return merges


# %% wrong (fifth): each step applies only the newest merge to the letters, so earlier joins are undone
# true: newest_merge_alone
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, parts in pieces.items():
            for pair in pairwise(parts):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        pieces = {word: apply_merges(word, [best]) for word in counts}
    return merges


# %% wrong (fifth): a pair that stands twice in a word is counted only once for that word
# true: once_in_each_word
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, parts in pieces.items():
            for pair in set(pairwise(parts)):
                pairs[pair] += counts[word]
        if not pairs:
            break
        best = sorted(pairs, key=lambda pair: (-pairs[pair], pair))[0]
        merges.append(best)
        pieces = {word: apply_merges(parts, [best]) for word, parts in pieces.items()}
    return merges


# %% wrong (fifth): joins with str.replace on spaced words, so a join may begin or end inside a piece
# true: replaced_as_text
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    text = {" ".join(word): count for word, count in counts.items()}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, count in text.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        text = {word.replace(" ".join(best), "".join(best)): count for word, count in text.items()}
    return merges


# %% wrong (fifth): all words are one long list, so pairs reach from one word into the next
# true: across_words
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = []
    for word, count in counts.items():
        for _ in range(count):
            pieces.extend(word)
    merges = []
    for _ in range(steps):
        pairs = Counter(pairwise(pieces))
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        pieces = apply_merges(pieces, [best])
    return merges


# %% wrong (fifth): the counter isn't emptied between steps, so pairs that are gone still count
# true: old_counts_kept
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    pairs = Counter()
    for _ in range(steps):
        for word, count in counts.items():
            for pair in pairwise(pieces[word]):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        del pairs[best]
        pieces = {word: apply_merges(parts, [best]) for word, parts in pieces.items()}
    return merges


# %% wrong (fifth): stops with an error when no word has a pair left before all steps are done
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    pieces = {word: list(word) for word in counts}
    merges = []
    for _ in range(steps):
        pairs = Counter()
        for word, parts in pieces.items():
            for pair in pairwise(parts):
                pairs[pair] += counts[word]
        most = max(pairs.values())
        best = min(pair for pair, times in pairs.items() if times == most)
        merges.append(best)
        pieces = {word: apply_merges(parts, [best]) for word, parts in pieces.items()}
    return merges


# %% right (fifth): every word is cut anew from its letters with all merges so far
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    merges: list[tuple[str, str]] = []
    while len(merges) < steps:
        frequency: Counter = Counter()
        for word in counts:
            for pair in pairwise(apply_merges(word, merges)):
                frequency[pair] += counts[word]
        if not frequency:
            return merges
        merges.append(max(sorted(frequency), key=frequency.__getitem__))
    return merges


# %% right (fifth): only words that contain the joined pair are counted anew
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    from collections import defaultdict

    pieces = {word: list(word) for word in counts}
    where: dict = defaultdict(dict)  # pair -> {word: how often the pair stands in the word}

    def enter(word: str) -> None:
        for pair, times in Counter(pairwise(pieces[word])).items():
            where[pair][word] = times

    def leave(word: str) -> None:
        for pair in set(pairwise(pieces[word])):
            del where[pair][word]
            if not where[pair]:
                del where[pair]

    def order(pair: tuple[str, str]) -> tuple:
        return -sum(times * counts[word] for word, times in where[pair].items()), pair

    for word in pieces:
        enter(word)
    merges = []
    for _ in range(steps):
        if not where:
            break
        best = min(list(where), key=order)
        merges.append(best)
        for word in list(where[best]):
            leave(word)
            pieces[word] = apply_merges(pieces[word], (best,))
            enter(word)
    return merges


# %% right (fifth): joins by hand with an index, and finds the highest count before the first pair
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    words = [(list(word), count) for word, count in counts.items()]
    learned = []
    for _ in range(steps):
        table = {}
        for parts, count in words:
            for i in range(1, len(parts)):
                key = (parts[i - 1], parts[i])
                table[key] = table.get(key, 0) + count
        if not table:
            break
        top = max(table.values())
        left, right = sorted(key for key, times in table.items() if times == top)[0]
        learned.append((left, right))
        for parts, _ in words:
            i = 0
            while i + 1 < len(parts):
                if parts[i] == left and parts[i + 1] == right:
                    parts[i : i + 2] = [left + right]
                i += 1
    return learned


# %% right (fifth): a dict with sorted keys, of which max takes the first of equals
def learn_merges(counts: Mapping[str, int], steps: int) -> list[tuple[str, str]]:
    def best_of(cut: list[tuple[list[str], int]]) -> tuple[str, str] | None:
        pairs = [(pair, count) for parts, count in cut for pair in zip(parts[:-1], parts[1:], strict=True)]
        totals = dict.fromkeys(sorted({pair for pair, _ in pairs}), 0)
        for pair, count in pairs:
            totals[pair] += count
        return max(totals, key=totals.get, default=None)  # max keeps the first of equals

    cut = [(list(word), count) for word, count in counts.items()]
    merges: list[tuple[str, str]] = []
    for _ in range(steps):
        best = best_of(cut)
        if best is None:
            break
        merges += [best]
        cut = [(apply_merges(parts, [best]), count) for parts, count in cut]
    return merges
