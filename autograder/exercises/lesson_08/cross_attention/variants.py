# %% right: in one expression
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        out, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask=mask)
        if need_weights:
            return self.w_o(out), attn
        return self.w_o(out)


# %% right: written out
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        B, T, D = x.shape
        S = memory.shape[1]
        scores = torch.bmm(self.w_q(x), self.w_k(memory).transpose(1, 2)) / D**0.5
        if mask is not None:
            scores = scores.masked_fill(mask.expand(B, T, S) == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        output = self.w_o(torch.bmm(weights, self.w_v(memory)))
        return (output, weights) if need_weights else output


# %% right: einsum and linear
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        q = F.linear(x, self.w_q.weight, self.w_q.bias) * x.shape[-1] ** -0.5
        k = F.linear(memory, self.w_k.weight, self.w_k.bias)
        v = F.linear(memory, self.w_v.weight, self.w_v.bias)
        scores = torch.einsum("btd,bsd->bts", q, k)
        if mask is not None:
            scores = torch.where(mask, scores, torch.tensor(-1e9))
        weights = scores.softmax(-1)
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, v))
        return [output, (output, weights)][need_weights]


# %% right: keys and values in one
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weight = torch.cat([self.w_k.weight, self.w_v.weight])
        bias = None if self.w_k.bias is None else torch.cat([self.w_k.bias, self.w_v.bias])
        key, value = F.linear(memory, weight, bias).chunk(2, dim=-1)
        output, weights = scaled_dot_product_attention(self.w_q(x), key, value, mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output


# %% right: token by token
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        keys, values = self.w_k(memory), self.w_v(memory)
        if mask is not None:
            mask = torch.broadcast_to(mask, (x.shape[0], x.shape[1], memory.shape[1]))
        outputs, rows = [], []
        for t in range(x.shape[1]):
            scores = (keys @ self.w_q(x[:, t]).unsqueeze(-1)).squeeze(-1) / math.sqrt(x.shape[-1])
            if mask is not None:
                scores = scores - 1e9 * (~mask[:, t]).float()
            row = torch.softmax(scores, dim=-1)
            rows.append(row)
            outputs.append(self.w_o((row[:, None] @ values)[:, 0]))
        output = torch.stack(outputs, dim=1)
        return (output, torch.stack(rows, dim=1)) if need_weights else output


# %% wrong: itself only
# true: memory_ignored
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, x)


# %% wrong: memory as values only
# true: keys_from_x
class CrossAttention(CrossAttention):
    def roles(self, x, memory):
        return self.w_q(x), self.w_k(x), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


# %% wrong: as printed
# true: memory_cut_to_the_target
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def roles(self, x, memory):
        return super().roles(x, memory.narrow(1, 0, min(x.size(1), memory.size(1))))


# %% wrong: keys are values
# true: values_by_w_k
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def roles(self, x, memory):
        q, k, _ = super().roles(x, memory)
        return q, k, k


# %% wrong: table first
# true: weights_first
class CrossAttention(CrossAttention):
    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (weights, output) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


# %% wrong: asks as it is
# true: queries_not_projected
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def roles(self, x, memory):
        return x, *super().roles(x, memory)[1:]


# %% wrong: compared as it is
# true: keys_not_projected
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def roles(self, x, memory):
        query, _, value = super().roles(x, memory)
        return query, memory, value


# %% wrong: mask for the lookers on
# true: mask_only_with_weights
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, mask if need_weights else None, need_weights)


# %% wrong: no mask for the lookers on
# true: mask_only_without_weights
class CrossInSteps(Reference):
    """Right; each second version below changes one method of it."""

    def roles(self, x, memory):
        return self.w_q(x), self.w_k(memory), self.w_v(memory)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -1e9)

    def spread(self, scores):
        return scores.softmax(dim=2)

    def finish(self, mixed, x):
        return self.w_o(mixed)

    def hand_over(self, output, weights, need_weights):
        return (output, weights) if need_weights else output

    def forward(self, x, memory, mask=None, need_weights=False):
        q, k, v = self.roles(x, memory)
        weights = self.spread(self.hide(torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5, mask))
        return self.hand_over(self.finish(torch.einsum("bts,bsd->btd", weights, v), x), weights, need_weights)


class CrossAttention(CrossInSteps):
    def forward(self, x, memory, mask=None, need_weights=False):
        return super().forward(x, memory, None if need_weights else mask, need_weights)


# %% trivial: zeros
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weights = torch.zeros(x.size(0), x.size(1), memory.size(1))
        return (x * 0, weights) if need_weights else x * 0


# %% trivial: the input itself
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        return (x, x @ memory.mT) if need_weights else x


# %% trivial: uniform
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        weights = torch.full((x.size(0), x.size(1), memory.size(1)), 1 / memory.size(1))
        output = self.w_o(self.w_v(memory).mean(dim=1, keepdim=True).expand_as(x))
        return (output, weights) if need_weights else output


# %% trivial: noise
class CrossAttention(CrossAttention):
    def forward(self, x, memory, mask=None, need_weights=False):
        output, weights = torch.rand(x.shape), torch.rand(x.size(0), x.size(1), memory.size(1))
        return (output, weights) if need_weights else output
