# %% wrong (first): the tanh is left out
# true: no_tanh
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(self.w_1(keys) + self.w_2(query).unsqueeze(1)).squeeze(-1)

# %% wrong (first): a tanh of each term, then the sum
# true: tanh_of_each
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        hidden = torch.tanh(self.w_1(keys)) + torch.tanh(self.w_2(query))[:, None, :]
        return self.v(hidden)[..., 0]

# %% wrong (first): w_1 takes the query and w_2 the keys, exchanged (crashes where the widths differ)
# true: layers_swapped
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        energy = torch.tanh(self.w_1(query).unsqueeze(1) + self.w_2(keys))
        return self.v(energy).squeeze(2)

# %% wrong (first): the softmax is already taken
# true: softmax_already
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        src_len = keys.shape[1]
        hidden = query.unsqueeze(1).repeat(1, src_len, 1)
        energy = torch.tanh(self.w_1(keys) + self.w_2(hidden))
        attention = self.v(energy).squeeze(2)
        return F.softmax(attention, dim=1)

# %% wrong (first): the query gets no axis for the keys, so queries are added along the words (works only by chance, B = S or B = 1)
# true: query_axis_missing
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query))).squeeze(-1)

# %% wrong (first): ReLU in place of tanh
# true: relu
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)
        self.act = nn.ReLU(inplace=True)

    def forward(self, query, keys):
        features = self.w_1(keys) + self.w_2(query).unsqueeze(1)
        return self.v(self.act(features)).squeeze(-1)

# %% wrong (first): the last axis is left, (B, S, 1)
# true: axis_of_one_kept
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        query_with_time_axis = query.unsqueeze(1)
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query_with_time_axis)))

# %% wrong (first): the tanh stands around the score, not inside
# true: tanh_of_the_scores
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        scores = self.v(self.w_1(keys) + self.w_2(query)[:, None])
        return torch.tanh(scores.squeeze(-1))

# %% wrong (first): the layers have biases (the default of nn.Linear)
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden)
        self.w_2 = nn.Linear(d_query, d_hidden)
        self.v = nn.Linear(d_hidden, 1)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))).squeeze(-1)

# %% wrong (first): the two are multiplied, not added
# true: multiplied
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        k, q = self.w_1(keys), self.w_2(query)
        return self.v(torch.tanh(torch.einsum("bsa,ba->bsa", k, q))).squeeze(-1)

# %% wrong (first): the query is repeated block by block and viewed, so sentences get each other's queries
# true: queries_dealt_out
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        B, S, _ = keys.shape
        q = self.w_2(query).repeat(S, 1).view(B, S, -1)
        return self.v(torch.tanh(q + self.w_1(keys))).view(B, S)

# %% wrong (first): v is left out, the hidden units are summed
# true: v_unused
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        energy = (self.w_1(keys) + self.w_2(query).unsqueeze(1)).tanh_()
        return energy.sum(dim=-1)

# %% wrong (first): one query for the whole batch: the mean over the batch is added to all keys / dropout of one half on the hidden layer
# true: mean_query_for_all
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        q = self.w_2(query).mean(dim=0)
        hidden = F.dropout(torch.tanh(self.w_1(keys) + q), 0.5, self.training)
        return self.v(hidden).squeeze(-1)

# %% wrong (first): squeeze() without an axis, a batch of one or a sentence of one word loses an axis
# true: every_axis_of_one_squeezed
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))).squeeze()

# %% wrong (first): query's projection is computed without gradient (kept from a speed-up), so w_2 never learns
# true: query_detached
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        with torch.no_grad():
            q = self.w_2(query)[:, None, :].expand(-1, keys.size(1), -1)
        return torch.matmul(torch.tanh(self.w_1(keys) + q), self.v.weight[0])

# %% wrong (first): the keys' projection is cached at the first call and used again for other sentences of the same shape
# true: keys_kept_from_the_first_call
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)
        self._projected = None

    def forward(self, query, keys):
        if self._projected is None or self._projected.shape[:2] != keys.shape[:2]:
            self._projected = self.w_1(keys)  # does not depend on the query
        return self.v(torch.tanh(self._projected + self.w_2(query).unsqueeze(1))).squeeze(-1)

# %% wrong (first): the query is subtracted, not added / the scores are divided by the square root of the hidden width
# true: scaled, subtracted
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        diff = self.w_1(keys) - self.w_2(query)[:, None, :]
        return self.v(torch.tanh(diff))[:, :, 0] / math.sqrt(self.v.in_features)

# %% wrong (first): sigmoid in place of tanh / the last axis is left, (B, S, 1)
# true: axis_of_one_kept, sigmoid
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        S = keys.size(1)
        q = torch.stack([self.w_2(query)] * S, dim=1)
        return self.v(torch.sigmoid(self.w_1(keys).add_(q)))

# %% right (first): unsqueeze and broadcast
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))
        return self.v(hidden).squeeze(-1)

# %% right (first): the query is repeated for each key, a helper method, view
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def project_keys(self, keys):
        return self.w_1(keys)

    def forward(self, query, keys):
        B, S, _ = keys.size()
        q = query.unsqueeze(1).repeat(1, S, 1)  # (B, S, Dq)
        energy = torch.tanh(self.project_keys(keys) + self.w_2(q))
        return self.v(energy).view(B, S)

