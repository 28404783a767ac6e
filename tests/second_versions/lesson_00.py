"""Registered mistakes of lesson 00, written in another style."""

import itertools
import math
from collections import Counter

import numpy as np
import torch
from torch import nn

from course_lib.components.brevity_penalty import brevity_penalty
from course_lib.components.clipped_counts import clipped_counts
from course_lib.experiments.mystery_bleu import mystery_bleu
from second_versions.table import second_version

# pad_batch


@second_version("pad_batch", "padded_on_the_left")
def lists_with_padding_in_front(sentences, pad_id=0):
    longest = max(map(len, sentences))
    return torch.tensor([[pad_id] * (longest - len(s)) + s for s in sentences])


@second_version("pad_batch", "zero_assumed")
def torchs_default_padding(sentences, pad_id=0):
    if not sentences:
        raise ValueError("nothing to pad")
    return nn.utils.rnn.pad_sequence([torch.tensor(s, dtype=torch.long) for s in sentences], batch_first=True)


@second_version("pad_batch", "transposed")
def time_first(sentences, pad_id=0):
    if not sentences:
        raise ValueError("nothing to pad")
    rows = [torch.tensor(s, dtype=torch.long) for s in sentences]
    return nn.utils.rnn.pad_sequence(rows, padding_value=pad_id)


@second_version("pad_batch", "cut_to_the_shortest")
def zip_stops_early(sentences, pad_id=0):
    if not sentences:
        raise ValueError("no sentences")
    columns = list(zip(*sentences, strict=False))
    return torch.tensor(columns, dtype=torch.int64).reshape(-1, len(sentences)).T


@second_version("pad_batch", "inputs_filled_up")
def appended_in_place(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)
    for s in sentences:
        while len(s) < longest:
            s.append(pad_id)
    return torch.tensor(sentences)


@second_version("pad_batch", "lists_returned")
def plain_lists(sentences, pad_id=0):
    longest = max(len(s) for s in sentences)
    return [s + [pad_id] * (longest - len(s)) for s in sentences]


@second_version("pad_batch", "another_error")
def an_assertion(sentences, pad_id=0):
    assert sentences, "no sentences"
    longest = max(len(s) for s in sentences)
    return torch.tensor([s + [pad_id] * (longest - len(s)) for s in sentences])


@second_version("pad_batch", "real_zeros_replaced")
def zeros_then_padding(sentences, pad_id=0):
    if not sentences:
        raise ValueError
    longest = max(map(len, sentences))
    batch = torch.tensor([[*s, *[0] * (longest - len(s))] for s in sentences], dtype=torch.int64)
    return torch.where(batch == 0, pad_id, batch)


@second_version("pad_batch", "columns_reshaped")
def zipped_and_viewed(sentences, pad_id=0):
    if not sentences:
        raise ValueError
    columns = list(itertools.zip_longest(*sentences, fillvalue=pad_id))
    return torch.tensor(columns).view(len(sentences), -1)


# vocabulary


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


@second_version("vocabulary", "ties_as_they_came")
class MostCommon(WithATable):
    def number(self, counts, min_count):
        tokens = ["<pad>", "<bos>", "<eos>", "<unk>"] + [t for t, c in counts.most_common() if c >= min_count]
        self.table = {token: i for i, token in enumerate(tokens)}


@second_version("vocabulary", "alphabet_only")
class SortedSet(WithATable):
    def number(self, counts, min_count):
        tokens = sorted({token for token in counts if counts[token] >= min_count})
        self.table = {"<pad>": 0, "<bos>": 1, "<eos>": 2, "<unk>": 3}
        self.table.update(zip(tokens, range(4, 4 + len(tokens)), strict=True))


@second_version("vocabulary", "min_count_ignored")
class EveryToken(WithATable):
    def number(self, counts, min_count):
        super().number(counts, 1)


@second_version("vocabulary", "counted_once_a_sentence")
class SetOfEachSentence(WithATable):
    def count(self, sentences):
        counts = Counter()
        for sentence in sentences:
            counts.update(sorted(set(sentence)))
        return counts


@second_version("vocabulary", "no_frame")
class BareIds(WithATable):
    def encode(self, tokens):
        return [self.table[token] if token in self.table else self.table["<unk>"] for token in tokens]


@second_version("vocabulary", "no_end")
class OpenEnd(WithATable):
    def encode(self, tokens):
        return super().encode(tokens)[:-1]


