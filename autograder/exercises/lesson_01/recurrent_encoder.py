"""Exercise `recurrent_encoder`: sentences of several lengths, each read to its own end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from autograder.exercises.definition import ALONE, define, mistake
from autograder.exercises.draw import Draw
from course_lib.checking import probes
from course_lib.checking.exercise import Law, Question
from course_lib.checking.laws import equals_reference, inputs_unchanged, unmoved
from course_lib.checking.recognisers.lesson_01 import sentences_must_be_sorted
from course_lib.checking.values import Value
from course_lib.components.recurrent_encoder import RecurrentEncoder


def _weights(draw: Draw, v: int, d: int) -> dict[str, Tensor]:
    """An embedding whose row of padding is not zero, and an LSTM's weights, so small that no gate is shut."""
    return {
        "embedding.weight": draw.tensor(v, d),
        "lstm.weight_ih_l0": draw.tensor(4 * d, d, scale=0.4),
        "lstm.weight_hh_l0": draw.tensor(4 * d, d, scale=0.4),
        "lstm.bias_ih_l0": draw.tensor(4 * d, scale=0.3),
        "lstm.bias_hh_l0": draw.tensor(4 * d, scale=0.3),
    }


def _sentences(draw: Draw, lengths: Sequence[int], width: int, v: int, pad_id: int) -> Tensor:
    """Sentences (B, S) of these lengths, of words that are not padding."""
    words = [token for token in range(v) if token != pad_id]
    return torch.tensor([[*draw.shuffled(words)[:n], *[pad_id] * (width - n)] for n in lengths])


def _question(name: str, weights: dict[str, Tensor], pad_id: int, *sources: Tensor, **more: Value) -> Question:
    v, d = weights["embedding.weight"].shape
    build = {"vocabulary_size": v, "d_model": d, "pad_id": pad_id}
    calls = [{"source": source} for source in sources]
    given = {"build": build, "weights": weights, "calls": calls, "returns": ["states", "last"]}
    return Question(name, probes.module, {**given, **more})


def ask(draw: Draw) -> Iterator[Question]:
    """Full sentences, several lengths with more and less padding, no full one, a pad that is not 0, gradients.

    Lengths never fall from sentence to sentence, so that code that needs them sorted is seen to.
    """
    v = draw.shuffled((9, 11, 13))[0]
    weights = _weights(draw, v, 3)
    yield _question("full", weights, 0, _sentences(draw, (4, 4), 4, v, 0))
    short, middle, long = draw.shuffled(((1, 3, 6), (2, 4, 6), (1, 4, 7), (2, 5, 7)))[0]
    d = draw.shuffled((4, 5, 8))[0]
    weights = _weights(draw, v, d)
    source = _sentences(draw, (middle, short, long), long, v, 0)
    yield _question("plain", weights, 0, source, nn.functional.pad(source, (0, 2)))
    all_padded = _sentences(draw, (short, middle), long, v, 0)
    yield _question("all_padded", weights, 0, all_padded)
    pad_id = draw.shuffled((2, 3, 4))[0]
    other = _sentences(draw, (short, long, middle), long, v, pad_id)
    other[:, 0] = 0  # a real word has the id 0
    yield _question("another_pad", weights, pad_id, other)
    yield _question("one_sentence", weights, 0, _sentences(draw, (middle,), long, v, 0))
    small, width = _weights(draw, 7, 3), 5
    upstream = {"states": draw.tensor(2, width, 3), "last/0": draw.tensor(2, 3), "last/1": draw.tensor(2, 3)}
    yield _question("gradients", small, 0, _sentences(draw, (2, 5), width, 7, 0), upstream=upstream)


