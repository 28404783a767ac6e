"""Exercise `vocabulary`: a number for each token, and the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from autograder.exercises.lesson_00.words import words
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged
from course_lib.checking.recognisers.lesson_00 import stops_at_unknown_tokens


def _question(name: str, sentences: list[list[str]], min_count: int, *calls: dict[str, Any]) -> Question:
    returns = list(calls[-1])
    given = {"arguments": {"sentences": sentences, "min_count": min_count}, "calls": list(calls), "returns": returns}
    return Question(name, probes.methods, given)


def _from_a_generator(question: Question) -> Question:
    return Question("from_a_generator", question.probe, {**question.given, "once": ["sentences"]})


def ask(draw: Draw) -> Iterator[Question]:
    """Different counts, equal counts, rare and unknown tokens, an empty sentence; ids of all kinds on the way back.

    Each order but the right one is another one on every draw: b is met before c, which is as frequent and precedes it by
    alphabet, and the alphabet puts b behind all that are rarer.
    """
    drawn = words(draw, 9)
    *three, b = sorted(drawn[:4])
    (a, c, d), (e, f, *others) = draw.shuffled(three), drawn[4:]
    yield _question("by_hand", [[b, a, b], [c, b, a]], 1, {"encode": draw.shuffled([a, b, c])})

    yield _question(
        "decode_by_hand", [[b, a, b], [c, b, a]], 1, {"decode": [1, *map(int, draw.shuffled((4, 4, 5))), 2]}
    )

    first, second, third, fourth = sorted(words(draw, 4))
    # in the order of their first occurrence and of their last, and neither by alphabet nor against it
    equal = draw.shuffled(([third, first, fourth, second], [second, fourth, first, third]))[0]
    ties = [[*equal, "zoo"], [], ["zoo", *equal[1:], equal[0], "zoo"]]
    yield _question("equal_counts", ties, 1, {"encode": draw.shuffled([first, second, third, fourth, "zoo"])})

    # d is in one sentence twice and in no other; e, f and the others occur once
    rare = [[a, b, a, c], [d, e, d], [c, b, a, a], [c, f, b], [a, *others]]
    known, unknown = draw.shuffled([a, b, c, d]), draw.shuffled([e, "unheard"])
    yield _question("unknown", rare, 2, {"encode": [known[0], unknown[0], *known[1:], unknown[1], known[0]]})
    yield _question("length", rare, 2, {"len": None})
    yield _from_a_generator(_question("", rare, 1, {"encode": known}))
    yield _question("nothing", rare, 2, {"encode": []})
    # of the first two, one is of a tie and one of the rarest token that is kept
    tied, other = (int(i) for i in draw.shuffled((5, 6)))
    ids = [tied, 7, *(int(i) for i in draw.shuffled((4, other)))]
    yield _question("decode", rare, 2, {"decode": [1, *ids[:2], 3, *ids[2:], 2]})
    yield _question("decode_padded", rare, 2, {"decode": [ids[0], 0, ids[1], 2, ids[2], 2, 0]})
    yield _question("decode_open", rare, 2, {"decode": [1, *ids[1:]]})
    yield _question("there_and_back", rare, 2, {"encode": unknown}, {"len": None}, {"encode": [*unknown, *others]})

    first, second, third = words(draw, 3)
    the, capital = first, first.capitalize()
    capitals = [[capital, third, the], [capital, the, capital, second]]
    yield _question("capitals", capitals, 1, {"encode": draw.shuffled([the, capital, second.capitalize()])})


LAWS = (
    Law("equals_by_hand", equals_reference, "by_hand", "the most frequent token is 4, the next one 5; 1 begins a sentence and 2 ends it", 0.4,
        {"fields": ["calls/0/encode"]}),
    Law("equal_counts", equals_reference, "equal_counts", "equally frequent tokens come in alphabetical order", 0.25,
        {"fields": ["calls/0/encode"]}),
    Law("capitals", equals_reference, "capitals", "a word with a capital letter is a token of its own", 0.1,
        {"fields": ["calls/0/encode"]}),
    Law("unknown", equals_reference, "unknown", "tokens that are rarer than `min_count`, or new, become 3", 0.25,
        {"fields": ["calls/0/encode"]}, also=("from_a_generator",)),
    Law("length", equals_reference, "length", "its length includes the special ids", 0.15,
        {"fields": ["calls/0/len"]}),
    Law("nothing", equals_reference, "nothing", "an empty sentence becomes `bos_id` and `eos_id`", 0.1,
        {"fields": ["calls/0/encode"]}),
    Law("equals_decode", equals_reference, "decode", "ids become tokens again, without `bos_id` and `eos_id`", 0.25,
        {"fields": ["calls/0/decode"]}, also=("decode_by_hand",)),
    Law("decode_padded", equals_reference, "decode_padded", "nothing comes back for padding, or for what follows the first `eos_id`", 0.15,
        {"fields": ["calls/0/decode"]}),
    Law("decode_open", equals_reference, "decode_open", "a sentence without `eos_id` comes back whole", 0.1,
        {"fields": ["calls/0/decode"]}),
    Law("stays_as_it_was", equals_reference, "there_and_back", "encoding new tokens doesn't make it longer", 0.15,
        {"fields": ["calls/1/len", "calls/2/encode"]}),
    Law("inputs_unchanged", inputs_unchanged, "unknown", "the sentences are left as they were", 0.1,
        needs="unknown"),
)  # fmt: skip

COUNTS = "Counter(token for sentence in sentences for token in sentence)"
KEPT = "if count >= min_count"
SORT = "frequent.sort(key=lambda token: (-counts[token], token))"
TOKENS = 'self.tokens = ["<pad>", "<bos>", "<eos>", "<unk>", *frequent]'
LENGTH = "return len(self.tokens)"
ID = "self.ids.get(token, self.unk_id)"
FRAME = f"[self.bos_id, *({ID} for token in tokens), self.eos_id]"
STOP = """            if i == self.eos_id:
                break
