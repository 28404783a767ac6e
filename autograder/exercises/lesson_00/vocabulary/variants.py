class WithATable:
    """Right; each second version below changes one method of it."""

    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.number(self.count(sentences), min_count)

    def count(self, sentences):
        return Counter(token for sentence in sentences for token in sentence)

    def number(self, counts, min_count):
        self.table = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        for token, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if count >= min_count:
                self.table[token] = len(self.table)

    def __len__(self):
        return len(self.table)

    def encode(self, tokens):
        return [1, *(self.table.get(token, 3) for token in tokens), 2]

    def decode(self, ids):
        names = list(self.table)
        ids = ids[: ids.index(2)] if 2 in ids else ids
        return [names[i] for i in ids if i > 1]


# %% right: two dictionaries
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = {}
        for sentence in sentences:
            for token in sentence:
                counts[token] = counts.get(token, 0) + 1
        self.stoi = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        for token, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if count >= min_count:
                self.stoi[token] = len(self.stoi)
        self.itos = {i: token for token, i in self.stoi.items()}

    def __len__(self):
        return len(self.stoi)

    def encode(self, tokens):
        ids = [1]
        for token in tokens:
            ids.append(self.stoi.get(token, 3))
        ids.append(2)
        return ids

    def decode(self, ids):
        ids = list(ids)
        if 2 in ids:
            ids = ids[: ids.index(2)]
        return [self.itos[i] for i in ids if i not in (0, 1)]


# %% right: sorted twice
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        from itertools import chain

        counts = Counter(chain.from_iterable(sentences))
        by_alphabet = sorted(counts)
        by_count = sorted(by_alphabet, key=counts.get, reverse=True)
        self.words = [w for w in by_count if counts[w] >= min_count]

    def __len__(self):
        return 4 + len(self.words)

    def encode(self, tokens):
        return [1] + [self.words.index(t) + 4 if t in self.words else 3 for t in tokens] + [2]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == 2:
                return out
            if i == 3:
                out.append("<unk>")
            elif i > 3:
                out.append(self.words[i - 4])
        return out


# %% right: most common of sorted
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        from collections import defaultdict

        counts = Counter(sorted(token for sentence in sentences for token in sentence))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens += [token for token, count in counts.most_common() if not count < min_count]
        self.ids = defaultdict(lambda: self.unk_id)
        for i, token in enumerate(self.tokens):
            self.ids[token] = i

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids[token] for token in tokens] + [self.eos_id]

    def decode(self, ids):
        from itertools import takewhile

        return [self.tokens[i] for i in takewhile(lambda i: i != self.eos_id, ids) if i not in {0, 1}]


# %% right: isa dictionary
class Vocabulary(dict[str, int]):
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        everything = [token for sentence in sentences for token in sentence]
        different = sorted(set(everything), key=lambda token: (-everything.count(token), token))
        kept = [token for token in different if everything.count(token) >= min_count]
        super().__init__({token: i for i, token in enumerate(["<pad>", "<bos>", "<eos>", "<unk>", *kept])})

    def encode(self, tokens):
        return [self["<bos>"], *[self.get(token, self["<unk>"]) for token in tokens], self["<eos>"]]

    def decode(self, ids):
        names, found = list(self), []
        for i in ids:
            if names[i] == "<eos>":
                break
            if names[i] in ("<pad>", "<bos>"):
                continue
            found.append(names[i])
        return found


# %% right: looks up with try
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        from collections import defaultdict
        from itertools import chain

        counts = defaultdict(int)
        for token in chain(*sentences):
            counts[token] += 1
        order = sorted((-count, token) for token, count in counts.items())
        self.by_id = dict(enumerate((token for count, token in order if -count >= min_count), start=4)) | {3: "<unk>"}
        self.by_token = {token: i for i, token in self.by_id.items()}

    def __len__(self):
        return max(self.by_id) + 1

    def _id(self, token):
        try:
            return self.by_token[token]
        except KeyError:
            return self.unk_id

    def encode(self, tokens):
        return [self.bos_id, *map(self._id, tokens), self.eos_id]

    def decode(self, ids):
        end = next((place for place, i in enumerate(ids) if i == self.eos_id), len(ids))
        return [self.by_id[i] for i in ids[:end] if i in self.by_id]


# %% wrong: sorted set
# true: alphabet_only
class Vocabulary(WithATable):
    def number(self, counts, min_count):
        tokens = sorted({token for token in counts if counts[token] >= min_count})
        self.table = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        self.table.update(zip(tokens, range(4, 4 + len(tokens)), strict=True))


# %% wrong: every token
# true: min_count_ignored
class Vocabulary(WithATable):
    def number(self, counts, min_count):
        super().number(counts, 1)


# %% wrong: bare ids
# true: no_frame
class Vocabulary(WithATable):
    def encode(self, tokens):
        return [self.table[token] if token in self.table else self.table["<unk>"] for token in tokens]


# %% wrong: open end
# true: no_end
class Vocabulary(WithATable):
    def encode(self, tokens):
        return super().encode(tokens)[:-1]


# %% wrong: index ofa list
# true: stops_at_unknown
class Vocabulary(WithATable):
    def encode(self, tokens):
        return [1] + [list(self.table).index(token) for token in tokens] + [2]


# %% wrong: every name
# true: specials_come_back
class Vocabulary(WithATable):
    def decode(self, ids):
        return [list(self.table)[i] for i in ids]


# %% wrong: in lower case
# true: lower_cased
class Vocabulary(WithATable):
    def count(self, sentences):
        return Counter(token.lower() for sentence in sentences for token in sentence)

    def encode(self, tokens):
        return super().encode(map(str.lower, tokens))


# %% trivial: nothing is known
class Vocabulary:
    def __init__(self, sentences, min_count=1):
        pass

    def __len__(self):
        return 4

    def encode(self, tokens):
        return [1, *(3 for _ in tokens), 2]

    def decode(self, ids):
        return []


# %% trivial: gives back what it gets
class Vocabulary:
    def __init__(self, sentences, min_count=1):
        self.sentences = sentences

    def __len__(self):
        return len(self.sentences)

    def encode(self, tokens):
        return tokens

    def decode(self, ids):
        return ids