LAWS = (
    Law("full", equals_reference, "full", "two sentences of the same length come out right: states, h and c", 0.35,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Law("one_sentence", equals_reference, "one_sentence", "a single sentence gives states (1, S, D), and h and c (1, D)", 0.15,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Law("states", equals_reference, "plain", "the states of sentences of different lengths come out right, with zeros at padding", 0.5,
        {"fields": ["calls/0/states"]}),
    Law("last_state", equals_reference, "plain", "h is the state after the last real word", 0.4,
        {"fields": ["calls/0/last/0"]}),
    Law("last_memory", equals_reference, "plain", "c is the cell state after the last real word", 0.4,
        {"fields": ["calls/0/last/1"]}),
    Law("all_padded", equals_reference, "all_padded", "where every sentence ends in padding, the states are still as wide as the batch", 0.25,
        {"fields": ["calls/0/states"]}),
    Law("another_pad", equals_reference, "another_pad", "a padding id other than 0 comes out right", 0.25,
        {"fields": ["calls/0/states", "calls/0/last"]}),
    Law("gradients", equals_reference, "gradients", "the gradients of embedding and LSTM are right", 0.35,
        {"fields": [f"gradients/{name}" for name in ("embedding.weight", "lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0")]}),
    Law("padding_is_invisible", unmoved, "plain", "more padding at the end leaves c as it is", 0.2,
        {"before": "calls/0/last/1", "after": "calls/1/last/1"}, needs="last_memory"),
    Law("inputs_unchanged", inputs_unchanged, "full", "the sentences are left as they were", 0.15,
        {"arguments": "calls/0"}, needs="full"),
)  # fmt: skip

LENGTHS = "lengths = (source != self.pad_id).sum(dim=1)"
EMBED = "embedded = self.embedding(source)"
SORTED = ", enforce_sorted=False"
PACK = f"pack_padded_sequence(embedded, lengths.cpu(), batch_first=True{SORTED})"
UNPACK = "states, _ = pad_packed_sequence(packed_states, batch_first=True, total_length=source.size(1))"
RETURN = "return states, (h.squeeze(0), c.squeeze(0))"
UNPACKED = (PACK, "embedded")
MASKED = (UNPACK, "states = packed_states * (source != self.pad_id).unsqueeze(-1)")
LAST = "states[torch.arange(len(states)), lengths - 1]"
TO_ITS_END = (
    "Read a sentence alone, then beside a longer one. Are h and c the same?",
    "An LSTM doesn't know what padding is and reads on to the end of the row. How can you tell it where each sentence ends?",
    f"`{PACK}`, and h and c are those after each sentence's last word.",
)


class MemoryRunsOn(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source)
        h = c = embedded.new_zeros(source.size(0), embedded.size(2))
        states = []
        for t in range(source.size(1)):
            real = (source[:, t] != self.pad_id)[:, None]
            _, (new_h, new_c) = self.lstm(embedded[:, t : t + 1], (h[None], c[None]))
            h, c = torch.where(real, new_h[0], h), new_c[0]
            states.append(new_h[0] * real)
        return torch.stack(states, dim=1), (h, c)


class StateCarried(RecurrentEncoder):
    def forward(self, source):
        rows, hs, cs, carried = [], [], [], None
        for row in source:
            real = row[row != self.pad_id]
            states, carried = self.lstm(self.embedding(real), carried)
            rows.append(torch.cat([states, states.new_zeros(len(row) - len(real), states.size(1))]))
            hs.append(carried[0][0])
            cs.append(carried[1][0])
        return torch.stack(rows), (torch.stack(hs), torch.stack(cs))


MISTAKES = (
    # padding
    mistake(
        "padding_read",
        "Your LSTM reads the padding, too: h and c are those at the end of the row, and the states at padding aren't zeros. So a sentence's result depends on the longest sentence beside it.",
        TO_ITS_END,
        UNPACKED,
        (UNPACK, "states = packed_states"),
        group="padding",
    ),
    mistake(
        "h_and_c_after_padding",
        "Your states are zeros at padding, as they should be, but h and c are those at the end of the row, after the padding has been read.",
        TO_ITS_END,
        UNPACKED,
        MASKED,
        group="padding",
    ),
    mistake(
        "c_after_padding",
        "Your h is taken after the last real word, but c is the one at the end of the row, after the padding has been read. It can't be picked from the states, because an LSTM returns c only at the end.",
        TO_ITS_END,
        UNPACKED,
        MASKED,
        (RETURN, f"return states, ({LAST}, c.squeeze(0))"),
        group="padding",
    ),
    mistake(
        "padding_read_but_h",
        "Your h is taken after the last real word, but the LSTM has read the padding: c is the one at the end of the row, and the states at padding are not zeros.",
        TO_ITS_END,
        UNPACKED,
        (UNPACK, "states = packed_states"),
        (RETURN, f"return states, ({LAST}, c.squeeze(0))"),
        group=ALONE,
    ),
    mistake(
        "states_at_padding",
        "Your h and c are right, but the states at padding aren't zeros. Attention, in lesson 02, looks at all states, and would find words that nobody wrote.",
        (
            "Look at the states of a short sentence beside a long one. What comes after its end?",
            "You have two sets of states: from the padded sentences, or from the packed ones. Which do you return?",
            f"`{UNPACK}`.",
        ),
        (UNPACK, "states, _ = self.lstm(embedded)"),
        group="padding",
    ),
    mistake(
        "width_of_the_longest",
        "Where every sentence of a batch ends in padding, your states have fewer positions than the batch, because `pad_packed_sequence` makes only as many as the longest sentence needs.",
        (
            "Let all sentences end in padding. Which shape do your states have, and which should they have?",
            "`pad_packed_sequence` doesn't know how wide the batch was. Which argument tells it?",
            "`total_length=source.size(1)`.",
        ),
        (", total_length=source.size(1)", ""),
        group="width",
    ),
    mistake(
        "pad_taken_for_0",
        "You use 0 as the padding id, whatever `pad_id` says. Where 0 is a word, it is left out, and the padding is read.",
        (
            "Where does the constructor store `pad_id`? Do you use it?",
            "What do you compare the tokens with?",
            "`source != self.pad_id`.",
        ),
        (LENGTHS, "lengths = (source != 0).sum(dim=1).clamp(min=1)"),
        group=ALONE,
    ),
    mistake(
        "first_padding_read",
        "You read one position too far: in every sentence that ends in padding, the first padding is read as a word.",
        (
            "For a sentence of three words, which length do you compute?",
            "Counted from 0, the first padding is at position n, with n words before it. Do you add 1?",
            "`lengths = (source != self.pad_id).sum(dim=1)`.",
        ),
        (LENGTHS, "lengths = ((source != self.pad_id).sum(dim=1) + 1).clamp(max=source.size(1))"),
        group=ALONE,
    ),
    mistake(
        "longest_length_for_all",
        "You give every sentence the length of the longest one. Shorter sentences are then read on into their padding, and h and c are those after it.",
        (
            "Print the lengths that you pack with, for sentences of two and five words.",
            "Each sentence has a length of its own. Over which axis is it counted?",
            "`lengths = (source != self.pad_id).sum(dim=1)`, one number for each sentence.",
        ),
        (LENGTHS, "lengths = (source != self.pad_id).sum(dim=1)\n        lengths = torch.full_like(lengths, int(lengths.max()))"),
        group=ALONE,
    ),
    mistake(
        "padding_read_as_zeros",
        "You set the embeddings of padding to 0 and let the LSTM read on. To an LSTM, a vector of zeros is a word like any other: the biases and the state so far still change h and c at every step.",
        (
            "Read a sentence alone, then with two positions of padding after it. Are h and c the same?",
            "What does an LSTM with biases make of an input of zeros: nothing, or one more step?",
            "`pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)`, and h and c are those after each sentence's last word.",
        ),
        (EMBED, f"{EMBED} * (source != self.pad_id).unsqueeze(-1)"),
        UNPACKED,
        MASKED,
        group=ALONE,
    ),
    mistake(
        "memory_runs_on_over_padding",
        "In your loop the state h stops at a sentence's last word, but the cell state c goes on over the padding, so the pair that you return doesn't belong together.",
        (
            "Read a sentence alone, then beside a longer one. Is c the same?",
            "Which of the two do you keep where there is padding: h, c, or both?",
            "`c = torch.where(real, new_c, c)`, just as for h.",
        ),
        source=MemoryRunsOn,
        group=ALONE,
    ),
    mistake(
        "sorted_back_by_the_same_order",
        "You sort the sentences by length, and then apply the same order once more to sort them back. That works where the order only swaps pairs. Otherwise each result belongs to another sentence.",
        (
            "Three sentences of 4, 1 and 6 words: which order sorts them, and what happens if you apply it to the sorted ones?",
            "`order[i]` says where the i-th sorted sentence came from. Which permutation says where each sentence went?",
            "`back = order.argsort()`, and index states, h and c with it; or leave the sorting to `enforce_sorted=False`.",
        ),
        (EMBED, "lengths, order = lengths.sort(descending=True)\n        embedded = self.embedding(source[order])"),
        (RETURN, "return states[order], (h[0][order], c[0][order])"),
        group=ALONE,
    ),
    mistake(
        "state_carried_to_the_next_sentence",
        "You read the sentences one by one and start each from the state in which the one before it ended. Every sentence should start from zeros, as if it were alone.",
        (
            "Swap the first two sentences of a batch. Do their states change?",
            "Which h and c does your second sentence start from?",
            "Give the LSTM no state; then it starts from zeros.",
        ),
        source=StateCarried,
        group=ALONE,
    ),
    mistake(
        "last_word_missed",
        "You stop one word early, so the last real word of each sentence isn't read.",
        (
            "A sentence of three words: after which is your h?",
            "A length of 3 means positions 0, 1 and 2. Do you subtract one too many?",
            f"`{LENGTHS}`.",
        ),
        (LENGTHS, "lengths = ((source != self.pad_id).sum(dim=1) - 1).clamp(min=1)"),
        group=ALONE,
    ),
    # the batch
    mistake(
        "order_of_lengths_kept",
        "You sort the sentences by length and never undo it, so states, h and c belong to other sentences than the caller expects.",
        (
            "Give a short sentence and then a long one. Which one does your first state belong to?",
            "After sorting, which row belongs to which sentence? Where do you undo it?",
            "`enforce_sorted=False` sorts and sorts back by itself.",
        ),
        (EMBED, "lengths, order = lengths.sort(descending=True)\n        embedded = self.embedding(source[order])"),
        group=ALONE,
    ),
    mistake(
        "sorted_sentences_demanded",
        "Your code works for sentences that are sorted by length, longest first, and raises an error for others.",
        (
            "Which error do you get, and for which sentences?",
            "`pack_padded_sequence` expects sorted sentences, unless you say otherwise.",
            "`enforce_sorted=False`.",
        ),
        (SORTED, ""),
        recogniser=sentences_must_be_sorted,
        group=ALONE,
    ),
    mistake(
        "read_across_the_batch",
        "Your LSTM runs along the *batch* instead of along the words: it reads the first word of one sentence, then the first word of the next. It was made with `batch_first=True`, so nothing needs to be transposed.",
        (
            "Change the first sentence. Does the second one's state change?",
            "In which order are the axes of what you give to the LSTM: (B, S, D) or (S, B, D)?",
            "Give it (B, S, D) as it is.",
        ),
        (PACK, "embedded.transpose(0, 1)"),
        (UNPACK, "states = packed_states.transpose(0, 1)"),
        group=ALONE,
    ),
    # what is handed over
    mistake(
        "state_of_the_last_column",
        "Your h is the state in the *last column*, which for a short sentence is padding, and zeros.",
        (
            "What is your h for the shorter of two sentences?",
            "`states[:, -1]` is the same column for all. Where does each sentence end?",
            "Given a packed batch, the LSTM returns the h of each sentence's own end.",
        ),
        (RETURN, "return states, (states[:, -1], c.squeeze(0))"),
        group="h",
    ),
    mistake(
        "mean_of_the_states",
        "Your h is the mean of the states. It should be the last one.",
        (
            "Let a sentence have two words. Is your h the state after the second?",
            "Do you average over the words?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return states, (states.sum(dim=1) / lengths.unsqueeze(1), c.squeeze(0))"),
        group=ALONE,
    ),
    mistake(
        "state_for_memory",
        "You return the state h twice. The second of the pair should be the cell state c.",
        (
            "Can an entry of the second tensor be larger than 1? In a cell state it can.",
            "The LSTM returns two tensors besides the states. Which are they?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return states, (h.squeeze(0), h.squeeze(0))"),
        group=ALONE,
    ),
    mistake(
        "memory_first",
        "You return (c, h). The order is (h, c), as in PyTorch.",
        (
            "Which of your two tensors is the state after the last real word?",
            "Look at your last line, and at *Returns* in the docstring.",
            f"`{RETURN}`.",
        ),
        (RETURN, "return states, (c.squeeze(0), h.squeeze(0))"),
        group="h",
    ),
    mistake(
        "axis_of_layers_kept",
        "Your h and c have one axis too many, (1, B, D). PyTorch's first axis has one entry for each layer; with one layer, return (B, D).",
        (
            "Print the shape of h.",
            "What does the first axis of what the LSTM returns count?",
            "`h.squeeze(0)`, or `h[-1]`.",
        ),
        (RETURN, "return states, (h, c)"),
        group=ALONE,
    ),
    mistake(
        "every_axis_of_one_squeezed",
        "You squeeze *every* axis of length 1 of h and c. With a single sentence, the batch axis is gone, too, and a decoder gets (D,) where it needs (1, D).",
        (
            "Call your encoder with one sentence. Which shape has h?",
            "`.squeeze()` without an argument removes all axes of length 1. Which one should go?",
            "`h.squeeze(0), c.squeeze(0)`.",
        ),
        (RETURN, "return states, (h.squeeze(), c.squeeze())"),
        group=ALONE,
    ),
    mistake(
        "three_things_returned",
        "You return three results in a row. There should be two: the states, and the pair (h, c).",
        (
            "How many results does your `forward` return?",
            "Where are the brackets in *Returns*?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return states, h.squeeze(0), c.squeeze(0)"),
        group=ALONE,
    ),
    mistake(
        "detached",
        "Your numbers are right, but h and c are cut out of the graph. The decoder's gradient never reaches the encoder, so the encoder doesn't learn.",
        (
            "Look at `requires_grad` of h and c.",
            "What do you do to them before you return them: `detach`, `.data`?",
            f"`{RETURN}`.",
        ),
        (RETURN, "return states, (h.squeeze(0).detach(), c.squeeze(0).detach())"),
        group="h",
    ),
    mistake(
        "embedding_scaled",
        "You multiply the embeddings by √D. That belongs to the Transformer, in lesson 05. Here they are read as they are.",
        (
            "Compare what the LSTM reads with `self.embedding.weight`.",
            "What do you do to the embeddings before the LSTM?",
            f"`{EMBED}`.",
        ),
        (EMBED, f"{EMBED} * self.embedding.embedding_dim**0.5"),
        group=ALONE,
    ),
    mistake(
        "embedding_cut",
        "Your numbers are right, but the embeddings are cut out of the graph, so words keep the vectors that they were initialised with.",
        (
            "Which parameters receive a gradient?",
            "What do you do to the embeddings: `detach`, `.data`?",
            f"`{EMBED}`.",
        ),
        (EMBED, f"{EMBED}.detach()"),
        group=ALONE,
    ),
    mistake(
        "last_not_sorted_back",
        "You sort the sentences by length and put the states back in their order, but not h and c: a sentence's last state and cell state go to another sentence.",
        (
            "Give a short sentence and then a long one. To which of the two does your first h belong?",
            "After the LSTM, three tensors are in sorted order. Which of them do you sort back?",
            "Index all three with the inverse permutation: `states[back], (h[0][back], c[0][back])`. Or leave the sorting to `enforce_sorted=False`.",
        ),
        (EMBED, "lengths, order = lengths.sort(descending=True)\n        embedded = self.embedding(source[order])"),
        (RETURN, "return states[order.argsort()], (h.squeeze(0), c.squeeze(0))"),
        group=ALONE,
    ),
    mistake(
        "states_not_sorted_back",
        "You sort the sentences by length and put h and c back in their order, but not the states, so anything that attends to them reads another sentence.",
        (
            "Give a short sentence and then a long one. To which of the two do the first states belong?",
            "After the LSTM, three tensors are in sorted order. Which of them do you sort back?",
            "Index all three with the inverse permutation: `states[back], (h[0][back], c[0][back])`. Or leave the sorting to `enforce_sorted=False`.",
        ),
        (EMBED, "lengths, order = lengths.sort(descending=True)\n        embedded = self.embedding(source[order])"),
        (RETURN, "return states, (h[0][order.argsort()], c[0][order.argsort()])"),
        group=ALONE,
    ),
)  # fmt: skip


class SortedAndBack(RecurrentEncoder):
    def forward(self, source):
        lengths, order = source.ne(self.pad_id).sum(1).sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source[order]), lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])
        back = order.argsort()
        return out[back], (h[-1][back], c[-1][back])


