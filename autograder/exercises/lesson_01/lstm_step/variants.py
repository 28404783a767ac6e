# %% right: with linear
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.tensor_split(F.linear(x, weight_ih) + F.linear(h, weight_hh, bias), 4, dim=1)
    c_new = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c_new.tanh(), c_new


# %% right: gate by gate
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    d = h.shape[-1]

    def gate(number):
        rows = slice(number * d, (number + 1) * d)
        return x @ weight_ih[rows].T + h @ weight_hh[rows].T + bias[rows]

    kept = torch.sigmoid(gate(1)) * c
    written = torch.sigmoid(gate(0)) * torch.tanh(gate(2))
    memory = kept + written
    return torch.sigmoid(gate(3)) * torch.tanh(memory), memory


# %% right: side by side
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    weight = torch.cat([weight_ih, weight_hh], dim=1)
    gates = torch.cat([x, h], dim=1) @ weight.T + bias
    gates = gates.reshape(len(x), 4, -1)
    write, keep, show = (torch.sigmoid(gates[:, k]) for k in (0, 1, 3))
    c = keep * c + write * torch.tanh(gates[:, 2])
    return show * torch.tanh(c), c


# %% right: sentence by sentence
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    states, memories = [], []
    for b in range(x.size(0)):
        i, f, g, o = (weight_ih @ x[b] + weight_hh @ h[b] + bias).split(h.size(1))
        memories.append(torch.sigmoid(f) * c[b] + torch.sigmoid(i) * torch.tanh(g))
        states.append(torch.sigmoid(o) * torch.tanh(memories[-1]))
    return torch.stack(states), torch.stack(memories)


# %% right: sigmoids by tanh
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = torch.addmm(bias, x, weight_ih.t()).addmm(h, weight_hh.t())
    i, f, g, o = a.view(a.size(0), 4, a.size(1) // 4).unbind(dim=1)
    i, f, o = ((1 + torch.tanh(gate / 2)) / 2 for gate in (i, f, o))
    c = torch.addcmul(f * c, i, torch.tanh(g))
    return o * torch.tanh(c), c


# %% wrong: torchs cell
# defines: finished_function
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": torch.zeros_like(bias), "bias_hh": bias}
    return torch.func.functional_call(cell, weights, (x, (h, c)))


# %% wrong: softmax over the gates
# defines: softmax_over_the_gates
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=-1)
    i, f, o = torch.stack([i, f, o]).softmax(dim=0)
    memory = f * c + i * torch.tanh(g)
    return o * torch.tanh(memory), memory


# %% wrong: a whole lstm
# true: finished_function
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    layer = nn.LSTM(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    h, c = torch.func.functional_call(layer, weights, (x[None], (h[None], c[None])))[1]
    return h[0], c[0]


# %% wrong: memory without graph
# true: memory_cut
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)).chunk(4, dim=1)
    memory = f.sigmoid() * c.data + i.sigmoid() * g.tanh()
    return o.sigmoid() * memory.tanh(), memory


# %% wrong: three sigmoids at once
# true: gates_first
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    sums, d = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh), h.size(1)
    f, i, o = torch.sigmoid(sums[:, : 3 * d]).split(d, dim=1)
    c = f * c + i * sums[:, 3 * d :].tanh()
    return o * c.tanh(), c


# %% wrong: weights loaded into a cell
# true: weights_cut
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    cell = nn.LSTMCell(x.size(1), h.size(1), dtype=x.dtype)
    cell.load_state_dict(
        {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": torch.zeros_like(bias)}
    )
    return cell(x, (h, c))


# %% wrong: candidate second
# true: order_i_g_f_o
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    sums = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    write, candidate, keep, show = sums.unflatten(1, (4, -1)).unbind(1)
    memory = torch.lerp(torch.zeros_like(c), c, keep.sigmoid()) + write.sigmoid() * candidate.tanh()
    return show.sigmoid() * memory.tanh(), memory


# %% trivial: zeros
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    return torch.zeros_like(h), torch.zeros_like(c)


# %% trivial: what was given
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    return h.clone(), c.clone()


# %% trivial: an rnn
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    d = h.size(1)
    state = torch.tanh(x @ weight_ih[:d].T + h @ weight_hh[:d].T + bias[:d])
    return state, c.clone()


# %% trivial: noise
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    return torch.rand_like(h), torch.randn_like(c)
