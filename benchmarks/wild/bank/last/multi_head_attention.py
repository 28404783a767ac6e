# %% wrong: F.dropout without training=self.training, so that weights are dropped in evaluation too
# true: dropout_in_evaluation
# Violates "in evaluation it does nothing".
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
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = F.dropout(weights, self.dropout.p) @ v
        output = self.w_o(merge_heads(heads))
        return (output, weights) if need_weights else output


# %% wrong: divided by the root of D, not of Dh / the weights are returned after dropout
# true: scaled_by_d_model
# Violates "softmax(Q_h K_hᵀ / sqrt(Dh))" and "as they are before dropout".
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
        d_model = query.size(-1)
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(d_model)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        attn = torch.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(~mask, 0.0)
        attn = self.dropout(attn)
        out = self.w_o(merge_heads(torch.matmul(attn, v)))
        if need_weights:
            return out, attn
        return out


# %% right: a loop over the heads, each attends and drops on its own, with its own slice of the mask
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
        projected = zip((self.w_q, self.w_k, self.w_v), (query, key, value))
        by_head = zip(*(split_heads(layer(x), self.num_heads).unbind(1) for layer, x in projected))
        masks = [None] * self.num_heads
        if mask is not None:
            masks = mask.expand(query.size(0), self.num_heads, query.size(1), key.size(1)).unbind(1)
        found, looked = [], []
        for (q, k, v), may in zip(by_head, masks):
            _, weights = scaled_dot_product_attention(q, k, v, may)  # (B, T, S)
            looked.append(weights)
            found.append(torch.bmm(self.dropout(weights), v))  # (B, T, Dh)
        output = self.w_o(merge_heads(torch.stack(found, dim=1)))
        return (output, torch.stack(looked, dim=1)) if need_weights else output
