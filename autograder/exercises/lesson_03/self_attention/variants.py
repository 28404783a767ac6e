# %% right: in one expression
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        out, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask=mask)
        if need_weights:
            return self.w_o(out), attn
        return self.w_o(out)


# %% right: written out
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        B, T, D = x.shape
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / D**0.5
        if mask is not None:
            scores = scores.masked_fill(mask.expand(B, T, T) == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        output = self.w_o(torch.bmm(weights, v))
        return (output, weights) if need_weights else output


# %% right: einsum and linear
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = F.linear(x, self.w_q.weight, self.w_q.bias) * x.shape[-1] ** -0.5
        k = F.linear(x, self.w_k.weight, self.w_k.bias)
        v = F.linear(x, self.w_v.weight, self.w_v.bias)
        scores = torch.einsum("bid,bjd->bij", q, k)
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        mixed = torch.einsum("bij,bjd->bid", weights, v)
        output = F.linear(mixed, self.w_o.weight, self.w_o.bias)
        if not need_weights:
            return output
        return output, weights


# %% right: stacked and chunked
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])
        query, key, value = F.linear(x, weight, bias).chunk(3, dim=-1)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        output = self.w_o(output)
        return [output, (output, weights)][need_weights]


# %% right: sentence by sentence
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        if mask is not None:
            mask = mask.expand(x.size(0), x.size(1), x.size(1))
        outputs, tables = [], []
        for b, sentence in enumerate(x):
            allowed = None if mask is None else mask[b]
            attended, table = scaled_dot_product_attention(
                self.w_q(sentence), self.w_k(sentence), self.w_v(sentence), allowed
            )
            outputs.append(self.w_o(attended))
            tables.append(table)
        if need_weights:
            return torch.stack(outputs), torch.stack(tables)
        return torch.stack(outputs)


# %% right: token by token
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        length = x.shape[1]
        keys, values = self.w_k(x), self.w_v(x)
        if mask is not None:
            mask = torch.broadcast_to(mask, (x.shape[0], length, length))
        outputs, rows = [], []
        for i in range(length):
            scores = (keys @ self.w_q(x[:, i]).unsqueeze(-1)).squeeze(-1) / math.sqrt(x.shape[-1])
            if mask is not None:
                scores = scores - 1e9 * (~mask[:, i]).float()
            row = torch.exp(scores - scores.max(dim=-1, keepdim=True).values)
            row = row / row.sum(dim=-1, keepdim=True)
            rows.append(row)
            outputs.append(self.w_o((row[:, None] @ values)[:, 0]))
        output = torch.stack(outputs, dim=1)
        return (output, torch.stack(rows, dim=1)) if need_weights else output


# %% right: by matrices
class SelfAttention(SelfAttention):
    def project(self, layer, x):
        projected = x @ layer.weight.T
        return projected if layer.bias is None else projected + layer.bias

    def forward(self, x, mask=None, need_weights=False):
        query, key = self.project(self.w_q, x), self.project(self.w_k, x)
        bias = torch.zeros(x.size(0), x.size(1), x.size(1), dtype=x.dtype)
        if mask is not None:
            bias = bias.masked_fill(~mask, -1e9)
        scores = torch.baddbmm(bias, query, key.mT, alpha=1 / math.sqrt(x.size(-1)))
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
        output = self.project(self.w_o, weights @ self.project(self.w_v, x))
        return (output, weights) if need_weights else output


# %% wrong: linear twice transposed
# true: weights_not_transposed
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (F.linear(x, layer.weight.T, layer.bias) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = F.linear(out, self.w_o.weight.T, self.w_o.bias)
        return (out, p) if need_weights else out


# %% wrong: einsum of weights
# true: biases_forgotten
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = (torch.einsum("btd,ed->bte", x, layer.weight) for layer in (self.w_q, self.w_k, self.w_v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        out = torch.einsum("btd,ed->bte", out, self.w_o.weight)
        return (out, p) if need_weights else out


# %% wrong: one projection twice
# true: keys_by_w_q
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = k = self.w_q(x)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(x.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p = scores.softmax(-1)
        out = self.w_o(torch.bmm(p, self.w_v(x)))
        return (out, p) if need_weights else out


# %% wrong: with triangle
# true: only_earlier_tokens
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        scores = self.w_q(x) @ self.w_k(x).mT / math.sqrt(x.shape[-1])
        scores = scores + torch.full((x.size(1), x.size(1)), -1e9).triu(diagonal=1)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e30)
        p = scores.softmax(-1)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


# %% wrong: without diagonal
# true: own_token_hidden
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        length = x.size(1)
        seen = torch.ones(1, length, length, dtype=torch.bool) if mask is None else mask.expand(len(x), length, length)
        seen = seen.clone()
        seen[:, range(length), range(length)] = False
        out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), seen)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


# %% wrong: scale taken back
# true: unscaled
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        out, p = scaled_dot_product_attention(self.w_q(x) * x.shape[-1] ** 0.5, self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


# %% wrong: three layers no mask
# true: mask_not_passed, output_not_projected
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        out = p @ self.w_v(x)
        return (out, p) if need_weights else out


# %% wrong: no gradient
# true: attended_detached
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        with torch.no_grad():
            out, p = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


# %% wrong: returns too early
# true: projected_only_without_weights
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        found = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        if need_weights:
            return found
        return self.w_o(found[0])


# %% wrong: one after the other
# true: values_of_the_projected_keys
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q = self.w_q(x)
        x = self.w_k(x)
        out, p = scaled_dot_product_attention(q, x, self.w_v(x), mask)
        return (self.w_o(out), p) if need_weights else self.w_o(out)


# %% wrong: weights times mask
# true: masked_after_softmax
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        p = F.softmax(torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) / x.size(-1) ** 0.5, dim=-1)
        p = p if mask is None else torch.where(mask, p, 0.0)
        out = self.w_o(p @ self.w_v(x))
        return (out, p) if need_weights else out


# %% wrong: two ways
# true: mask_only_with_weights
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if not need_weights:
            return self.w_o(F.scaled_dot_product_attention(q, k, v))
        out, p = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(out), p


# %% wrong: weights by themselves
# true: mask_only_without_weights
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        if need_weights:
            p = torch.softmax(q @ k.mT / math.sqrt(x.size(-1)), dim=-1)
            return self.w_o(p @ v), p
        return self.w_o(scaled_dot_product_attention(q, k, v, mask)[0])


# %% wrong: root of the length
# true: scaled_by_num_keys
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        scores = torch.einsum("bid,bjd->bij", self.w_q(x), self.w_k(x)) * x.shape[1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        output = self.w_o(weights @ self.w_v(x))
        return (output, weights) if need_weights else output


# %% trivial: zeros
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        weights = torch.zeros(x.size(0), x.size(1), x.size(1))
        return (x * 0, weights) if need_weights else x * 0


# %% trivial: the input itself
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        return (x, x @ x.mT) if need_weights else x


# %% trivial: uniform
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        weights = torch.full((x.size(0), x.size(1), x.size(1)), 1 / x.size(1))
        output = self.w_o(self.w_v(x).mean(dim=1, keepdim=True).expand_as(x))
        return (output, weights) if need_weights else output


# %% trivial: noise
class SelfAttention(SelfAttention):
    def forward(self, x, mask=None, need_weights=False):
        output, weights = torch.rand(x.shape), torch.rand(x.size(0), x.size(1), x.size(1))
        return (output, weights) if need_weights else output
