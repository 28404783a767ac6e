# %% wrong (fifth): SiLU is applied to the up branch and not to the gate
# true: silu_on_the_other
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_down(self.w_gate(x) * F.silu(self.w_up(x)))


# %% wrong (fifth): the gate is the sigmoid alone, without the factor z (GLU, not SwiGLU)
# true: sigmoid_as_gate
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.sigmoid(self.w_gate(x))
        return self.w_down(gate * self.w_up(x))


# %% wrong (fifth): GELU in place of SiLU (GEGLU)
# true: gelu_as_gate
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)
        self.act = nn.GELU()

    def forward(self, x: Tensor) -> Tensor:
        return self.w_down(self.act(self.w_gate(x)) * self.w_up(x))


# %% wrong (fifth): w_down has a bias
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_down(F.silu(self.w_gate(x)) * self.w_up(x))


# %% wrong (fifth): as in Llama's code, the constructor cuts d_ff to two thirds
# true: width_shrunk_inside
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        d_ff = int(2 * d_ff / 3)
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_down(F.silu(self.w_gate(x)) * self.w_up(x))


# %% wrong (fifth): drops a tenth of the hidden numbers in training
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.silu(self.w_gate(x)) * self.w_up(x)
        return self.w_down(self.dropout(hidden))


# %% wrong (fifth): SiLU as z e^z / (1 + e^z), which is nan where e^z overflows
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        z = self.w_gate(x)
        silu = z * torch.exp(z) / (1 + torch.exp(z))
        return self.w_down(silu * self.w_up(x))


# %% wrong (fifth): unpacks three dimensions, so a token (D,) or a sentence (T, D) is an error
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        tokens = x.reshape(B * T, D)
        hidden = F.silu(self.w_gate(tokens)) * self.w_up(tokens)
        return self.w_down(hidden).reshape(B, T, D)


# %% wrong (fifth): multiplies by the weights without transposing: an error unless D = F, then wrong
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate = x @ self.w_gate.weight
        up = x @ self.w_up.weight
        return (gate * torch.sigmoid(gate) * up) @ self.w_down.weight


# %% wrong (fifth): gate and up are one fused layer of width 2F named w_gate; there is no w_up
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(d_model, 2 * d_ff, bias=False)
        self.w_down = nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.w_gate(x).chunk(2, dim=-1)
        return self.w_down(F.silu(gate) * up)


# %% right (fifth): z times the exponential of logsigmoid, step by step
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_down = nn.Linear(d_ff, d_model, bias=False)
        self.w_up = nn.Linear(d_model, d_ff, bias=False)
        self.w_gate = nn.Linear(d_model, d_ff, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        z = self.w_gate(x)
        share = F.logsigmoid(z).exp()
        silu = z * share
        up = self.w_up(x)
        hidden = silu * up
        return self.w_down(hidden)


# %% right (fifth): one product with both weights side by side, then split into gate and up
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        for name in ("w_gate", "w_up"):
            self.add_module(name, nn.Linear(d_model, d_ff, bias=False))
        self.add_module("w_down", nn.Linear(d_ff, d_model, bias=False))

    def forward(self, x: Tensor) -> Tensor:
        both = torch.cat([self.w_gate.weight, self.w_up.weight])
        gate, up = F.linear(x, both).chunk(2, dim=-1)
        return F.linear(F.silu(gate).mul(up), self.w_down.weight)


# %% right (fifth): sigmoid through the hyperbolic tangent, einsum with the weights
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate = nn.Linear(in_features=d_model, out_features=d_ff, bias=False)
        self.w_up = nn.Linear(in_features=d_model, out_features=d_ff, bias=False)
        self.w_down = nn.Linear(in_features=d_ff, out_features=d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        z = torch.einsum("...d,fd->...f", x, self.w_gate.weight)
        up = torch.einsum("...d,fd->...f", x, self.w_up.weight)
        sigmoid = (1 + torch.tanh(z / 2)) / 2
        return torch.einsum("...f,df->...d", z * sigmoid * up, self.w_down.weight)


# %% right (fifth): all leading dimensions flattened to one, nn.SiLU as a part, then unflattened
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.w_gate, self.w_up = (nn.Linear(d_model, d_ff, bias=False) for _ in range(2))
        self.w_down = nn.Linear(d_ff, d_model, bias=False)
        self.gate = nn.Sequential(nn.SiLU())

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.reshape(-1, x.shape[-1])
        hidden = self.gate(self.w_gate(tokens)) * self.w_up(tokens)
        return self.w_down(hidden).view(x.shape)