class SentenceBySentence(RecurrentEncoder):
    def forward(self, source):
        rows, hs, cs = [], [], []
        for row in source:
            real = row[row != self.pad_id]
            states, (h, c) = self.lstm(self.embedding(real))
            rows.append(torch.cat([states, states.new_zeros(len(row) - len(real), states.size(1))]))
            hs.append(h[0])
            cs.append(c[0])
        return torch.stack(rows), (torch.stack(hs), torch.stack(cs))


class StepByStep(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source)
        h = c = embedded.new_zeros(source.size(0), embedded.size(2))
        states = []
        for t in range(source.size(1)):
            real = (source[:, t] != self.pad_id)[:, None]
            out, (new_h, new_c) = self.lstm(embedded[:, t : t + 1], (h[None], c[None]))
            h, c = torch.where(real, new_h[0], h), torch.where(real, new_c[0], c)
            states.append(out[:, 0] * real)
        return torch.stack(states, dim=1), (h, c)


class ByHand(RecurrentEncoder):
    def forward(self, source):
        w, u = self.lstm.weight_ih_l0, self.lstm.weight_hh_l0
        b = self.lstm.bias_ih_l0 + self.lstm.bias_hh_l0
        real = (source != self.pad_id).float()
        h = c = torch.zeros(len(source), u.size(1))
        states = []
        for x, m in zip(self.embedding(source).unbind(1), real.unsqueeze(-1).unbind(1)):  # noqa: B905
            i, f, g, o = (x @ w.T + h @ u.T + b).chunk(4, dim=1)
            new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            new_h = o.sigmoid() * new_c.tanh()
            h, c = m * new_h + (1 - m) * h, m * new_c + (1 - m) * c
            states.append(m * h)
        return torch.stack(states, 1), (h, c)


