# %% wrong (first): torch's std divides by D - 1 / ε is added to the root, not under it
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

# %% wrong (first): the variance divides by D - 1
# true: divided_by_d_minus_1
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True)
        x_hat = (x - mean) / torch.sqrt(var + self.eps)
        return self.gamma * x_hat + self.beta

# %% wrong (first): mean and variance are taken over a whole sentence and not over one token
# true: over_tokens_and_features
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        dims = (-2, -1) if x.dim() > 1 else (-1,)
        mu = x.mean(dim=dims, keepdim=True)
        sigma2 = x.var(dim=dims, keepdim=True, unbiased=False)
        return (x - mu) / (sigma2 + self.eps) ** 0.5 * self.gamma + self.beta

# %% wrong (first): features are normalised over the batch, along axis 0, as in batch normalisation
# true: over_the_batch
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean = torch.mean(x, 0)
        variance = torch.mean((x - mean) ** 2, 0)
        return self.gamma * (x - mean) / torch.sqrt(variance + self.eps) + self.beta

# %% wrong (first): mean and variance are computed without gradient, so the gradient of x is wrong
# true: statistics_detached
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            mu = x.mean(dim=-1, keepdim=True)
            var = (x - mu).pow(2).mean(dim=-1, keepdim=True)
        return (x - mu) * torch.rsqrt(var + self.eps) * self.gamma + self.beta

# %% right (first): the variance as E[x²] - E[x]², which only a very large mean rounds away (the lesson does not ask for one)
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        D = x.shape[-1]
        mean = x.sum(dim=-1, keepdim=True) / D
        mean_of_squares = (x * x).sum(dim=-1, keepdim=True) / D
        var = mean_of_squares - mean**2
        return self.gamma * ((x - mean) / torch.sqrt(var + self.eps)) + self.beta

# %% wrong (first): the mean is not subtracted from x, only the size is brought to one
# true: mean_not_subtracted
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        rms = x.pow(2).mean(-1, keepdim=True).add(self.eps).sqrt()
        return self.gamma * (x / rms) + self.beta

# %% wrong (first): gamma and beta are single numbers and not one a feature
# true: one_number_for_all_features
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(1))  # multiplied
        self.beta = nn.Parameter(torch.zeros(1))  # added

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, keepdim=True, correction=0)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta

# %% wrong (first): the ε of the constructor is forgotten, a fixed one is used
# true: eps_fixed
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)
        var = x.var(dim=-1, unbiased=False, keepdim=True)
        return (x - mean) / torch.sqrt(var + 1e-12) * self.gamma + self.beta

# %% wrong (first): x is centred in place, so the caller's tensor changes
# true: input_overwritten
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        x -= x.mean(dim=-1, keepdim=True)
        var = (x**2).mean(dim=-1, keepdim=True)
        return self.gamma * x / (var + self.eps).sqrt() + self.beta

# %% wrong (first): the parameters are called weight and bias
# true: other_names
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.variance_epsilon = eps

    def forward(self, x: Tensor) -> Tensor:
        u = x.mean(-1, keepdim=True)
        s = (x - u).pow(2).mean(-1, keepdim=True)
        x = (x - u) / torch.sqrt(s + self.variance_epsilon)
        return self.weight * x + self.bias

# %% wrong (first): gamma and beta are plain tensors, so nothing of them is learned, saved or cast along
# true: nothing_to_learn
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = torch.ones(d_model, requires_grad=True)
        self.beta = torch.zeros(d_model, requires_grad=True)
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        var = centred.square().mean(dim=-1, keepdim=True)
        return self.gamma * centred / torch.sqrt(var + self.eps) + self.beta

# %% wrong (first): it divides by the variance, the root is forgotten
# true: divided_by_the_variance
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super(LayerNorm, self).__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mu = x.mean(-1, keepdim=True)
        sigma = ((x - mu) ** 2).mean(-1, keepdim=True)
        norm = (x - mu) / (sigma + self.eps)
        return norm * self.gamma + self.beta

# %% wrong (first): three dimensions are taken for granted, (D,) and (T, D) crash / the result is always float32
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        flat = x.float().reshape(B * T, D)
        mean = flat.mean(dim=1, keepdim=True)
        var = flat.var(dim=1, keepdim=True, unbiased=False)
        y = (flat - mean) / torch.sqrt(var + self.eps)
        return (self.gamma * y + self.beta).float().view(B, T, D)

# %% right (first): sums over D by hand
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.d_model = d_model
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        mu = x.sum(dim=-1, keepdim=True) / self.d_model
        gap = x - mu
        var = (gap * gap).sum(dim=-1, keepdim=True) / self.d_model
        return self.gamma * gap / (var + self.eps) ** 0.5 + self.beta

# %% right (first): var_mean and rsqrt, addcmul
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.beta, (x - mean) * torch.rsqrt(var + self.eps), self.gamma)

# %% right (first): tokens flattened to rows, unsqueezed statistics, ε in a buffer-free attribute
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super(LayerNorm, self).__init__()
        self.gamma = nn.Parameter(torch.empty(d_model))
        self.beta = nn.Parameter(torch.empty(d_model))
        self.epsilon = float(eps)
        nn.init.ones_(self.gamma)
        nn.init.zeros_(self.beta)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.reshape(-1, x.shape[-1])
        mean = rows.mean(1).unsqueeze(1)
        std = torch.sqrt(rows.var(1, unbiased=False) + self.epsilon).unsqueeze(1)
        return ((rows - mean) / std * self.gamma + self.beta).reshape(x.shape)

# %% wrong (second): the standard deviation is the one with D - 1 / eps is added to the root and does not stand under it
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

# %% wrong (second): the mean is subtracted in place, so the tensor that was handed in is changed
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

# %% wrong (second): mean and variance are taken without a graph, so the gradient treats them as constants
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

# %% right (second): var_mean and rsqrt, gamma and beta by addcmul
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

# %% wrong (third): divides the variance by D - 1 / adds ε to σ, not to σ² under the root
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


# %% wrong (third): takes mean and variance for constants: no gradient goes through them
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


# %% wrong (third): gamma and beta are buffers, which move along with the module but are never learned
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


# %% right (third): centres, takes the variance as a dot product of the token with itself, multiplies by rsqrt
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

# %% wrong (last): mean and variance over all axes but the batch, so the tokens of a sentence share them ("taken over the features of one token")
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


# %% wrong (last): beta is added before gamma multiplies, seen only once both have moved from ones and zeros / the argument eps is ignored for BERT's 1e-12
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


# %% right (last): features moved to the front, plain sums, moved back
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


# %% wrong (fifth): the variance is divided by D - 1, torch's default
# true: divided_by_d_minus_1
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(var + self.eps) + self.beta


# %% wrong (fifth): variance as mean of squares minus squared mean: garbage in float32 at a large mean
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mu = x.mean(dim=-1, keepdim=True)
        sigma2 = (x**2).mean(dim=-1, keepdim=True) - mu**2
        return self.gamma * (x - mu) / torch.sqrt(sigma2 + self.eps) + self.beta


# %% wrong (fifth): beta is added before the product with gamma, so gamma scales the shift, too
# true: shifted_before_scaling
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model))
        self.beta = nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        std = (centred.pow(2).mean(dim=-1, keepdim=True) + self.eps).sqrt()
        return self.gamma * (centred / std + self.beta)


# %% right (fifth): var_mean without correction, then addcmul
class LayerNorm(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.small = eps

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.addcmul(self.beta, self.gamma, (x - mean) * torch.rsqrt(variance + self.small))
