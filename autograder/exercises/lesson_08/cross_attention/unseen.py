# %% wrong (first): the memory asks and x is asked: queries from memory, keys and values from x
# true: memory_asks
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
        q = self.w_q(memory)
        k = self.w_k(x)
        v = self.w_v(x)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(out)
        return (out, weights) if need_weights else out

# %% wrong (first): the values come from x, not from the memory
# true: values_from_x
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
        Q, K, V = self.w_q(x), self.w_k(memory), self.w_v(x)
        scores = torch.matmul(Q, K.transpose(-2, -1)) / math.sqrt(Q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attention = torch.softmax(scores, dim=-1)
        out = self.w_o(torch.matmul(attention, V))
        if need_weights:
            return out, attention
        return out

# %% wrong (first): the scores are not divided by the root of the width
# true: unscaled
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = torch.einsum("btd,bsd->bts", q, k)
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = F.softmax(scores, dim=-1)
        out = self.w_o(torch.einsum("bts,bsd->btd", weights, v))
        return (out, weights) if need_weights else out

# %% wrong (first): the mask is read the other way round, what may be seen is hidden
# true: mask_inverted
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = q @ k.transpose(1, 2) * (q.shape[-1] ** -0.5)
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        weights = torch.nan_to_num(scores.softmax(dim=-1))
        out = self.w_o(weights @ v)
        return (out, weights) if need_weights else out

# %% wrong (first): the softmax goes over the queries, not over the memory
# true: softmax_over_queries
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = torch.bmm(q, k.permute(0, 2, 1)) / math.sqrt(q.size(2))
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = nn.Softmax(dim=1)(scores)
        context = torch.bmm(weights, v)
        out = self.w_o(context)
        return (out, weights) if need_weights else out

# %% wrong (first): the output layer w_o is left out
# true: output_not_projected
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
        query = self.w_q(x)
        key = self.w_k(memory)
        value = self.w_v(memory)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        if need_weights:
            return output, weights
        return output

# %% wrong (first): the memory is cut to the length of x, the end of a longer sentence is never read
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
        B, T, D = x.shape
        memory = memory[:, :T]
        if mask is not None:
            mask = mask[..., :T]
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        attended, w = scaled_dot_product_attention(q, k, v, mask)
        y = self.w_o(attended)
        return (y, w) if need_weights else y

# %% wrong (first): the number added to masked scores is -1e-9 instead of -1e9, so the mask hides nothing
# true: mask_not_passed
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
        d_k = self.w_k.out_features
        scores = self.w_q(x) @ self.w_k(memory).transpose(-1, -2) / d_k**0.5
        if mask is not None:
            scores = scores + (1.0 - mask.float()) * -1e-9
        attn = torch.softmax(scores, dim=-1)
        out = self.w_o(attn @ self.w_v(memory))
        return (out, attn) if need_weights else out

# %% wrong (first): what is handed back as weights are the scores before the softmax
# true: scores_returned_as_weights
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        attention = q @ k.mT / math.sqrt(k.size(-1))
        if mask is not None:
            attention.masked_fill_(mask.logical_not(), -1e9)
        out = self.w_o(attention.softmax(-1) @ v)
        if need_weights:
            return out, attention
        return out

# %% wrong (first): x is added to what comes out (a residual that nobody asked for)
# true: residual_added
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        out = x + self.w_o(out)
        if need_weights:
            return out, weights
        else:
            return out

# %% wrong (first): output and weights are always returned, asked for or not
# true: weights_always_returned
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
        v = self.w_v(memory)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(output), weights

# %% wrong (first): a tenth of the weights is dropped, in evaluation too
# true: drops_in_evaluation
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=-1)
        out = self.w_o(F.dropout(weights, 0.1) @ v)
        return (out, weights) if need_weights else out

# %% wrong (first): weights are set to 0 after the softmax and no longer sum to 1 / the scale is the root of the number of source words
# true: scaled_by_num_keys
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        S = k.size(1)
        weights = torch.softmax(q @ k.transpose(1, 2) / S**0.5, dim=-1)
        if mask is not None:
            weights = weights * mask.to(weights.dtype)
        out = self.w_o(weights @ v)
        return (out, weights) if need_weights else out

