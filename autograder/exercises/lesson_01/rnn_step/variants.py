# %% right: with linear
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh))


# %% right: side by side
def rnn_step(x, h, weight_ih, weight_hh, bias):
    both = torch.cat([x, h], dim=1)
    return torch.tanh(both @ torch.cat([weight_ih, weight_hh], dim=1).T + bias)


# %% right: columns
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return (weight_ih @ x.T + weight_hh @ h.T + bias[:, None]).T.tanh()


# %% right: by einsum
def rnn_step(x, h, weight_ih, weight_hh, bias):
    read = torch.einsum("be,de->bd", x, weight_ih)
    kept = torch.einsum("bc,dc->bd", h, weight_hh)
    return (bias + read + kept).tanh()


# %% right: sentence by sentence
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.stack([torch.tanh(weight_ih @ one + weight_hh @ state + bias) for one, state in zip(x, h)])  # noqa: B905


# %% right: through exponentials
def rnn_step(x, h, weight_ih, weight_hh, bias):
    total = torch.addmm(bias, x, weight_ih.t()) + h.mm(weight_hh.t())
    return 2 / (1 + torch.exp(-2 * total)) - 1


# %% wrong: torchs cell
# defines: finished_function
def rnn_step(x, h, weight_ih, weight_hh, bias):
    cell = nn.RNNCell(x.size(1), h.size(1)).to(x.dtype)
    weights = {"weight_ih": weight_ih, "weight_hh": weight_hh, "bias_ih": bias, "bias_hh": torch.zeros_like(bias)}
    return torch.func.functional_call(cell, weights, (x, h))


# %% wrong: a whole rnn
# true: finished_function
def rnn_step(x, h, weight_ih, weight_hh, bias):
    layer = nn.RNN(x.shape[1], h.shape[1], dtype=x.dtype)
    weights = {"weight_ih_l0": weight_ih, "weight_hh_l0": weight_hh, "bias_ih_l0": bias, "bias_hh_l0": 0 * bias}
    return torch.func.functional_call(layer, weights, (x[None], h[None]))[1][0]


# %% wrong: linear recurrence
# true: no_tanh
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)


# %% wrong: clamped at zero
# true: relu
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return (bias + x @ weight_ih.T + h @ weight_hh.T).clamp(min=0)


# %% trivial: zeros
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.zeros_like(h)


# %% trivial: the state itself
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return h.clone()


# %% trivial: tanh of the state
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(h)


# %% trivial: noise
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.rand_like(h)
