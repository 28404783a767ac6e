# %% wrong: the values are projected from the already projected keys, W_v(W_k(memory)), not from the memory itself
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


# %% wrong: the mask is multiplied in after the softmax, so the weights of the words that may be seen no longer add up to one
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


# %% wrong: the result is squeezed, so a batch of one or a single query loses an axis
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


# %% right: matmul with a scaled query, masked scores by finfo.min, then zeroed for queries that may see nothing
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
