# %% wrong: the input is added to the output, a residual connection
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


# %% wrong: the queries are scaled here and once more in scaled_dot_product_attention
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


# %% right: one stacked projection cut into three, and W_o applied to the values before they are mixed
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
