# %% wrong: the parameter is called embedding.weight, as it lies in an nn.Embedding
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


# %% wrong: refuses a sentence of exactly max_length
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


# %% wrong: a Parameter times 0.02 is no Parameter any more, so that there is nothing to train
# true: nothing_to_learn
class LearnedPositions(nn.Module):
    def __init__(self, max_length: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(max_length, d_model)) * 0.02

    def forward(self, length: int) -> Tensor:
        if length > len(self.weight):
            raise ValueError(f"no vector for {length} positions: the table ends at {len(self.weight)}")
        return self.weight[:length, :]


# %% right: register_parameter, a drawing of its own, F.embedding as the look-up
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
