# %% wrong: the memory asks and x is asked: queries from memory, keys and values from x
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

# %% wrong: the values come from x, not from the memory
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

# %% wrong: the scores are not divided by the root of the width
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

# %% wrong: the mask is read the other way round, what may be seen is hidden
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

# %% wrong: the softmax goes over the queries, not over the memory
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

# %% wrong: the output layer w_o is left out
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

# %% wrong: the memory is cut to the length of x, the end of a longer sentence is never read
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

# %% wrong: the number added to masked scores is -1e-9 instead of -1e9, so the mask hides nothing
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

# %% wrong: what is handed back as weights are the scores before the softmax
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

# %% wrong: x is added to what comes out (a residual that nobody asked for)
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

# %% wrong: output and weights are always returned, asked for or not
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

# %% wrong: a tenth of the weights is dropped, in evaluation too
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

# %% wrong: weights are set to 0 after the softmax and no longer sum to 1 / the scale is the root of the number of source words
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

# %% wrong: the memory is not projected to values, it is averaged as it is
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

# %% wrong: the mask, if there is one, is used only for what is returned as weights; the output is made of unmasked ones
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

# %% wrong: a causal triangle is laid over the memory, word t of the target sees source words 0 to t only
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

# %% wrong: the weights of keys and values are exchanged, w_v makes the keys and w_k the values / the weights come back turned round, (B, S, T)
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

# %% right: the course's function and two inputs
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

# %% right: einsum and finfo.min, an empty row gets zeros
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

# %% right: bmm, -inf and nan_to_num, intermediate names as in the paper
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

# %% right: one sentence of the batch after the other
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
