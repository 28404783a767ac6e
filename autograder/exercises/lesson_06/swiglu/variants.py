# %% right: in one expression
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(F.silu(self.w_gate(x)) * self.w_up(x))


# %% right: from exponentials
class SwiGLU(SwiGLU):
    def forward(self, x):
        gate = x @ self.w_gate.weight.T
        return (gate / (1 + torch.exp(-gate)) * (x @ self.w_up.weight.T)) @ self.w_down.weight.T


# %% right: token by token
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_up, self.w_gate = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w_down = nn.Linear(d_ff, d_model, bias=False)
        self.silu = nn.SiLU()

    def forward(self, x):
        tokens = x.reshape(-1, x.size(-1))
        done = [self.w_down(self.silu(self.w_gate(token)) * self.w_up(token)) for token in tokens]
        return torch.stack(done).reshape(x.shape)


# %% right: both matrices at once
class SwiGLU(SwiGLU):
    def forward(self, x):
        both = F.linear(x, torch.cat([self.w_up.weight, self.w_gate.weight]))
        up, gate = both.chunk(2, dim=-1)
        return self.w_down(up * gate.sigmoid() * gate)


# %% right: by einsum
class SwiGLU(SwiGLU):
    def forward(self, x):
        gate, up = (torch.einsum("...d,fd->...f", x, layer.weight) for layer in (self.w_gate, self.w_up))
        return torch.einsum("...f,df->...d", F.silu(gate) * up, self.w_down.weight)


# %% right: silu in place
class SwiGLU(SwiGLU):
    def forward(self, x):
        hidden = F.silu(self.w_gate(x), inplace=True).mul(self.w_up(x))
        return self.w_down(hidden)


# %% wrong: gate and value exchanged
# true: silu_on_the_other
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(self.w_gate(x) * F.silu(self.w_up(x)))


# %% wrong: bilinear
# true: no_silu
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(torch.mul(self.w_up(x), self.w_gate(x)))


# %% wrong: a sigmoid
# true: sigmoid_as_gate
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(self.w_up(x) / (1 + torch.exp(-self.w_gate(x))))


# %% wrong: the usual layers
# true: with_biases
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.w_gate, self.w_up, self.w_down = nn.Linear(d_model, d_ff), nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.w_down(F.silu(self.w_gate(x)) * self.w_up(x))


# %% wrong: sum
# true: added
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(self.w_up(x) + F.silu(self.w_gate(x)))


# %% wrong: negative gates closed
# true: relu_as_gate
class SwiGLU(SwiGLU):
    def forward(self, x):
        return self.w_down(self.w_gate(x).clamp(min=0) * self.w_up(x))


# %% trivial: zeros
class SwiGLU(SwiGLU):
    def forward(self, x):
        return x * 0


# %% trivial: the input itself
class SwiGLU(SwiGLU):
    def forward(self, x):
        return x


# %% trivial: noise
class SwiGLU(SwiGLU):
    def forward(self, x):
        return torch.rand(x.shape)
