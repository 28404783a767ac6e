class Table(nn.Module):
    """The parameter as it should be."""

    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model))


# %% right: looked up
class LearnedPositions(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length):
        if length > self.max_length:
            raise ValueError(f"only {self.max_length} positions")
        return F.embedding(torch.arange(length), self.weight)


# %% right: weight of an embedding
class LearnedPositions(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Embedding(max_length, d_model).weight

    def forward(self, length):
        if not length <= self.weight.shape[0]:
            raise ValueError("too long")
        return self.weight[torch.arange(length)]


# %% right: is an embedding
class LearnedPositions(nn.Embedding):
    def __init__(self, max_length, d_model):
        super().__init__(max_length, d_model)

    def forward(self, length):
        if length > self.num_embeddings:
            raise ValueError(f"{length} > {self.num_embeddings}")
        return super().forward(torch.arange(length))


# %% right: narrowed
class LearnedPositions(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.zeros(max_length, d_model)))

    def forward(self, length):
        try:
            return self.weight.narrow(0, 0, length)
        except RuntimeError:
            raise ValueError(f"there are {len(self.weight)} positions, not {length}") from None


# %% right: rows stacked
class LearnedPositions(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(max_length, d_model))

    def forward(self, length):
        rows = list(self.weight)
        if length > len(rows):
            raise ValueError("no such position")
        return torch.stack(rows[:length])


# %% right: one hot times table
class LearnedPositions(nn.Module):
    def __init__(self, max_length, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(max_length, d_model) - 0.5)

    def forward(self, length):
        if self.weight.size(0) < length:
            raise ValueError(f"a sentence of {length} is too long")
        return torch.eye(length, self.weight.size(0)) @ self.weight


# %% wrong: held by min
# true: too_long_held
class LearnedPositions(Table):
    def forward(self, length):
        last = self.weight.size(0) - 1
        return torch.stack([self.weight[min(t, last)] for t in range(length)])


# %% wrong: from one unchecked
# true: positions_from_1, too_long_cut
class LearnedPositions(Table):
    def forward(self, length):
        return self.weight[1:][:length]


# %% trivial: zeros
class LearnedPositions(LearnedPositions):
    def forward(self, length):
        return torch.zeros(length, self.weight.size(1))


# %% trivial: the positions themselves
class LearnedPositions(LearnedPositions):
    def forward(self, length):
        return torch.arange(length).float().unsqueeze(1).expand(length, self.weight.size(1))


# %% trivial: the length itself
class LearnedPositions(LearnedPositions):
    def forward(self, length):
        return length


# %% trivial: noise
class LearnedPositions(LearnedPositions):
    def forward(self, length):
        return torch.randn(length, self.weight.size(1))
