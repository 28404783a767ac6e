# %% wrong: keys and queries change places in the call, so that every word asks with its key
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


# %% wrong: the output projection has a bias even with bias=False
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


# %% wrong: adds the input to the output
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


# %% right: the three projections as one product, cut into thirds
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
