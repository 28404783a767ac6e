# %% wrong: the standard deviation is the one with D - 1 / eps is added to the root and does not stand under it
# true: divided_by_d_minus_1, eps_outside_the_root
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.gamma * (x - mean) / (std + self.eps) + self.beta

# %% wrong: the mean is subtracted in place, so the tensor that was handed in is changed
# true: input_overwritten
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.d_model = d_model
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x -= x.mean(dim=-1, keepdim=True)
        var = x.pow(2).sum(dim=-1, keepdim=True) / self.d_model
        return self.gamma * x / torch.sqrt(var + self.eps) + self.beta

# %% wrong: mean and variance are taken without a graph, so the gradient treats them as constants
# true: statistics_detached
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.register_buffer("eps", torch.tensor(eps), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
            inv_std = torch.rsqrt(var + self.eps)
        return (x - mean) * inv_std * self.gamma + self.beta

# %% right: var_mean and rsqrt, gamma and beta by addcmul
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.beta = nn.Parameter(torch.full((d_model,), 0.0))

    def forward(self, x: Tensor) -> Tensor:
        variance, centre = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        standard = (x - centre) * (variance + self.eps).rsqrt()
        return torch.addcmul(self.beta, self.gamma, standard)
