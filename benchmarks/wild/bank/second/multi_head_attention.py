# %% wrong: the query is added to the output, a residual connection that the layer should not have
# true: residual_added
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        residual = query
        q = split_heads(self.w_q(query), self.num_heads)
        k = split_heads(self.w_k(key), self.num_heads)
        v = split_heads(self.w_v(value), self.num_heads)
        scores = torch.matmul(q / q.size(-1) ** 0.5, k.transpose(2, 3))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        attn = F.softmax(scores, dim=-1)
        if mask is not None:
            attn = attn.masked_fill(mask == 0, 0.0)
        out = torch.matmul(self.dropout(attn), v)
        out = self.w_o(merge_heads(out))
        out = out + residual
        if need_weights:
            return out, attn
        return out

# %% wrong: the scores are divided by the root of the whole width and not of a head's / the weights are returned as their mean over the heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        B, T, D = query.shape
        S = key.shape[1]
        H = self.num_heads
        q = self.w_q(query).view(B, T, H, D // H).transpose(1, 2)
        k = self.w_k(key).view(B, S, H, D // H).transpose(1, 2)
        v = self.w_v(value).view(B, S, H, D // H).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(D)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.nan_to_num(torch.softmax(scores, dim=-1), nan=0.0)
        context = self.dropout(weights) @ v
        output = self.w_o(context.transpose(1, 2).contiguous().view(B, T, D))
        if need_weights:
            return output, weights.mean(dim=1)
        return output

# %% wrong: keys and values are reshaped with the queries' number of tokens, so the layer crashes where the two sequences have different lengths
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        batch_size, seq_len, d_model = query.size()
        d_k = d_model // self.num_heads

        def heads(linear, t):
            return linear(t).view(batch_size, seq_len, self.num_heads, d_k).permute(0, 2, 1, 3)

        q, k, v = heads(self.w_q, query), heads(self.w_k, key), heads(self.w_v, value)
        energy = torch.einsum("bhqd,bhkd->bhqk", q, k) / (d_k ** 0.5)
        if mask is not None:
            energy = energy.masked_fill(mask.logical_not(), torch.finfo(energy.dtype).min)
        attention = torch.softmax(energy, dim=3)
        if mask is not None:
            attention = attention * mask.to(attention.dtype)
        x = torch.matmul(self.dropout(attention), v)
        x = x.permute(0, 2, 1, 3).reshape(batch_size, seq_len, d_model)
        x = self.w_o(x)
        return (x, attention) if need_weights else x

# %% right: one loop over the heads with slices of the projections, mask by -inf
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.w_q = nn.Linear(d_model, d_model, bias=bias)
        self.w_k = nn.Linear(d_model, d_model, bias=bias)
        self.w_v = nn.Linear(d_model, d_model, bias=bias)
        self.w_o = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        batch, t, width = query.shape
        s = key.size(1)
        dh = width // self.num_heads
        q, k, v = self.w_q(query), self.w_k(key), self.w_v(value)
        allowed = None
        if mask is not None:
            allowed = mask.expand(batch, self.num_heads, t, s)
        outputs, kept = [], []
        for h in range(self.num_heads):
            part = slice(h * dh, h * dh + dh)
            scores = torch.bmm(q[..., part], k[..., part].transpose(1, 2)) * dh**-0.5
            if allowed is None:
                weights = scores.softmax(-1)
            else:
                rule = allowed[:, h]
                empty = ~rule.any(dim=-1, keepdim=True)
                scores = scores.masked_fill(~(rule | empty), -math.inf)
                weights = scores.softmax(-1).masked_fill(empty, 0.0)
            kept.append(weights)
            outputs.append(torch.bmm(self.dropout(weights), v[..., part]))
        output = self.w_o(torch.cat(outputs, dim=-1))
        if not need_weights:
            return output
        return output, torch.stack(kept, dim=1)