# %% wrong (first): the memory is not projected to values, it is averaged as it is
# true: values_not_projected
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
        query, key = self.w_q(x), self.w_k(memory)
        output, weights = scaled_dot_product_attention(query, key, memory, mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output

# %% wrong (first): the mask, if there is one, is used only for what is returned as weights; the output is made of unmasked ones
# true: mask_on_the_weights_alone
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        out = F.scaled_dot_product_attention(q, k, v)
        out = self.w_o(out)
        if need_weights:
            _, weights = scaled_dot_product_attention(q, k, v, mask)
            return out, weights
        return out

# %% wrong (first): a causal triangle is laid over the memory, word t of the target sees source words 0 to t only
# true: only_earlier_source_words
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        T, S = q.size(1), k.size(1)
        allowed = torch.ones(T, S, dtype=torch.bool).tril()
        if mask is not None:
            allowed = allowed & mask
        out, weights = scaled_dot_product_attention(q, k, v, allowed)
        out = self.w_o(out)
        return (out, weights) if need_weights else out

# %% wrong (first): the weights of keys and values are exchanged, w_v makes the keys and w_k the values / the weights come back turned round, (B, S, T)
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
        q, v, k = self.w_q(x), self.w_k(memory), self.w_v(memory)
        out, weights = scaled_dot_product_attention(q, k, v, mask)
        weights = weights.transpose(1, 2).contiguous()
        out = self.w_o(out)
        return (out, weights) if need_weights else out

# %% right (first): the course's function and two inputs
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
        out, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(memory), self.w_v(memory), mask)
        out = self.w_o(out)
        return (out, weights) if need_weights else out

# %% right (first): einsum and finfo.min, an empty row gets zeros
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.scale = d_model**-0.5

    def forward(
        self, x: Tensor, memory: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = torch.einsum("btd,bsd->bts", q, k) * self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        context = torch.einsum("bts,bsd->btd", weights, v)
        result = self.w_o(context)
        if need_weights:
            return result, weights
        return result

# %% right (first): bmm, -inf and nan_to_num, intermediate names as in the paper
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
        Q = self.w_q(x)
        K = self.w_k(memory)
        V = self.w_v(memory)
        d_k = Q.shape[-1]
        S = torch.bmm(Q, K.transpose(1, 2)) / math.sqrt(d_k)
        if mask is not None:
            S = S.masked_fill(mask == False, float("-inf"))  # noqa: E712
        A = torch.nan_to_num(torch.softmax(S, dim=2), nan=0.0)
        Z = torch.bmm(A, V)
        Y = self.w_o(Z)
        return (Y, A) if need_weights else Y

# %% right (first): one sentence of the batch after the other
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
        outputs, all_weights = [], []
        if mask is not None:
            mask = mask.expand(x.size(0), x.size(1), memory.size(1))
        for b in range(x.size(0)):
            q, k, v = self.w_q(x[b]), self.w_k(memory[b]), self.w_v(memory[b])
            z, w = scaled_dot_product_attention(q, k, v, None if mask is None else mask[b])
            outputs.append(self.w_o(z))
            all_weights.append(w)
        output = torch.stack(outputs)
        return (output, torch.stack(all_weights)) if need_weights else output

# %% wrong (second): the values are projected from the already projected keys, W_v(W_k(memory)), not from the memory itself
# true: values_of_the_projected_keys
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.d_model = d_model
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, memory, mask=None, need_weights=False):
        query = self.w_q(x)
        memory = self.w_k(memory)
        scores = torch.bmm(query, memory.transpose(1, 2)) / math.sqrt(self.d_model)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        value = self.w_v(memory)
        out = self.w_o(torch.bmm(weights, value))
        if need_weights:
            return out, weights
        return out


# %% wrong (second): the mask is multiplied in after the softmax, so the weights of the words that may be seen no longer add up to one
# true: masked_after_softmax
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.last_weights = None

    def forward(self, x, memory, mask=None, need_weights=False):
        assert x.size(-1) == memory.size(-1)
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        scores = torch.einsum("btd,bsd->bts", q, k) * q.size(-1) ** -0.5
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask.to(weights.dtype)
        self.last_weights = weights
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, v))
        return (output, weights) if need_weights else output


# %% wrong (second): the result is squeezed, so a batch of one or a single query loses an axis
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, memory, mask=None, need_weights=False):
        q = self.w_q(x)
        k = self.w_k(memory)
        v = self.w_v(memory)
        context, weights = scaled_dot_product_attention(q, k, v, mask)
        context = self.w_o(context.squeeze())
        if need_weights:
            return context, weights.squeeze()
        return context


