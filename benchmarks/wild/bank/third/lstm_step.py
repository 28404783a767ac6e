# %% wrong: TensorFlow's order of the gates, i, g, f, o / and its forget bias of 1
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


# %% wrong: shows the tanh of the old memory instead of the new one
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


# %% wrong: writes the new memory over the one that was handed in
# true: memory_overwritten
def lstm_step(
    x: Tensor, h: Tensor, c: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    gates = x.mm(weight_ih.t()) + h.mm(weight_hh.t()) + bias
    i, f, g, o = gates.split(h.shape[1], dim=1)
    c *= f.sigmoid()
    c += i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


# %% right: the four quarters as an axis of their own, the sigmoid written as a tanh
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
