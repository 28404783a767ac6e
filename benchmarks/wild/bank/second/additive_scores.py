# %% wrong: the query is repeated in the wrong order before the view, so that keys meet the queries of other sentences
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


# %% wrong: key and query go through a tanh each before they are added, instead of one tanh around the sum
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


# %% wrong: a softmax is taken, so that weights come out instead of scores / the last axis of length 1 is kept: (B, S, 1)
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


# %% right: one key at a time, stacked at the end, v as a product with its weight
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