"""
DROPPED = "i not in (self.bos_id, self.pad_id)"
BACK = "tokens.append(self.tokens[i])"
RETURN = "        return tokens\n"

MISTAKES = (
    # the counts
    mistake(
        "sentences_read_twice",
        "You iterate over the sentences twice. A generator can be iterated over only once: the second time it is empty, and so is whatever you make from it.",
        (
            "Build a vocabulary from `(s for s in sentences)`. Which tokens does it have?",
            "How many of your loops, sets or comprehensions run over `sentences`?",
            "Count everything in one pass, `counts = Counter(...)`, and use only `counts` from then on.",
        ),
        ("for token, count in counts.items()", "for token, count in ((t, counts[t]) for t in {t: 0 for s in sentences for t in s})"),
        group=ALONE,
    ),
    # the order
    mistake(
        "ties_as_they_came",
        "Equally frequent tokens come in the order in which you met them, so the same sentences in another order would give another vocabulary. Their order should be alphabetical.",
        (
            "Build a vocabulary from the same sentences in another order. Are the ids the same?",
            "`most_common` and `sort` keep equal items in the order they had. What should decide between them?",
            "Sort by two criteria at once: `key=lambda token: (-counts[token], token)`.",
        ),
        (SORT, "frequent.sort(key=lambda token: -counts[token])"),
        group="order",
    ),
    mistake(
        "ties_against_the_alphabet",
        "Equally frequent tokens come in reverse alphabetical order, because `reverse=True` reverses both, the counts and the tokens.",
        (
            "Two tokens occur once each. Which of them has the smaller id?",
            "You want large counts first and early letters first. Can one `reverse` do both?",
            "`key=lambda token: (-counts[token], token)`, without `reverse`.",
        ),
        (SORT, "frequent.sort(key=lambda token: (counts[token], token), reverse=True)"),
        group="order",
    ),
    mistake(
        "rarest_first",
        "Your rarest token comes first. The most frequent one should.",
        (
            "Which token has the id 4 in the smallest example, and how often does it occur?",
            "`sort` puts the smallest number first.",
            "`key=lambda token: (-counts[token], token)`.",
        ),
        (SORT, SORT.replace("-counts", "counts")),
        group="order",
    ),
    mistake(
        "alphabet_only",
        "You sort alphabetically only, and ignore how often a token occurs.",
        (
            "Which token has the id 4 in the smallest example, and how often does it occur?",
            "The alphabet only decides between equally frequent tokens. What decides first?",
            "`key=lambda token: (-counts[token], token)`.",
        ),
        (SORT, "frequent.sort()"),
        group="order",
    ),
    mistake(
        "as_they_came",
        "You number the tokens in the order in which they first occur.",
        (
            "Which token has the id 4 in the smallest example, and how often does it occur?",
            "A `Counter` keeps the order in which tokens first occur. Where do you sort?",
            "`key=lambda token: (-counts[token], token)`.",
        ),
        (SORT, "pass"),
        group="order",
    ),
    mistake(
        "ids_from_0",
        "Your tokens begin at id 0, so four of them share their ids with `<pad>`, `<bos>`, `<eos>` and `<unk>`.",
        (
            "What is the id of your most frequent token? What is the id of padding?",
            "The first four ids are taken. Where must the tokens begin?",
            "`[\"<pad>\", \"<bos>\", \"<eos>\", \"<unk>\", *frequent]`.",
        ),
        (TOKENS, 'self.tokens = [*frequent, "<pad>", "<bos>", "<eos>", "<unk>"]'),
        group=ALONE,
    ),
    # what counts
    mistake(
        "min_count_ignored",
        "Every token gets an id, whatever `min_count` is.",
        (
            "Build a vocabulary with `min_count=2`. Which id does a token get that occurs once?",
            "`min_count` is a parameter. Where in your code does it appear?",
            "Keep a token `if counts[token] >= min_count`.",
        ),
        (KEPT, ""),
        group="count",
    ),
    mistake(
        "more_than_min_count",
        "In your version, a token that occurs exactly `min_count` times gets no id.",
        (
            "Build a vocabulary with `min_count=2`. Which id does a token get that occurs twice?",
            "Look at your comparison: `>`, or `>=`?",
            "`if counts[token] >= min_count`.",
        ),
        (KEPT, "if count > min_count"),
        group="count",
    ),
    mistake(
        "counted_once_a_sentence",
        "You count the *sentences* in which a token occurs. A token that occurs twice in one sentence counts twice.",
        (
            "In *very very good*, how often does *very* occur?",
            "Where do you make a set of a sentence?",
            "`Counter(token for sentence in sentences for token in sentence)`.",
        ),
        (COUNTS, "Counter(token for sentence in sentences for token in dict.fromkeys(sentence))"),
        group="count",
    ),
    mistake(
        "specials_not_counted",
        "Your length leaves out the four special ids. A model needs a row of its embedding for each of them, too.",
        (
            "What is your largest id, and what is your length?",
            "Ids start at 0. How many are there up to the largest?",
            "`return len(self.tokens)`, which includes the special ones.",
        ),
        (LENGTH, f"{LENGTH} - 4"),
        group=ALONE,
    ),
    # encode
    mistake(
        "no_frame",
        "Your ids begin with the first token and end with the last. `bos_id` should come before them, and `eos_id` after them.",
        (
            "How many ids do you return for three tokens? How many does the docstring promise?",
            "A decoder must know where to begin and when to stop. Which two ids are for that?",
            "`[self.bos_id, *ids, self.eos_id]`.",
        ),
        (FRAME, f"[{ID} for token in tokens]"),
        group="frame",
    ),
    mistake(
        "no_end",
        "Your sentences begin with `bos_id` and lack `eos_id` at the end. A decoder that learns from them never stops.",
        (
            "What is the last id that `encode` returns?",
            "Two special ids frame a sentence. Which one is missing?",
            "`[self.bos_id, *ids, self.eos_id]`.",
        ),
        (FRAME, f"[self.bos_id, *({ID} for token in tokens)]"),
        group="frame",
    ),
    mistake(
        "no_beginning",
        "Your sentences end with `eos_id` and lack `bos_id` at the beginning. A decoder needs something to start from.",
        (
            "What is the first id that `encode` returns?",
            "Two special ids frame a sentence. Which one is missing?",
            "`[self.bos_id, *ids, self.eos_id]`.",
        ),
        (FRAME, f"[*({ID} for token in tokens), self.eos_id]"),
        group="frame",
    ),
    mistake(
        "lower_cased",
        "You convert everything to lower case. *The* and *the* share an id, and the capitals are lost when you decode. Tokens should be taken as they are.",
        (
            "Encode and decode a sentence with a capital letter. What comes back?",
            "A vocabulary shouldn't change tokens. Where does yours?",
            "Leave out `.lower()`: count and look up the tokens as they come.",
        ),
        (COUNTS, COUNTS.replace("(token ", "(token.lower() ")),
        (ID, ID.replace("(token,", "(token.lower(),")),
        group="case",
    ),
    mistake(
        "unknown_left_out",
        "You leave out tokens that have no id. The sentence gets shorter, and nothing shows that there was a word.",
        (
            "How many ids do you return for a sentence with one unknown token?",
            "What do you do with a token that is not in your dictionary?",
            "`self.ids.get(token, self.unk_id)`.",
        ),
        (FRAME, "[self.bos_id, *(self.ids[token] for token in tokens if token in self.ids), self.eos_id]"),
        group="unknown",
    ),
    mistake(
        "unknown_is_padding",
        "A token without an id becomes 0, which is padding, so masks will hide it and the loss will ignore it.",
        (
            "Which id do you give to a token that was never seen?",
            "Four ids are special. Which of them is for this?",
            "`self.ids.get(token, self.unk_id)`.",
        ),
        (ID, "self.ids.get(token, self.pad_id)"),
        group="unknown",
    ),
    mistake(
        "unknown_gets_a_new_id",
        "`encode` gives a new id to every token that has none. Your vocabulary grows while it is used, and a trained model has no row for the new ids.",
        (
            "What is the length of your vocabulary before and after you encode a token that was never seen?",
            "Which line of `encode` changes the vocabulary?",
            "`self.ids.get(token, self.unk_id)` looks an id up and changes nothing.",
        ),
        (ID, "self.ids.setdefault(token, len(self.ids))"),
        (LENGTH, "return len(self.ids)"),
        group="unknown",
    ),
    mistake(
        "stops_at_unknown",
        "You encode known tokens correctly, but a token without an id raises an error.",
        (
            "Encode a token that was never seen. What should come back?",
            "Square brackets on a dictionary raise a `KeyError` for a missing key.",
            "`self.ids.get(token, self.unk_id)`.",
        ),
        (ID, "self.ids[token]"),
        recogniser=stops_at_unknown_tokens,
        group="unknown",
    ),
    # decode
    mistake(
        "specials_come_back",
        "`decode` turns the special ids into tokens, too: your sentence contains *<bos>*, *<eos>* or *<pad>*.",
        (
            "What do you get for `decode(encode(tokens))`?",
            "Three of the four special ids don't stand for a word. Where do you leave them out?",
            "Stop at `eos_id`, and skip `bos_id` and `pad_id`.",
        ),
        (STOP, ""),
        (f"            if {DROPPED}:\n                {BACK}", f"            {BACK}"),
        group=ALONE,
    ),
    mistake(
        "goes_on_behind_the_end",
        "`decode` goes on after the first `eos_id`. Whatever a model writes after it has ended isn't part of the sentence.",
        (
            "Decode ids with a 2 in the middle.",
            "You leave out `eos_id`. What else should happen there?",
            "`if i == self.eos_id: break`.",
        ),
        (STOP, ""),
        (DROPPED, "i not in (self.bos_id, self.pad_id, self.eos_id)"),
        group="behind",
    ),
    mistake(
        "frame_assumed",
        "`decode` assumes that a sentence begins with `bos_id` and contains an `eos_id`. Without a `bos_id`, the first word is lost, and without an `eos_id` it raises an error.",
        (
            "Decode ids that don't begin with 1, and ids without a 2.",
            "Which ids do you leave out because of their value, and which because of their position?",
            "Go through all ids, stop at `eos_id`, and skip `bos_id` and `pad_id`.",
        ),
        ("for i in ids:", "for i in ids[1 : ids.index(self.eos_id)]:"),
        (DROPPED, "True"),
        group=ALONE,
    ),
    mistake(
        "last_id_taken_for_the_end",
        "If a sentence has no `eos_id`, `decode` loses its last word: a slice that ends at −1 leaves out the last id.",
        (
            "Decode ids without a 2. How many words come back?",
            "What does the slice `ids[:-1]` leave out?",
            "Without an `eos_id` the end is `len(ids)`. Or go through the ids one by one and stop at `eos_id`.",
        ),
        ("for i in ids:", "for i in ids[: ids.index(self.eos_id) if self.eos_id in ids else -1]:"),
        group=ALONE,
    ),
    mistake(
        "end_comes_back",
        "`decode` stops at `eos_id`, as it should, but adds *<eos>* to the sentence.",
        (
            "What is the last token that you get for `decode(encode(tokens))`?",
            "Which comes first in your loop, appending a token or checking for the end?",
            "Check for `eos_id` before you append.",
        ),
        (STOP, ""),
        (BACK, f"{BACK}\n            if i == self.eos_id:\n                break"),
        group=ALONE,
    ),
    mistake(
        "beginning_comes_back",
        "`decode` leaves *<bos>* at the front of the sentence.",
        (
            "What is the first token that you get for `decode(encode(tokens))`?",
            "Which special ids do you leave out, and which one is missing?",
            "Skip `bos_id` and `pad_id`.",
        ),
        (DROPPED, "i != self.pad_id"),
        group="behind",
    ),
    mistake(
        "stops_at_padding",
        "`decode` stops at the first padding. It should skip it, since padding may be anywhere.",
        (
            "Decode ids with a 0 in the middle.",
            "What does your loop do at `pad_id`, stop or skip it?",
            "Stop only at `eos_id`.",
        ),
        (STOP, STOP.replace("i == self.eos_id", "i in (self.eos_id, self.pad_id)")),
        group=ALONE,
    ),
    mistake(
        "unknown_lost_on_the_way_back",
        "`decode` leaves out `unk_id`. It stands for a word, so it should come back as *<unk>*.",
        (
            "How many tokens does `decode(encode(tokens))` have if one of them is unknown?",
            "Which special ids do you leave out? One of them stands for a word.",
            "Skip only `bos_id` and `pad_id`.",
        ),
        (DROPPED, "i > self.unk_id"),
        group=ALONE,
    ),
    mistake(
        "text_comes_back",
        "`decode` returns a single string. It should return a list of tokens.",
        (
            "What is the `type` of what `decode` returns?",
            "Joining tokens is another matter, and depends on the language: there is no space after *l'*.",
            "Return the list.",
        ),
        (RETURN, '        return " ".join(tokens)\n'),
        group=ALONE,
    ),
)  # fmt: skip


class TwoDictionaries:
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


class SortedTwice:
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


class MostCommonOfSorted:
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


class IsADictionary(dict[str, int]):
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


class LooksUpWithTry:
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


class stub:
    pad_id, bos_id, eos_id, unk_id = 0, 1, 2, 3

    def __init__(self, sentences, min_count=1):
        raise NotImplementedError


class NothingIsKnown:
    def __init__(self, sentences, min_count=1):
        pass

    def __len__(self):
        return 4

    def encode(self, tokens):
        return [1, *(3 for _ in tokens), 2]

    def decode(self, ids):
        return []


class GivesBackWhatItGets:
    def __init__(self, sentences, min_count=1):
        self.sentences = sentences

    def __len__(self):
        return len(self.sentences)

    def encode(self, tokens):
        return tokens

    def decode(self, ids):
        return ids


VOCABULARY = define(
    id="vocabulary",
    lesson="00_the_task",
    place=1,
    module="course_lib.components.vocabulary",
    symbol="Vocabulary",
    write=("__init__", "__len__", "encode", "decode"),
    minutes=15,
    laws=LAWS,
    hints=(
        "Take the smallest example. Count its tokens on paper, sort them, and number them from 4.",
        "Four steps: count the tokens, keep those that are frequent enough, sort them by count and then alphabetically, and number them from 4. Use a list for one direction and a dictionary for the other.",
        "`sorted(kept, key=lambda token: (-counts[token], token))` after the four special tokens; `encode` returns `[bos, *(ids.get(token, unk) for token in tokens), eos]`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(TwoDictionaries, SortedTwice, MostCommonOfSorted, IsADictionary, LooksUpWithTry),
    lazy=(stub, NothingIsKnown, GivesBackWhatItGets),
    switches=("order", "count", "frame", "case", "behind"),
)  # fmt: skip


# the mistakes again, in another style: each must get the same name


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


@VOCABULARY.second_version("ties_as_they_came")
class MostCommon(WithATable):
    def number(self, counts, min_count):
        tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + [t for t, c in counts.most_common() if c >= min_count]
        self.table = {token: i for i, token in enumerate(tokens)}


@VOCABULARY.second_version("alphabet_only")
class SortedSet(WithATable):
    def number(self, counts, min_count):
        tokens = sorted({token for token in counts if counts[token] >= min_count})
        self.table = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        self.table.update(zip(tokens, range(4, 4 + len(tokens)), strict=True))


@VOCABULARY.second_version("min_count_ignored")
class EveryToken(WithATable):
    def number(self, counts, min_count):
        super().number(counts, 1)


@VOCABULARY.second_version("counted_once_a_sentence")
class SetOfEachSentence(WithATable):
    def count(self, sentences):
        counts = Counter()
        for sentence in sentences:
            counts.update(sorted(set(sentence)))
        return counts


@VOCABULARY.second_version("no_frame")
class BareIds(WithATable):
    def encode(self, tokens):
        return [self.table[token] if token in self.table else self.table["<unk>"] for token in tokens]


@VOCABULARY.second_version("no_end")
class OpenEnd(WithATable):
    def encode(self, tokens):
        return super().encode(tokens)[:-1]


@VOCABULARY.second_version("stops_at_unknown")
class IndexOfAList(WithATable):
    def encode(self, tokens):
        return [1] + [list(self.table).index(token) for token in tokens] + [2]


@VOCABULARY.second_version("unknown_left_out")
class KnownOnly(WithATable):
    def encode(self, tokens):
        return [1] + [self.table[token] for token in filter(self.table.__contains__, tokens)] + [2]


@VOCABULARY.second_version("specials_come_back")
class EveryName(WithATable):
    def decode(self, ids):
        return [list(self.table)[i] for i in ids]


@VOCABULARY.second_version("goes_on_behind_the_end")
class NoSpecials(WithATable):
    def decode(self, ids):
        by_id = {i: token for token, i in self.table.items()}
        return [by_id[i] for i in ids if by_id[i] not in ("<pad>", "<bos>", "<eos>")]


@VOCABULARY.second_version("text_comes_back")
class Joined(WithATable):
    def decode(self, ids):
        return " ".join(super().decode(ids))


@VOCABULARY.second_version("specials_not_counted")
class OnlyItsOwn(WithATable):
    def __len__(self):
        return sum(not token.startswith("<") for token in self.table)


@VOCABULARY.second_version("lower_cased")
class InLowerCase(WithATable):
    def count(self, sentences):
        return Counter(token.lower() for sentence in sentences for token in sentence)

    def encode(self, tokens):
        return super().encode(map(str.lower, tokens))


@VOCABULARY.second_version("frame_assumed")
class FrameCutOff(WithATable):
    def decode(self, ids):
        names, ids = list(self.table), list(ids)
        del ids[ids.index(2) :]
        return [names[i] for i in ids[1:]]


@VOCABULARY.second_version("last_id_taken_for_the_end")
class EndAtMinusOne(WithATable):
    def decode(self, ids):
        names = list(self.table)
        end = next((place for place, i in enumerate(ids) if i == 2), -1)
        return [names[i] for i in ids[:end] if i > 1]
