# %% wrong: the output projection is left out
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

# %% wrong: the queries are scaled here and once more inside the attention
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

# %% wrong: the mask is not handed on
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

# %% wrong: the weight matrices are used as they are stored, without the transpose / the biases are left out
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

# %% wrong: without a mask every word sees only what stands before it
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

# %% wrong: the batch and the time axis are exchanged before attending, so sentences look at each other
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

# %% wrong: the input is added to the output
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

# %% wrong: a ReLU stands behind each of the three projections / the weights are always returned
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

# %% wrong: the weights are only kept as an attribute, need_weights=True still returns the output alone
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

# %% wrong: the mask gets one more axis in front, so masks per sentence and square masks no longer fit
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

# %% wrong: what is returned is squeezed, so a batch of one loses its axis
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

# %% wrong: the key matrix is used for the queries too
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

# %% right: plain, as in tutorials
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

# %% right: layers made in a loop with setattr, extra attributes
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

# %% right: one stacked product by F.linear, split by chunk
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
