"""Registered mistakes of lesson 01, written in another style."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from second_versions.table import second_version

# scaled_dot_product_attention


@second_version("rnn_step", "finished_function")
def a_whole_rnn(x, h, weight_ih, weight_hh, bias):
    layer = nn.RNN(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    return torch.func.functional_call(layer, weights, (x[None], h[None]))[1][0]


@second_version("lstm_step", "finished_function")
def a_whole_lstm(x, h, c, weight_ih, weight_hh, bias):
    layer = nn.LSTM(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    h, c = torch.func.functional_call(layer, weights, (x[None], (h[None], c[None])))[1]
    return h[0], c[0]


# rnn_step


@second_version("rnn_step", "no_tanh")
def linear_recurrence(x, h, weight_ih, weight_hh, bias):
    return F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)


@second_version("rnn_step", "sigmoid")
def logistic(x, h, weight_ih, weight_hh, bias):
    return 1 / (1 + torch.exp(-(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)))


@second_version("rnn_step", "relu")
def clamped_at_zero(x, h, weight_ih, weight_hh, bias):
    return (bias + x @ weight_ih.T + h @ weight_hh.T).clamp(min=0)


@second_version("rnn_step", "bias_outside")
def bias_last(x, h, weight_ih, weight_hh, bias):
    both = torch.cat([x, h], dim=-1) @ torch.cat([weight_ih, weight_hh], dim=-1).T
    return both.tanh() + bias


@second_version("rnn_step", "tanh_of_each")
def two_tanhs(x, h, weight_ih, weight_hh, bias):
    read = F.linear(x, weight_ih).tanh()
    return read + F.linear(h, weight_hh, bias).tanh()


@second_version("rnn_step", "state_weight_not_transposed")
def einsum_the_wrong_way(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(torch.einsum("be,de->bd", x, weight_ih) + torch.einsum("bc,cd->bd", h, weight_hh) + bias)


@second_version("rnn_step", "bias_twice")
def as_torch_has_two(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias))


@second_version("rnn_step", "state_cut")
def state_without_graph(x, h, weight_ih, weight_hh, bias):
    with torch.no_grad():
        before = h.clone()
    return torch.tanh(bias + before @ weight_hh.T + x @ weight_ih.T)


@second_version("rnn_step", "state_overwritten")
def written_in_place(x, h, weight_ih, weight_hh, bias):
    new = torch.tanh(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)
    h[:] = new
    return h


@second_version("rnn_step", "joined_in_the_other_order")
def state_before_input(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(torch.hstack((h, x)), torch.hstack((weight_ih, weight_hh)), bias))


@second_version("rnn_step", "state_overwritten")
def written_through_data(x, h, weight_ih, weight_hh, bias):
    state = torch.addmm(bias, x, weight_ih.T).addmm(h, weight_hh.T).tanh()
    h.data[:] = state.data
    return state


# clip_gradients


@second_version("clip_gradients", "not_rooted")
def sum_of_squares(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    total = sum((g**2).sum() for g in grads)
    if total > max_norm:
        for g in grads:
            g.mul_(max_norm / total)
    return total


@second_version("clip_gradients", "norms_added")
def total_of_norms(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    total = sum(p.grad.norm().item() for p in kept)
    for p in kept:
        p.grad.mul_(min(1.0, max_norm / total))
    return total


@second_version("clip_gradients", "clipped_by_value")
def torchs_clip_by_value(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    norm = torch.cat([p.grad.flatten() for p in kept]).norm()
    nn.utils.clip_grad_value_(kept, max_norm)
    return norm


@second_version("clip_gradients", "each_by_its_own_norm")
def one_by_one(parameters, max_norm):
    squares = 0.0
    for p in parameters:
        if p.grad is not None:
            squares += p.grad.norm().item() ** 2
            nn.utils.clip_grad_norm_([p], max_norm)
    return math.sqrt(squares)


@second_version("clip_gradients", "nothing_changed")
def generator_used_up(parameters, max_norm):
    norm = math.sqrt(sum(p.grad.square().sum().item() for p in parameters if p.grad is not None))
    for p in parameters:
        if p.grad is not None:
            p.grad.mul_(min(1.0, max_norm / norm))
    return norm


@second_version("clip_gradients", "short_ones_lengthened")
def always_to_the_norm(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.stack([p.grad.norm() for p in kept]))
    for p in kept:
        p.grad = p.grad / norm * max_norm
    return norm


@second_version("clip_gradients", "norm_after_returned")
def measured_again(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    nn.utils.clip_grad_norm_(kept, max_norm)
    return torch.cat([p.grad.flatten() for p in kept]).norm()


@second_version("clip_gradients", "stops_without_a_gradient")
def every_gradient(parameters, max_norm):
    parameters = list(parameters)
    norm = sum((p.grad**2).sum() for p in parameters) ** 0.5
    for p in parameters:
        p.grad.mul_(min(1.0, max_norm / norm.item()))
    return norm


# lstm_step


@second_version("lstm_step", "order_of_the_slide")
def four_slices(x, h, c, weight_ih, weight_hh, bias):
    d = h.size(1)
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    i, f, o, g = a[:, :d].sigmoid(), a[:, d : 2 * d].sigmoid(), a[:, 2 * d : 3 * d].sigmoid(), a[:, 3 * d :].tanh()
    c = f * c + i * g
    return o * c.tanh(), c


@second_version("lstm_step", "order_of_the_flow_figure")
def as_in_the_flow_figure(x, h, c, weight_ih, weight_hh, bias):
    f, i, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    memory = c * f.sigmoid() + i.sigmoid() * g.tanh()
    return memory.tanh() * o.sigmoid(), memory


@second_version("lstm_step", "interleaved")
def every_fourth(x, h, c, weight_ih, weight_hh, bias):
    a = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, g, o = (a[:, k::4] for k in range(4))
    memory = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@second_version("lstm_step", "erases_where_it_should_keep")
def erase_by_subtraction(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = c - f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@second_version("lstm_step", "one_minus_forget")
def coupled(x, h, c, weight_ih, weight_hh, bias):
    _, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = torch.lerp(g.tanh(), c, f.sigmoid())
    return o.sigmoid() * memory.tanh(), memory


@second_version("lstm_step", "candidate_by_sigmoid")
def sigmoid_of_all(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.sigmoid(x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    memory = f * c + i * g
    return o * memory.tanh(), memory


@second_version("lstm_step", "state_not_squashed")
def memory_shown_as_it_is(x, h, c, weight_ih, weight_hh, bias):
    a = torch.cat([x, h], dim=1) @ torch.cat([weight_ih, weight_hh], dim=1).T + bias
    i, f, g, o = a.unflatten(1, (4, -1)).unbind(1)
    memory = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory, memory


@second_version("lstm_step", "memory_first")
def pair_turned_round(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": 0 * bias.detach()}
    return torch.func.functional_call(cell, weights, (x, (h, c)))[::-1]


@second_version("lstm_step", "memory_cut")
def memory_without_graph(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)).chunk(4, dim=1)
    memory = f.sigmoid() * c.data + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


@second_version("lstm_step", "gates_first")
def three_sigmoids_at_once(x, h, c, weight_ih, weight_hh, bias):
    sums, d = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh), h.size(1)
    f, i, o = torch.sigmoid(sums[:, : 3 * d]).split(d, dim=1)
    c = f * c + i * sums[:, 3 * d :].tanh()
    return o * c.tanh(), c


@second_version("lstm_step", "softmax_over_the_gates")
def exponentials_of_the_gates(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    i, f, o = i.exp(), f.exp(), o.exp()
    total = i + f + o
    c = f / total * c + i / total * g.tanh()
    return o / total * c.tanh(), c


@second_version("lstm_step", "memory_overwritten")
def memory_through_data(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).split(h.size(1), dim=1)
    new = f.sigmoid() * c + i.sigmoid() * g.tanh()
    state = o.sigmoid() * new.tanh()
    c.data.copy_(new)
    return state, new


# recurrent_encoder


class AnEncoder(nn.Module):
    """The constructor that is given."""

    def __init__(self, vocabulary_size, d_model, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embedding = nn.Embedding(vocabulary_size, d_model)
        self.lstm = nn.LSTM(d_model, d_model, batch_first=True)


@second_version("recurrent_encoder", "padding_read")
class AsItComes(AnEncoder):
    def forward(self, source):
        states, (h, c) = self.lstm(self.embedding(source))
        return states, (h[-1], c[-1])


@second_version("recurrent_encoder", "h_and_c_after_padding")
class ZeroedAtTheEnd(AnEncoder):
    def forward(self, source):
        states, last = self.lstm(self.embedding(source))
        states = states.masked_fill((source == self.pad_id)[..., None], 0.0)
        return states, tuple(part.squeeze(0) for part in last)


@second_version("recurrent_encoder", "c_after_padding")
class GatheredState(AnEncoder):
    def forward(self, source):
        real = source != self.pad_id
        states, (_, c) = self.lstm(self.embedding(source))
        last = (real.sum(1) - 1).view(-1, 1, 1).expand(-1, 1, states.size(2))
        return states * real.unsqueeze(2), (states.gather(1, last).squeeze(1), c[0])


@second_version("recurrent_encoder", "width_of_the_longest")
class PaddedToTheLongest(AnEncoder):
    def forward(self, source):
        pieces = [self.embedding(row[row != self.pad_id]) for row in source]
        ends = [self.lstm(piece) for piece in pieces]
        states = nn.utils.rnn.pad_sequence([states for states, _ in ends], batch_first=True)
        return states, (torch.cat([h for _, (h, _) in ends]), torch.cat([c for _, (_, c) in ends]))


@second_version("recurrent_encoder", "sorted_sentences_demanded")
class Unsorted(AnEncoder):
    def forward(self, source):
        lengths = [len(row[row != self.pad_id]) for row in source]
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True)
        out, (h, c) = self.lstm(packed)
        out = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.size(1))[0]
        return out, (h[0], c[0])


@second_version("recurrent_encoder", "memory_first")
class MemoryThenState(AnEncoder):
    def forward(self, source):
        h = c = torch.zeros(len(source), self.lstm.hidden_size)
        states = []
        for t, x in enumerate(self.embedding(source).unbind(1)):
            real = (source[:, t] != self.pad_id).unsqueeze(1)
            _, (new_h, new_c) = self.lstm(x.unsqueeze(1), (h.unsqueeze(0), c.unsqueeze(0)))
            h, c = torch.where(real, new_h[0], h), torch.where(real, new_c[0], c)
            states.append(h * real)
        return torch.stack(states, dim=1), (c, h)


@second_version("recurrent_encoder", "first_padding_read")
class OnePlaceTooFar(AnEncoder):
    def forward(self, source):
        padded = F.pad(source, (0, 1), value=self.pad_id)
        lengths = (padded == self.pad_id).int().argmax(dim=1) + 1
        lengths = torch.minimum(lengths, torch.tensor(source.shape[1]))
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        return nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])[0], (h[0], c[0])


@second_version("recurrent_encoder", "longest_length_for_all")
class CutAtTheLongest(AnEncoder):
    def forward(self, source):
        longest = int((source != self.pad_id).sum(1).max())
        out, (h, c) = self.lstm(self.embedding(source[:, :longest]))
        return F.pad(out, (0, 0, 0, source.shape[1] - longest)), (h[-1], c[-1])


@second_version("recurrent_encoder", "padding_read_as_zeros")
class ZerosAtPadding(AnEncoder):
    def forward(self, source):
        padding = (source == self.pad_id)[..., None]
        out, (h, c) = self.lstm(self.embedding(source).masked_fill(padding, 0))
        return out.masked_fill(padding, 0), (h[-1], c[-1])


@second_version("recurrent_encoder", "memory_runs_on_over_padding")
class OnlyTheStateIsKept(AnEncoder):
    def forward(self, source):
        embedded, real = self.embedding(source), (source != self.pad_id).to(self.embedding.weight.dtype)[..., None]
        h = c = torch.zeros_like(embedded[:, 0])
        rows = []
        for t in range(source.shape[1]):
            out, (_, after) = self.lstm(embedded[:, t, None], (h[None], c[None]))
            h, c = real[:, t] * out[:, 0] + (1 - real[:, t]) * h, after[0]
            rows.append(out[:, 0] * real[:, t])
        return torch.stack(rows, 1), (h, c)


@second_version("recurrent_encoder", "sorted_back_by_the_same_order")
class TheSameOrderTwice(AnEncoder):
    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        order = lengths.argsort(descending=True)
        embedded = self.embedding(source).index_select(0, order)
        out, (h, c) = self.lstm(nn.utils.rnn.pack_padded_sequence(embedded, lengths[order], batch_first=True))
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=source.shape[1])
        return out.index_select(0, order), (h[0].index_select(0, order), c[0].index_select(0, order))


@second_version("recurrent_encoder", "state_carried_to_the_next_sentence")
class OneAfterTheOther(AnEncoder):
    def forward(self, source):
        states = self.embedding.weight.new_zeros(*source.shape, self.embedding.embedding_dim)
        after, state = [], None
        for b, n in enumerate((source != self.pad_id).sum(1).tolist()):
            out, state = self.lstm(self.embedding(source[b : b + 1, :n]), state)
            states[b, :n] = out[0]
            after.append(state)
        return states, (torch.cat([h[0] for h, _ in after]), torch.cat([c[0] for _, c in after]))


@second_version("recurrent_encoder", "every_axis_of_one_squeezed")
class Squeezed(AnEncoder):
    def forward(self, source):
        lengths = (source != self.pad_id).sum(1)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True, enforce_sorted=False)
        out, state = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])
        return out, tuple(part.squeeze() for part in state)


# teacher_forced_loss


@second_version("teacher_forced_loss", "padding_counted")
def torchs_without_ignore(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


@second_version("teacher_forced_loss", "divided_by_all_places")
def zero_where_padded(logits, targets, pad_id):
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none", ignore_index=pad_id)
    return losses.mean()


@second_version("teacher_forced_loss", "mean_of_sentences")
def sentence_after_sentence(logits, targets, pad_id):
    losses = [F.cross_entropy(one, words, ignore_index=pad_id) for one, words in zip(logits, targets, strict=True)]
    return torch.stack(losses).mean()


@second_version("teacher_forced_loss", "summed")
def torchs_sum(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, reduction="sum")


@second_version("teacher_forced_loss", "pad_taken_for_0")
def ignore_zero(logits, targets, pad_id):
    return F.cross_entropy(logits.mT, targets, ignore_index=0)


@second_version("teacher_forced_loss", "softmax_twice")
def probabilities_to_torch(logits, targets, pad_id):
    return F.cross_entropy(logits.softmax(dim=2).flatten(0, 1), targets.flatten(), ignore_index=pad_id)


@second_version("teacher_forced_loss", "logarithm_after_softmax")
def exponentials_written_out(logits, targets, pad_id):
    powers = torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    probabilities = powers / powers.sum(dim=-1, keepdim=True)
    return F.nll_loss(torch.log(probabilities).flatten(0, 1), targets.flatten(), ignore_index=pad_id)


@second_version("teacher_forced_loss", "exponentials_overflow")
def softmax_by_hand(logits, targets, pad_id):
    powers = torch.exp(logits)
    of_targets = (powers / powers.sum(2, keepdim=True)).gather(2, targets[:, :, None])[:, :, 0]
    return -torch.log(of_targets)[targets != pad_id].mean()


@second_version("teacher_forced_loss", "axes_by_view")
def view_for_torch(logits, targets, pad_id):
    b, t, v = logits.shape
    return F.cross_entropy(logits.view(b, v, t), targets, ignore_index=pad_id)


@second_version("teacher_forced_loss", "shifted_once_more")
def shift_before_torch(logits, targets, pad_id):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), ignore_index=pad_id)


@second_version("teacher_forced_loss", "plain_number")
def as_a_new_tensor(logits, targets, pad_id):
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id)
    return torch.tensor(loss.item(), dtype=logits.dtype)


@second_version("teacher_forced_loss", "constant_inside_the_logarithm")
def probabilities_clamped(logits, targets, pad_id):
    of_targets = F.softmax(logits, -1).gather(2, targets[..., None])[..., 0]
    return -of_targets.clamp(min=1e-12).log()[targets != pad_id].mean()


@second_version("teacher_forced_loss", "labels_smoothed")
def torchs_smoothing(logits, targets, pad_id):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=pad_id, label_smoothing=0.1)


# weights out of the graph, and sentences half sorted back


@second_version("rnn_step", "weights_cut")
def weights_as_data(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih.data) + F.linear(h, weight_hh.data) + bias.data)


@second_version("lstm_step", "weights_cut")
def weights_loaded_into_a_cell(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1), dtype=x.dtype)
    cell.load_state_dict(
        {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": torch.zeros_like(bias)}
    )
    return cell(x, (h, c))


@second_version("lstm_step", "order_i_g_f_o")
def candidate_second(x, h, c, weight_ih, weight_hh, bias):
    sums = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    write, candidate, keep, show = sums.unflatten(1, (4, -1)).unbind(1)
    memory = torch.lerp(torch.zeros_like(c), c, keep.sigmoid()) + write.sigmoid() * candidate.tanh()
    return show.sigmoid() * memory.tanh(), memory


@second_version("lstm_step", "like_basic_lstm_cell")
def with_a_forget_bias(x, h, c, weight_ih, weight_hh, bias):
    d = c.shape[1]
    bias = bias + F.pad(torch.ones(d, dtype=bias.dtype), (2 * d, d))
    z = torch.cat([x, h], dim=1) @ torch.cat([weight_ih, weight_hh], dim=1).T + bias
    c = z[:, 2 * d : 3 * d].sigmoid() * c + z[:, :d].sigmoid() * z[:, d : 2 * d].tanh()
    return z[:, 3 * d :].sigmoid() * c.tanh(), c


class LongestFirst(AnEncoder):
    """The longest sentence first, and every way back; each second version below forgets one."""

    def forward(self, source):
        lengths, order = source.ne(self.pad_id).sum(dim=1).sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source)[order], lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return self.in_order(out, (h[0], c[0]), back)


@second_version("recurrent_encoder", "last_not_sorted_back")
class OnlyTheStatesInOrder(LongestFirst):
    def in_order(self, states, last, back):
        return states[back], last


@second_version("recurrent_encoder", "states_not_sorted_back")
class OnlyTheLastInOrder(LongestFirst):
    def in_order(self, states, last, back):
        return states, tuple(part[back] for part in last)
