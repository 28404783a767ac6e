# %% wrong: the bias is added with both products, as if it were bias_ih and bias_hh
# true: bias_twice
# Violates "tanh(x W_ihᵀ + h W_hhᵀ + b)": b is already the sum of the two.
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    return torch.tanh(F.linear(x, weight_ih, bias) + F.linear(h, weight_hh, bias))


# %% wrong: W_hh is summed over its rows, so it is used without the transpose
# true: state_weight_not_transposed
# Violates "h W_hhᵀ" (a row for each output); W_ih, which is not square, is right.
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    from_input = torch.einsum("be,de->bd", x, weight_ih)
    from_state = torch.einsum("bd,de->be", h, weight_hh)
    return (from_input + from_state + bias).tanh()


# %% right: input and state side by side, one matrix product, computed with columns
def rnn_step(x: Tensor, h: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias: Tensor) -> Tensor:
    columns = torch.hstack((x, h)).mT  # (E + D, B)
    both = torch.hstack((weight_ih, weight_hh))  # (D, E + D)
    return torch.addmm(bias.unsqueeze(-1), both, columns).tanh().mT
