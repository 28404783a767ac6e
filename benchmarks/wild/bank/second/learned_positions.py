# %% wrong: the table is interpolated to whatever length is asked, so shorter sentences get mixed rows and longer ones no ValueError
# true: interpolated
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.zeros(max_length, d_model))
        nn.init.trunc_normal_(self.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        if length == self.max_length:
            return self.weight
        table = self.weight.t().unsqueeze(0)  # (1, D, L)
        table = F.interpolate(table, size=length, mode="linear", align_corners=False)
        return table.squeeze(0).t()

# %% wrong: the table is the weight of an inner nn.Embedding, so the parameter is called embedding.weight and there is no weight
# true: another_name
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.embedding.weight, mean=0.0, std=0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError(f"length {length} is greater than max_length {self.max_length}")
        positions = torch.arange(length, device=self.embedding.weight.device)
        return self.embedding(positions)

# %% wrong: a sentence exactly as long as the table is refused, too
# true: max_length_refused
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_len = max_length
        self.weight = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length >= self.max_len:
            raise ValueError(f"{length} positions were asked for, but there are only {self.max_len} rows")
        return self.weight[torch.arange(length)]

# %% right: uniform drawing, rows by F.embedding
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model).uniform_(-0.03, 0.03))

    def forward(self, length: int) -> Tensor:
        rows = self.weight.size(0)
        if length > rows:
            raise ValueError(f"asked for {length} positions, learned only {rows}")
        return F.embedding(torch.arange(length, device=self.weight.device), self.weight)
