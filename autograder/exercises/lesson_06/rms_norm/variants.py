class ANorm(nn.Module):
    """A right constructor."""

    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(torch.ones(d_model)), eps


# %% right: reciprocal root
class RMSNorm(ANorm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.gamma


# %% right: in float32 on the way
class RMSNorm(ANorm):
    def forward(self, x):
        wide = x.float()
        wide = wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + self.eps)
        return self.gamma * wide.type_as(x)


# %% right: token by token
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.register_parameter("gamma", nn.Parameter(torch.full((d_model,), 1.0)))

    def forward(self, x):
        done = [self.gamma * token / (token @ token / len(token) + self.eps) ** 0.5 for token in x.reshape(-1, x.size(-1))]
        return torch.stack(done).view(x.shape)


# %% right: from the norm of the token
class RMSNorm(ANorm):
    def forward(self, x):
        length = torch.einsum("...d,...d->...", x, x)[..., None]
        return x * (self.gamma / torch.sqrt(length / x.shape[-1] + self.eps))


# %% right: variance plus the square of the mean
class RMSNorm(ANorm):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return torch.mul(self.gamma, x) / (variance + mean**2 + self.eps).sqrt()


# %% wrong: of py torch
# defines: finished_function
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.full((d_model,), 1.0))
        self.eps = eps

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.gamma, self.eps)


# %% wrong: a module inside another
# true: finished_function
class RMSNorm(RMSNorm):
    def forward(self, x):
        inside = nn.RMSNorm(x.shape[-1], eps=self.eps, elementwise_affine=False)
        return self.gamma * inside(x)


# %% wrong: root plus epsilon
# true: eps_outside_the_root
class RMSNorm(ANorm):
    def forward(self, x):
        rms = x.pow(2).mean(-1, keepdim=True) ** 0.5
        return self.gamma * (x / (rms + self.eps))


# %% wrong: layer norm without beta
# true: mean_subtracted
class RMSNorm(ANorm):
    def forward(self, x):
        variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return self.gamma * (x - mean) / torch.sqrt(variance + self.eps)


# %% wrong: length for root mean square
# true: squares_not_averaged
class RMSNorm(ANorm):
    def forward(self, x):
        return self.gamma * x / torch.sqrt(torch.linalg.vector_norm(x, dim=-1, keepdim=True) ** 2 + self.eps)


# %% wrong: without epsilon
# true: eps_missing
class RMSNorm(ANorm):
    def forward(self, x):
        return self.gamma * x / x.pow(2).mean(-1, keepdim=True).sqrt()


# %% wrong: never scaled
# true: gamma_forgotten
class RMSNorm(ANorm):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


# %% wrong: one statistic for all
# true: over_everything
class RMSNorm(ANorm):
    def forward(self, x):
        return self.gamma * x * torch.rsqrt((x**2).sum() / x.numel() + self.eps)


# %% wrong: standard deviation
# true: divided_by_the_deviation
class RMSNorm(ANorm):
    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        return self.gamma * x / torch.sqrt((centred**2).mean(-1, keepdim=True) + self.eps)


# %% trivial: zeros
class RMSNorm(RMSNorm):
    def forward(self, x):
        return x * 0


# %% trivial: the input itself
class RMSNorm(RMSNorm):
    def forward(self, x):
        return x


# %% trivial: gamma
class RMSNorm(RMSNorm):
    def forward(self, x):
        return self.gamma.expand_as(x)


# %% trivial: noise
class RMSNorm(RMSNorm):
    def forward(self, x):
        return torch.randn(x.shape)
