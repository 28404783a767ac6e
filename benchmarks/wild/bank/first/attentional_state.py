# %% wrong: the state comes first, [s; a]
# true: state_first
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat((state, context), dim=1)))
        return (out, weights) if need_weights else out

# %% wrong: the tanh is left out
# true: no_tanh
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = self.w(torch.cat([context, state], -1))
        if need_weights:
            return out, weights
        return out

# %% wrong: the mask is not passed on
# true: mask_not_passed
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = dot_scores(state, keys)
        a, alpha = attend(scores, values)
        s_tilde = torch.tanh(self.w(torch.cat([a, state], dim=-1)))
        return (s_tilde, alpha) if need_weights else s_tilde

# %% wrong: always returns the pair, also when the weights were not asked for
# true: weights_always_returned
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        return torch.tanh(self.w(torch.cat([context, state], dim=-1))), weights

# %% wrong: the context is a mean of the keys, the values are never read
# true: context_of_keys
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), keys, mask)
        attn_h = torch.tanh(self.w(torch.cat([context, state], 1)))
        return (attn_h, weights) if need_weights else attn_h

# %% wrong: scores are divided by the square root of the width
# true: scaled
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)
        self.d_state = d_state

    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = dot_scores(state, keys) / self.d_state ** 0.5
        context, weights = attend(scores, values, mask)
        h = self.w(torch.cat((context, state), dim=-1)).tanh()
        return h if not need_weights else (h, weights)

# %% wrong: scores are compared with the values, the keys are never read
# true: scores_of_values
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, values), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: the tanh is taken before the matrix
# true: tanh_before_w
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = self.w(torch.tanh(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: both are returned in the other order, (weights, attentional state)
# true: weights_first
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        if need_weights:
            return weights, out
        return out

# %% wrong: its own softmax with minus infinity, a sentence whose keys are all masked becomes nan
# true: fully_masked_nan
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        e = torch.bmm(keys, state.unsqueeze(2)).squeeze(2)
        if mask is not None:
            e.masked_fill_(mask == 0, -float("inf"))
        alpha = F.softmax(e, dim=-1)
        a = torch.bmm(alpha.unsqueeze(1), values).squeeze(1)
        out = torch.tanh(self.w(torch.cat((a, state), dim=1)))
        return (out, alpha) if need_weights else out

# %% wrong: the mask is turned round before it is passed on
# true: mask_inverted
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        if mask is not None:
            mask = ~mask.bool()
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: the state is added to the result as a residual
# true: state_added
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = state + torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: with need_weights it gives the scores before the softmax, not the weights
# true: scores_returned
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        weights = dot_scores(state, keys)
        context, _ = attend(weights, values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: the layer is called concat and has a bias, weights that are loaded by name do not fit / the state comes first
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.concat = nn.Linear(d_state + d_value, d_state)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        concat_input = torch.cat((state, context), 1)
        concat_output = torch.tanh(self.concat(concat_input))
        return (concat_output, weights) if need_weights else concat_output

# %% wrong: super().__init__() is forgotten, the module cannot be made
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: the weights' answer is detached and so is the context, no gradient goes through the look-up
# true: context_detached
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        with torch.no_grad():
            context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong: state and context are added and not put beside each other, only half of the matrix is used
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        mixed = context + state if context.shape == state.shape else context
        out = torch.tanh(mixed @ self.w.weight[:, : mixed.size(-1)].T)
        return (out, weights) if need_weights else out

# %% wrong: the state comes first, [s; a] / the mask is forgotten
# true: state_first
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        energies = torch.sum(state.unsqueeze(1) * keys, dim=2)
        attn_weights = F.softmax(energies, dim=1).unsqueeze(1)
        context = attn_weights.bmm(values).squeeze(1)
        concat_output = torch.tanh(self.w(torch.cat((state, context), 1)))
        if need_weights:
            return concat_output, attn_weights.squeeze(1)
        return concat_output

# %% wrong: the tanh is left out / the pair is always returned
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        mixed = self.w(torch.cat([context, state], dim=-1))
        if not need_weights:
            weights = None
        return mixed, weights

# %% wrong: the context alone is returned when no weights are asked for, the state is mixed in in the other mode only
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        if need_weights:
            context = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
            return context, weights
        return context

# %% right: the two earlier parts and a concatenation
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        attentional = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (attentional, weights) if need_weights else attentional

# %% right: the weight cut in two, one product for each part, no concatenation
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.d_value = d_value
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        a, alpha = attend(dot_scores(state, keys), values, mask=mask)
        w_a, w_s = self.w.weight[:, :self.d_value], self.w.weight[:, self.d_value:]
        mixed = torch.tanh(a @ w_a.t() + state @ w_s.t())
        if need_weights:
            return mixed, alpha
        return mixed

# %% right: everything written out: bmm, finite fill, weights times mask
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super(AttentionalState, self).__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def _look(self, state, keys, values, mask):
        energies = torch.bmm(keys, state.unsqueeze(2)).squeeze(2)
        if mask is not None:
            energies = energies.masked_fill(mask == 0, -1e9)
        alpha = F.softmax(energies, dim=1)
        if mask is not None:
            alpha = alpha * mask.to(alpha.dtype)
        return torch.bmm(alpha.unsqueeze(1), values).squeeze(1), alpha

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, alpha = self._look(state, keys, values, mask)
        h_tilde = self.w(torch.cat((context, state), 1)).tanh()
        return (h_tilde, alpha) if need_weights else h_tilde
