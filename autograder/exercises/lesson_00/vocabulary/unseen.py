# %% wrong (first): equal counts keep the order in which they were first seen (most_common), not the alphabet
# true: ties_as_they_came
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter()
        for sentence in sentences:
            counts.update(sentence)
        specials = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens = specials + [t for t, c in counts.most_common() if c >= min_count and t not in specials]
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i in (self.bos_id, self.pad_id):
                continue
            out.append(self.tokens[i])
        return out

# %% wrong (first): a token must occur more than min_count times, not at least min_count
# true: more_than_min_count
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        freq = {}
        for sent in sentences:
            for tok in sent:
                freq[tok] = freq.get(tok, 0) + 1
        words = [w for w in freq if freq[w] > min_count]
        words.sort(key=lambda w: (-freq[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = dict(zip(self.tokens, range(len(self.tokens))))

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id, *(self.ids.get(t, self.unk_id) for t in tokens), self.eos_id]

    def decode(self, ids):
        result = []
        for i in ids:
            i = int(i)
            if i == self.eos_id:
                return result
            if i not in (self.pad_id, self.bos_id):
                result.append(self.tokens[i])
        return result

# %% wrong (first): sorted(reverse=True) on (count, token) pairs puts equal counts in reverse alphabet
# true: ties_against_the_alphabet
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        c = Counter(tok for s in sentences for tok in s)
        pairs = sorted(((n, t) for t, n in c.items() if n >= min_count), reverse=True)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens.extend(t for _, t in pairs)
        self.ids = {}
        for i, t in enumerate(self.tokens):
            self.ids[t] = i

    def __len__(self):
        return len(self.ids)

    def encode(self, tokens):
        ids = [self.bos_id]
        for t in tokens:
            if t in self.ids:
                ids.append(self.ids[t])
            else:
                ids.append(self.unk_id)
        ids.append(self.eos_id)
        return ids

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i != self.bos_id and i != self.pad_id:
                out.append(self.tokens[i])
        return out

# %% wrong (first): decode does not stop at eos, it only leaves the special tokens out and goes on behind the end of the sentence
# true: goes_on_behind_the_end
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counter = Counter()
        for s in sentences:
            counter.update(s)
        kept = sorted((t for t in counter if counter[t] >= min_count), key=lambda t: (-counter[t], t))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + kept
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        skip = {self.pad_id, self.bos_id, self.eos_id}
        return [self.tokens[i] for i in ids if i not in skip]

# %% wrong (first): decode assumes the frame, throws the first id away and cuts at index(eos), so it crashes where there is no eos and loses a word where there is no bos
# true: frame_assumed
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        for t, c in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])):
            if c >= min_count:
                self.tokens.append(t)
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        ids = list(ids)
        return [self.tokens[i] for i in ids[1:ids.index(self.eos_id)]]

# %% wrong (first): encode leaves unknown tokens out instead of writing unk_id
# true: unknown_left_out
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        words = [t for t, c in counts.items() if c >= min_count]
        words = sorted(words)
        words = sorted(words, key=counts.get, reverse=True)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids[t] for t in tokens if t in self.ids] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i in {self.bos_id, self.pad_id}:
                continue
            out.append(self.tokens[i])
        return out

# %% wrong (first): len counts only the words of the text, not the four special ids
# true: specials_not_counted
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        self.words = sorted([t for t, c in counts.items() if c >= min_count], key=lambda t: (-counts[t], t))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + self.words
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.words)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i == self.bos_id or i == self.pad_id:
                continue
            out.append(self.tokens[i])
        return out

# %% wrong (first): decode stops at padding as well as at the end, so words behind a pad are lost
# true: stops_at_padding
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter()
        for s in sentences:
            counts.update(s)
        words = sorted(counts, key=lambda w: (-counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + [w for w in words if counts[w] >= min_count]
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        words = []
        for idx in ids:
            if idx in (self.eos_id, self.pad_id):
                break
            if idx == self.bos_id:
                continue
            words.append(self.tokens[idx])
        return words

# %% wrong (first): decode leaves unknown words out with the other special tokens
# true: unknown_lost_on_the_way_back
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.counts = Counter(t for s in sentences for t in s)
        words = sorted((w for w, c in self.counts.items() if c >= min_count), key=lambda w: (-self.counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i < 4:
                continue
            out.append(self.tokens[i])
        return out

# %% wrong (first): a token is counted once per sentence (set), so the counts are document frequencies
# true: counted_once_a_sentence
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter()
        for s in sentences:
            counts.update(set(s))
        words = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                out.append(self.tokens[i])
        return out

# %% wrong (first): everything is lower-cased, so capitalised tokens lose their form / the eos is missing at the end of encode
# true: lower_cased, no_end
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t.lower().strip() for s in sentences for t in s)
        words = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t.lower(), self.unk_id) for t in tokens]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                out.append(self.tokens[i])
        return out

# %% wrong (first): decode returns one string joined by spaces instead of a list of tokens
# true: text_comes_back
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        words = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                out.append(self.tokens[i])
        return " ".join(out)

# %% wrong (first): encode adds every new word it meets to the vocabulary (defaultdict), so it grows and nothing is ever unknown
# true: unknown_gets_a_new_id
from collections import defaultdict

class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.ids = defaultdict(lambda: len(self.ids))
        for t in self.tokens:
            self.ids[t]
        for w, c in sorted(counts.items(), key=lambda p: (-p[1], p[0])):
            if c >= min_count:
                self.ids[w]
                self.tokens.append(w)

    def __len__(self):
        return len(self.ids)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids[t] for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.bos_id, self.pad_id):
                out.append(self.tokens[i] if i < len(self.tokens) else "<unk>")
        return out