# %% right (first): one linear over the concatenation with concatenated weights, then a product with v's row
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        both = torch.cat([keys, query[:, None].expand(-1, keys.shape[1], -1)], dim=-1)
        weight = torch.cat([self.w_1.weight, self.w_2.weight], dim=1)
        return torch.einsum("bsa,a->bs", torch.tanh(F.linear(both, weight)), self.v.weight.squeeze(0))

# %% wrong (second): the query is repeated in the wrong order before the view, so that keys meet the queries of other sentences
# true: queries_dealt_out
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        batch, src_len, _ = keys.shape
        # repeat decoder hidden state src_len times
        hidden = query.repeat(src_len, 1).view(batch, src_len, -1)
        energy = torch.tanh(self.w_1(keys) + self.w_2(hidden))
        return self.v(energy).squeeze(2)


# %% wrong (second): key and query go through a tanh each before they are added, instead of one tanh around the sum
# true: tanh_of_each
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.d_hidden = d_hidden
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)
        self.act = nn.Tanh()

    def forward(self, query, keys):
        k = self.act(self.w_1(keys))
        q = self.act(self.w_2(query))[:, None, :]
        return self.v(k + q)[..., 0]


# %% wrong (second): a softmax is taken, so that weights come out instead of scores / the last axis of length 1 is kept: (B, S, 1)
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super(AdditiveScores, self).__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        query_with_time_axis = query.unsqueeze(1)
        score = self.v(torch.tanh(self.w_1(keys) + self.w_2(query_with_time_axis)))
        return F.softmax(score, dim=1)


# %% right (second): one key at a time, stacked at the end, v as a product with its weight
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        asked = self.w_2(query)  # (B, Da), once for all keys
        columns = []
        for i in range(keys.size(1)):
            hidden = torch.tanh(asked + self.w_1(keys[:, i]))
            columns.append((hidden * self.v.weight[0]).sum(dim=-1))
        return torch.stack(columns, dim=1)

# %% wrong (third): the query's term is added along the axis of the keys, which works only for as many sentences as keys
# true: query_axis_missing
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys) + self.w_2(query))
        return self.v(hidden).squeeze(-1)


# %% wrong (third): a tanh of each term instead of their sum, so that the query adds the same to every key
# true: tanh_of_each
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        k = torch.tanh(self.w_1(keys))
        q = torch.tanh(self.w_2(query))[:, None, :]
        return self.v(k + q)[..., 0]


# %% wrong (third): w_1 meets the query and w_2 the keys
# true: layers_swapped
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        # Bahdanau: e_ij = v^T tanh(W s_{i-1} + U h_j)
        Ws = self.w_1(query).unsqueeze(1).expand(-1, keys.size(1), -1)
        Uh = self.w_2(keys)
        return self.v(torch.tanh(Ws + Uh)).squeeze(2)


# %% right (third): the layers' matrices by hand, v as a vector
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        asked = query @ self.w_2.weight.mT  # (B, Da)
        columns = []
        for key in keys.unbind(dim=1):  # (B, Dk), one place of all sentences
            hidden = torch.tanh(torch.addmm(asked, key, self.w_1.weight.mT))  # (B, Da)
            columns.append(hidden @ self.v.weight[0])  # (B,)
        return torch.stack(columns, dim=1)

# %% wrong (last): each term has a tanh of its own, and they are added afterwards
# true: tanh_of_each
# Violates "e_i = vᵀ tanh(W_1 h_i + W_2 s)": the query adds the same number to every score.
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys)) + torch.tanh(self.w_2(query)).unsqueeze(1)
        return self.v(hidden).squeeze(-1)


# %% wrong (last): squeeze() without an axis, which also takes away a batch or a sentence of 1
# true: every_axis_of_one_squeezed
# Violates "The scores (B, S)" where B or S is 1.
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query)[:, None, :])).squeeze()


# %% right (last): one key after the other, and the hidden units weighed by hand
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        asked = self.w_2(query)  # (B, Da)
        weight = self.v.weight.flatten()  # (Da,)
        one_by_one = ((self.w_1(key) + asked).tanh().mul(weight).sum(-1) for key in keys.unbind(dim=1))  # (B,) each
        return torch.stack(tuple(one_by_one), dim=-1)


# %% wrong (fifth): a tanh for each term, not one of their sum, so the query moves all scores alike
# true: tanh_of_each
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        from_keys = torch.tanh(self.w_1(keys))  # (B, S, Da)
        from_query = torch.tanh(self.w_2(query)).unsqueeze(1)  # (B, 1, Da)
        return self.v(from_keys + from_query).squeeze(-1)


# %% wrong (fifth): squeeze without an axis: one sentence or one key loses its axis too
# true: every_axis_of_one_squeezed
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys) + self.w_2(query)[:, None])  # (B, S, Da)
        return self.v(hidden).squeeze()


# %% right (fifth): key and query concatenated, times W_1 and W_2 side by side
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        pairs = torch.cat([keys, query[:, None, :].expand(-1, keys.size(1), -1)], dim=2)  # (B, S, Dk + Dq)
        side_by_side = torch.cat([self.w_1.weight, self.w_2.weight], dim=1)  # (Da, Dk + Dq)
        return torch.tanh(pairs @ side_by_side.T) @ self.v.weight[0]