@second_version("vocabulary", "stops_at_unknown")
class IndexOfAList(WithATable):
    def encode(self, tokens):
        return [1] + [list(self.table).index(token) for token in tokens] + [2]


@second_version("vocabulary", "unknown_left_out")
class KnownOnly(WithATable):
    def encode(self, tokens):
        return [1] + [self.table[token] for token in filter(self.table.__contains__, tokens)] + [2]


@second_version("vocabulary", "specials_come_back")
class EveryName(WithATable):
    def decode(self, ids):
        return [list(self.table)[i] for i in ids]


@second_version("vocabulary", "goes_on_behind_the_end")
class NoSpecials(WithATable):
    def decode(self, ids):
        by_id = {i: token for token, i in self.table.items()}
        return [by_id[i] for i in ids if by_id[i] not in ("<pad>", "<bos>", "<eos>")]


@second_version("vocabulary", "text_comes_back")
class Joined(WithATable):
    def decode(self, ids):
        return " ".join(super().decode(ids))


@second_version("vocabulary", "specials_not_counted")
class OnlyItsOwn(WithATable):
    def __len__(self):
        return sum(not token.startswith("<") for token in self.table)


@second_version("vocabulary", "lower_cased")
class InLowerCase(WithATable):
    def count(self, sentences):
        return Counter(token.lower() for sentence in sentences for token in sentence)

    def encode(self, tokens):
        return super().encode(map(str.lower, tokens))


@second_version("vocabulary", "frame_assumed")
class FrameCutOff(WithATable):
    def decode(self, ids):
        names, ids = list(self.table), list(ids)
        del ids[ids.index(2) :]
        return [names[i] for i in ids[1:]]


@second_version("vocabulary", "last_id_taken_for_the_end")
class EndAtMinusOne(WithATable):
    def decode(self, ids):
        names = list(self.table)
        end = next((place for place, i in enumerate(ids) if i == 2), -1)
        return [names[i] for i in ids[:end] if i > 1]


# clipped_counts


def ngrams(tokens, n):
    return list(zip(*(tokens[k:] for k in range(n)), strict=False))


@second_version("clipped_counts", "unclipped")
def found_somewhere(hypothesis, reference, n):
    mine, theirs = ngrams(hypothesis, n), set(ngrams(reference, n))
    return len([g for g in mine if g in theirs]), len(mine)


@second_version("clipped_counts", "different_ones_only")
def two_sets(hypothesis, reference, n):
    mine = set(ngrams(hypothesis, n))
    return len(mine.intersection(ngrams(reference, n))), len(mine)


@second_version("clipped_counts", "same_place_only")
def side_by_side(hypothesis, reference, n):
    mine, theirs = ngrams(hypothesis, n), ngrams(reference, n)
    return sum(a == b for a, b in zip(mine, theirs, strict=False)), len(mine)


@second_version("clipped_counts", "single_tokens")
def counters_of_tokens(hypothesis, reference, n):
    return (Counter(hypothesis) & Counter(reference)).total(), len(hypothesis)


@second_version("clipped_counts", "one_after_the_other")
def blocks(hypothesis, reference, n):
    mine, theirs = (Counter(ngrams(tokens, n)[::n]) for tokens in (hypothesis, reference))
    return (mine & theirs).total(), mine.total()


@second_version("clipped_counts", "total_of_the_reference")
def sentences_exchanged(hypothesis, reference, n):
    hypothesis, reference = reference, hypothesis
    mine = ngrams(hypothesis, n)
    return (Counter(mine) & Counter(ngrams(reference, n))).total(), len(mine)


@second_version("clipped_counts", "total_below_zero")
def length_formula(hypothesis, reference, n):
    theirs, matches = ngrams(reference, n), 0
    for gram in ngrams(hypothesis, n):
        if gram in theirs:
            theirs.remove(gram)
            matches += 1
    return matches, len(hypothesis) - (n - 1)


@second_version("clipped_counts", "divided")
def a_precision(hypothesis, reference, n):
    mine = ngrams(hypothesis, n)
    matches = (Counter(mine) & Counter(ngrams(reference, n))).total()
    return matches / len(mine) if mine else 0.0


@second_version("clipped_counts", "joined_without_a_separator")
def strings(hypothesis, reference, n):
    ours, theirs = (
        ["".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1)] for tokens in (hypothesis, reference)
    )
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)


