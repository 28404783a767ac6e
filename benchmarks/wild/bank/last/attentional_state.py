# %% wrong: the state's columns first, the context's after them
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


# %% wrong: scores divided by the root of the width / the mask is not passed on
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


# %% right: no concatenation, the matrix is cut into the context's columns and the state's
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
