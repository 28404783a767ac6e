# %% wrong: scores are divided by the root of the model's width, not the head's
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

# %% wrong: F.dropout is called without the training flag, so weights are dropped in evaluation too
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

# %% wrong: dropout falls on the layer's output and not on the weights
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

# %% wrong: the weights that are returned are those after dropout
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

# %% wrong: keys and values are made from the query, so nothing else is ever looked at
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

# %% wrong: the values are projected from the key
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

# %% wrong: the mask always gets one more axis, although the caller has given it one
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

# %% wrong: in the loop over the heads every head gets the first head's mask
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

# %% wrong: the weights of the heads are averaged before they are returned
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

# %% wrong: the query's length is used to cut up keys and values, so other lengths crash / there is no dropout
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

# %% wrong: the heads are put together by one reshape, which mixes the tokens
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

# %% wrong: dropout falls on the scores before the softmax
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

# %% wrong: dropout falls on the projected values and not on the weights
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

# %% wrong: the features are dealt to the heads in turn, and not in neighbouring blocks
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

# %% right: split, attend, dropout on the weights, mixed once more
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

# %% right: everything by einsum and own masking with -1e9, no helper of the lesson
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

# %% right: a loop over the heads, mask expanded to all of them first
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

# %% right: heads written as a sum, each through its own columns of W_o
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
