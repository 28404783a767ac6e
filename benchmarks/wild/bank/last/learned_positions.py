# %% wrong: off by one in the guard, refuses length == max_length ("length: T, at most max_length")
# true: max_length_refused
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length >= self.max_length:
            raise ValueError(f"cannot encode {length} positions, the table has {self.max_length} rows")
        return self.weight[:length]


# %% wrong: minGPT's table with a batch axis, (1, L, D) in and (1, T, D) out, where (L, D) and (T, D) are asked for / an assert, no ValueError
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.block_size = max_length
        self.weight = nn.Parameter(torch.zeros(1, max_length, d_model))

    def forward(self, length: int) -> Tensor:
        assert length <= self.block_size, f"Cannot forward, model block size {self.block_size} is exhausted by {length}."
        return self.weight[:, :length, :]


# %% right: a look-up with F.embedding, the limit read off the table itself
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        table = torch.empty(max_length, d_model)
        self.register_parameter("weight", nn.Parameter(nn.init.normal_(table, mean=0.0, std=0.02)))

    def forward(self, length: int) -> Tensor:
        (rows, _) = self.weight.shape
        if rows < length:
            raise ValueError("%d positions are asked for and only %d were learned" % (length, rows))
        return F.embedding(torch.arange(length, device=self.weight.device), self.weight)
