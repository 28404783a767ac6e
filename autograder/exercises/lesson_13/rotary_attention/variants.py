# %% right: in one expression
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(layer(x), self.num_heads)
            for layer, x in zip((self.w_q, self.w_k, self.w_v), (query, key, value), strict=True)
        )
        q, k = (rotary_embedding(x, torch.arange(x.size(2))) for x in (q, k))
        weights = scaled_dot_product_attention(q, k, v, mask=mask)[1]
        output = self.w_o(merge_heads(torch.matmul(self.dropout(weights), v)))
        if need_weights:
            return output, weights
        return output


# %% right: written out
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        B, T, D = query.shape
        S, H = key.size(1), self.num_heads
        q = self.w_q(query).view(B, T, H, D // H).transpose(1, 2)
        k = self.w_k(key).view(B, S, H, D // H).transpose(1, 2)
        v = self.w_v(value).view(B, S, H, D // H).transpose(1, 2)
        q, k = rotary_embedding(q, torch.arange(T)), rotary_embedding(k, torch.arange(S))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D // H)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        x = (self.dropout(weights) @ v).transpose(1, 2).reshape(B, T, D)
        return (self.w_o(x), weights) if need_weights else self.w_o(x)


# %% right: head by head
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        width = q.size(-1) // self.num_heads
        if mask is not None:
            mask = mask.expand(q.size(0), self.num_heads, q.size(1), k.size(1))
        outputs, weights = [], []
        for h in range(self.num_heads):
            part = slice(h * width, (h + 1) * width)
            turned_q = rotary_embedding(q[..., part], torch.arange(q.size(1)))
            turned_k = rotary_embedding(k[..., part], torch.arange(k.size(1)))
            seen = None if mask is None else mask[:, h]
            _, w = scaled_dot_product_attention(turned_q, turned_k, v[..., part], seen)
            outputs.append(self.dropout(w) @ v[..., part])
            weights.append(w)
        output = self.w_o(torch.cat(outputs, dim=-1))
        return (output, torch.stack(weights, dim=1)) if need_weights else output


# %% right: turned before the transpose
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        def heads(x, positions=None):
            x = x.unflatten(-1, (self.num_heads, -1)).movedim(-2, 1)
            return x if positions is None else rotary_embedding(x, positions)

        longest = torch.arange(max(query.size(1), key.size(1)))
        q = heads(self.w_q(query), longest[: query.size(1)])
        k = heads(self.w_k(key), longest[: key.size(1)])
        v = heads(self.w_v(value))
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(torch.einsum("bhts,bhsd->bthd", self.dropout(weights), v).flatten(2))
        return (output, weights) if need_weights else output


# %% wrong: handed to multi head attention
# defines: projected_twice
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k = split_heads(self.w_q(query), self.num_heads), split_heads(self.w_k(key), self.num_heads)
        q, k = rotary_embedding(q, torch.arange(q.size(-2))), rotary_embedding(k, torch.arange(k.size(-2)))
        return MultiHeadAttention.forward(self, merge_heads(q), merge_heads(k), value, mask, need_weights)


# %% wrong: all three ina loop
# true: values_turned_too
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        projected = (self.w_q(query), self.w_k(key), self.w_v(value))
        q, k, v = (rotary_embedding(split_heads(x, self.num_heads), torch.arange(x.size(1))) for x in projected)
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        return (output, weights) if need_weights else output


# %% wrong: backwards for keys
# true: keys_turned_the_other_way
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        q, k, v = (
            split_heads(w(x), self.num_heads) for w, x in ((self.w_q, query), (self.w_k, key), (self.w_v, value))
        )
        q = rotary_embedding(q, torch.arange(q.shape[2]))
        k = rotary_embedding(k, torch.arange(0, -k.shape[2], -1))
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        output = self.w_o(merge_heads(self.dropout(weights) @ v))
        if need_weights:
            return output, weights
        return output


# %% trivial: zeros
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        output = torch.zeros_like(query)
        return (
            (output, torch.zeros(query.size(0), self.num_heads, query.size(1), key.size(1))) if need_weights else output
        )


# %% trivial: the query itself
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        return query


# %% trivial: uniform
class RotaryAttention(RotaryAttention):
    def forward(self, query, key, value, mask=None, need_weights=False):
        output = self.w_o(self.w_v(value).mean(dim=1, keepdim=True)).expand_as(query)
        weights = torch.full((query.size(0), self.num_heads, query.size(1), key.size(1)), 1 / key.size(1))
        return (output, weights) if need_weights else output
