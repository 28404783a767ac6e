from course_lib.components.causal_mask import causal_mask


# %% right: written out
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        B, T = ids.shape
        triangle = torch.ones(T, T, device=ids.device).tril().bool()
        mask = triangle.expand(B, 1, T, T) & (ids != self.pad_id).view(B, 1, 1, T)
        x = self.embedding(ids)
        x = self.blocks(x, mask=mask)
        return self.readout(x)

    def loss(self, ids):
        logits = self.forward(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=self.pad_id)


# %% right: every head its own mask
class CausalLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, d_ff, max_length, dropout=0.1, pad_id=0):
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id, self.num_heads = pad_id, num_heads

    def forward(self, ids):
        mask = torch.stack([decoder_mask(ids, self.pad_id)] * self.num_heads, dim=1)
        x = self.embedding(ids)
        for layer in self.blocks.layers:
            x = layer(x, mask)
        return self.readout(self.blocks.norm(x))

    def loss(self, ids):
        labels = ids[:, 1:]
        log_probabilities = self(ids[:, :-1]).log_softmax(dim=-1)
        losses = -log_probabilities.gather(2, labels[..., None])[..., 0]
        real = (labels != self.pad_id).to(losses.dtype)
        return (losses * real).sum() / real.sum()


# %% right: sentence by sentence
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        logits = []
        for sentence in ids:
            earlier = torch.ones(len(sentence), len(sentence)).tril().bool()
            mask = earlier & (sentence != self.pad_id)
            logits.append(self.readout(self.blocks(self.embedding(sentence[None]), mask)))
        return torch.cat(logits)

    def loss(self, ids):
        total, count = 0.0, 0
        for sentence in ids:
            label = sentence[1:]
            total = total + F.cross_entropy(
                self(sentence[None, :-1])[0], label, ignore_index=self.pad_id, reduction="sum"
            )
            count += (label != self.pad_id).sum()
        return total / count


# %% right: one prefix after the other
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        places = []
        for end in range(1, ids.size(1) + 1):
            prefix = ids[:, :end]
            mask = decoder_mask(prefix, self.pad_id).unsqueeze(1)
            places.append(self.readout(self.blocks(self.embedding(prefix), mask)[:, -1]))
        return torch.stack(places, dim=1)

    def loss(self, ids):
        inputs, labels = ids[:, :-1], ids[:, 1:]
        return nn.CrossEntropyLoss(ignore_index=self.pad_id)(self(inputs).transpose(1, 2), labels)


# %% wrong: an encoder that predicts
# true: no_mask
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return None

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


# %% wrong: padding for every query
# true: padding_hidden_only
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id).view(len(ids), 1, 1, -1).expand(-1, -1, ids.size(1), -1)

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


# %% wrong: triangle moved by one
# true: one_ahead_visible
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        length = ids.size(1)
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(length + 1)[1:, :length]

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


# %% wrong: as torch wants it
# true: mask_turned_round
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids == self.pad_id)[:, None, None, :] | ~causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


# %% wrong: labels are what is read
# true: nothing_shifted
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        return F.cross_entropy(self(ids).flatten(0, 1), ids.flatten(), ignore_index=self.pad_id)


# %% wrong: mean with zeros
# true: divided_by_all_places
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids)[:, :-1], ids[:, 1:]
        return F.cross_entropy(logits.mT, labels, ignore_index=self.pad_id, reduction="none").mean()


# %% wrong: one predictiona sentence
# true: last_place_asked_only
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        return F.cross_entropy(self(ids[:, :-1])[:, -1], ids[:, -1], ignore_index=self.pad_id)


# %% wrong: no shift at all
# true: own_token_hidden_and_asked_for
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1)).tril(-1)

    def forward(self, ids):
        return self.readout(self.blocks(self.embedding(ids), self.mask(ids)))

    def loss(self, ids):
        return F.cross_entropy(self(ids).mT, ids, ignore_index=self.pad_id)


# %% wrong: sum times the root
# true: embedding_scaled_again
class CausalLanguageModel(CausalLanguageModel):
    def mask(self, ids):
        return (ids != self.pad_id)[:, None, None, :] & causal_mask(ids.size(1))

    def forward(self, ids):
        embedded = self.embedding(ids)
        return self.readout(self.blocks(embedded * embedded.size(-1) ** 0.5, self.mask(ids)))

    def loss(self, ids):
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        return F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id)


# %% trivial: each word by itself
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        return self.readout(self.embedding(ids))

    def loss(self, ids):
        return self(ids).logsumexp(-1).mean()


# %% trivial: zeros
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        return 0 * self.readout(self.embedding(ids))

    def loss(self, ids):
        return self(ids).sum()


# %% trivial: guessing
class CausalLanguageModel(CausalLanguageModel):
    def forward(self, ids):
        return torch.rand(*ids.shape, self.readout.out_features, dtype=self.readout.weight.dtype)

    def loss(self, ids):
        return torch.tensor(self.readout.out_features, dtype=self.readout.weight.dtype).log()
