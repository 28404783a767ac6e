# %% wrong (first): a position beyond the table wraps round to its beginning
# true: too_long_wrapped
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, length: int) -> Tensor:
        idx = torch.arange(length, device=self.weight.device) % self.max_length
        return self.weight[idx]

# %% wrong (first): for too many positions the slice is simply too short and nothing is raised
# true: too_long_cut
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        return self.weight[:length, :]

# %% wrong (first): an assertion and not a ValueError where the table ends
# true: another_error
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length, self.d_model = max_length, d_model
        self.weight = nn.Parameter(torch.zeros(max_length, d_model).normal_(mean=0.0, std=0.02))

    def forward(self, length: int) -> Tensor:
        assert length <= self.max_length, f"{length} positions, but only {self.max_length} were learned"
        return self.weight[:length]

# %% wrong (first): the table sits in an nn.Embedding, so the parameter is called embedding.weight
# true: another_name
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        limit = self.embedding.num_embeddings
        if length > limit:
            raise ValueError(f"length {length} exceeds max_length {limit}")
        return self.embedding(torch.arange(length, device=self.embedding.weight.device))

# %% wrong (first): the table is a buffer, so it is never trained
# true: nothing_to_learn
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("weight", torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.weight.shape[0]:
            raise ValueError(f"asked for {length} positions, there are {self.weight.shape[0]}")
        return self.weight[:length]

# %% wrong (first): the full length itself is refused
# true: max_length_refused
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.normal(0.0, 0.02, size=(max_length, d_model)))

    def forward(self, length: int) -> Tensor:
        if length >= self.max_length:
            raise ValueError(f"length {length} is too large, the maximum is {self.max_length}")
        return self.weight.narrow(0, 0, length)

# %% wrong (first): the vectors are taken out of the graph, so no gradient reaches the table
# true: detached
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.weight.size(0):
            raise ValueError(f"{length} > {self.weight.size(0)}")
        return self.weight.data[:length].clone()

# %% wrong (first): positions are columns, the parameter has the shape (D, L)
# true: columns_for_positions
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.empty(d_model, max_length))
        nn.init.normal_(self.weight, mean=0.0, std=0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError(f"no vector for position {length - 1}: length {length}, max_length {self.max_length}")
        return self.weight[:, :length].T

# %% wrong (first): the error comes without either number / a batch axis is left in front
# true: axis_in_front
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.randn(max_length, d_model).mul(0.02))

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError("sequence too long for the learned positions")
        return self.weight[:length].unsqueeze(0)

# %% wrong (first): super().__init__() is missing, so the parameter cannot be set
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        self.max_length = max_length
        self.weight = nn.Parameter(0.02 * torch.randn(max_length, d_model))

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError(f"length={length}, max_length={self.max_length}")
        return self.weight[:length]

# %% wrong (first): row 0 is skipped, as if it were padding
# true: positions_from_1
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError(f"{length} positions asked for, {self.max_length} learned")
        positions = torch.arange(1, length + 1).clamp(max=self.max_length - 1)
        return F.embedding(positions, self.weight)

# %% wrong (first): the end of the table is returned and not its beginning
# true: last_rows
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.trunc_normal_(torch.empty(max_length, d_model), std=0.02))

    def forward(self, length: int) -> Tensor:
        L = len(self.weight)
        if length > L:
            raise ValueError(f"length must be at most {L}, got {length}")
        return self.weight[L - length:]

# %% right (first): a slice of the parameter
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, mean=0.0, std=0.02)

    def forward(self, length: int) -> Tensor:
        rows = self.weight.shape[0]
        if length > rows:
            raise ValueError(f"{length} positions asked for, but only {rows} were learned")
        return self.weight[:length]

# %% right (first): indices and F.embedding, uniform drawing
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super(LearnedPositions, self).__init__()
        self.max_length = max_length
        self.d_model = d_model
        self.weight = nn.Parameter(torch.rand(max_length, d_model) * 0.06 - 0.03)

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError("length %d is greater than max_length %d" % (length, self.max_length))
        ids = torch.arange(length, device=self.weight.device)
        return F.embedding(ids, self.weight)