# %% wrong (first): the last id of a sentence is taken for its end, so a sentence without eos loses its last word
# true: last_id_taken_for_the_end
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        counts = Counter(t for s in sentences for t in s)
        words = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = {w: i for i, w in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        ids = [int(i) for i in ids]
        end = ids.index(self.eos_id) if self.eos_id in ids else -1
        return [self.tokens[i] for i in ids[:end] if i not in (self.pad_id, self.bos_id)]

# %% wrong (first): ties come in the order of first sight / decode goes on behind the end of the sentence
# true: goes_on_behind_the_end, ties_as_they_came
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.freq = {}
        for s in sentences:
            for t in s:
                self.freq[t] = self.freq.get(t, 0) + 1
        kept = sorted([t for t in self.freq if self.freq[t] >= min_count], key=lambda t: self.freq[t], reverse=True)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *kept]
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        return [self.tokens[int(i)] for i in ids if int(i) not in (0, 1, 2)]

# %% wrong (first): min_count is ignored / tokens come by alphabet only, not by count
# true: alphabet_only, min_count_ignored
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.min_count = min_count
        words = set()
        for s in sentences:
            words |= set(s)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + sorted(words)
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids):
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.pad_id, self.bos_id):
                out.append(self.tokens[i])
        return out

# %% right (first): Counter, one sort with a pair as key
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter(token for sentence in sentences for token in sentence)
        specials = ["<pad>", "<bos>", "<eos>", "<unk>"]
        words = [t for t in counts if counts[t] >= min_count and t not in specials]
        words.sort(key=lambda t: (-counts[t], t))
        self.tokens = specials + words
        self.ids = {t: i for i, t in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(t, self.unk_id) for t in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        out = []
        for i in ids:
            if i == self.eos_id:
                break
            if i == self.pad_id or i == self.bos_id:
                continue
            out.append(self.tokens[i])
        return out

# %% right (first): two stable sorts, plain dict for counting, takewhile in decode
from itertools import takewhile

class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        self.min_count = min_count
        self.counts = {}
        for sentence in sentences:
            for token in sentence:
                self.counts[token] = self.counts.get(token, 0) + 1
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.ids = {token: i for i, token in enumerate(self.tokens)}
        alphabetical = sorted(self.counts)
        for token in sorted(alphabetical, key=self.counts.__getitem__, reverse=True):
            if self.counts[token] >= min_count:
                self._add(token)

    def _add(self, token):
        if token not in self.ids:
            self.ids[token] = len(self.tokens)
            self.tokens.append(token)

    def __len__(self):
        return len(self.tokens)

    def encode(self, tokens):
        ids = [self.bos_id]
        for token in tokens:
            ids.append(self.ids[token] if token in self.ids else self.unk_id)
        ids.append(self.eos_id)
        return ids

    def decode(self, ids):
        said = takewhile(lambda i: int(i) != self.eos_id, ids)
        return [self.tokens[int(i)] for i in said if int(i) not in (self.pad_id, self.bos_id)]

# %% right (first): most_common over an alphabetically ordered Counter, decode by list slicing
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3
    SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")

    def __init__(self, sentences, min_count=1):
        freqs = Counter()
        for s in sentences:
            freqs.update(s)
        ordered = Counter(dict(sorted(freqs.items())))
        itos = list(self.SPECIALS)
        for word, freq in ordered.most_common():
            if freq < min_count:
                break
            if word not in self.SPECIALS:
                itos.append(word)
        self.tokens = itos
        self.ids = dict(zip(itos, range(len(itos))))

    def __len__(self):
        return len(self.ids)

    def encode(self, tokens):
        return [self.bos_id, *[self.ids.get(tok, self.unk_id) for tok in tokens], self.eos_id]

    def decode(self, ids):
        ids = list(ids)
        if self.eos_id in ids:
            ids = ids[: ids.index(self.eos_id)]
        return [self.tokens[i] for i in ids if i not in (self.bos_id, self.pad_id)]

# %% wrong (second): a token gets an id only if it occurs more often than min_count, not from min_count on / decode leaves <bos> in the sentence
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


# %% wrong (second): the sentences are gone through twice, so that a generator is used up and no word gets an id
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


# %% wrong (second): decode only drops the special ids and goes on reading behind the first <eos>
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


# %% right (second): two stable sorts, and decode by itertools.takewhile
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

# %% wrong (third): tokens of equal count come in the order of their first occurrence, not by alphabet
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


# %% wrong (third): counts in how many sentences a token occurs, not how often / decode leaves "<unk>" out with the other special tokens
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


# %% wrong (third): goes through the sentences twice, so that a generator leaves nothing but the special tokens
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


# %% right (third): tokens grouped by their count, takewhile for the end of a sentence
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

# %% wrong (last): equal counts come by first appearance / decode runs on behind the first eos_id
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


# %% wrong (last): the sentences are gone through twice, so a generator leaves only the four specials
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


# %% right (last): counts grouped by hand, two stable sorts, takewhile and filter
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


# %% wrong (fifth): equally frequent tokens come in the order in which they first occur
# true: ties_as_they_came
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter()
        for sentence in sentences:
            counts.update(sentence)
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
        self.tokens += [token for token, count in counts.most_common() if count >= min_count]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        tokens = []
        for i in ids:
            if i == self.eos_id:
                break
            if i not in (self.pad_id, self.bos_id):
                tokens.append(self.tokens[i])
        return tokens


# %% wrong (fifth): goes over the sentences twice, so nothing of a generator is counted
# true: sentences_read_twice
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        words = sorted({token for sentence in sentences for token in sentence})
        counts = Counter(token for sentence in sentences for token in sentence)
        words = [word for word in words if counts[word] >= min_count]
        words.sort(key=lambda word: -counts[word])
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + words
        self.ids = dict(zip(self.tokens, range(len(self.tokens))))

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id, *(self.ids.get(token, self.unk_id) for token in tokens), self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        result = []
        for i in ids:
            if i == self.eos_id:
                return result
            if i == self.unk_id or i > 3:
                result.append(self.tokens[i])
        return result


# %% wrong (fifth): decode drops the first id and the last, whatever they are
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter(token for sentence in sentences for token in sentence)
        kept = [token for token in counts if counts[token] >= min_count]
        kept.sort(key=lambda token: (-counts[token], token))
        self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *kept]
        self.ids = {token: i for i, token in enumerate(self.tokens)}

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        ids = [i for i in ids if i != self.pad_id]
        if self.eos_id in ids:
            ids = ids[: ids.index(self.eos_id) + 1]
        return [self.tokens[i] for i in ids[1:-1]]


