# %% wrong (first): the square matrix is used without its transpose, h W_hh
# true: state_weight_not_transposed
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(x @ weight_ih.T + h @ weight_hh + bias)

# %% wrong (first): sigmoid in place of tanh
# true: sigmoid
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    gates = F.linear(x, weight_ih) + F.linear(h, weight_hh, bias)
    return torch.sigmoid(gates)

# %% wrong (first): the bias is added after the tanh
# true: bias_outside
def rnn_step(x, h, weight_ih, weight_hh, bias):
    pre = torch.matmul(x, weight_ih.t()) + torch.matmul(h, weight_hh.t())
    return pre.tanh() + bias

# %% wrong (first): the bias is added twice, once to each product as PyTorch's two biases are
# true: bias_twice
def rnn_step(x, h, weight_ih, weight_hh, bias):
    from_input = F.linear(x, weight_ih, bias)
    from_state = F.linear(h, weight_hh, bias)
    return torch.tanh(from_input + from_state)

# %% wrong (first): the new state is written into h (in-place add), so the caller's h is changed
# true: state_overwritten
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    new = x.mm(weight_ih.t()) + h.mm(weight_hh.t()) + bias
    h.data.copy_(torch.tanh(new))
    return torch.tanh(new)

# %% wrong (first): works on h.detach(), the gradient does not go back through time
# true: state_cut
def rnn_step(x, h, weight_ih, weight_hh, bias):
    h = h.detach()
    return torch.tanh(torch.einsum("be,de->bd", x, weight_ih) + torch.einsum("bi,oi->bo", h, weight_hh) + bias)

# %% wrong (first): the old state is added to the new one like a residual connection
# true: state_added
def rnn_step(x, h, weight_ih, weight_hh, bias):
    update = torch.tanh(x @ weight_ih.T + h @ weight_hh.T + bias)
    return h + update

# %% wrong (first): input and state are concatenated in the other order than their weights, crashes or mixes them where E = D
# true: joined_in_the_other_order
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    joined = torch.cat((h, x), dim=1)  # (B, D + E)
    weight = torch.cat((weight_ih, weight_hh), dim=1)  # (D, E + D)
    return torch.tanh(F.linear(joined, weight, bias))

# %% wrong (first): a tanh of each part, then their sum
# true: tanh_of_each
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return torch.tanh(x @ weight_ih.t()) + torch.tanh(h @ weight_hh.t() + bias)

# %% wrong (first): the answer is cast to float32, a float64 network loses its precision
def rnn_step(x, h, weight_ih, weight_hh, bias):
    x, h = x.float(), h.float()
    z = x @ weight_ih.float().transpose(0, 1) + h @ weight_hh.float().transpose(0, 1) + bias.float()
    return torch.tanh(z)

# %% wrong (first): computed in numpy, so there is no gradient for the weights
# true: detached
import numpy as np

def rnn_step(x, h, weight_ih, weight_hh, bias):
    xn, hn = x.detach().numpy(), h.detach().numpy()
    wi, wh, b = weight_ih.detach().numpy(), weight_hh.detach().numpy(), bias.detach().numpy()
    return torch.from_numpy(np.tanh(xn @ wi.T + hn @ wh.T + b))

# %% wrong (first): the bias is forgotten / weight_hh is not transposed
# true: bias_left_out, state_weight_not_transposed
def rnn_step(x, h, weight_ih, weight_hh, bias):
    out = torch.mm(x, weight_ih.t())
    out += torch.mm(h, weight_hh)
    return out.tanh_()

# %% wrong (first): returns a pair (output, state) as nn.RNN does
def rnn_step(x, h, weight_ih, weight_hh, bias):
    h_next = torch.tanh(F.linear(x, weight_ih) + F.linear(h, weight_hh) + bias)
    return h_next, h_next

# %% wrong (first): squeezes the result, so a batch of one comes back as (D,)
def rnn_step(x, h, weight_ih, weight_hh, bias):
    i2h = torch.bmm(weight_ih.expand(x.size(0), -1, -1), x.unsqueeze(2))
    h2h = torch.bmm(weight_hh.expand(h.size(0), -1, -1), h.unsqueeze(2))
    return torch.tanh((i2h + h2h).squeeze() + bias)

# %% wrong (first): the state is clamped to ±1 by hardtanh in place of the smooth tanh
def rnn_step(x, h, weight_ih, weight_hh, bias):
    return F.hardtanh(x @ weight_ih.T + h @ weight_hh.T + bias)

# %% wrong (first): sigmoid in place of tanh / the square matrix is not transposed
# true: sigmoid, state_weight_not_transposed
def rnn_step(x, h, weight_ih, weight_hh, bias):
    assert weight_hh.shape[0] == weight_hh.shape[1]
    a = torch.einsum("be,de->bd", x, weight_ih) + torch.einsum("bi,io->bo", h, weight_hh)
    a = a + bias.view(1, -1)
    return 1 / (1 + torch.exp(-a))

# %% wrong (first): the bias comes after the tanh / the answer is detached, no gradient
# true: bias_outside
def rnn_step(x, h, weight_ih, weight_hh, bias):
    xn = F.linear(x.data, weight_ih.data) + F.linear(h.data, weight_hh.data)
    return torch.tanh(xn).add_(bias.data)

# %% right (first): F.linear twice
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh))

