# %% wrong: dropout falls on the output as well as on the hidden numbers
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

# %% wrong: the ReLU is applied after the second layer too, so no output is negative
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

# %% wrong: it only takes three axes, a batch, tokens and features, and crashes for a single token (D,) or a sentence (T, D)
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

# %% right: matrix products written out, dropout before the ReLU
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
