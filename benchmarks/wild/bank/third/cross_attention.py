# %% wrong: who asks for the weights gets an output that has not been through w_o
# true: projected_only_without_weights
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        if need_weights:
            return output, weights
        return self.w_o(output)


# %% wrong: divides the scores by the root of the number of keys, and not of the width
# true: scaled_by_num_keys
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = self.w_q(x)
        k = self.w_k(memory).transpose(1, 2)  # (B, D, S)
        v = self.w_v(memory)
        scores = q @ k / math.sqrt(k.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(F.softmax(scores, dim=-1))
        out = self.w_o(weights @ v)
        return (out, weights) if need_weights else out


# %% wrong: the softmax runs over the queries
# true: softmax_over_queries
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        d = x.shape[-1]
        energy = torch.bmm(self.w_q(x), self.w_k(memory).permute(0, 2, 1)) / d**0.5  # (B, T, S)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, -1e9)
        attention = torch.softmax(energy, dim=1)
        context = self.w_o(torch.bmm(attention, self.w_v(memory)))
        if need_weights:
            return context, attention
        return context


# %% right: einsums, the smallest number in place of -inf, and masked weights set to exact zeros afterwards
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = self.w_q(x) * x.size(-1) ** -0.5  # (B, T, D)
        weights = torch.einsum("btd,bsd->bts", query, self.w_k(memory))  # (B, T, S)
        if mask is None:
            weights = weights.softmax(-1)
        else:
            hidden = torch.logical_not(mask)
            weights = weights.masked_fill(hidden, torch.finfo(weights.dtype).min).softmax(-1)
            weights = weights.masked_fill(hidden, 0)
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, self.w_v(memory)))  # (B, T, D)
        return (output, weights) if need_weights else output