# %% right (second): matmul with a scaled query, masked scores by finfo.min, then zeroed for queries that may see nothing
class CrossAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.scale = 1.0 / math.sqrt(d_model)

    def forward(self, x, memory, mask=None, need_weights=False):
        queries = self.w_q(x) * self.scale
        keys, values = self.w_k(memory), self.w_v(memory)
        energy = torch.matmul(queries, keys.mT)
        if mask is not None:
            energy = energy.masked_fill(~mask, torch.finfo(energy.dtype).min)
        attention = energy.softmax(dim=-1)
        if mask is not None:
            attention = attention.masked_fill(~mask, 0.0)
        out = self.w_o(torch.matmul(attention, values))
        if not need_weights:
            return out
        return out, attention

# %% wrong (third): who asks for the weights gets an output that has not been through w_o
# true: projected_only_without_weights
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        if need_weights:
            return output, weights
        return self.w_o(output)


# %% wrong (third): divides the scores by the root of the number of keys, and not of the width
# true: scaled_by_num_keys
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
        k = self.w_k(memory).transpose(1, 2)  # (B, D, S)
        v = self.w_v(memory)
        scores = q @ k / math.sqrt(k.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(F.softmax(scores, dim=-1))
        out = self.w_o(weights @ v)
        return (out, weights) if need_weights else out


# %% wrong (third): the softmax runs over the queries
# true: softmax_over_queries
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
        d = x.shape[-1]
        energy = torch.bmm(self.w_q(x), self.w_k(memory).permute(0, 2, 1)) / d**0.5  # (B, T, S)
        if mask is not None:
            energy = energy.masked_fill(mask == 0, -1e9)
        attention = torch.softmax(energy, dim=1)
        context = self.w_o(torch.bmm(attention, self.w_v(memory)))
        if need_weights:
            return context, attention
        return context


# %% right (third): einsums, the smallest number in place of -inf, and masked weights set to exact zeros afterwards
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
        query = self.w_q(x) * x.size(-1) ** -0.5  # (B, T, D)
        weights = torch.einsum("btd,bsd->bts", query, self.w_k(memory))  # (B, T, S)
        if mask is None:
            weights = weights.softmax(-1)
        else:
            hidden = torch.logical_not(mask)
            weights = weights.masked_fill(hidden, torch.finfo(weights.dtype).min).softmax(-1)
            weights = weights.masked_fill(hidden, 0)
        output = self.w_o(torch.einsum("bts,bsd->btd", weights, self.w_v(memory)))  # (B, T, D)
        return (output, weights) if need_weights else output

# %% wrong (last): values are projected from the keys, V = W_v(W_k memory), where V = memory W_v
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


# %% wrong (last): believes the printed T × T and cuts memory and mask to the target's length, the end of a longer source is never read
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


# %% right (last): einsum and logsumexp, rows with nothing to see become zeros
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


# %% wrong (fifth): the values come from x, which only runs when T = S
# true: values_from_x
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(x)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output


# %% wrong (fifth): scores are divided by the square root of S, not of D
# true: scaled_by_num_keys
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
        q = self.w_q(x)  # (B, T, D)
        k = self.w_k(memory)  # (B, S, D)
        v = self.w_v(memory)  # (B, S, D)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(1))  # (B, T, S)
        if mask is not None:
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if mask is not None:
            weights = weights * mask  # a row that sees nothing: zeros
        output = self.w_o(weights @ v)
        return (output, weights) if need_weights else output


# %% wrong (fifth): masked weights are set to 0 after the softmax, rows no longer sum to 1
# true: masked_after_softmax
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
        q, k, v = self.w_q(x), self.w_k(memory), self.w_v(memory)
        weights = torch.softmax(q @ k.transpose(1, 2) / math.sqrt(q.size(-1)), dim=-1)  # (B, T, S)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        output = self.w_o(weights @ v)
        if need_weights:
            return output, weights
        return output


# %% right (fifth): einsum, the query scaled first, empty rows give zeros
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
        query = self.w_q(x) * x.shape[-1] ** -0.5
        scores = torch.einsum("btd,bsd->bts", query, self.w_k(memory))
        if mask is None:
            weights = F.softmax(scores, dim=-1)
        else:
            hidden = mask.logical_not()
            weights = F.softmax(scores.masked_fill(hidden, torch.finfo(scores.dtype).min), dim=-1)
            weights = weights.masked_fill(hidden, 0.0)
        out = self.w_o(torch.einsum("bts,bsd->btd", weights, self.w_v(memory)))
        if not need_weights:
            return out
        return out, weights
