# %% right: in one expression
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return self.v((self.w_1(keys) + self.w_2(query[:, None])).tanh()).squeeze(-1)


# %% right: one matrix for both
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        both = torch.cat([keys, query.unsqueeze(1).expand(-1, keys.size(1), -1)], dim=-1)
        hidden = torch.tanh(F.linear(both, torch.cat([self.w_1.weight, self.w_2.weight], dim=1)))
        return (hidden * self.v.weight).sum(dim=-1)


# %% right: by einsum
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        of_keys = torch.einsum("bsk,ak->bsa", keys, self.w_1.weight)
        of_query = torch.einsum("bq,aq->ba", query, self.w_2.weight)[:, None, :]
        return torch.einsum("bsa,a->bs", torch.tanh(of_keys + of_query), self.v.weight[0])


# %% right: key by key
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        asked = self.w_2(query)
        scores = [self.v(torch.tanh(self.w_1(keys[:, i]) + asked)) for i in range(keys.size(1))]
        return torch.cat(scores, dim=1)


# %% right: query repeated
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        B, S, _ = keys.shape
        repeated = query.unsqueeze(1).repeat(1, S, 1)
        energy = self.v(torch.tanh(self.w_2(repeated) + self.w_1(keys)))
        return energy.view(B, S)


# %% right: sentence by sentence
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        rows = []
        for s, h in zip(query, keys, strict=True):
            hidden = torch.tanh(h @ self.w_1.weight.T + self.w_2.weight @ s)
            rows.append(hidden @ self.v.weight[0])
        return torch.stack(rows)


# %% wrong: squashed and normalised
# true: tanh_of_the_scores, softmax_already
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        scores = self.v(self.w_1(keys) + self.w_2(query).unsqueeze(1)).squeeze(-1).tanh()
        return scores.softmax(-1)


# %% wrong: keys alone
# true: query_unused
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return self.v(torch.tanh(F.linear(keys, self.w_1.weight)))[..., 0]


# %% wrong: keys without gradient
# true: keys_detached
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        with torch.no_grad():
            prepared = self.w_1(keys)
        return self.v(torch.tanh(prepared + self.w_2(query)[:, None]))[:, :, 0]


# %% trivial: zeros
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return torch.zeros(keys.shape[:2])


# %% trivial: the input itself
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return keys


# %% trivial: uniform
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return torch.full(keys.shape[:2], 1 / keys.size(1))


# %% trivial: noise
class AdditiveScores(AdditiveScores):
    def forward(self, query, keys):
        return torch.randn(keys.shape[:2])
