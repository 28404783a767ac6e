# %% wrong (first): scores are divided by the root of the model's width, not the head's
# true: scaled_by_d_model
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
        B, T, D = query.shape
        S = key.size(1)
        H = self.num_heads
        q = self.w_q(query).view(B, T, H, D // H).transpose(1, 2)
        k = self.w_k(key).view(B, S, H, D // H).transpose(1, 2)
        v = self.w_v(value).view(B, S, H, D // H).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        out = self.dropout(weights) @ v
        out = self.w_o(out.transpose(1, 2).reshape(B, T, D))
        return (out, weights) if need_weights else out

# %% wrong (first): F.dropout is called without the training flag, so weights are dropped in evaluation too
# true: dropout_in_evaluation
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
        dropped = F.dropout(weights, self.dropout.p)
        output = self.w_o(merge_heads(dropped @ v))
        if need_weights:
            return output, weights
        return output

# %% wrong (first): dropout falls on the layer's output and not on the weights
# true: dropout_on_the_output
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
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.dropout(self.w_o(merge_heads(heads)))
        return (output, weights) if need_weights else output

# %% wrong (first): the weights that are returned are those after dropout
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
        q, k, v = [split_heads(w(t), self.num_heads) for w, t in ((self.w_q, query), (self.w_k, key), (self.w_v, value))]
        _, p_attn = scaled_dot_product_attention(q, k, v, mask)
        p_attn = self.dropout(p_attn)
        x = merge_heads(torch.matmul(p_attn, v))
        self.attn = p_attn
        if need_weights:
            return self.w_o(x), p_attn
        return self.w_o(x)

# %% wrong (first): keys and values are made from the query, so nothing else is ever looked at
# true: query_attends_to_itself
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
        x = query
        q = split_heads(self.w_q(x), self.num_heads)
        k = split_heads(self.w_k(x), self.num_heads)
        v = split_heads(self.w_v(x), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (output, weights) if need_weights else output

# %% wrong (first): the values are projected from the key
# true: values_made_of_keys
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
        k, v = (split_heads(w(key), self.num_heads) for w in (self.w_k, self.w_v))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(merge_heads(torch.einsum("bhts,bhsd->bhtd", self.dropout(weights), v)))
        if need_weights:
            return output, weights
        return output

# %% wrong (first): the mask always gets one more axis, although the caller has given it one
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
            mask = mask.unsqueeze(1)  # same mask for all heads
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        x = merge_heads(self.dropout(weights) @ v)
        x = self.w_o(x)
        return (x, weights) if need_weights else x

# %% wrong (first): in the loop over the heads every head gets the first head's mask
# true: first_heads_mask_for_all
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
        if mask is not None and mask.dim() == 4:
            mask = mask[:, 0]
        outs, atts = [], []
        for h in range(self.num_heads):
            _, a = scaled_dot_product_attention(q[:, h], k[:, h], v[:, h], mask)
            outs.append(self.dropout(a) @ v[:, h])
            atts.append(a)
        output = self.w_o(torch.cat(outs, dim=-1))
        if need_weights:
            return output, torch.stack(atts, dim=1)
        return output

# %% wrong (first): the weights of the heads are averaged before they are returned
# true: weights_averaged_over_heads
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
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        if need_weights:
            return output, weights.mean(dim=1)
        return output

# %% wrong (first): the query's length is used to cut up keys and values, so other lengths crash / there is no dropout
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
        B, T, D = query.shape
        d_head = D // self.num_heads
        q = self.w_q(query).view(B, T, self.num_heads, d_head).transpose(1, 2)
        k = self.w_k(key).view(B, T, self.num_heads, d_head).transpose(1, 2)
        v = self.w_v(value).view(B, T, self.num_heads, d_head).transpose(1, 2)
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        context = context.transpose(1, 2).contiguous().view(B, T, D)
        out = self.w_o(context)
        return (out, weights) if need_weights else out

# %% wrong (first): the heads are put together by one reshape, which mixes the tokens
# true: merged_without_transpose
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
        B, T, D = query.shape
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = self.dropout(weights) @ v
        output = self.w_o(heads.reshape(B, T, D))
        return (output, weights) if need_weights else output

# %% wrong (first): dropout falls on the scores before the softmax
# true: dropout_on_the_scores
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
        scores = self.dropout(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]))
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        output = self.w_o(merge_heads(weights @ v))
        return (output, weights) if need_weights else output

# %% wrong (first): dropout falls on the projected values and not on the weights
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
        v = self.dropout(split_heads(self.w_v(value), self.num_heads))
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(merge_heads(heads))
        return (output, weights) if need_weights else output

# %% wrong (first): the features are dealt to the heads in turn, and not in neighbouring blocks
# true: split_interleaved, merged_interleaved
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
        B, T, D = query.shape
        def cut(t):
            return t.view(t.size(0), t.size(1), D // self.num_heads, self.num_heads).permute(0, 3, 1, 2)
        q, k, v = cut(self.w_q(query)), cut(self.w_k(key)), cut(self.w_v(value))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = self.dropout(weights) @ v
        output = self.w_o(heads.permute(0, 2, 3, 1).reshape(B, T, D))
        return (output, weights) if need_weights else output

# %% right (first): split, attend, dropout on the weights, mixed once more
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
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        if need_weights:
            return output, weights
        return output

# %% right (first): everything by einsum and own masking with -1e9, no helper of the lesson
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
        B, T, D = query.shape
        H = self.num_heads
        q = self.w_q(query).reshape(B, T, H, D // H)
        k = self.w_k(key).reshape(B, -1, H, D // H)
        v = self.w_v(value).reshape(B, -1, H, D // H)
        energy = torch.einsum("bqhd,bkhd->bhqk", q, k) / (D // H) ** 0.5
        if mask is not None:
            energy = energy.masked_fill(mask == 0, -1e9)
        attention = torch.softmax(energy, dim=-1)
        if mask is not None:
            attention = attention * mask
        dropped = self.dropout(attention)
        out = torch.einsum("bhqk,bkhd->bqhd", dropped, v).reshape(B, T, D)
        out = self.w_o(out)
        return (out, attention) if need_weights else out

# %% right (first): a loop over the heads, mask expanded to all of them first
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
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        B, T, D = q.shape
        S = k.shape[1]
        width = D // self.num_heads
        if mask is not None:
            mask = mask.expand(B, self.num_heads, T, S)
        mixed, kept = [], []
        for h in range(self.num_heads):
            part = slice(h * width, (h + 1) * width)
            _, a = scaled_dot_product_attention(q[..., part], k[..., part], v[..., part], None if mask is None else mask[:, h])
            kept.append(a)
            mixed.append(torch.bmm(self.dropout(a), v[..., part]))
        output = self.w_o(torch.cat(mixed, dim=-1))
        return (output, torch.stack(kept, dim=1)) if need_weights else output

# %% right (first): heads written as a sum, each through its own columns of W_o
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
        heads = self.dropout(weights) @ v
        columns = self.w_o.weight.view(self.w_o.out_features, self.num_heads, -1)
        output = torch.einsum("bhtd,ohd->bto", heads, columns)
        if self.w_o.bias is not None:
            output = output + self.w_o.bias
        if need_weights:
            return output, weights
        return output

# %% wrong (second): the query is added to the output, a residual connection that the layer should not have
# true: residual_added
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
        residual = query
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        scores = torch.matmul(q / q.size(-1) ** 0.5, k.transpose(2, 3))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = F.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(mask == 0, 0.0)
        out = torch.matmul(self.dropout(attn), v)
        out = self.w_o(merge_heads(out))
        out = out + residual
        if need_weights:
            return out, attn
        return out

# %% wrong (second): the scores are divided by the root of the whole width and not of a head's / the weights are returned as their mean over the heads
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
        B, T, D = query.shape
        S = key.shape[1]
        H = self.num_heads
        q = self.w_q(query).view(B, T, H, D // H).transpose(1, 2)
        k = self.w_k(key).view(B, S, H, D // H).transpose(1, 2)
        v = self.w_v(value).view(B, S, H, D // H).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
        context = self.dropout(weights) @ v
        output = self.w_o(context.transpose(1, 2).contiguous().view(B, T, D))
        if need_weights:
            return output, weights.mean(dim=1)
        return output

# %% wrong (second): keys and values are reshaped with the queries' number of tokens, so the layer crashes where the two sequences have different lengths
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
        batch_size, seq_len, d_model = query.size()
        d_k = d_model // self.num_heads

        def heads(linear, t):
            return linear(t).view(batch_size, seq_len, self.num_heads, d_k).permute(0, 2, 1, 3)

        q, k, v = heads(self.w_q, query), heads(self.w_k, key), heads(self.w_v, value)
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) / (d_k ** 0.5)
        if mask is not None:
            energy = energy.masked_fill(mask.logical_not(), torch.finfo(energy.dtype).min)
        attention = torch.softmax(energy, dim=3)
        if mask is not None:
            attention = attention * mask.to(attention.dtype)
        x = torch.matmul(self.dropout(attention), v)
        x = x.permute(0, 2, 1, 3).reshape(batch_size, seq_len, d_model)
        x = self.w_o(x)
        return (x, attention) if need_weights else x

# %% right (second): one loop over the heads with slices of the projections, mask by -inf
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
        batch, t, width = query.shape
        s = key.size(1)
        dh = width // self.num_heads
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        allowed = None
        if mask is not None:
            allowed = mask.expand(batch, self.num_heads, t, s)
        outputs, kept = [], []
        for h in range(self.num_heads):
            part = slice(h * dh, h * dh + dh)
            scores = torch.bmm(q[..., part], k[..., part].transpose(1, 2)) * dh**-0.5
            if allowed is None:
                weights = scores.softmax(-1)
            else:
                rule = allowed[:, h]
                empty = ~rule.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~(rule | empty), -math.inf)
                weights = scores.softmax(-1).masked_fill(empty, 0.0)
            kept.append(weights)
            outputs.append(torch.bmm(self.dropout(weights), v[..., part]))
        output = self.w_o(torch.cat(outputs, dim=-1))
        if not need_weights:
            return output
        return output, torch.stack(kept, dim=1)

# %% wrong (third): a query that may look at nothing looks at everything evenly / returns the weights as they are after dropout
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


# %% wrong (third): dropout falls on what attention brings back instead of on the weights
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


# %% wrong (third): gives every mask an axis for the heads, also one that has it or needs none
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


# %% right (third): a loop over the heads for the weights, one einsum for the values, no split and no merge
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

# %% wrong (last): F.dropout without training=self.training, so that weights are dropped in evaluation too
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


# %% wrong (last): divided by the root of D, not of Dh / the weights are returned after dropout
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


# %% right (last): a loop over the heads, each attends and drops on its own, with its own slice of the mask
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


# %% wrong (fifth): drops weights in evaluation too
# true: dropout_in_evaluation
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
        heads, weights = scaled_dot_product_attention(q, k, v, mask, self.dropout.p)
        output = self.w_o(merge_heads(heads))
        if need_weights:
            return output, weights
        return output


# %% wrong (fifth): a 3-D mask gets an axis in place 1, so a mask (H, T, S) is taken for one by sentence
# true: three_axes_taken_for_a_batch
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
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        q, k, v = (
            split_heads(linear(x), self.num_heads)
            for linear, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        dropout = self.dropout.p if self.training else 0.0
        heads, weights = scaled_dot_product_attention(q, k, v, mask, dropout)
        output = self.w_o(merge_heads(heads))
        return (output, weights) if need_weights else output


# %% wrong (fifth): returns the mean of the weights over the heads; dropout is on the output, not the weights
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
        q = split_heads(self.w_q(query), self.num_heads)  # (B, H, T, Dh)
        k = split_heads(self.w_k(key), self.num_heads)  # (B, H, S, Dh)
        v = split_heads(self.w_v(value), self.num_heads)  # (B, H, S, Dh)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.dropout(self.w_o(merge_heads(heads)))
        if need_weights:
            return output, weights.mean(dim=1)
        return output


# %% right (fifth): a loop over the heads, each with its slice of the expanded mask
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
        p = self.dropout.p * self.training
        q, k, v = (
            split_heads(project(x), self.num_heads).unbind(dim=1)
            for project, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value))
        )
        if mask is not None:
            mask = mask.expand(query.size(0), self.num_heads, query.size(1), key.size(1))
        mixtures, tables = [], []
        for h in range(self.num_heads):
            mixture, table = scaled_dot_product_attention(q[h], k[h], v[h], None if mask is None else mask[:, h], p)
            mixtures.append(mixture)
            tables.append(table)
        output = self.w_o(merge_heads(torch.stack(mixtures, dim=1)))
        return (output, torch.stack(tables, dim=1)) if need_weights else output
