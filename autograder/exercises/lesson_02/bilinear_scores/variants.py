# %% right: in one expression
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return dot_scores(self.w(query), keys)


# %% right: keys brought to the query
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return dot_scores(query, keys @ self.w.weight)


# %% right: by einsum
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bsk,kq,bq->bs", keys, self.w.weight, query)


# %% right: by bmm
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        projected = F.linear(query, self.w.weight)
        return torch.bmm(keys, projected.unsqueeze(2)).squeeze(2)


# %% right: multiplied and summed
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return (self.w(query)[:, None] * keys).sum(-1)


# %% right: by bilinear
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        asking = query.unsqueeze(1).expand(-1, keys.size(1), -1)
        return F.bilinear(keys.contiguous(), asking.contiguous(), self.w.weight.unsqueeze(0))[..., 0]


# %% wrong: dot product still
# true: w_unused
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", query, keys)


# %% wrong: squashed
# true: tanh_of_the_scores
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return (keys * self.w(query)[:, None]).sum(-1).tanh()


# %% wrong: both translated
# true: w_on_both
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bd,bsd->bs", self.w(query), F.linear(keys, self.w.weight))


# %% wrong: wrong letter
# true: summed_over_keys
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.einsum("bk,bsk->bk", self.w(query), keys)


# %% trivial: zeros
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.zeros(keys.shape[:2])


# %% trivial: the input itself
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return self.w(query)


# %% trivial: uniform
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.full(keys.shape[:2], 1 / keys.size(1))


# %% trivial: noise
class BilinearScores(BilinearScores):
    def forward(self, query, keys):
        return torch.randn(keys.shape[:2])