class PackedSequenceOfPieces(RecurrentEncoder):
    def forward(self, source):
        pieces = [self.embedding(row[row != self.pad_id]) for row in source]
        out, (h, c) = self.lstm(nn.utils.rnn.pack_sequence(pieces, enforce_sorted=False))
        out, _ = pad_packed_sequence(out, batch_first=True)
        missing = source.size(1) - out.size(1)
        return nn.functional.pad(out, (0, 0, 0, missing)), (h.squeeze(0), c.squeeze(0))


class TwoReadings(RecurrentEncoder):
    def forward(self, source):
        embedded, real = self.embedding(source), source != self.pad_id
        _, (h, c) = self.lstm(pack_padded_sequence(embedded, real.sum(1), batch_first=True, enforce_sorted=False))
        states, _ = self.lstm(embedded)
        return states.masked_fill(~real.unsqueeze(2), 0.0), (h.flatten(0, 1), c.flatten(0, 1))


class stub(RecurrentEncoder):
    def forward(self, source):
        raise NotImplementedError


class Zeros(RecurrentEncoder):
    def forward(self, source):
        states = torch.zeros(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, 0])


class TheEmbeddings(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source) * (source != self.pad_id).unsqueeze(-1)
        return embedded, (embedded.sum(dim=1), embedded.sum(dim=1))


