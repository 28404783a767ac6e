# %% wrong: the gates are cut out interleaved (every fourth number) instead of as four quarters below each other
# true: interleaved
def lstm_step(x, h, c, weight_ih, weight_hh, bias):
    batch, width = h.shape
    gates = F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias
    i, f, g, o = gates.view(batch, width, 4).unbind(dim=-1)
    i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
    c_new = f * c + i * torch.tanh(g)
    return o * torch.tanh(c_new), c_new


# %% wrong: the memory is squashed by tanh before it is handed on, so c' is tanh of what it should be
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


# %% wrong: the memory that was passed in is multiplied and added to in place, so c is changed
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


# %% right: the weights are cut into four instead of the product, each gate by a helper
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
