# %% wrong: the state comes first, the context after it
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


# %% wrong: no tanh where the weights are asked for
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


# %% wrong: masks the scores itself with -1e9 and not in attend, so that a sentence without keys looks everywhere
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


# %% right: the matrix is cut into the context's and the state's columns, no concatenation
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
