# %% wrong: the scores are scaled twice, since the queries are divided before a function that divides too
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


# %% wrong: the values are made from the keys instead of from the input / the mask is not passed on when the weights are not asked for
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


# %% wrong: an axis for heads is put into the mask although there are none, so a batch's mask broadcasts to a fourth axis and the output has one too many
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


# %% right: the projections made in a loop by setattr, one stacked product for query, key and value
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
