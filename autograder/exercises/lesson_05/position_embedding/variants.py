# %% right: in one expression
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        d_model = self.positions.shape[1]
        return self.dropout(self.token_embedding(ids) * d_model**0.5 + self.positions[: ids.shape[-1]])


# %% right: looked up twice
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        B, T = ids.shape
        where = torch.arange(T).expand(B, T)
        x = F.embedding(ids, self.token_embedding.weight) * math.sqrt(self.token_embedding.weight.shape[1])
        x = x + F.embedding(where, self.positions)
        return F.dropout(x, p=self.dropout.p, training=self.training)


# %% right: computed again
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        tokens = self.token_embedding(ids)
        d_model = tokens.size(-1)
        return self.dropout(math.sqrt(d_model) * tokens + sinusoidal_encoding(ids.size(1), d_model))


# %% right: one hot times table
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        table = self.token_embedding.weight
        tokens = F.one_hot(ids, table.size(0)).to(table.dtype) @ (table * math.sqrt(table.size(1)))
        length = tokens.size(1)
        return self.dropout(torch.add(tokens, self.positions.narrow(0, 0, length).unsqueeze(0)))


# %% right: added in place
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        x = self.token_embedding(ids).mul(self.token_embedding.embedding_dim**0.5)
        x += self.positions[: x.shape[1], :]
        if self.training:
            x = self.dropout(x)
        return x


# %% right: sentence by sentence
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        scale = math.sqrt(self.token_embedding.embedding_dim)
        sentences = []
        for sentence in ids:
            rows = [self.token_embedding.weight[i] * scale + self.positions[t] for t, i in enumerate(sentence)]
            sentences.append(torch.stack(rows))
        return self.dropout(torch.stack(sentences))


# %% wrong: side by side
# true: concatenated
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        where = self.positions[: ids.size(1)].unsqueeze(0).repeat(ids.size(0), 1, 1)
        return self.dropout(torch.cat((tokens, where), 2))


# %% wrong: without gradient
# true: tokens_detached
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        with torch.no_grad():
            tokens = self.token_embedding(ids) * self.positions.shape[1] ** 0.5
        return self.dropout(tokens + self.positions[: ids.shape[1]])


# %% wrong: only the sum
# true: unscaled, dropout_forgotten
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        return torch.add(self.token_embedding(ids), self.positions[: ids.shape[1]])


# %% wrong: root of all tokens
# true: scaled_by_the_vocabulary
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        weight = self.token_embedding.weight
        return self.dropout(F.embedding(ids, weight * len(weight) ** 0.5) + self.positions[: ids.shape[1]])


# %% trivial: zeros
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        return torch.zeros(*ids.shape, self.token_embedding.embedding_dim)


# %% trivial: the ids themselves
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        return ids.unsqueeze(-1).expand(*ids.shape, self.token_embedding.embedding_dim).float()


# %% trivial: only looked up
class PositionEmbedding(PositionEmbedding):
    def forward(self, ids):
        return self.token_embedding(ids)


# %% trivial: noise
class PositionEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model, max_length, dropout=0.1):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        return torch.randn(*ids.shape, self.token_embedding.embedding_dim)
