# %% wrong: the context is a mean of the keys instead of the values
# true: context_of_keys
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        scores = dot_scores(state, keys)
        context, weights = attend(scores, keys, mask)
        combined = torch.cat((context, state), dim=1)
        s_tilde = torch.tanh(self.w(combined))
        if need_weights:
            return s_tilde, weights
        return s_tilde


# %% wrong: state and context are put together in the wrong order / the scores are divided by the root of the width
# true: state_first, scaled
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.d_state = d_state
        self.scale = d_state**-0.5
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        e = dot_scores(state, keys).mul(self.scale)
        a, alpha = attend(e, values, mask=mask)
        out = self.w(torch.cat([state, a], dim=-1)).tanh()
        return (out, alpha) if need_weights else out


# %% wrong: a pair is always returned, with None in place of the weights where they were not asked for
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        assert state.dim() == 2 and keys.dim() == 3
        context, weights = attend(dot_scores(state, keys), values, mask)
        attentional = torch.tanh(self.w(torch.cat([context, state], dim=1)))
        if not need_weights:
            weights = None
        return attentional, weights


# %% right: the matrix is split in two and the halves' products are added
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.d_value = d_value
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        from_context = F.linear(context, self.w.weight[:, : self.d_value])
        from_state = F.linear(state, self.w.weight[:, self.d_value :])
        result = torch.tanh(from_context + from_state)
        if need_weights:
            return result, weights
        return result
