# %% wrong (fourth): the words are turned, before the projections
# true: words_turned
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        query = rotary_embedding(query, torch.arange(query.size(1)))
        key = rotary_embedding(key, torch.arange(key.size(1)))
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if need_weights else out


# %% wrong (fourth): turned after the projections but before the heads are split: the first heads have all the fast pairs
# true: turned_before_the_heads
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = rotary_embedding(self.w_q(query), torch.arange(query.size(1)))
        k = rotary_embedding(self.w_k(key), torch.arange(key.size(1)))
        v = self.w_v(value)
        q, k, v = (split_heads(x, self.num_heads) for x in (q, k, v))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        if need_weights:
            return out, weights
        return out


# %% wrong (fourth): only the queries are turned
# true: only_queries_turned
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = split_heads(self.w_q(query), self.num_heads)  # (B, H, T, Dh)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        q = rotary_embedding(q, torch.arange(q.size(2)))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if need_weights else out


# %% wrong (fourth): returns the weights as dropout has left them
# true: weights_after_dropout
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        q, k, v = split_heads(q, self.num_heads), split_heads(k, self.num_heads), split_heads(v, self.num_heads)
        q = rotary_embedding(q, torch.arange(q.size(-2)))
        k = rotary_embedding(k, torch.arange(k.size(-2)))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        weights = self.dropout(weights)
        output = self.w_o(merge_heads(weights @ v))
        return (output, weights) if need_weights else output


# %% wrong (fourth): queries are taken for the last T positions, as with a cache of keys
# true: queries_at_the_end
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        B, T, D = query.shape
        S = key.size(1)
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        q = rotary_embedding(q, torch.arange(S - T, S))
        k = rotary_embedding(k, torch.arange(S))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if need_weights else out