class Noise(RecurrentEncoder):
    def forward(self, source):
        states = torch.randn(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, -1])


RECURRENT_ENCODER = define(
    id="recurrent_encoder",
    lesson="01_recurrent_translation",
    place=3,
    module="course_lib.components.recurrent_encoder",
    symbol="RecurrentEncoder",
    minutes=15,
    laws=LAWS,
    hints=(
        "First write it for sentences of the same length. Which three tensors does the LSTM give you, and in which shapes?",
        "Then padding: count each sentence's real words. `torch.nn.utils.rnn` has a pair of functions that pack sentences of different lengths, and unpack them.",
        f"`lengths = …`; `packed = {PACK}`; the LSTM; `{UNPACK}`; `h.squeeze(0)` and `c.squeeze(0)`.",
    ),
    ask=ask,
    mistakes=MISTAKES,
    alternatives=(SortedAndBack, SentenceBySentence, StepByStep, ByHand, PackedSequenceOfPieces, TwoReadings),
    lazy=(stub, Zeros, TheEmbeddings, Noise),
    write=("forward",),
    switches=("padding", "h"),
)


# the mistakes again, in another style: each must get the same name


@RECURRENT_ENCODER.second_version("padding_read")
class AsItComes(RecurrentEncoder):
    def forward(self, source):
        states, (h, c) = self.lstm(self.embedding(source))
        return states, (h[-1], c[-1])


