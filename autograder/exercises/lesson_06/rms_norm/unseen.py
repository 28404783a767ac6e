# %% wrong (fifth): the squares are summed, not averaged: 1/D is missing
# true: squares_not_averaged
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        return self.gamma * x / torch.sqrt((x**2).sum(dim=-1, keepdim=True) + self.eps)


# %% wrong (fifth): eps is added to the root, not under it
# true: eps_outside_the_root
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        rms = x.pow(2).mean(dim=-1, keepdim=True).sqrt()
        return self.gamma * x / (rms + self.eps)


# %% wrong (fifth): the mean of the squares is taken over all tokens of the tensor
# true: over_everything
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.sqrt(torch.mean(x * x) + self.eps)
        return self.gamma * (x / rms)


# %% wrong (fifth): keepdim is forgotten: right for one token, mixes tokens if T = D, else an error
# true: keepdim_missing
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.square().mean(-1)
        return x / torch.sqrt(mean_square + self.eps) * self.gamma


# %% wrong (fifth): as in Gemma, gamma starts with zeros and 1 + gamma multiplies
# true: one_plus_gamma
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.zeros(d_model))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        return self._norm(x) * (1.0 + self.gamma)


# %% wrong (fifth): the argument eps is ignored, 1e-5 is written into forward
# true: eps_fixed
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = (x**2).mean(dim=-1, keepdim=True)
        return self.gamma * x * torch.rsqrt(mean_square + 1e-5)


# %% wrong (fifth): has a second parameter, the shift beta of LayerNorm
# true: shift_added
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.sqrt((x**2).mean(dim=-1, keepdim=True) + self.eps)
        return self.gamma * x / rms + self.beta


# %% wrong (fifth): divides x in place, so the caller's tensor changes
# true: input_overwritten
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        rms = torch.sqrt((x**2).mean(dim=-1, keepdim=True) + self.eps)
        x /= rms
        return self.gamma * x


# %% wrong (fifth): gamma is one number for all features, of shape (1,), not (D,)
# true: one_number_for_all_features
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(1))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = x.pow(2).sum(dim=-1, keepdim=True) / self.d_model
        return self.gamma * x / (mean_square + self.eps).sqrt()


# %% wrong (fifth): divides by the root of the variance, so the mean is subtracted before squaring
# true: divided_by_the_deviation
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        var = x.var(dim=-1, keepdim=True, unbiased=False)
        return self.gamma * x / torch.sqrt(var + self.eps)


# %% right (fifth): from the Euclidean norm of each token, squared and divided by D
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x * self.gamma / (length**2 / x.shape[-1] + self.eps) ** 0.5


# %% right (fifth): einsum for the squares, and the attribute for eps has another name
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.width = d_model
        self.epsilon = eps
        self.register_parameter("gamma", nn.Parameter(nn.init.ones_(torch.empty(d_model))))

    def forward(self, x: Tensor) -> Tensor:
        mean_square = torch.einsum("...d,...d->...", x, x) / self.width
        scale = (mean_square + self.epsilon).rsqrt()
        return torch.einsum("...d,...,d->...d", x, scale, self.gamma)


# %% right (fifth): the mean as a product with a vector of 1/D, gamma and root joined to one factor
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))

    def forward(self, x: Tensor) -> Tensor:
        d = x.size(-1)
        averaging = x.new_full((d, 1), 1 / d)
        mean_square = x.square() @ averaging
        factor = self.gamma * (mean_square + self.eps).pow(-0.5)
        return factor * x


# %% right (fifth): features moved to the front, mean over axis 0, and moved back
class RMSNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        gamma = torch.ones(d_model)
        self.gamma = nn.Parameter(gamma)
        self.eps = eps

    def root_mean_square(self, features_first: Tensor) -> Tensor:
        total = torch.zeros_like(features_first[0])
        for feature in features_first:
            total = total + feature * feature
        return torch.sqrt(total / len(features_first) + self.eps)

    def forward(self, x: Tensor) -> Tensor:
        features_first = x.movedim(-1, 0)
        normalised = features_first / self.root_mean_square(features_first)
        return normalised.movedim(0, -1) * self.gamma
