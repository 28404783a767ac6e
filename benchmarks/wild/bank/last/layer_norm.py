# %% wrong: mean and variance over all axes but the batch, so the tokens of a sentence share them ("taken over the features of one token")
# true: over_tokens_and_features
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        axes = tuple(range(1, x.dim())) or (0,)
        mean = x.mean(dim=axes, keepdim=True)
        var = x.var(dim=axes, unbiased=False, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


# %% wrong: beta is added before gamma multiplies, seen only once both have moved from ones and zeros / the argument eps is ignored for BERT's 1e-12
# true: shifted_before_scaling
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.variance_epsilon = 1e-12

    def forward(self, x: Tensor) -> Tensor:
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)
        return self.gamma * (x + self.beta)


# %% right: features moved to the front, plain sums, moved back
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        for name, start in (("gamma", 1.0), ("beta", 0.0)):
            setattr(self, name, nn.Parameter(torch.full((d_model,), start)))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        features = x.movedim(-1, 0)  # (D, ...)
        width = features.size(0)
        centred = features - features.sum(0) / width
        spread = ((centred * centred).sum(0) / width + self.eps) ** 0.5
        return torch.addcmul(self.beta, (centred / spread).movedim(0, -1), self.gamma)
