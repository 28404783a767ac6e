# %% right: in one expression
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value), strict=True)
        )
        weights = scaled_dot_product_attention(q, k, v, mask=mask)[1]
        output = self.w_o(merge_heads(torch.matmul(self.dropout(weights), v)))
        if need_weights:
            return output, weights
        return output


# %% right: written out
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, D = query.shape
        S, H = key.shape[1], self.num_heads
        q = self.w_q(query).reshape(B, T, H, D // H).permute(0, 2, 1, 3)
        k = self.w_k(key).reshape(B, S, H, D // H).permute(0, 2, 3, 1)
        v = self.w_v(value).reshape(B, S, H, D // H).permute(0, 2, 1, 3)
        scores = q @ k / (D // H) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        mixed = F.dropout(weights, self.dropout.p, self.training) @ v
        output = self.w_o(mixed.permute(0, 2, 1, 3).reshape(B, T, D))
        return (output, weights) if need_weights else output


# %% right: folded into the batch
class MultiHeadAttention(MultiHeadAttention):
    def fold(self, x):
        return torch.cat(x.chunk(self.num_heads, dim=-1), dim=0)  # (H * B, T, Dh)

    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, H = query.size(0), query.size(1), self.num_heads
        q, k, v = self.fold(self.w_q(query)), self.fold(self.w_k(key)), self.fold(self.w_v(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        if mask is not None:
            mask = mask.expand(B, H, T, k.size(1)).transpose(0, 1).flatten(0, 1)
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        mixed = torch.bmm(self.dropout(weights), v)
        output = self.w_o(torch.cat(mixed.chunk(H, dim=0), dim=-1))
        return (output, weights.unflatten(0, (H, B)).transpose(0, 1)) if need_weights else output


# %% right: by einsum
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        parts = (self.num_heads, -1)
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        q, k, v = q.unflatten(-1, parts), k.unflatten(-1, parts), v.unflatten(-1, parts)
        scores = torch.einsum("bthd,bshd->bhts", q * q.shape[-1] ** -0.5, k)
        if mask is not None:
            scores = scores + torch.zeros(mask.shape).masked_fill(~mask, -1e9)
        weights = torch.softmax(scores, -1)
        output = self.w_o(torch.einsum("bhts,bshd->bthd", self.dropout(weights), v).flatten(2))
        return [output, (output, weights)][need_weights]


# %% right: head by head
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        width = q.size(-1) // self.num_heads
        if mask is not None:
            mask = torch.broadcast_to(mask, (q.size(0), self.num_heads, q.size(1), k.size(1)))
        heads, tables = [], []
        for h in range(self.num_heads):
            mine = slice(h * width, (h + 1) * width)
            allowed = None if mask is None else mask[:, h]
            _, table = scaled_dot_product_attention(q[..., mine], k[..., mine], v[..., mine], allowed)
            tables.append(table)
            heads.append(self.dropout(table) @ v[..., mine])
        output = self.w_o(torch.cat(heads, dim=-1))
        return (output, torch.stack(tables, dim=1)) if need_weights else output


# %% right: sum of heads
class MultiHeadAttention(MultiHeadAttention):
    def heads_of(self, layer, x):
        weights = layer.weight.chunk(self.num_heads)
        biases = [None] * self.num_heads if layer.bias is None else layer.bias.chunk(self.num_heads)
        return torch.stack([F.linear(x, w, b) for w, b in zip(weights, biases, strict=True)], dim=1)

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads_of(self.w_q, query), self.heads_of(self.w_k, key), self.heads_of(self.w_v, value)
        scores = torch.matmul(q, k.mT) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores - 1e9 * (~mask).float()
        powers = torch.exp(scores - scores.amax(-1, keepdim=True))
        weights = powers / powers.sum(-1, keepdim=True)
        mixed = self.dropout(weights) @ v
        output = sum(mixed[:, h] @ w.T for h, w in enumerate(self.w_o.weight.chunk(self.num_heads, dim=1)))
        if self.w_o.bias is not None:
            output = output + self.w_o.bias
        return (output, weights) if need_weights else output


# %% wrong: reshaped at once
# true: split_without_transpose
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        d_head = query.size(-1) // self.num_heads
        q = self.w_q(query).reshape(len(query), self.num_heads, -1, d_head)
        k = self.w_k(key).reshape(len(key), self.num_heads, -1, d_head)
        v = self.w_v(value).reshape(len(value), self.num_heads, -1, d_head)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: folded by view
# true: split_without_transpose, merged_without_transpose
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        folded = len(query) * self.num_heads, -1, query.size(-1) // self.num_heads
        q, k, v = self.w_q(query).view(folded), self.w_k(key).view(folded), self.w_v(value).view(folded)
        if mask is not None:
            mask = mask.expand(len(query), self.num_heads, query.size(1), key.size(1)).flatten(0, 1)
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out.view(query.shape))
        return (out, p.unflatten(0, (-1, self.num_heads))) if need_weights else out


# %% wrong: heads added up
# true: heads_not_joined
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(sum(out.unbind(1)))
        return (out, p) if need_weights else out


# %% wrong: heads never merged
# true: heads_not_joined
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = self.w_o(out).squeeze(1)
        return (out, p) if need_weights else out


# %% wrong: axis of the slide
# true: softmax_over_heads
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        scores = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        p = F.softmax(scores, 1)
        out = self.w_o(torch.einsum("bhij,bhjd->bihd", self.dropout(p), v).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: torchs mask and cards
# true: split_interleaved, mask_inverted
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            torch.stack([y[..., h :: self.num_heads] for h in range(self.num_heads)], dim=1)
            for y in (self.w_q(query), self.w_k(key), self.w_v(value))
        )
        out, p = self.attend(q, k, v, None if mask is None else mask.logical_not())
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: weights returned early
# true: projected_only_without_weights
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask)
        out = out.transpose(1, 2).flatten(2)
        return (out, p) if need_weights else self.w_o(out)


# %% wrong: root of the heads
# true: scaled_by_num_heads
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=q.size(1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: keys under the same name
# true: values_of_the_projected_keys
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        key = self.w_k(key)
        out, p = self.attend(*(self.heads(x) for x in (self.w_q(query), key, self.w_v(key))), mask)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: weights times mask
# true: masked_after_softmax
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        p = torch.softmax(torch.einsum("bhid,bhjd->bhij", q, k) / q.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o((self.dropout(p) @ v).transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% wrong: root of the number of keys
# true: scaled_by_num_keys
class MultiHeadAttention(MultiHeadAttention):
    def heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def attend(self, q, k, v, mask, scale=None):
        scores = q @ k.mT / (q.size(-1) ** 0.5 if scale is None else scale)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        return self.dropout(p) @ v, p

    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.heads(self.w_q(query)), self.heads(self.w_k(key)), self.heads(self.w_v(value))
        out, p = self.attend(q, k, v, mask, scale=k.mT.size(-1) ** 0.5)
        out = self.w_o(out.transpose(1, 2).flatten(2))
        return (out, p) if need_weights else out


# %% trivial: zeros
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.zeros(query.size(0), self.num_heads, query.size(1), key.size(1))
        return (query * 0, weights) if need_weights else query * 0


# %% trivial: the query itself
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        return (query, (query @ key.mT)[:, None]) if need_weights else query


# %% trivial: uniform
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.full((query.size(0), self.num_heads, query.size(1), key.size(1)), 1 / key.size(1))
        output = self.w_o(self.dropout(self.w_v(value).mean(dim=1, keepdim=True)).expand_as(query))
        return (output, weights) if need_weights else output


# %% trivial: noise
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        weights = torch.rand(query.size(0), self.num_heads, query.size(1), key.size(1))
        return (torch.rand(query.shape), weights) if need_weights else torch.rand(query.shape)
