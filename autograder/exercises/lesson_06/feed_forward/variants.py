# %% right: in one expression
class FeedForward(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(F.relu(self.w_1(x))))


# %% right: written out
class FeedForward(FeedForward):
    def forward(self, x):
        h = x @ self.w_1.weight.T + self.w_1.bias
        h = torch.maximum(h, torch.zeros_like(h))
        h = F.dropout(h, self.dropout.p, self.training)
        return h @ self.w_2.weight.T + self.w_2.bias


# %% right: dropped before the relu
class FeedForward(FeedForward):
    def forward(self, x):
        h = self.dropout(self.w_1(x))
        return self.w_2(h * (h > 0))


# %% right: token by token
class FeedForward(FeedForward):
    def forward(self, x):
        tokens = x.reshape(-1, x.size(-1))
        done = [self.w_2(self.dropout(self.w_1(token).clamp(min=0))) for token in tokens]
        return torch.stack(done).reshape(x.shape)


# %% right: by einsum
class FeedForward(FeedForward):
    def forward(self, x):
        hidden = nn.ReLU()(torch.einsum("...d,fd->...f", x, self.w_1.weight) + self.w_1.bias)
        return torch.einsum("...f,df->...d", self.dropout(hidden), self.w_2.weight) + self.w_2.bias


# %% right: sum of hidden units
class FeedForward(FeedForward):
    def forward(self, x):
        hidden = self.dropout(torch.relu(self.w_1(x)))
        return sum((hidden[..., f, None] * w for f, w in enumerate(self.w_2.weight.T)), self.w_2.bias)


# %% wrong: clamped at the end
# true: relu_at_the_end
class FeedForward(FeedForward):
    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x))).clamp(min=0)


# %% wrong: nothing dropped
# true: dropout_forgotten
class FeedForward(FeedForward):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(hidden * (hidden > 0))


# %% wrong: swish
# true: silu
class FeedForward(FeedForward):
    def forward(self, x):
        hidden = self.w_1(x)
        return self.w_2(self.dropout(hidden * torch.sigmoid(hidden)))


# %% trivial: zeros
class FeedForward(FeedForward):
    def forward(self, x):
        return x * 0


# %% trivial: the input itself
class FeedForward(FeedForward):
    def forward(self, x):
        return x


# %% trivial: the bias
class FeedForward(FeedForward):
    def forward(self, x):
        return self.w_2.bias.expand_as(x)


# %% trivial: noise
class FeedForward(FeedForward):
    def forward(self, x):
        return torch.rand(x.shape)
