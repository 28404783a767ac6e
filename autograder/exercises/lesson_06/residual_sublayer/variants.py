# %% right: in two methods
class ResidualSublayer(ResidualSublayer):
    def pre(self, x, f):
        return x + self.dropout(f(self.norm(x)))

    def post(self, x, f):
        return self.norm(x + self.dropout(f(x)))

    def forward(self, x, sublayer):
        return (self.pre if self.norm_first else self.post)(x, sublayer)


# %% right: step by step
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        residual = x
        if self.norm_first:
            x = self.norm(x)
        x = sublayer(x)
        x = self.dropout(x)
        x = residual + x
        if not self.norm_first:
            x = self.norm(x)
        return x


# %% right: with identities
class ResidualSublayer(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=True):
        super().__init__()
        self.norm, self.dropout = LayerNorm(d_model), nn.Dropout(dropout)
        self.before = self.norm.forward if norm_first else (lambda x: x)
        self.after = (lambda x: x) if norm_first else self.norm.forward

    def forward(self, x, sublayer):
        added = F.dropout(sublayer(self.before(x)), self.dropout.p, training=self.training)
        return self.after(torch.add(x, added))


# %% right: added in place
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        total = x.clone()
        total += self.dropout(sublayer(self.norm(x) if self.norm_first else x))
        if self.norm_first:
            return total
        return self.norm(total)


# %% wrong: as in the paper
# true: always_post_norm
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return self.norm(self.dropout(sublayer(x)) + x)


# %% wrong: norm behind the sublayer
# true: sublayer_output_normalised
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        y = sublayer(x)
        if self.norm_first:
            return self.dropout(self.norm(y)) + x
        return self.norm(self.dropout(y)) + x


# %% wrong: only the sublayer
# true: residual_missing
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        x = self.norm(x) if self.norm_first else x
        x = self.dropout(sublayer(x))
        return x if self.norm_first else self.norm(x)


# %% wrong: norm left out
# true: not_normalised
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return torch.add(self.dropout(sublayer(x)), x)


# %% wrong: never dropped
# true: dropout_forgotten
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        total = x + sublayer(self.norm(x) if self.norm_first else x)
        return total if self.norm_first else self.norm(total)


# %% wrong: drops first
# true: dropout_before_the_norm
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        y = F.dropout(x, self.dropout.p, self.training)
        return x + sublayer(self.norm(y)) if self.norm_first else self.norm(x + sublayer(y))


# %% wrong: norm only first
# true: post_norm_not_normalised
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        y = self.norm(x) if self.norm_first else x
        return x + self.dropout(sublayer(y))


# %% wrong: nothing dropped before
# true: dropout_only_with_post_norm
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        if not self.norm_first:
            return self.norm(self.dropout(sublayer(x)) + x)
        return sublayer(self.norm(x)) + x


# %% wrong: nothing dropped after
# true: dropout_only_with_pre_norm
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        if self.norm_first:
            return self.dropout(sublayer(self.norm(x))) + x
        return self.norm(sublayer(x) + x)


# %% trivial: zeros
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return x * 0


# %% trivial: the input itself
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return x


# %% trivial: the sublayer alone
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return sublayer(x)


# %% trivial: noise
class ResidualSublayer(ResidualSublayer):
    def forward(self, x, sublayer):
        return torch.rand(x.shape)
