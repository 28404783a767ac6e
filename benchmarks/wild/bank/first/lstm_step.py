# %% wrong: quarters are read in the order i, f, o, g
# true: order_of_the_slide
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    z = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, o, g = z.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong: quarters are read in the order f, i, g, o, so the forget and the input gate are exchanged
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

# %% wrong: the candidate goes through a sigmoid like the gates
# true: candidate_by_sigmoid
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = torch.sigmoid(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)
    i, f, g, o = gates.split(h.size(-1), dim=-1)
    c_new = f * c + i * g
    return o * torch.tanh(c_new), c_new

# %% wrong: the state is read from the old memory, o * tanh(c), not from the new one
# true: state_of_the_old_memory
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.t() + h @ weight_hh.t() + bias).chunk(4, 1)
    next_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    next_h = o.sigmoid() * c.tanh()
    return next_h, next_c

# %% wrong: the tanh is missing where the memory is shown, h' = o * c'
# true: state_not_squashed
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = torch.addmm(bias, x, weight_ih.t()) + torch.mm(h, weight_hh.t())
    i, f, g, o = gates.chunk(4, 1)
    i, f, o = map(torch.sigmoid, (i, f, o))
    c_new = f * c + i * torch.tanh(g)
    return o * c_new, c_new

# %% wrong: f is taken as the share that is erased, 1 - f is kept
# true: erases_where_it_should_keep
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = x @ weight_ih.T + h @ weight_hh.T + bias
    i, f, g, o = torch.chunk(a, 4, dim=-1)
    i, f, g, o = torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o)
    c_next = (1 - f) * c + i * g
    h_next = o * torch.tanh(c_next)
    return h_next, c_next

# %% wrong: returns (memory, state), exchanged
# true: memory_first
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = torch.tensor_split(x @ weight_ih.T + h @ weight_hh.T + bias, 4, dim=1)
    c2 = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h2 = torch.sigmoid(o) * torch.tanh(c2)
    return c2, h2

# %% wrong: the memory is updated in place, so the caller's c is changed
# true: memory_overwritten
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)
    i, f, g, o = a.chunk(4, dim=1)
    c.mul_(torch.sigmoid(f)).add_(torch.sigmoid(i) * torch.tanh(g))
    return torch.sigmoid(o) * torch.tanh(c), c

# %% wrong: the quarters are taken as every fourth entry (a view with 4 last), not as blocks below each other
# true: interleaved
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    B, D = h.shape
    gates = (x @ weight_ih.T + h @ weight_hh.T + bias).view(B, D, 4)
    i, f, g, o = gates.unbind(dim=-1)
    c_next = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c_next.tanh(), c_next

# %% wrong: 1 is added to the forget gate's bias at every step
# true: forget_gate_plus_one
def lstm_step(x, h, c, weight_ih, weight_hh, bias, forget_bias=1.0):
    i, f, g, o = (F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias).chunk(4, dim=1)
    new_c = c * torch.sigmoid(f + forget_bias) + torch.sigmoid(i) * torch.tanh(g)
    new_h = torch.tanh(new_c) * torch.sigmoid(o)
    return new_h, new_c

# %% wrong: input and forget gate are coupled, i = 1 - f as in a GRU
# true: one_minus_forget
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    D = h.size(1)
    gates = x.mm(weight_ih.t()) + h.mm(weight_hh.t()) + bias
    f = torch.sigmoid(gates[:, D:2 * D])
    g = torch.tanh(gates[:, 2 * D:3 * D])
    o = torch.sigmoid(gates[:, 3 * D:4 * D])
    c_next = f * c + (1 - f) * g
    return o * torch.tanh(c_next), c_next

# %% wrong: the bias is added twice, once with each product / the memory is kept out of the graph (detached), so no gradient goes back along it
# true: bias_twice
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    a = F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias)
    i, f, g, o = a.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c.detach() + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong: the gates read the memory in place of the state
# true: memory_reaches_the_gates
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    z = x @ weight_ih.T + c @ weight_hh.T + bias
    i, f, g, o = z.chunk(4, -1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, c

# %% wrong: a softmax over the three gates, so they sum to 1
# true: softmax_over_the_gates
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    i, f, o = torch.softmax(torch.stack((i, f, o)), dim=0)
    c = f * c + i * torch.tanh(g)
    return o * torch.tanh(c), c

# %% wrong: returns (output, (h, c)) like nn.LSTM
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (x @ weight_ih.T + h @ weight_hh.T + bias).chunk(4, dim=1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return h, (h, c)

# %% wrong: works with columns and does not turn them back, state and memory come out as (D, B)
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    gates = weight_ih @ x.T + weight_hh @ h.T + bias.unsqueeze(1)  # (4D, B)
    i, f, g, o = gates.chunk(4)
    c_next = torch.sigmoid(f) * c.T + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * torch.tanh(c_next), c_next

# %% wrong: quarters in the order f, i, o, g / the tanh is missing where the memory is shown
# true: gates_first, state_not_squashed
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    H = h.size(1)
    A = torch.matmul(x, weight_ih.t()) + torch.matmul(h, weight_hh.t()) + bias[None, :]
    ft, it, ot = torch.sigmoid(A[:, :3 * H]).split(H, dim=1)
    ct = ft * c + it * torch.tanh(A[:, 3 * H:])
    return ot * ct, ct

# %% wrong: the caller's h and c are overwritten in place / the state is made from the old memory
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    i, f, g, o = (F.linear(x, weight_ih, bias) + F.linear(h, weight_hh)).chunk(4, dim=1)
    new_h = torch.sigmoid(o) * torch.tanh(c)
    new_c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h.data.copy_(new_h.data)
    c.data.copy_(new_c.data)
    return new_h, new_c

# %% right: one product, chunk
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = F.linear(torch.cat([x, h], dim=1), torch.cat([weight_ih, weight_hh], dim=1), bias)
    i, f, g, o = gates.chunk(4, dim=1)
    c_next = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h_next = torch.sigmoid(o) * torch.tanh(c_next)
    return h_next, c_next

# %% right: a helper for each gate with slices of the weights
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

# %% right: view as (B, 4, D) and unbind, in-place activations on fresh tensors, addcmul
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    B, D = h.shape
    z = (torch.mm(x, weight_ih.t()) + torch.mm(h, weight_hh.t()) + bias).view(B, 4, D)
    i, f, g, o = z.unbind(1)
    cy = torch.addcmul(f.sigmoid() * c, i.sigmoid(), g.tanh())
    hy = o.sigmoid() * cy.tanh()
    return hy, cy
