class ANorm(nn.Module):
    """A right constructor."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps


# %% right: on library variance
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, unbiased=False)
        return (x - mean) / (var + self.eps).sqrt() * self.gamma + self.beta


# %% right: mean of squares
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("gamma", nn.Parameter(torch.ones(d_model)))
        self.register_parameter("beta", nn.Parameter(torch.zeros(d_model)))

    def forward(self, x):
        D = x.shape[-1]
        mu = x.sum(dim=-1, keepdim=True) / D
        d = x - mu
        variance = (d * d).sum(dim=-1, keepdim=True) / D
        return torch.addcmul(self.beta, self.gamma, d * torch.rsqrt(variance + self.eps))


# %% right: token by token
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        done = []
        for token in x.reshape(-1, x.size(-1)):
            centred = token - token.mean()
            done.append(self.gamma * centred / (centred.pow(2).mean() + self.eps) ** 0.5 + self.beta)
        return torch.stack(done).view(x.shape)


# %% right: mean and standard deviation
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        scale = self.gamma / torch.sqrt(variance + self.eps)
        return x * scale + (self.beta - mean * scale)


# %% right: bya matrix
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        D = x.size(-1)
        centre = torch.eye(D, dtype=x.dtype) - torch.full((D, D), 1 / D, dtype=x.dtype)
        centred = x @ centre
        sigma = torch.sqrt(torch.einsum("...d,...d->...", centred, centred) / D + self.eps)
        return self.gamma * (centred / sigma[..., None]) + self.beta


# %% wrong: of py torch
# defines: finished_function
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.beta = nn.Parameter(torch.full((d_model,), 0.0))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


# %% wrong: a module inside another
# true: finished_function
class LayerNorm(LayerNorm):
    def forward(self, x):
        inside = nn.LayerNorm(x.shape[-1], eps=self.eps, dtype=x.dtype)
        return self.gamma * torch.func.functional_call(inside, {}, (x,)) + self.beta


# %% wrong: standard deviation plus epsilon
# true: eps_outside_the_root
class LayerNorm(ANorm):
    def forward(self, x):
        std, mean = torch.std_mean(x, dim=-1, correction=0, keepdim=True)
        return self.gamma * ((x - mean) / (std + self.eps)) + self.beta


# %% wrong: torchs deviation plus epsilon
# true: divided_by_d_minus_1, eps_outside_the_root
class LayerNorm(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + self.eps) + self.beta


# %% wrong: along the sentence
# true: over_the_tokens
class LayerNorm(ANorm):
    def forward(self, x):
        mean = x.mean(dim=-2, keepdim=True)
        var = ((x - mean) ** 2).mean(dim=-2, keepdim=True)
        return self.gamma * (x - mean) / (var + self.eps) ** 0.5 + self.beta


# %% wrong: one mean for all
# true: over_everything
class LayerNorm(ANorm):
    def forward(self, x):
        return self.gamma * (x - x.mean()) / torch.sqrt(x.var(correction=0) + self.eps) + self.beta


# %% wrong: without epsilon
# true: eps_missing
class LayerNorm(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return self.gamma * d / d.pow(2).mean(-1, keepdim=True).sqrt() + self.beta


# %% wrong: scaled only
# true: beta_forgotten
class LayerNorm(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), self.gamma, None, self.eps)


# %% wrong: normalised only
# true: scale_and_shift_forgotten
class LayerNorm(ANorm):
    def forward(self, x):
        return F.layer_norm(x, (x.size(-1),), eps=self.eps)


# %% wrong: root of sigma
# true: root_of_the_deviation
class LayerNorm(ANorm):
    def forward(self, x):
        sigma = x.std(-1, correction=0, keepdim=True)
        return (x - x.mean(-1, keepdim=True)) / (sigma + self.eps).sqrt() * self.gamma + self.beta


# %% wrong: length for deviation
# true: variance_not_divided
class LayerNorm(ANorm):
    def forward(self, x):
        d = x - x.mean(-1, keepdim=True)
        return (
            self.gamma * d / torch.sqrt(torch.linalg.vector_norm(d, dim=-1, keepdim=True) ** 2 + self.eps) + self.beta
        )


# %% wrong: both start with zeros
# true: gamma_starts_with_zeros
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.beta = (nn.Parameter(torch.zeros(d_model)) for _ in range(2))
        self.eps = eps

    def forward(self, x):
        return F.layer_norm(x, x.shape[-1:], self.gamma, self.beta, self.eps)


# %% trivial: zeros
class LayerNorm(LayerNorm):
    def forward(self, x):
        return x * 0


# %% trivial: the input itself
class LayerNorm(LayerNorm):
    def forward(self, x):
        return x


# %% trivial: the shift
class LayerNorm(LayerNorm):
    def forward(self, x):
        return self.beta.expand_as(x)


# %% trivial: noise
class LayerNorm(LayerNorm):
    def forward(self, x):
        return torch.randn(x.shape)
