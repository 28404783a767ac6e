# %% wrong: tokens of equal count come in the order of their first occurrence, not by alphabet
# true: ties_as_they_came
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counter = Counter()
        for sentence in sentences:
            counter.update(sentence)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        for token, freq in counter.most_common():
            if freq < min_count:
                break
            self.tokens.append(token)
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i in (self.bos_id, self.pad_id):
                continue
            out.append(self.tokens[i])
        return out


# %% wrong: counts in how many sentences a token occurs, not how often / decode leaves "<unk>" out with the other special tokens
# true: counted_once_a_sentence
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3
    SPECIALS = ["<pad>", "<bos>", "<eos>", "<unk>"]

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        freq: dict[str, int] = {}
        for sentence in sentences:
            for token in set(sentence):
                freq[token] = freq.get(token, 0) + 1
        kept = [t for t, n in freq.items() if n >= min_count]
        kept.sort(key=lambda t: (-freq[t], t))
        self.tokens = self.SPECIALS + kept
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        body = [self.ids[t] if t in self.ids else self.unk_id for t in tokens]
        return [self.bos_id, *body, self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        words = []
        for i in ids:
            if i == self.eos_id:
                break
            if i < len(self.SPECIALS):  # skip special tokens
                continue
            words.append(self.tokens[i])
        return words


# %% wrong: goes through the sentences twice, so that a generator leaves nothing but the special tokens
# true: sentences_read_twice
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter(token for sentence in sentences for token in sentence)
        # a set of all types, alphabetical, so that the (stable) sort below keeps ties in order
        types = sorted({token for sentence in sentences for token in sentence})
        types = sorted(types, key=lambda token: counts[token], reverse=True)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens += [token for token in types if counts[token] >= min_count]
        self.ids = dict(zip(self.tokens, range(len(self.tokens))))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        ids = [self.bos_id]
        for token in tokens:
            ids.append(self.ids.get(token, self.unk_id))
        ids.append(self.eos_id)
        return ids

    def decode(self, ids: Iterable[int]) -> list[str]:
        ids = list(ids)
        if self.eos_id in ids:
            ids = ids[: ids.index(self.eos_id)]
        return [self.tokens[i] for i in ids if i not in (self.pad_id, self.bos_id)]


# %% right: tokens grouped by their count, takewhile for the end of a sentence
from collections import defaultdict
from itertools import chain, takewhile


class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        special = ("<pad>", "<bos>", "<eos>", "<unk>")
        counts = Counter(chain.from_iterable(sentences))
        by_count = defaultdict(list)
        for token, count in counts.items():
            if count >= min_count and token not in special:
                by_count[count].append(token)
        self.tokens = list(special)
        for count in sorted(by_count, reverse=True):
            self.tokens.extend(sorted(by_count[count]))
        self.ids = {}
        for token in self.tokens:
            self.ids[token] = len(self.ids)

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return list(chain([self.bos_id], (self.ids.get(token, self.unk_id) for token in tokens), [self.eos_id]))

    def decode(self, ids: Iterable[int]) -> list[str]:
        sentence = takewhile(lambda i: i != self.eos_id, map(int, ids))
        return [self.tokens[i] for i in sentence if i != self.bos_id and i != self.pad_id]