@RECURRENT_ENCODER.second_version("h_and_c_after_padding")
class ZeroedAtTheEnd(RecurrentEncoder):
    def forward(self, source):
        states, last = self.lstm(self.embedding(source))
        states = states.masked_fill((source == self.pad_id)[..., None], 0.0)
        return states, tuple(part.squeeze(0) for part in last)


@RECURRENT_ENCODER.second_version("c_after_padding")
class GatheredState(RecurrentEncoder):
    def forward(self, source):
        real = source != self.pad_id
        states, (_, c) = self.lstm(self.embedding(source))
        last = (real.sum(1) - 1).view(-1, 1, 1).expand(-1, 1, states.size(2))
        return states * real.unsqueeze(2), (states.gather(1, last).squeeze(1), c[0])


@RECURRENT_ENCODER.second_version("width_of_the_longest")
class PaddedToTheLongest(RecurrentEncoder):
    def forward(self, source):
        pieces = [self.embedding(row[row != self.pad_id]) for row in source]
        ends = [self.lstm(piece) for piece in pieces]
        states = nn.utils.rnn.pad_sequence([states for states, _ in ends], batch_first=True)
        return states, (torch.cat([h for _, (h, _) in ends]), torch.cat([c for _, (_, c) in ends]))


@RECURRENT_ENCODER.second_version("sorted_sentences_demanded")
class Unsorted(RecurrentEncoder):
    def forward(self, source):
        lengths = [len(row[row != self.pad_id]) for row in source]
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True)
        out, (h, c) = self.lstm(packed)
        out = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.size(1))[0]
        return out, (h[0], c[0])


