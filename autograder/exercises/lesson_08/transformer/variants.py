# %% right: masks by hand
class Transformer(Transformer):
    def encode(self, source):
        mask = (source != self.pad_id)[:, None, None, :]
        return self.encoder(self.source_embedding(source), mask=mask), mask

    def decode(self, target, memory, memory_mask):
        T = target.shape[1]
        mask = (target != self.pad_id)[:, None, None, :] & torch.tril(torch.ones(T, T)).bool()
        out = self.decoder(self.target_embedding(target), memory, mask=mask, memory_mask=memory_mask)
        return F.linear(out, self.target_embedding.token_embedding.weight)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% right: all in forward
class Transformer(Transformer):
    def encode(self, source):
        memory_mask = padding_mask(source, self.pad_id)[:, None]
        return self.encoder(self.source_embedding(source), memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        mask = decoder_mask(target, self.pad_id)[:, None]
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return torch.matmul(decoded, self.target_embedding.token_embedding.weight.t())

    def forward(self, source, target):
        memory_mask = padding_mask(source, self.pad_id)[:, None]
        memory = self.encoder(self.source_embedding(source), memory_mask)
        mask = decoder_mask(target, self.pad_id)[:, None]
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return x.matmul(self.target_embedding.token_embedding.weight.t())


# %% right: by einsum
class Transformer(Transformer):
    def encode(self, source):
        B, S = source.size()
        memory_mask = source.ne(self.pad_id).view(B, 1, 1, S)
        return self.encoder(self.source_embedding(source), memory_mask), memory_mask

    def decode(self, target, memory, memory_mask):
        B, T = target.size()
        places = torch.arange(T)
        mask = target.ne(self.pad_id).view(B, 1, 1, T).logical_and(places[:, None] >= places[None, :])
        x = self.decoder(self.target_embedding(target), memory, mask, memory_mask)
        return torch.einsum("btd,vd->btv", x, self.target_embedding.token_embedding.weight)


# %% right: sentence by sentence
class Transformer(Transformer):
    def encode(self, source):
        masks = padding_mask(source, self.pad_id).unsqueeze(1)
        rows = [
            self.encoder(self.source_embedding(row[None]), mask[None]) for row, mask in zip(source, masks, strict=True)
        ]
        return torch.cat(rows), masks

    def decode(self, target, memory, memory_mask):
        table = self.target_embedding.token_embedding.weight
        rows = []
        for ids, read, real in zip(target, memory, memory_mask, strict=True):
            mask = decoder_mask(ids[None], self.pad_id)
            x = self.decoder(self.target_embedding(ids[None]), read[None], mask, real[None])
            rows.append((x[:, :, None, :] * table).sum(dim=-1))
        return torch.cat(rows)

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: pads only
# true: masks_inverted
class Transformer(Transformer):
    def real(self, ids):
        return (ids == self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = ~(~self.real(target) & self.earlier(target.size(1)))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: without places
# true: target_positions_left_out
class Transformer(Transformer):
    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target) - self.target_embedding.positions[: target.size(1)]

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: the lowest layer
# true: memory_of_the_first_layer
class Transformer(Transformer):
    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return next(iter(self.encoder.layers))(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: writes english
# true: tied_to_the_source_s_table
class Transformer(Transformer):
    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return decoded @ self.source_embedding.token_embedding.weight.mT

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: for cross entropy
# true: words_before_places
class Transformer(Transformer):
    def real(self, ids):
        return (ids != self.pad_id)[:, None, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return torch.einsum("btd,vd->bvt", decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% wrong: masks of three axes
# true: axis_for_heads_missing
class Transformer(Transformer):
    def real(self, ids):
        return (ids != self.pad_id)[:, None]

    def earlier(self, length):
        return torch.ones(length, length).tril() == 1

    def look_up(self, target):
        return self.target_embedding(target)

    def read(self, source, real):
        return self.encoder(self.source_embedding(source), real)

    def words(self, decoded):
        return F.linear(decoded, self.target_embedding.token_embedding.weight)

    def encode(self, source):
        return self.read(source, self.real(source)), self.real(source)

    def decode(self, target, memory, memory_mask):
        mask = self.real(target) & self.earlier(target.size(1))
        return self.words(self.decoder(self.look_up(target), memory, mask, memory_mask))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% trivial: zeros
class Transformer(Transformer):
    def encode(self, source):
        return torch.zeros(*source.shape, self.source_embedding.positions.size(1)), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return torch.zeros(*target.shape, self.target_embedding.token_embedding.weight.size(0))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% trivial: what is read again
class Transformer(Transformer):
    def encode(self, source):
        return self.source_embedding(source), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return self.target_embedding(target) @ self.target_embedding.token_embedding.weight.T

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))


# %% trivial: noise
class Transformer(Transformer):
    def encode(self, source):
        return torch.rand(*source.shape, self.source_embedding.positions.size(1)), source[:, None, None] != self.pad_id

    def decode(self, target, memory, memory_mask):
        return torch.rand(*target.shape, self.target_embedding.token_embedding.weight.size(0))

    def forward(self, source, target):
        return self.decode(target, *self.encode(source))
