# %% wrong (first): quarters are read in the order i, f, o, g
# true: order_of_the_slide
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    z = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, o, g = z.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong (first): quarters are read in the order f, i, g, o, so the forget and the input gate are exchanged
# true: order_of_the_flow_figure
def lstm_step(x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor):
    D = h.shape[1]
    a = F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)
    f = torch.sigmoid(a[:, :D])
    i = torch.sigmoid(a[:, D:2 * D])
    g = torch.tanh(a[:, 2 * D:3 * D])
    o = torch.sigmoid(a[:, 3 * D:])
    c = f * c + i * g
    return o * torch.tanh(c), c

# %% wrong (first): the candidate goes through a sigmoid like the gates
# true: candidate_by_sigmoid
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = torch.sigmoid(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)
    i, f, g, o = gates.split(h.size(-1), dim=-1)
    c_new = f * c + i * g
    return o * torch.tanh(c_new), c_new

# %% wrong (first): the state is read from the old memory, o * tanh(c), not from the new one
# true: state_of_the_old_memory
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.t() + h @ weight_hh.t() + bias).chunk(4, 1)
    next_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    next_h = o.sigmoid() * c.tanh()
    return next_h, next_c

# %% wrong (first): the tanh is missing where the memory is shown, h' = o * c'
# true: state_not_squashed
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = torch.addmm(bias, x, weight_ih.t()) + torch.mm(h, weight_hh.t())
    i, f, g, o = gates.chunk(4, 1)
    i, f, o = map(torch.sigmoid, (i, f, o))
    c_new = f * c + i * torch.tanh(g)
    return o * c_new, c_new

# %% wrong (first): f is taken as the share that is erased, 1 - f is kept
# true: erases_where_it_should_keep
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, g, o = torch.chunk(a, 4, dim=-1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    c_next = (1 - f) * c + i * g
    h_next = o * torch.tanh(c_next)
    return h_next, c_next

# %% wrong (first): returns (memory, state), exchanged
# true: memory_first
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.tensor_split(x @ weight_ih.T + h @ weight_hh.T + bias, 4, dim=1)
    c2 = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h2 = torch.sigmoid(o) * torch.tanh(c2)
    return c2, h2

# %% wrong (first): the memory is updated in place, so the caller's c is changed
# true: memory_overwritten
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    i, f, g, o = a.chunk(4, dim=1)
    c.mul_(torch.sigmoid(f)).add_(torch.sigmoid(i) * torch.tanh(g))
    return torch.sigmoid(o) * torch.tanh(c), c

# %% wrong (first): the quarters are taken as every fourth entry (a view with 4 last), not as blocks below each other
# true: interleaved
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    B, D = h.shape
    gates = (x @ weight_ih.T + h @ weight_hh.T + bias).view(B, D, 4)
    i, f, g, o = gates.unbind(dim=-1)
    c_next = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c_next.tanh(), c_next

# %% wrong (first): 1 is added to the forget gate's bias at every step
# true: forget_gate_plus_one
def lstm_step(x, h, c, weight_ih, weight_hh, bias, forget_bias=1.0):
    i, f, g, o = (F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias).chunk(4, dim=1)
    new_c = c * torch.sigmoid(f + forget_bias) + torch.sigmoid(i) * torch.tanh(g)
    new_h = torch.tanh(new_c) * torch.sigmoid(o)
    return new_h, new_c

# %% wrong (first): input and forget gate are coupled, i = 1 - f as in a GRU
# true: one_minus_forget
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    D = h.size(1)
    gates = x.mm(weight_ih.t()) + h.mm(weight_hh.t()) + bias
    f = torch.sigmoid(gates[:, D:2 * D])
    g = torch.tanh(gates[:, 2 * D:3 * D])
    o = torch.sigmoid(gates[:, 3 * D:4 * D])
    c_next = f * c + (1 - f) * g
    return o * torch.tanh(c_next), c_next

# %% wrong (first): the bias is added twice, once with each product / the memory is kept out of the graph (detached), so no gradient goes back along it
# true: bias_twice
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias)
    i, f, g, o = a.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c.detach() + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong (first): the gates read the memory in place of the state
