# %% wrong: a query that may look at nothing looks at everything evenly / returns the weights as they are after dropout
# true: weights_after_dropout
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p_attn = self.dropout(scores.softmax(dim=-1))
        x = self.w_o(merge_heads(torch.matmul(p_attn, v)))
        return (x, p_attn) if need_weights else x


# %% wrong: dropout falls on what attention brings back instead of on the weights
# true: dropout_on_the_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(merge_heads(self.dropout(heads)))
        return (output, weights) if need_weights else output


# %% wrong: gives every mask an axis for the heads, also one that has it or needs none
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        if mask is not None:
            mask = mask.unsqueeze(1)  # same mask applied to all h heads
        H = self.num_heads
        q, k, v = split_heads(self.w_q(query), H), split_heads(self.w_k(key), H), split_heads(self.w_v(value), H)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.dropout(weights) @ v
        out = self.w_o(merge_heads(out))
        if need_weights:
            return out, weights
        return out


# %% right: a loop over the heads for the weights, one einsum for the values, no split and no merge
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads do not divide d_model = {d_model}")
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        H, (B, T), S = self.num_heads, query.shape[:2], key.size(1)
        q = self.w_q(query).unflatten(-1, (H, -1))  # (B, T, H, Dh)
        k = self.w_k(key).unflatten(-1, (H, -1))  # (B, S, H, Dh)
        v = self.w_v(value).unflatten(-1, (H, -1))  # (B, S, H, Dh)
        if mask is not None:
            mask = mask.broadcast_to(B, H, T, S)
        weights = torch.stack(
            [
                scaled_dot_product_attention(q[:, :, h], k[:, :, h], v[:, :, h], None if mask is None else mask[:, h])[1]
                for h in range(H)
            ],
            dim=1,
        )  # (B, H, T, S)
        heads = torch.einsum("bhts,bshd->bthd", self.dropout(weights), v)  # (B, T, H, Dh)
        output = self.w_o(heads.flatten(-2))  # (B, T, D)
        return (output, weights) if need_weights else output
