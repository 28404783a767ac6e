# %% wrong: the one bias is added twice, once with the input and once with the state
# true: bias_twice
def rnn_step(x, h, weight_ih, weight_hh, bias):
    from_input = F.linear(x, weight_ih, bias)
    from_state = F.linear(h, weight_hh, bias)
    return torch.tanh(from_input + from_state)


# %% wrong: the state matrix is used without its transpose
# true: state_weight_not_transposed
def rnn_step(x, h, weight_ih, weight_hh, bias):
    assert x.shape[0] == h.shape[0], "batch sizes differ"
    # one big product over [x; h]
    combined = torch.cat([x, h], dim=1)
    weight = torch.cat([weight_ih.t(), weight_hh], dim=0)
    return (combined @ weight + bias.view(1, -1)).tanh()


# %% wrong: the new state is written over the old one, so the h that was passed in is changed
# true: state_overwritten
def rnn_step(x, h, weight_ih, weight_hh, bias):
    a = torch.matmul(x, weight_ih.t()) + torch.matmul(h, weight_hh.t()) + bias
    h.data[:] = torch.tanh(a).data
    return torch.tanh(a)


# %% right: addmm twice, and a tanh in place on the fresh result
def rnn_step(x, h, weight_ih, weight_hh, bias):
    pre = torch.addmm(bias, x, weight_ih.transpose(0, 1))
    pre = torch.addmm(pre, h, weight_hh.transpose(0, 1))
    return pre.tanh_()
