# %% wrong (first): the state comes first, [s; a]
# true: state_first
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat((state, context), dim=1)))
        return (out, weights) if need_weights else out

# %% wrong (first): the tanh is left out
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

# %% wrong (first): the mask is not passed on
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

# %% wrong (first): always returns the pair, also when the weights were not asked for
# true: weights_always_returned
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        return torch.tanh(self.w(torch.cat([context, state], dim=-1))), weights

# %% wrong (first): the context is a mean of the keys, the values are never read
# true: context_of_keys
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), keys, mask)
        attn_h = torch.tanh(self.w(torch.cat([context, state], 1)))
        return (attn_h, weights) if need_weights else attn_h

# %% wrong (first): scores are divided by the square root of the width
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

# %% wrong (first): scores are compared with the values, the keys are never read
# true: scores_of_values
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, values), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong (first): the tanh is taken before the matrix
# true: tanh_before_w
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = self.w(torch.tanh(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong (first): both are returned in the other order, (weights, attentional state)
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

# %% wrong (first): its own softmax with minus infinity, a sentence whose keys are all masked becomes nan
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

# %% wrong (first): the mask is turned round before it is passed on
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

# %% wrong (first): the state is added to the result as a residual
# true: state_added
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = state + torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong (first): with need_weights it gives the scores before the softmax, not the weights
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

# %% wrong (first): the layer is called concat and has a bias, weights that are loaded by name do not fit / the state comes first
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.concat = nn.Linear(d_state + d_value, d_state)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        concat_input = torch.cat((state, context), 1)
        concat_output = torch.tanh(self.concat(concat_input))
        return (concat_output, weights) if need_weights else concat_output

# %% wrong (first): super().__init__() is forgotten, the module cannot be made
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        out = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (out, weights) if need_weights else out

# %% wrong (first): the weights' answer is detached and so is the context, no gradient goes through the look-up
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

# %% wrong (first): state and context are added and not put beside each other, only half of the matrix is used
class AttentionalState(nn.Module):
    def __init__(self, d_state, d_value):
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        mixed = context + state if context.shape == state.shape else context
        out = torch.tanh(mixed @ self.w.weight[:, : mixed.size(-1)].T)
        return (out, weights) if need_weights else out

# %% wrong (first): the state comes first, [s; a] / the mask is forgotten
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

# %% wrong (first): the tanh is left out / the pair is always returned
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

# %% wrong (first): the context alone is returned when no weights are asked for, the state is mixed in in the other mode only
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

# %% right (first): the two earlier parts and a concatenation
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(self, state, keys, values, mask=None, need_weights=False):
        context, weights = attend(dot_scores(state, keys), values, mask)
        attentional = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return (attentional, weights) if need_weights else attentional

# %% right (first): the weight cut in two, one product for each part, no concatenation
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

# %% right (first): everything written out: bmm, finite fill, weights times mask
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

# %% wrong (second): the context is a mean of the keys instead of the values
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


# %% wrong (second): state and context are put together in the wrong order / the scores are divided by the root of the width
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


# %% wrong (second): a pair is always returned, with None in place of the weights where they were not asked for
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


# %% right (second): the matrix is split in two and the halves' products are added
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

# %% wrong (third): the state comes first, the context after it
# true: state_first
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        context, weights = attend(dot_scores(state, keys), values, mask)
        mixed = torch.tanh(self.w(torch.cat((state, context), dim=1)))
        if need_weights:
            return mixed, weights
        return mixed


# %% wrong (third): no tanh where the weights are asked for
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        scores = dot_scores(state, keys)
        context, weights = attend(scores, values, mask)
        out = self.w(torch.cat([context, state], dim=-1))
        if need_weights:
            return out, weights
        return torch.tanh(out)


# %% wrong (third): masks the scores itself with -1e9 and not in attend, so that a sentence without keys looks everywhere
# half: fully_masked_uniform
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        energies = dot_scores(state, keys)
        if mask is not None:
            energies = energies.masked_fill(~mask, -1e9)
        a, alpha = attend(energies, values)
        s_tilde = torch.tanh(self.w(torch.cat([a, state], dim=1)))
        return (s_tilde, alpha) if need_weights else s_tilde


# %% right (third): the matrix is cut into the context's and the state's columns, no concatenation
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        found, weights = attend(dot_scores(state, keys), values, mask=mask)  # (B, Dv), (B, S)
        of_context, of_state = self.w.weight.split([values.size(-1), state.size(-1)], dim=1)  # (D, Dv), (D, D)
        result = (F.linear(found, of_context) + F.linear(state, of_state)).tanh()  # (B, D)
        if not need_weights:
            return result
        return result, weights

# %% wrong (last): the state's columns first, the context's after them
# true: state_first
# Violates "[a; s] has the context first".
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        context, weights = attend(dot_scores(state, keys), values, mask)
        mixed = torch.tanh(self.w(torch.cat([state, context], dim=-1)))
        return (mixed, weights) if need_weights else mixed


# %% wrong (last): scores divided by the root of the width / the mask is not passed on
# true: scaled
# Violates "by dot-product attention" with "your dot_scores" (not scaled) and "pass the mask on".
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        scores = dot_scores(state, keys) / math.sqrt(keys.size(-1))
        context, weights = attend(scores, values)
        attentional = torch.tanh(self.w(torch.cat((context, state), dim=1)))
        if need_weights:
            return attentional, weights
        return attentional


# %% right (last): no concatenation, the matrix is cut into the context's columns and the state's
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        found = attend(dot_scores(state, keys), values, mask)  # (B, Dv), (B, S)
        for_context, for_state = self.w.weight.tensor_split([values.size(-1)], dim=1)  # (D, Dv), (D, D)
        mixed = torch.addmm(state @ for_state.T, found[0], for_context.T).tanh()
        return [mixed, (mixed, found[1])][bool(need_weights)]


# %% wrong (fifth): without need_weights it returns a pair with None, as PyTorch modules do
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        context, weights = attend(dot_scores(state, keys), values, mask)
        attentional = torch.tanh(self.w(torch.cat([context, state], dim=-1)))
        return attentional, weights if need_weights else None


# %% wrong (fifth): the context is mixed from the keys instead of the values
# true: context_of_keys
class AttentionalState(nn.Module):
    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        scores = dot_scores(state, keys)  # (B, S)
        context, weights = attend(scores, keys, mask)
        s_tilde = self.w(torch.cat((context, state), dim=1)).tanh()
        if need_weights:
            return s_tilde, weights
        return s_tilde