# %% right (first): one product of the concatenated input and weights, addmm
def rnn_step(x, h, weight_ih, weight_hh, bias):
    xh = torch.cat([x, h], dim=-1)
    w = torch.cat([weight_ih, weight_hh], dim=-1)
    return torch.addmm(bias, xh, w.t()).tanh()

# %% right (first): tanh written by exponentials of a sigmoid, einsum
def rnn_step(x, h, weight_ih, weight_hh, bias):
    z = torch.einsum("be,de->bd", x, weight_ih) + torch.einsum("bk,dk->bd", h, weight_hh) + bias
    return 2 * torch.sigmoid(2 * z) - 1

# %% right (first): a loop over the batch, matrix times column
def rnn_step(x, h, weight_ih, weight_hh, bias):
    rows = []
    for x_b, h_b in zip(x, h):
        rows.append(torch.tanh(weight_ih @ x_b + weight_hh @ h_b + bias))
    return torch.stack(rows)

# %% wrong (second): the one bias is added twice, once with the input and once with the state
# true: bias_twice
def rnn_step(x, h, weight_ih, weight_hh, bias):
    from_input = F.linear(x, weight_ih, bias)
    from_state = F.linear(h, weight_hh, bias)
    return torch.tanh(from_input + from_state)


# %% wrong (second): the state matrix is used without its transpose
# true: state_weight_not_transposed
def rnn_step(x, h, weight_ih, weight_hh, bias):
    assert x.shape[0] == h.shape[0], "batch sizes differ"
    # one big product over [x; h]
    combined = torch.cat([x, h], dim=1)
    weight = torch.cat([weight_ih.t(), weight_hh], dim=0)
    return (combined @ weight + bias.view(1, -1)).tanh()


# %% wrong (second): the new state is written over the old one, so the h that was passed in is changed
# true: state_overwritten
def rnn_step(x, h, weight_ih, weight_hh, bias):
    a = torch.matmul(x, weight_ih.t()) + torch.matmul(h, weight_hh.t()) + bias
    h.data[:] = torch.tanh(a).data
    return torch.tanh(a)


# %% right (second): addmm twice, and a tanh in place on the fresh result
def rnn_step(x, h, weight_ih, weight_hh, bias):
    pre = torch.addmm(bias, x, weight_ih.transpose(0, 1))
    pre = torch.addmm(pre, h, weight_hh.transpose(0, 1))
    return pre.tanh_()

# %% wrong (third): the state meets W_hh without the transpose
# true: state_weight_not_transposed
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    from_input = torch.einsum("be,de->bd", x, weight_ih)
    from_state = torch.einsum("bd,de->be", h, weight_hh)
    return torch.tanh(from_input + from_state + bias)


# %% wrong (third): adds the bias twice, once with the input and once with the state
# true: bias_twice
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    i2h = F.linear(x, weight_ih, bias)
    h2h = F.linear(h, weight_hh, bias)
    return torch.tanh(i2h + h2h)


# %% wrong (third): copies the weights into an nn.RNNCell, so that no gradient reaches them
# true: weights_cut
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    cell = nn.RNNCell(x.size(1), h.size(1)).to(x.dtype)
    with torch.no_grad():
        cell.weight_ih.copy_(weight_ih)
        cell.weight_hh.copy_(weight_hh)
        cell.bias_ih.copy_(bias)
        cell.bias_hh.zero_()
    return cell(x, h)


# %% right (third): input and state side by side, one product with both matrices
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    both = torch.cat([x, h], dim=1)  # (B, E + D)
    weight = torch.cat([weight_ih, weight_hh], dim=1)  # (D, E + D)
    return torch.addmm(bias, both, weight.t()).tanh()

# %% wrong (last): the bias is added with both products, as if it were bias_ih and bias_hh
# true: bias_twice
# Violates "tanh(x W_ihᵀ + h W_hhᵀ + b)": b is already the sum of the two.
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias))


# %% wrong (last): W_hh is summed over its rows, so it is used without the transpose
# true: state_weight_not_transposed
# Violates "h W_hhᵀ" (a row for each output); W_ih, which is not square, is right.
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    from_input = torch.einsum("be,de->bd", x, weight_ih)
    from_state = torch.einsum("bd,de->be", h, weight_hh)
    return (from_input + from_state + bias).tanh()


# %% right (last): input and state side by side, one matrix product, computed with columns
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    columns = torch.hstack((x, h)).mT  # (E + D, B)
    both = torch.hstack((weight_ih, weight_hh))  # (D, E + D)
    return torch.addmm(bias.unsqueeze(-1), both, columns).tanh().mT


# %% wrong (fifth): the new state is written into h, so the old one is lost
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    new = torch.tanh(x @ weight_ih.T + h @ weight_hh.T + bias)
    with torch.no_grad():
        h.copy_(new)
    return new


# %% wrong (fifth): the bias is a column, added per sentence and not per entry
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(x @ weight_ih.T + h @ weight_hh.T + bias.unsqueeze(1))


# %% right (fifth): x and h are joined, and so are the two matrices
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    both = torch.cat([x, h], dim=-1)  # (B, E + D)
    weight = torch.cat([weight_ih, weight_hh], dim=1)  # (D, E + D)
    return torch.einsum("bk,dk->bd", both, weight).add(bias).tanh()