# true: memory_reaches_the_gates
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    z = x @ weight_ih.T + c @ weight_hh.T + bias
    i, f, g, o = z.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, c

# %% wrong (first): a softmax over the three gates, so they sum to 1
# true: softmax_over_the_gates
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    i, f, o = torch.softmax(torch.stack((i, f, o)), dim=0)
    c = f * c + i * torch.tanh(g)
    return o * torch.tanh(c), c

# %% wrong (first): returns (output, (h, c)) like nn.LSTM
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, (h, c)

# %% wrong (first): works with columns and does not turn them back, state and memory come out as (D, B)
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = weight_ih @ x.T + weight_hh @ h.T + bias.unsqueeze(1)  # (4D, B)
    i, f, g, o = gates.chunk(4)
    c_next = torch.sigmoid(f) * c.T + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong (first): quarters in the order f, i, o, g / the tanh is missing where the memory is shown
# true: gates_first, state_not_squashed
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    H = h.size(1)
    A = torch.matmul(x, weight_ih.t()) + torch.matmul(h, weight_hh.t()) + bias[None, :]
    ft, it, ot = torch.sigmoid(A[:, :3 * H]).split(H, dim=1)
    ct = ft * c + it * torch.tanh(A[:, 3 * H:])
    return ot * ct, ct

# %% wrong (first): the caller's h and c are overwritten in place / the state is made from the old memory
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).chunk(4, dim=1)
    new_h = torch.sigmoid(o) * torch.tanh(c)
    new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h.data.copy_(new_h.data)
    c.data.copy_(new_c.data)
    return new_h, new_c

# %% right (first): one product, chunk
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = F.linear(torch.cat([x, h], dim=1), torch.cat([weight_ih, weight_hh], dim=1), bias)
    i, f, g, o = gates.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h_next = torch.sigmoid(o) * torch.tanh(c_next)
    return h_next, c_next

# %% right (first): a helper for each gate with slices of the weights
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    D = h.shape[-1]

    def part(k):
        rows = slice(k * D, (k + 1) * D)
        return x @ weight_ih[rows].T + h @ weight_hh[rows].T + bias[rows]

    input_gate = torch.sigmoid(part(0))
    forget_gate = torch.sigmoid(part(1))
    candidate = torch.tanh(part(2))
    output_gate = torch.sigmoid(part(3))
    memory = forget_gate * c + input_gate * candidate
    return output_gate * torch.tanh(memory), memory

# %% right (first): view as (B, 4, D) and unbind, in-place activations on fresh tensors, addcmul
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    B, D = h.shape
    z = (torch.mm(x, weight_ih.t()) + torch.mm(h, weight_hh.t()) + bias).view(B, 4, D)
    i, f, g, o = z.unbind(1)
    cy = torch.addcmul(f.sigmoid() * c, i.sigmoid(), g.tanh())
    hy = o.sigmoid() * cy.tanh()
    return hy, cy

# %% wrong (second): the gates are cut out interleaved (every fourth number) instead of as four quarters below each other
# true: interleaved
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    batch, width = h.shape
    gates = F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias
    i, f, g, o = gates.view(batch, width, 4).unbind(dim=-1)
    i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
    c_new = f * c + i * torch.tanh(g)
    return o * torch.tanh(c_new), c_new


# %% wrong (second): the memory is squashed by tanh before it is handed on, so c' is tanh of what it should be
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    D = h.size(1)
    z = x @ weight_ih.T + h @ weight_hh.T + bias
    i = torch.sigmoid(z[:, :D])
    f = torch.sigmoid(z[:, D : 2 * D])
    g = torch.tanh(z[:, 2 * D : 3 * D])
    o = torch.sigmoid(z[:, 3 * D :])
    c_next = torch.tanh(f * c + i * g)
    h_next = o * c_next
    return h_next, c_next


# %% wrong (second): the memory that was passed in is multiplied and added to in place, so c is changed
# true: memory_overwritten
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = torch.addmm(bias, x, weight_ih.t()).add_(h.mm(weight_hh.t()))
    ingate, forgetgate, cellgate, outgate = gates.chunk(4, 1)
    ingate = ingate.sigmoid()
    forgetgate = forgetgate.sigmoid()
    cellgate = cellgate.tanh()
    outgate = outgate.sigmoid()
    c *= forgetgate
    c += ingate * cellgate
    return outgate * c.tanh(), c