# %% wrong (fourth): turns (B, T, H, Dh) by the number of the head instead of the position
# true: nothing_turned
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        B, T, D = query.shape
        S, H = key.size(1), self.num_heads
        q = self.w_q(query).view(B, T, H, D // H)
        k = self.w_k(key).view(B, S, H, D // H)
        v = self.w_v(value).view(B, S, H, D // H)
        q = rotary_embedding(q, torch.arange(q.size(2)))
        k = rotary_embedding(k, torch.arange(k.size(2)))
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = (self.dropout(weights) @ v).transpose(1, 2).reshape(B, T, D)
        out = self.w_o(out)
        return (out, weights) if need_weights else out


# %% wrong (fourth): the output projection is forgotten
# true: output_not_projected
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = rotary_embedding(split_heads(self.w_q(query), self.num_heads), torch.arange(query.size(1)))
        k = rotary_embedding(split_heads(self.w_k(key), self.num_heads), torch.arange(key.size(1)))
        v = split_heads(self.w_v(value), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = merge_heads(self.dropout(weights) @ v)
        return (out, weights) if need_weights else out


# %% wrong (fourth): the mask is never handed on
# true: mask_ignored
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        def heads(x, linear):
            return split_heads(linear(x), self.num_heads)

        q, k, v = heads(query, self.w_q), heads(key, self.w_k), heads(value, self.w_v)
        q = rotary_embedding(q, torch.arange(query.size(1)))
        k = rotary_embedding(k, torch.arange(key.size(1)))
        _, weights = scaled_dot_product_attention(q, k, v)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if need_weights else out


# %% wrong (fourth): no dropout at all
# true: dropout_left_out
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        q, k = rotary_embedding(q, torch.arange(q.shape[2])), rotary_embedding(k, torch.arange(k.shape[2]))
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(out))
        return (out, weights) if need_weights else out


# %% wrong (fourth): turns queries and keys and hands them to MultiHeadAttention, which projects them once more
# true: projected_twice
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = rotary_embedding(split_heads(self.w_q(query), self.num_heads), torch.arange(query.size(1)))
        k = rotary_embedding(split_heads(self.w_k(key), self.num_heads), torch.arange(key.size(1)))
        return super().forward(merge_heads(q), merge_heads(k), value, mask, need_weights)


# %% wrong (fourth): keys are turned by one position more than queries
# true: keys_counted_from_1
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        q = rotary_embedding(q, torch.arange(0, query.size(1)))
        k = rotary_embedding(k, torch.arange(1, key.size(1) + 1))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (out, weights) if need_weights else out


# %% right (fourth): views and einsum, everything written out
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        B, T, D = query.shape
        S, H = key.size(1), self.num_heads
        d = D // H
        q = self.w_q(query).view(B, T, H, d).permute(0, 2, 1, 3)
        k = self.w_k(key).view(B, S, H, d).permute(0, 2, 1, 3)
        v = self.w_v(value).view(B, S, H, d)
        q, k = rotary_embedding(q, torch.arange(T)), rotary_embedding(k, torch.arange(S))
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
        out = torch.einsum("bhts,bshd->bthd", self.dropout(weights), v).reshape(B, T, D)
        out = self.w_o(out)
        return (out, weights) if need_weights else out


# %% right (fourth): one head after the other
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        d = query.size(-1) // self.num_heads
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        outs, all_weights = [], []
        full = None
        if mask is not None:
            full = mask.expand(query.size(0), self.num_heads, query.size(1), key.size(1))
        for h in range(self.num_heads):
            part = slice(h * d, (h + 1) * d)
            qh = rotary_embedding(q[..., part], torch.arange(q.size(1)))
            kh = rotary_embedding(k[..., part], torch.arange(k.size(1)))
            _, w = scaled_dot_product_attention(qh, kh, v[..., part], None if full is None else full[:, h])
            all_weights.append(w)
            outs.append(self.dropout(w) @ v[..., part])
        output = self.w_o(torch.cat(outs, dim=-1))
        if need_weights:
            return output, torch.stack(all_weights, dim=1)
        return output


# %% right (fourth): heads folded into the batch before they are turned
class RotaryAttention(MultiHeadAttention):
    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads
        q = rotary_embedding(self.w_q(query).reshape(B, T, H, -1).transpose(1, 2).reshape(B * H, T, -1), torch.arange(T))
        k = rotary_embedding(self.w_k(key).reshape(B, S, H, -1).transpose(1, 2).reshape(B * H, S, -1), torch.arange(S))
        _, weights = scaled_dot_product_attention(
            q.view(B, H, T, -1), k.view(B, H, S, -1), split_heads(self.w_v(value), H), mask
        )
        output = self.w_o(merge_heads(self.dropout(weights).matmul(split_heads(self.w_v(value), H))))
        return (output, weights) if need_weights else output


# %% wrong (fifth): the keys get the positions of the queries: an error unless T = S
class RotaryAttention(MultiHeadAttention):
    """Multi-head attention whose heads turn their queries and keys by the angles of their positions."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, *more, **options) -> None:
        super().__init__(d_model, num_heads, dropout, *more, **options)
        self.drop_weights = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        positions = torch.arange(query.size(1), device=query.device)
        q = rotary_embedding(split_heads(self.w_q(query), self.num_heads), positions)
        k = rotary_embedding(split_heads(self.w_k(key), self.num_heads), positions)
        v = split_heads(self.w_v(value), self.num_heads)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(merge_heads(self.drop_weights(weights) @ v))
        return (output, weights) if need_weights else output


# %% wrong (fifth): with need_weights the weights come back as they are after dropout
# true: weights_after_dropout
class RotaryAttention(MultiHeadAttention):
    """Multi-head attention whose heads turn their queries and keys by the angles of their positions."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, *more, **options) -> None:
        super().__init__(d_model, num_heads, dropout, *more, **options)
        self.p_drop = dropout

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        T, S = query.shape[1], key.shape[1]
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        q = rotary_embedding(q, torch.arange(T, device=query.device))
        k = rotary_embedding(k, torch.arange(S, device=key.device))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        weights = nn.functional.dropout(weights, self.p_drop, self.training)
        output = self.w_o(merge_heads(weights @ v))
        if need_weights:
            return output, weights
        return output
