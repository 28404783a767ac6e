# %% wrong: values are projected from the keys, V = W_v(W_k memory), where V = memory W_v
# true: values_of_the_projected_keys
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
        k = self.w_k(memory)
        v = self.w_v(k)
        attended, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(attended)
        return (output, weights) if need_weights else output


# %% wrong: believes the printed T × T and cuts memory and mask to the target's length, the end of a longer source is never read
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
        T = x.size(1)
        memory = memory[:, :T]
        if mask is not None:
            mask = mask[..., :T]
        out, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)
        out = self.w_o(out)
        if need_weights:
            return out, attn
        return out


# %% right: einsum and logsumexp, rows with nothing to see become zeros
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
        scores = torch.einsum("btd,bsd->bts", self.w_q(x) * x.size(-1) ** -0.5, self.w_k(memory))
        if mask is not None:
            scores = torch.where(mask, scores, torch.full_like(scores, -math.inf))
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp().nan_to_num(nan=0.0)  # (B, T, S)
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, self.w_v(memory)))
        return (output, weights) if need_weights else output
