# %% wrong (first): GELU in place of ReLU
# true: gelu
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.dropout(F.gelu(self.w_1(x))))

# %% wrong (first): a second ReLU behind the second layer cuts off negative outputs
# true: relu_twice
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.relu(self.w_1(x))
        x = self.dropout(x)
        x = torch.relu(self.w_2(x))
        return x

# %% wrong (first): dropout falls on the output and not on the hidden numbers
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = F.relu(self.w_1(x), inplace=True)
        return self.dropout(self.w_2(hidden))

# %% wrong (first): the ReLU is left out
# true: no_nonlinearity
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_1(x)
        x = self.dropout(x)
        return self.w_2(x).contiguous()

# %% wrong (first): the input is added to the output
# true: residual_added
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        residual = x
        x = self.w_2(self.dropout(self.w_1(x).relu()))
        return x + residual

# %% wrong (first): ReLU is applied in place to the input before the first layer, which also changes the caller's tensor / none stands between the layers
# true: input_changed_by_relu
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_1(x.relu_())
        return self.w_2(self.dropout(x))

# %% wrong (first): batch and length are unpacked, so one token or a table of tokens crashes
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        h = self.w_1(x.reshape(B * T, D))
        h = self.dropout(h.clamp(min=0))
        return self.w_2(h).view(B, T, D)

# %% wrong (first): dropout is applied in evaluation too
# true: dropout_in_evaluation
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.w_1(x))
        h = F.dropout(h, self.dropout.p)
        return self.w_2(h)

# %% wrong (first): the biases are left out
# true: biases_left_out
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        h = x @ self.w_1.weight.T
        h = torch.maximum(h, torch.zeros_like(h))
        h = self.dropout(h)
        return h @ self.w_2.weight.T

# %% wrong (first): a leaky ReLU lets a hundredth of the negative numbers through
# true: leaky_relu
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.dropout(F.leaky_relu(self.w_1(x))))

# %% wrong (first): dropout falls on the output as well as on the hidden numbers
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.dropout(F.relu(self.w_1(x)))
        x = self.dropout(self.w_2(x))
        return x

# %% wrong (first): the hidden numbers are normalised by a softmax / there is no dropout
# true: softmax, dropout_forgotten
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.softmax(self.w_1(x), dim=-1)
        return self.w_2(hidden)

# %% wrong (first): ReLU is computed through .data, so no gradient reaches the first layer
# true: hidden_detached
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.w_1(x)
        hidden = torch.max(hidden.data, torch.zeros(1, dtype=hidden.dtype))
        return self.w_2(self.dropout(hidden))

# %% right (first): one line
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.dropout(F.relu(self.w_1(x))))

# %% right (first): dropout before the ReLU, clamp
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.w_1(x))
        return self.w_2(hidden.clamp(min=0))

# %% right (first): matrices by hand and a mask of the positive numbers
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        h = torch.matmul(x, self.w_1.weight.t()) + self.w_1.bias
        h = h * (h > 0).to(h.dtype)
        h = F.dropout(h, p=self.dropout.p, training=self.training)
        return torch.matmul(h, self.w_2.weight.t()) + self.w_2.bias

# %% right (first): nn.Sequential built in forward
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        network = nn.Sequential(self.w_1, nn.ReLU(), self.dropout, self.w_2)
        return network(x)

# %% wrong (second): dropout falls on the output as well as on the hidden numbers
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(F.relu(self.w_1(x)))
        output = self.dropout(self.w_2(hidden))
        return output

# %% wrong (second): the ReLU is applied after the second layer too, so no output is negative
# true: relu_twice
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        layers = [self.w_1, self.w_2]
        for i, layer in enumerate(layers):
            x = self.activation(layer(x))
            if i == 0:
                x = self.dropout(x)
        return x

# %% wrong (second): it only takes three axes, a batch, tokens and features, and crashes for a single token (D,) or a sentence (T, D)
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        batch_size, seq_len, d_model = x.shape
        flat = x.reshape(batch_size * seq_len, d_model)
        flat = self.w_1(flat).clamp(min=0)
        flat = self.w_2(self.dropout(flat))
        return flat.reshape(batch_size, seq_len, d_model)

# %% right (second): matrix products written out, dropout before the ReLU
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        before = x @ self.w_1.weight.T + self.w_1.bias
        hidden = self.dropout(before)
        hidden = torch.maximum(hidden, torch.zeros_like(hidden))
        return hidden @ self.w_2.weight.T + self.w_2.bias

# %% wrong (third): drops hidden numbers in evaluation too: F.dropout is not told whether the module trains
# true: dropout_in_evaluation
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.w_1(x))
        h = F.dropout(h, p=self.dropout.p)
        return self.w_2(h)


# %% wrong (third): takes three axes for granted: a token alone, or a table of tokens, is an error
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        B, T, D = x.shape
        x = x.reshape(B * T, D)  # every position separately
        x = self.w_2(self.dropout(torch.relu(self.w_1(x))))
        return x.view(B, T, D)


# %% wrong (third): drops twice, the second time from the output, as the block of nn.TransformerEncoderLayer does
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_2(self.dropout(F.relu(self.w_1(x))))
        return self.dropout(x)


# %% right (third): two einsums on the weights themselves, torch.where for the ReLU, dropout before it
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias  # (..., F)
        hidden = self.dropout(hidden)
        hidden = torch.where(hidden > 0, hidden, torch.zeros_like(hidden))
        return torch.einsum("...f,df->...d", hidden, self.w_2.weight) + self.w_2.bias  # (..., D)

# %% wrong (last): GELU, the GPT habit, where the text has max(0, ·)
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(self.dropout(F.gelu(self.w_1(x), approximate="tanh")))


# %% wrong (last): nanoGPT's order, dropout on what leaves w_2 and not on the hidden numbers ("the share of the hidden numbers that is dropped")
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = self.w_1(x)
        x = x.relu()
        x = self.w_2(x)
        x = self.dropout(x)
        return x


# %% right (last): einsum over the weights, dropout before the clamp (the text allows either)
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias
        hidden = self.dropout(hidden).clamp(min=0)
        return torch.einsum("...f,df->...d", hidden, self.w_2.weight) + self.w_2.bias


# %% wrong (fifth): dropout is applied to the D outputs, not to the F hidden activations
# true: dropout_on_the_output
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        return self.dropout(self.w_2(F.relu(self.w_1(x))))


# %% wrong (fifth): a second ReLU after w_2, so no output is negative
# true: relu_twice
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        for layer in (self.w_1, self.w_2):
            x = torch.relu(layer(x))
            if layer is self.w_1:
                x = self.dropout(x)
        return x


# %% right (fifth): products written out, dropout before a threshold at 0
class FeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.matmul(x, self.w_1.weight.T) + self.w_1.bias
        hidden = F.threshold(self.dropout(hidden), 0.0, 0.0)
        return torch.matmul(hidden, self.w_2.weight.T) + self.w_2.bias
