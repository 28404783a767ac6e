# %% wrong (first): the output projection is left out
# true: output_not_projected
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        out, attn = scaled_dot_product_attention(q, k, v, mask)
        if need_weights:
            return out, attn
        return out

# %% wrong (first): the queries are scaled here and once more inside the attention
# true: scaled_twice
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.d_model = d_model
        self.scale = d_model ** -0.5
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        query = self.w_q(x) * self.scale
        key = self.w_k(x)
        value = self.w_v(x)
        output, weights = scaled_dot_product_attention(query, key, value, mask=mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output

# %% wrong (first): the mask is not handed on
# true: mask_not_passed
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False):
        assert x.dim() == 3, "expected (B, T, D)"
        projected = [layer(x) for layer in (self.w_q, self.w_k, self.w_v)]
        output, weights = scaled_dot_product_attention(*projected)
        output = self.w_o(output)
        if need_weights:
            return output, weights
        return output

# %% wrong (first): the weight matrices are used as they are stored, without the transpose / the biases are left out
# true: stored_weights_without_biases
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        Q = x @ self.w_q.weight
        K = x @ self.w_k.weight
        V = x @ self.w_v.weight
        Z, A = scaled_dot_product_attention(Q, K, V, mask)
        Z = Z @ self.w_o.weight
        if need_weights:
            return Z, A
        return Z

# %% wrong (first): without a mask every word sees only what stands before it
# true: earlier_tokens_without_a_mask
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        B, T, D = x.shape
        if mask is None:
            mask = torch.tril(torch.ones(T, T, dtype=torch.bool, device=x.device))
        y, att = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        y = self.w_o(y)
        return (y, att) if need_weights else y

# %% wrong (first): the batch and the time axis are exchanged before attending, so sentences look at each other
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        x = x.transpose(0, 1)  # time first
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        output = self.w_o(output).transpose(0, 1)
        if need_weights:
            return output, weights
        return output

# %% wrong (first): the input is added to the output
# true: residual_added
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        residual = x
        q = self.w_q(x)
        k = self.w_k(x)
        v = self.w_v(x)
        out, attn = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(out) + residual
        if need_weights:
            return out, attn
        return out

# %% wrong (first): a ReLU stands behind each of the three projections / the weights are always returned
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super(SelfAttention, self).__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        q = F.relu(self.w_q(x))
        k = F.relu(self.w_k(x))
        v = F.relu(self.w_v(x))
        context, attn = scaled_dot_product_attention(q, k, v, mask)
        return self.w_o(context), attn

# %% wrong (first): the weights are only kept as an attribute, need_weights=True still returns the output alone
# true: weights_never_returned
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.attn = None

    def forward(self, x, mask=None, need_weights=False):
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        if need_weights:
            self.attn = weights.detach()
        return self.w_o(output)

# %% wrong (first): the mask gets one more axis in front, so masks per sentence and square masks no longer fit
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        if mask is not None:
            mask = mask.unsqueeze(1)
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        output = self.w_o(output)
        return (output, weights) if need_weights else output

# %% wrong (first): what is returned is squeezed, so a batch of one loses its axis
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        output, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        output, weights = self.w_o(output).squeeze(), weights.squeeze()
        if need_weights:
            return output, weights
        return output

# %% wrong (first): the key matrix is used for the queries too
# true: queries_by_w_k
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        query = self.w_k(x)
        key = self.w_k(x)
        value = self.w_v(x)
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        output = self.w_o(output).contiguous()
        return (output, weights) if need_weights else output

# %% right (first): plain, as in tutorials
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        context, attn = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        y = self.w_o(context)
        if not need_weights:
            return y
        return y, attn

# %% right (first): layers made in a loop with setattr, extra attributes
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super(SelfAttention, self).__init__()
        self.d_model = d_model
        self.has_bias = bias
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))
        self.last_weights = None

    def project(self, x):
        return self.w_q(x), self.w_k(x), self.w_v(x)

    def forward(self, x, mask=None, need_weights=False):
        q, k, v = self.project(x)
        out, self.last_weights = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(out)
        return (out, self.last_weights) if need_weights else out

# %% right (first): one stacked product by F.linear, split by chunk
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        three = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in three])
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in three])
        q, k, v = F.linear(x, weight, bias).chunk(3, dim=-1)
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        output = self.w_o(output)
        if need_weights:
            return output, weights
        return output

# %% wrong (second): the scores are scaled twice, since the queries are divided before a function that divides too
# true: scaled_twice
class SelfAttention(nn.Module):
    def __init__(self, d_model, bias=True):
        super().__init__()
        self.d_model = d_model
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, mask=None, need_weights=False):
        q = self.w_q(x) / math.sqrt(self.d_model)
        k = self.w_k(x)
        v = self.w_v(x)
        context, attn = scaled_dot_product_attention(q, k, v, mask)
        out = self.w_o(context)
        return (out, attn) if need_weights else out


# %% wrong (second): the values are made from the keys instead of from the input / the mask is not passed on when the weights are not asked for
# true: values_of_the_projected_keys, mask_only_with_weights
class SelfAttention(nn.Module):
    def __init__(self, d_model, bias=True):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.last_weights = None

    def forward(self, x, mask=None, need_weights=False):
        query = self.w_q(x)
        key = self.w_k(x)
        value = self.w_v(key)
        if need_weights:
            output, weights = scaled_dot_product_attention(query, key, value, mask)
            self.last_weights = weights.detach()
            return self.w_o(output), weights
        output, _ = scaled_dot_product_attention(query, key, value)
        return self.w_o(output)


