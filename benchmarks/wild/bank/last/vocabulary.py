# %% wrong: equal counts come by first appearance / decode runs on behind the first eos_id
# true: ties_as_they_came, goes_on_behind_the_end
# Violates "those with equal counts by alphabet" and "up to its first eos_id".
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counter = Counter()
        for sentence in sentences:
            counter.update(sentence)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens += [word for word, freq in counter.most_common() if freq >= min_count]
        self.ids = {word: i for i, word in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        special = {self.pad_id, self.bos_id, self.eos_id}
        return [self.tokens[i] for i in ids if i not in special]


# %% wrong: the sentences are gone through twice, so a generator leaves only the four specials
# true: sentences_read_twice
# Violates "they may come from a generator, which can be read once".
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        freq = Counter(tok for sent in sentences for tok in sent)
        words = {tok for sent in sentences for tok in sent if freq[tok] >= min_count}
        ordered = sorted(words, key=lambda w: (-freq[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *ordered]
        self.ids = dict(zip(self.tokens, range(len(self.tokens))))

    def __len__(self) -> int:
        return len(self.ids)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id, *(self.ids.get(t, self.unk_id) for t in tokens), self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i in (self.pad_id, self.bos_id):
                continue
            out.append(self.tokens[i])
        return out


# %% right: counts grouped by hand, two stable sorts, takewhile and filter
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        from itertools import chain, groupby

        special = ["<pad>", "<bos>", "<eos>", "<unk>"]
        everything = sorted(chain.from_iterable(sentences))
        counted = [(token, sum(1 for _ in run)) for token, run in groupby(everything)]  # by alphabet
        frequent = [pair for pair in counted if pair[1] >= min_count and pair[0] not in special]
        frequent.sort(key=lambda pair: pair[1], reverse=True)  # stable: the alphabet stays within a count
        self.tokens = special + [token for token, _ in frequent]
        self.ids = dict(map(reversed, enumerate(self.tokens)))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        framed = [self.bos_id]
        for token in tokens:
            try:
                framed.append(self.ids[token])
            except KeyError:
                framed.append(self.unk_id)
        framed.append(self.eos_id)
        return framed

    def decode(self, ids: Iterable[int]) -> list[str]:
        from itertools import takewhile

        sentence = takewhile(lambda i: i != self.eos_id, map(int, ids))
        return list(map(self.tokens.__getitem__, filter(lambda i: i > self.bos_id, sentence)))