# %% right (first): a subclass of nn.Embedding, whose parameter is called weight
class LearnedPositions(nn.Embedding):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__(max_length, d_model)
        with torch.no_grad():
            self.weight.mul_(0.02)

    def forward(self, length: int) -> Tensor:
        if not length <= self.num_embeddings:
            raise ValueError(f"no vectors for {length} positions: the table has {self.num_embeddings}")
        return super().forward(torch.arange(length, device=self.weight.device))

# %% wrong (second): the table is interpolated to whatever length is asked, so shorter sentences get mixed rows and longer ones no ValueError
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

# %% wrong (second): the table is the weight of an inner nn.Embedding, so the parameter is called embedding.weight and there is no weight
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

# %% wrong (second): a sentence exactly as long as the table is refused, too
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

# %% right (second): uniform drawing, rows by F.embedding
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model).uniform_(-0.03, 0.03))

    def forward(self, length: int) -> Tensor:
        rows = self.weight.size(0)
        if length > rows:
            raise ValueError(f"asked for {length} positions, learned only {rows}")
        return F.embedding(torch.arange(length, device=self.weight.device), self.weight)

# %% wrong (third): the parameter is called embedding.weight, as it lies in an nn.Embedding
# true: another_name
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(max_length, d_model)
        nn.init.normal_(self.embedding.weight, mean=0.0, std=0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.max_length:
            raise ValueError(f"length {length} exceeds max_length {self.max_length}")
        positions = torch.arange(length, device=self.embedding.weight.device)
        return self.embedding(positions)


# %% wrong (third): refuses a sentence of exactly max_length
# true: max_length_refused
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        L = self.weight.shape[0]
        if length >= L:
            raise ValueError(f"{length} positions asked for, but only {L} rows were learned")
        return self.weight[:length]


# %% wrong (third): a Parameter times 0.02 is no Parameter any more, so that there is nothing to train
# true: nothing_to_learn
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model)) * 0.02

    def forward(self, length: int) -> Tensor:
        if length > len(self.weight):
            raise ValueError(f"no vector for {length} positions: the table ends at {len(self.weight)}")
        return self.weight[:length, :]


# %% right (third): register_parameter, a drawing of its own, F.embedding as the look-up
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.register_parameter("weight", nn.Parameter(torch.zeros(max_length, d_model)))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.trunc_normal_(self.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        max_length = self.weight.size(0)
        if not length <= max_length:
            raise ValueError("asked for %d positions, learned %d" % (length, max_length))
        places = torch.arange(length, device=self.weight.device)  # (T,)
        return F.embedding(places, self.weight)

# %% wrong (last): off by one in the guard, refuses length == max_length ("length: T, at most max_length")
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


# %% wrong (last): minGPT's table with a batch axis, (1, L, D) in and (1, T, D) out, where (L, D) and (T, D) are asked for / an assert, no ValueError
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.block_size = max_length
        self.weight = nn.Parameter(torch.zeros(1, max_length, d_model))

    def forward(self, length: int) -> Tensor:
        assert length <= self.block_size, f"Cannot forward, model block size {self.block_size} is exhausted by {length}."
        return self.weight[:, :length, :]


# %% right (last): a look-up with F.embedding, the limit read off the table itself
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


# %% wrong (fifth): also raises ValueError when length is exactly max_length
# true: max_length_refused
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.weight = nn.Parameter(torch.randn(max_length, d_model) * 0.02)

    def forward(self, length: int) -> Tensor:
        if length >= self.max_length:
            raise ValueError(f"length {length} is too long for a table of {self.max_length} positions")
        return self.weight[:length]


# %% wrong (fifth): returns rows of weight.data, so no gradient reaches the table
# true: detached
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(max_length, d_model))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, length: int) -> Tensor:
        if length > self.weight.size(0):
            raise ValueError(f"got {length} positions, but the table has only {self.weight.size(0)} rows")
        return self.weight.data[:length]


# %% right (fifth): rows looked up by F.embedding, truncated normal initialisation
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        start = nn.init.trunc_normal_(torch.empty(max_length, d_model), std=0.02)
        self.register_parameter("weight", nn.Parameter(start))

    def forward(self, length: int) -> Tensor:
        rows = len(self.weight)
        if not length <= rows:
            raise ValueError("asked for %d positions, but there are only %d rows" % (length, rows))
        positions = torch.arange(length, device=self.weight.device)
        return F.embedding(positions, self.weight)
