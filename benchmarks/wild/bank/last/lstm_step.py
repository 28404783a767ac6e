# %% wrong: f is read as "whether to erase": 1 - f of the memory is kept
# true: erases_where_it_should_keep
# Violates "c' = f ⊙ c + i ⊙ g".
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, g, o = gates.chunk(4, dim=-1)
    i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
    g = torch.tanh(g)
    c = (1 - f) * c + i * g
    return o * torch.tanh(c), c


# %% wrong: the quarters in TensorFlow 1's order i, g, f, o / 1 is added to the forget gate, BasicLSTMCell's forget_bias
# true: like_basic_lstm_cell
# Violates "in the order i, f, g, o" and "the gates i, f, o are sigmoids ... of x W_ihᵀ + h W_hhᵀ + b".
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    forget_bias = 1.0
    i, j, f, o = torch.split(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias, h.size(1), dim=1)
    new_c = c * torch.sigmoid(f + forget_bias) + torch.sigmoid(i) * torch.tanh(j)
    new_h = torch.tanh(new_c) * torch.sigmoid(o)
    return new_h, new_c


# %% right: each gate with its own rows of the matrices, in a dictionary, einsum
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    D = c.shape[-1]
    squash = {"i": torch.sigmoid, "f": torch.sigmoid, "g": torch.tanh, "o": torch.sigmoid}
    at = {}
    for quarter, (name, function) in enumerate(squash.items()):
        rows = slice(quarter * D, quarter * D + D)
        total = torch.einsum("be,de->bd", x, weight_ih[rows]) + torch.einsum("be,de->bd", h, weight_hh[rows])
        at[name] = function(total + bias[rows])
    memory = torch.addcmul(at["i"] * at["g"], at["f"], c)
    return memory.tanh().mul(at["o"]), memory