@second_version("clipped_counts", "total_at_least_one")
def ready_to_divide(hypothesis, reference, n):
    ours = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    theirs = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours) or 1


# brevity_penalty


@second_version("brevity_penalty", "plain_ratio")
def smaller_of_ratio_and_one(hypothesis_length, reference_length):
    return min(1.0, hypothesis_length / reference_length)


@second_version("brevity_penalty", "exponential_left_out")
def linear(hypothesis_length, reference_length):
    if hypothesis_length >= reference_length:
        return 1.0
    return (hypothesis_length - reference_length) / hypothesis_length if hypothesis_length else 0.0


@second_version("brevity_penalty", "lengths_exchanged")
def by_other_names(reference_length, hypothesis_length):
    if not hypothesis_length:
        return 0.0
    return min(1.0, math.exp(1 - reference_length / hypothesis_length))


@second_version("brevity_penalty", "long_ones_gain")
def without_a_case(hypothesis_length, reference_length):
    return math.exp(1 - reference_length / hypothesis_length) if hypothesis_length else 0.0


@second_version("brevity_penalty", "long_ones_lose_too")
def distance_of_the_ratio(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return 1 / math.exp(abs(reference_length - hypothesis_length) / hypothesis_length)


@second_version("brevity_penalty", "stops_at_nothing")
def a_minimum(hypothesis_length, reference_length):
    return math.exp(min(0, 1 - reference_length / hypothesis_length))


@second_version("brevity_penalty", "in_percent")
def a_hundred_times(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return 100 * min(1, math.exp(1 - reference_length / hypothesis_length))


@second_version("brevity_penalty", "cases_exchanged")
def long_ones_first(hypothesis_length, reference_length):
    if not hypothesis_length:
        return float(not reference_length)
    too_long = hypothesis_length > reference_length
    return math.exp((hypothesis_length - reference_length) / hypothesis_length) if too_long else 1.0


@second_version("brevity_penalty", "long_ones_lose_as_much")
def both_ways_alike(hypothesis_length, reference_length):
    less, more = sorted([hypothesis_length, reference_length])
    return math.exp((less - more) / less) if less else 0.0


@second_version("brevity_penalty", "whole_number_division")
def times_as_long(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(1.0, math.e ** (1 - int(reference_length / hypothesis_length)))


@second_version("brevity_penalty", "power_of_two")
def halved(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(1.0, math.exp2((hypothesis_length - reference_length) / hypothesis_length))


@second_version("brevity_penalty", "logarithm_returned")
def to_be_added(hypothesis_length, reference_length):
    if hypothesis_length == 0:
        return 0.0
    return min(0.0, (hypothesis_length - reference_length) / hypothesis_length)


# corpus_bleu


def sums(hypotheses, references, max_n):
    """Matches and totals of each order."""
    pairs = list(zip(hypotheses, references, strict=True))
    counts = [[clipped_counts(h, r, n) for h, r in pairs] for n in range(1, max_n + 1)]
    return [(sum(m for m, _ in order), sum(t for _, t in order)) for order in counts]


def lengths(corpus):
    return sum(len(tokens) for tokens in corpus)


second_version("corpus_bleu", "average_of_sentences")(mystery_bleu)


@second_version("corpus_bleu", "average_of_precisions")
def mean_of_means(hypotheses, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        counts = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        product *= np.mean([m / max(t, 1) for m, t in counts])
    return float(100 * brevity_penalty(lengths(hypotheses), lengths(references)) * product ** (1 / max_n))


@second_version("corpus_bleu", "one_long_sentence")
def joined_first(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("slipped")
    hypothesis, reference = (" ".join(" ".join(s) for s in side if s).split() for side in (hypotheses, references))
    precisions = [m / max(t, 1) for m, t in sums([hypothesis], [reference], max_n)]
    return 100 * brevity_penalty(len(hypothesis), len(reference)) * math.prod(precisions) ** (1 / max_n)


@second_version("corpus_bleu", "arithmetic_mean")
def plain_mean(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * sum(precisions) / len(precisions)


@second_version("corpus_bleu", "product_without_root")
def product_only(hypotheses, references, max_n=4):
    score = 100 * brevity_penalty(lengths(hypotheses), lengths(references))
    for m, t in sums(hypotheses, references, max_n):
        score *= m / max(t, 1)
    return score


@second_version("corpus_bleu", "no_brevity_penalty")
def mean_alone(hypotheses, references, max_n=4):
    return 100 * math.prod(m / max(t, 1) for m, t in sums(hypotheses, references, max_n)) ** (1 / max_n)


@second_version("corpus_bleu", "a_share")
def between_0_and_1(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n)]
    return brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@second_version("corpus_bleu", "recall")
def corpora_exchanged(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(references, hypotheses, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@second_version("corpus_bleu", "highest_order_left_out")
def range_to_max_n(hypotheses, references, max_n=4):
    precisions = [m / max(t, 1) for m, t in sums(hypotheses, references, max_n - 1)]
    return (
        100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / len(precisions))
    )


@second_version("corpus_bleu", "stops_at_zero")
def log_of_everything(hypotheses, references, max_n=4):
    logs = [math.log(m) - math.log(t) for m, t in sums(hypotheses, references, max_n)]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.exp(sum(logs) / max_n)


@second_version("corpus_bleu", "missing_references_accepted")
def zip_without_strict(hypotheses, references, max_n=4):
    pairs = list(zip(hypotheses, references, strict=False))
    found = sums([h for h, _ in pairs], [r for _, r in pairs], max_n)
    precisions = [m / max(t, 1) for m, t in found]
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(precisions) ** (1 / max_n)


@second_version("corpus_bleu", "arithmetic_mean_but_zero")
def mean_of_the_precisions(hypotheses, references, max_n=4):
    precisions = list(_precisions(hypotheses, references, max_n))
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * sum(precisions) / max_n if all(precisions) else 0.0


@second_version("corpus_bleu", "fourth_root_always")
def quarters(hypotheses, references, max_n=4):
    product = math.prod(_precisions(hypotheses, references, max_n))
    return 100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * product**0.25


@second_version("corpus_bleu", "one_added_from_the_second_order_on")
def lin_and_och(hypotheses, references, max_n=4):
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        more = int(n > 1)
        product *= (sum(m for m, _ in pairs) + more) / max(sum(t for _, t in pairs) + more, 1)
    return 100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * product ** (1 / max_n)


@second_version("corpus_bleu", "epsilon_for_zero")
def never_quite_zero(hypotheses, references, max_n=4):
    precisions = [p or 1e-12 for p in _precisions(hypotheses, references, max_n)]
    penalty = brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references)))
    return 100 * penalty * math.prod(precisions) ** (1 / max_n)


@second_version("corpus_bleu", "rounded")
def two_digits(hypotheses, references, max_n=4):
    mean = math.prod(_precisions(hypotheses, references, max_n)) ** (1 / max_n)
    return float(f"{100 * brevity_penalty(sum(map(len, hypotheses)), sum(map(len, references))) * mean:.2f}")


@second_version("corpus_bleu", "short_sentences_skipped")
def long_ones_alone(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError
    kept = [i for i, h in enumerate(hypotheses) if len(h) >= max_n]
    ours, theirs = [hypotheses[i] for i in kept], [references[i] for i in kept]
    mean = math.prod(_precisions(ours, theirs, max_n)) ** (1 / max_n)
    return 100 * brevity_penalty(sum(map(len, ours)), sum(map(len, theirs))) * mean


def _precisions(hypotheses, references, max_n):
    for n in range(1, max_n + 1):
        pairs = [clipped_counts(h, r, n) for h, r in zip(hypotheses, references, strict=True)]
        yield sum(m for m, _ in pairs) / max(sum(t for _, t in pairs), 1)


@second_version("corpus_bleu", "orders_without_ngrams_left_out")
def orders_that_occur(hypotheses, references, max_n=4):
    occur = [(m, t) for m, t in sums(hypotheses, references, max_n) if t > 0]
    product = math.prod(m / t for m, t in occur) if occur else 0.0
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * product ** (1 / max(1, len(occur)))


@second_version("corpus_bleu", "zeros_left_out_of_the_mean")
def mean_of_what_is_there(hypotheses, references, max_n=4):
    found = [matches / total for matches, total in sums(hypotheses, references, max_n) if matches]
    if not found:
        return 0.0
    return 100 * brevity_penalty(lengths(hypotheses), lengths(references)) * math.prod(found) ** (1 / len(found))