# %% wrong (second): an axis for heads is put into the mask although there are none, so a batch's mask broadcasts to a fourth axis and the output has one too many
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q, self.w_k, self.w_v, self.w_o = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        self.dropout = nn.Dropout(0.0)

    def forward(self, x, mask=None, need_weights=False):
        if mask is not None:
            mask = mask.unsqueeze(1)  # same mask for all heads
        x, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        x = self.dropout(self.w_o(x))
        if need_weights:
            return x, weights
        return x


# %% right (second): the projections made in a loop by setattr, one stacked product for query, key and value
class SelfAttention(nn.Module):
    def __init__(self, d_model, bias=True):
        super().__init__()
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def forward(self, x, mask=None, need_weights=False):
        three = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in three], dim=0)
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in three], dim=0)
        query, key, value = F.linear(x, weight, bias).chunk(3, dim=-1)
        found, weights = scaled_dot_product_attention(query, key, value, mask)
        output = self.w_o(found)
        return (output, weights) if need_weights else output

# %% wrong (third): keys and queries change places in the call, so that every word asks with its key
# true: queries_and_keys_swapped
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        k = self.w_k(x)
        q = self.w_q(x)
        v = self.w_v(x)
        out, attn = scaled_dot_product_attention(k, q, v, mask)
        out = self.w_o(out)
        return (out, attn) if need_weights else out


# %% wrong (third): the output projection has a bias even with bias=False
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q, self.w_k, self.w_v = (nn.Linear(d_model, d_model, bias=bias) for _ in range(3))
        self.w_o = nn.Linear(d_model, d_model)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        mixed, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        output = self.w_o(mixed)
        if need_weights:
            return output, weights
        return output


# %% wrong (third): adds the input to the output
# true: residual_added
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        residual = x
        query, key, value = self.w_q(x), self.w_k(x), self.w_v(x)
        context, weights = scaled_dot_product_attention(query, key, value, mask=mask)
        output = residual + self.w_o(context)
        if not need_weights:
            return output
        return output, weights


# %% right (third): the three projections as one product, cut into thirds
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        for name in ("w_q", "w_k", "w_v", "w_o"):
            setattr(self, name, nn.Linear(d_model, d_model, bias=bias))

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])  # (3D, D)
        bias = None if self.w_q.bias is None else torch.cat([layer.bias for layer in layers])  # (3D,)
        parts = F.linear(x, weight, bias).chunk(3, dim=-1)  # (B, T, D) each: queries, keys, values
        found, weights = scaled_dot_product_attention(*parts, mask)
        output = self.w_o(found)
        return (output, weights) if need_weights else output

# %% wrong (last): the input is added to the output, a residual connection
# true: residual_added
# Violates "nothing is added to the input: that comes in lesson 06".
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        out, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        out = x + self.w_o(out)
        return (out, weights) if need_weights else out


# %% wrong (last): the queries are scaled here and once more in scaled_dot_product_attention
# true: scaled_twice
# Violates "softmax(Q Kᵀ / sqrt(D)) V W_o": scores are divided by D.
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        scaling = float(x.size(-1)) ** -0.5
        q = self.w_q(x) * scaling
        k, v = self.w_k(x), self.w_v(x)
        attn_output, attn_weights = scaled_dot_product_attention(q, k, v, mask)
        attn_output = self.w_o(attn_output)
        if need_weights:
            return attn_output, attn_weights
        return attn_output


# %% right (last): one stacked projection cut into three, and W_o applied to the values before they are mixed
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        layers = (self.w_q, self.w_k, self.w_v)
        weight = torch.cat([layer.weight for layer in layers])  # (3D, D)
        bias = None if self.w_o.bias is None else torch.cat([layer.bias for layer in layers])  # (3D,)
        query, key, value = F.linear(x, weight, bias).chunk(3, dim=-1)  # (B, T, D) each
        value = F.linear(value, self.w_o.weight)  # (B, T, D): mixing rows and mixing columns may change places
        output, weights = scaled_dot_product_attention(query, key, value, mask)
        if self.w_o.bias is not None:
            output = output + self.w_o.bias
        return (output, weights) if need_weights else output


# %% wrong (fifth): in training, a tenth of the weights is dropped, though nothing should be dropped yet
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        q, k, v = self.w_q(x), self.w_k(x), self.w_v(x)
        found, weights = scaled_dot_product_attention(q, k, v, mask, dropout=0.1 if self.training else 0.0)
        output = self.w_o(found)
        return (output, weights) if need_weights else output


# %% wrong (fifth): without a mask, it looks only at earlier tokens (a causal mask by default)
# true: earlier_tokens_without_a_mask
class SelfAttention(nn.Module):
    def __init__(self, d_model: int, bias: bool = True) -> None:
        super().__init__()
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)

    def forward(
        self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        length = x.size(1)
        if mask is None:
            mask = torch.tril(torch.ones(length, length, dtype=torch.bool, device=x.device))
        found, weights = scaled_dot_product_attention(self.w_q(x), self.w_k(x), self.w_v(x), mask)
        output = self.w_o(found)
        if need_weights:
            return output, weights
        return output