@RECURRENT_ENCODER.second_version("memory_first")
class MemoryThenState(RecurrentEncoder):
    def forward(self, source):
        h = c = torch.zeros(len(source), self.lstm.hidden_size)
        states = []
        for t, x in enumerate(self.embedding(source).unbind(1)):
            real = (source[:, t] != self.pad_id).unsqueeze(1)
            _, (new_h, new_c) = self.lstm(x.unsqueeze(1), (h.unsqueeze(0), c.unsqueeze(0)))
            h, c = torch.where(real, new_h[0], h), torch.where(real, new_c[0], c)
            states.append(h * real)
        return torch.stack(states, dim=1), (c, h)


@RECURRENT_ENCODER.second_version("first_padding_read")
class OnePlaceTooFar(RecurrentEncoder):
    def forward(self, source):
        padded = F.pad(source, (0, 1), value=self.pad_id)
        lengths = (padded == self.pad_id).int().argmax(dim=1) + 1
        lengths = torch.minimum(lengths, torch.tensor(source.shape[1]))
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        return nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])[0], (h[0], c[0])


@RECURRENT_ENCODER.second_version("longest_length_for_all")
class CutAtTheLongest(RecurrentEncoder):
    def forward(self, source):
        longest = int((source != self.pad_id).sum(1).max())
        out, (h, c) = self.lstm(self.embedding(source[:, :longest]))
        return F.pad(out, (0, 0, 0, source.shape[1] - longest)), (h[-1], c[-1])


