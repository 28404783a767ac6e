# %% wrong: divides the variance by D - 1 / adds ε to σ, not to σ² under the root
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


# %% wrong: takes mean and variance for constants: no gradient goes through them
# true: statistics_detached
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():  # statistics are not learned
            mu = x.mean(dim=-1, keepdim=True)
            var = ((x - mu) ** 2).mean(dim=-1, keepdim=True)
        x_hat = (x - mu) / torch.sqrt(var + self.eps)
        return self.gamma * x_hat + self.beta


# %% wrong: gamma and beta are buffers, which move along with the module but are never learned
# true: nothing_to_learn
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.register_buffer("gamma", torch.ones(d_model))
        self.register_buffer("beta", torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mu = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.gamma * (x - mu) / (var + self.eps).sqrt() + self.beta


# %% right: centres, takes the variance as a dot product of the token with itself, multiplies by rsqrt
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.empty(d_model))
        self.beta = nn.Parameter(torch.empty(d_model))
        self.eps = eps
        nn.init.ones_(self.gamma)
        nn.init.zeros_(self.beta)

    def forward(self, x: Tensor) -> Tensor:
        D = x.size(-1)
        centred = x - torch.einsum("...d->...", x).div(D).unsqueeze(-1)  # (..., D)
        variance = torch.einsum("...d,...d->...", centred, centred).div(D).unsqueeze(-1)  # (..., 1)
        return centred * torch.rsqrt(variance + self.eps) * self.gamma + self.beta