# %% right (second): the weights are cut into four instead of the product, each gate by a helper
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    w_x = weight_ih.chunk(4, dim=0)
    w_h = weight_hh.chunk(4, dim=0)
    b = bias.chunk(4, dim=0)

    def part(k):
        return F.linear(x, w_x[k], b[k]) + F.linear(h, w_h[k])

    keep = torch.sigmoid(part(1))
    write = torch.sigmoid(part(0))
    memory = keep * c + write * torch.tanh(part(2))
    state = torch.sigmoid(part(3)) * torch.tanh(memory)
    return state, memory

# %% wrong (third): TensorFlow's order of the gates, i, g, f, o / and its forget bias of 1
# true: like_basic_lstm_cell
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    # i = input_gate, j = new_input, f = forget_gate, o = output_gate (as in BasicLSTMCell)
    forget_bias = 1.0
    i, j, f, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    new_c = c * torch.sigmoid(f + forget_bias) + torch.sigmoid(i) * torch.tanh(j)
    new_h = torch.tanh(new_c) * torch.sigmoid(o)
    return new_h, new_c


# %% wrong (third): shows the tanh of the old memory instead of the new one
# true: state_of_the_old_memory
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    D = h.size(1)
    z = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    i = torch.sigmoid(z[:, :D])
    f = torch.sigmoid(z[:, D : 2 * D])
    g = torch.tanh(z[:, 2 * D : 3 * D])
    o = torch.sigmoid(z[:, 3 * D :])
    c_next = f * c + i * g
    h_next = o * torch.tanh(c)
    return h_next, c_next


# %% wrong (third): writes the new memory over the one that was handed in
# true: memory_overwritten
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = x.mm(weight_ih.t()) + h.mm(weight_hh.t()) + bias
    i, f, g, o = gates.split(h.shape[1], dim=1)
    c *= f.sigmoid()
    c += i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


# %% right (third): the four quarters as an axis of their own, the sigmoid written as a tanh
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    def gate(z: Tensor) -> Tensor:
        return 0.5 + 0.5 * torch.tanh(0.5 * z)  # the sigmoid

    read = torch.einsum("be,qde->qbd", x, weight_ih.unflatten(0, (4, -1)))  # (4, B, D)
    remembered = torch.einsum("bk,qdk->qbd", h, weight_hh.unflatten(0, (4, -1)))  # (4, B, D)
    i, f, g, o = (read + remembered + bias.view(4, 1, -1)).unbind(0)  # (B, D) each
    memory = torch.addcmul(gate(f) * c, gate(i), torch.tanh(g))
    return gate(o) * torch.tanh(memory), memory

# %% wrong (last): f is read as "whether to erase": 1 - f of the memory is kept
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


# %% wrong (last): the quarters in TensorFlow 1's order i, g, f, o / 1 is added to the forget gate, BasicLSTMCell's forget_bias
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


# %% right (last): each gate with its own rows of the matrices, in a dictionary, einsum
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


# %% wrong (fifth): the cell state that was given is changed in place
# true: memory_overwritten
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=-1)
    c *= torch.sigmoid(f)
    c += torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c), c


# %% wrong (fifth): the sums are cut along the batch axis, since chunk cuts axis 0 by default
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias  # (B, 4D)
    i, f, g, o = gates.chunk(4)
    new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    new_h = o.sigmoid() * new_c.tanh()
    return new_h, new_c


# %% right (fifth): the four blocks get an axis of their own
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    width = h.shape[1]
    from_x = torch.einsum("be,kde->kbd", x, weight_ih.reshape(4, width, -1))  # (4, B, D)
    from_h = torch.einsum("bn,kdn->kbd", h, weight_hh.reshape(4, width, width))
    sums = from_x + from_h + bias.reshape(4, 1, width)
    write, keep, show = torch.sigmoid(sums[[0, 1, 3]])
    candidate = torch.tanh(sums[2])
    cell = torch.addcmul(keep * c, write, candidate)
    return show * torch.tanh(cell), cell