@RECURRENT_ENCODER.second_version("padding_read_as_zeros")
class ZerosAtPadding(RecurrentEncoder):
    def forward(self, source):
        padding = (source == self.pad_id)[..., None]
        out, (h, c) = self.lstm(self.embedding(source).masked_fill(padding, 0))
        return out.masked_fill(padding, 0), (h[-1], c[-1])


@RECURRENT_ENCODER.second_version("memory_runs_on_over_padding")
class OnlyTheStateIsKept(RecurrentEncoder):
    def forward(self, source):
        embedded, real = self.embedding(source), (source != self.pad_id).to(self.embedding.weight.dtype)[..., None]
        h = c = torch.zeros_like(embedded[:, 0])
        rows = []
        for t in range(source.shape[1]):
            out, (_, after) = self.lstm(embedded[:, t, None], (h[None], c[None]))
            h, c = real[:, t] * out[:, 0] + (1 - real[:, t]) * h, after[0]
            rows.append(out[:, 0] * real[:, t])
        return torch.stack(rows, 1), (h, c)


@RECURRENT_ENCODER.second_version("sorted_back_by_the_same_order")
class TheSameOrderTwice(RecurrentEncoder):
    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        order = lengths.argsort(descending=True)
        embedded = self.embedding(source).index_select(0, order)
        out, (h, c) = self.lstm(nn.utils.rnn.pack_padded_sequence(embedded, lengths[order], batch_first=True))
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=source.shape[1])
        return out.index_select(0, order), (h[0].index_select(0, order), c[0].index_select(0, order))


@RECURRENT_ENCODER.second_version("state_carried_to_the_next_sentence")
class OneAfterTheOther(RecurrentEncoder):
    def forward(self, source):
        states = self.embedding.weight.new_zeros(*source.shape, self.embedding.embedding_dim)
        after, state = [], None
        for b, n in enumerate((source != self.pad_id).sum(1).tolist()):
            out, state = self.lstm(self.embedding(source[b : b + 1, :n]), state)
            states[b, :n] = out[0]
            after.append(state)
        return states, (torch.cat([h[0] for h, _ in after]), torch.cat([c[0] for _, c in after]))


@RECURRENT_ENCODER.second_version("every_axis_of_one_squeezed")
class Squeezed(RecurrentEncoder):
    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True, enforce_sorted=False)
        out, state = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])
        return out, tuple(part.squeeze() for part in state)


class LongestFirst(RecurrentEncoder):
    """The longest sentence first, and every way back; each second version below forgets one."""

    def forward(self, source):
        lengths, order = source.ne(self.pad_id).sum(dim=1).sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source)[order], lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return self.in_order(out, (h[0], c[0]), back)


@RECURRENT_ENCODER.second_version("last_not_sorted_back")
class OnlyTheStatesInOrder(LongestFirst):
    def in_order(self, states, last, back):
        return states[back], last


@RECURRENT_ENCODER.second_version("states_not_sorted_back")
class OnlyTheLastInOrder(LongestFirst):
    def in_order(self, states, last, back):
        return states, tuple(part[back] for part in last)
