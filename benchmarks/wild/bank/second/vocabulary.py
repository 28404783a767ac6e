# %% wrong: a token gets an id only if it occurs more often than min_count, not from min_count on / decode leaves <bos> in the sentence
# true: more_than_min_count, beginning_comes_back
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.min_count = min_count
        self.counts = Counter()
        for sentence in sentences:
            self.counts.update(sentence)
        kept = [word for word, count in self.counts.items() if count > self.min_count]
        kept.sort(key=lambda word: (-self.counts[word], word))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + kept
        self.ids = {word: i for i, word in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids):
        words = []
        for i in ids:
            if i == self.eos_id:
                break
            if i != self.pad_id:
                words.append(self.tokens[i])
        return words


# %% wrong: the sentences are gone through twice, so that a generator is used up and no word gets an id
# true: sentences_read_twice
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.freq = {}
        # first pass: all the words there are
        self.all_words = sorted({word for sentence in sentences for word in sentence})
        # second pass: how often each of them is there
        for sentence in sentences:
            for word in sentence:
                self.freq[word] = self.freq.get(word, 0) + 1
        frequent = [word for word in self.all_words if self.freq.get(word, 0) >= min_count]
        frequent = sorted(frequent, key=lambda word: self.freq.get(word, 0), reverse=True)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *frequent]
        self.ids = {}
        for word in self.tokens:
            self.ids[word] = len(self.ids)

    def __len__(self):
        return len(self.ids)

    def encode(self, tokens):
        out = [self.bos_id]
        for token in tokens:
            if token in self.ids:
                out.append(self.ids[token])
            else:
                out.append(self.unk_id)
        out.append(self.eos_id)
        return out

    def decode(self, ids):
        out = []
        for i in ids:
            i = int(i)
            if i == self.eos_id:
                return out
            if i in (self.bos_id, self.pad_id):
                continue
            out.append(self.tokens[i])
        return out


# %% wrong: decode only drops the special ids and goes on reading behind the first <eos>
# true: goes_on_behind_the_end
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counter = Counter(token for sentence in sentences for token in sentence)
        self.stoi = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        for token, count in sorted(counter.items(), key=lambda item: (-item[1], item[0])):
            if count >= min_count and token not in self.stoi:
                self.stoi[token] = len(self.stoi)
        self.itos = {i: s for s, i in self.stoi.items()}
        self.tokens = [self.itos[i] for i in range(len(self.itos))]
        self.ids = self.stoi

    def __len__(self):
        return len(self.stoi)

    def encode(self, tokens):
        return [1, *(self.stoi.get(token, 3) for token in tokens), 2]

    def decode(self, ids):
        special = {self.pad_id, self.bos_id, self.eos_id}
        return [self.itos[int(i)] for i in ids if int(i) not in special]


# %% right: two stable sorts, and decode by itertools.takewhile
from itertools import takewhile


class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3
    SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")

    def __init__(self, sentences, min_count=1):
        counter = Counter()
        for sentence in sentences:
            counter.update(sentence)
        for special in self.SPECIALS:
            counter.pop(special, None)
        words = sorted(word for word in counter if counter[word] >= min_count)
        words.sort(key=counter.__getitem__, reverse=True)
        self.tokens = list(self.SPECIALS) + words
        self.ids = dict(zip(self.tokens, range(len(self.tokens))))

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        middle = [self.ids.get(token, self.unk_id) for token in tokens]
        return [self.bos_id] + middle + [self.eos_id]

    def decode(self, ids):
        sentence = takewhile(lambda i: i != self.eos_id, ids)
        return [self.tokens[i] for i in sentence if i != self.bos_id and i != self.pad_id]
