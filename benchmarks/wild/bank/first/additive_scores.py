# %% wrong: the tanh is left out
# true: no_tanh
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(self.w_1(keys) + self.w_2(query).unsqueeze(1)).squeeze(-1)

# %% wrong: a tanh of each term, then the sum
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

# %% wrong: w_1 takes the query and w_2 the keys, exchanged (crashes where the widths differ)
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

# %% wrong: the softmax is already taken
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

# %% wrong: the query gets no axis for the keys, so queries are added along the words (works only by chance, B = S or B = 1)
# true: query_axis_missing
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query))).squeeze(-1)

# %% wrong: ReLU in place of tanh
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

# %% wrong: the last axis is left, (B, S, 1)
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

# %% wrong: the tanh stands around the score, not inside
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

# %% wrong: the layers have biases (the default of nn.Linear)
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden)
        self.w_2 = nn.Linear(d_query, d_hidden)
        self.v = nn.Linear(d_hidden, 1)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))).squeeze(-1)

# %% wrong: the two are multiplied, not added
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

# %% wrong: the query is repeated block by block and viewed, so sentences get each other's queries
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

# %% wrong: v is left out, the hidden units are summed
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

# %% wrong: one query for the whole batch: the mean over the batch is added to all keys / dropout of one half on the hidden layer
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

# %% wrong: squeeze() without an axis, a batch of one or a sentence of one word loses an axis
# true: every_axis_of_one_squeezed
class AdditiveScores(nn.Module):
    def __init__(self, d_query, d_key, d_hidden):
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query, keys):
        return self.v(torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))).squeeze()

# %% wrong: query's projection is computed without gradient (kept from a speed-up), so w_2 never learns
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

# %% wrong: the keys' projection is cached at the first call and used again for other sentences of the same shape
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

# %% wrong: the query is subtracted, not added / the scores are divided by the square root of the hidden width
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

# %% wrong: sigmoid in place of tanh / the last axis is left, (B, S, 1)
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

# %% right: unsqueeze and broadcast
class AdditiveScores(nn.Module):
    def __init__(self, d_query: int, d_key: int, d_hidden: int) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_key, d_hidden, bias=False)
        self.w_2 = nn.Linear(d_query, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        hidden = torch.tanh(self.w_1(keys) + self.w_2(query).unsqueeze(1))
        return self.v(hidden).squeeze(-1)

# %% right: the query is repeated for each key, a helper method, view
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

# %% right: one linear over the concatenation with concatenated weights, then a product with v's row
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