# %% wrong (fifth): tokens and ids belong to the class, so a second vocabulary changes the first
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3
    tokens = ["<pad>", "<bos>", "<eos>", "<unk>"]
    ids = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        counts = Counter()
        for sentence in sentences:
            counts.update(sentence)
        for token, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if count >= min_count:
                self.ids[token] = len(self.tokens)
                self.tokens.append(token)

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        return [self.bos_id] + [self.ids.get(token, self.unk_id) for token in tokens] + [self.eos_id]

    def decode(self, ids: Iterable[int]) -> list[str]:
        words = []
        for i in ids:
            if i == self.eos_id:
                break
            if i in (self.pad_id, self.bos_id):
                continue
            words.append(self.tokens[i])
        return words


# %% right (fifth): stable sorts, private attributes and takewhile
class Vocabulary:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences: Iterable[Sequence[str]], min_count: int = 1) -> None:
        seen: dict[str, int] = {}
        for sentence in sentences:
            for token in sentence:
                seen[token] = seen.get(token, 0) + 1
        frequent = sorted(token for token, times in seen.items() if not times < min_count)
        frequent.sort(key=seen.get, reverse=True)  # a stable sort keeps the alphabet among equals, reversed or not
        self._number = {token: number for number, token in enumerate(frequent, start=4)}
        self._word = {number: token for token, number in self._number.items()} | {self.unk_id: "<unk>"}

    def __len__(self) -> int:
        return 4 + len(self._number)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        ids = [self.bos_id]
        for token in tokens:
            try:
                ids.append(self._number[token])
            except KeyError:
                ids.append(self.unk_id)
        ids.append(self.eos_id)
        return ids

    def decode(self, ids: Iterable[int]) -> list[str]:
        from itertools import takewhile

        before_end = takewhile(lambda number: number != self.eos_id, ids)
        return [self._word[number] for number in before_end if number not in {self.pad_id, self.bos_id}]
