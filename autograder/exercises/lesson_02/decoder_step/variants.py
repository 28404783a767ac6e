# %% right: in one breath
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        new = self.lstm(self.embedding(word), state)
        output, weights = self.attentional_state(new[0], keys, keys, mask=mask, need_weights=True)
        return F.linear(output, self.embedding.weight, self.readout.bias), tuple(new), weights


# %% right: the cell by hand
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        h, c = state
        cell = self.lstm
        sums = self.embedding(word) @ cell.weight_ih.T + cell.bias_ih + h @ cell.weight_hh.T + cell.bias_hh
        i, f, g, o = sums.chunk(4, dim=-1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        mixed, weights = self.attentional_state(h, keys, keys, mask, True)
        return self.readout(mixed), (h, c), weights


# %% right: attention by hand
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        h, c = self.lstm(self.embedding(word), state)
        scores = torch.einsum("bsd,bd->bs", keys, h)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=1)
        context = torch.einsum("bs,bsd->bd", weights, keys)
        mixed = self.attentional_state.w(torch.cat([context, h], dim=1)).tanh()
        return self.readout(mixed), (h, c), weights


# %% right: sentence by sentence
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        logits, hs, cs, weights = [], [], [], []
        for i in range(len(word)):
            h, c = self.lstm(self.embedding(word[i : i + 1]), (state[0][i : i + 1], state[1][i : i + 1]))
            one = None if mask is None else mask[i : i + 1]
            mixed, weight = self.attentional_state(h, keys[i : i + 1], keys[i : i + 1], one, need_weights=True)
            logits.append(self.readout(mixed))
            hs.append(h)
            cs.append(c)
            weights.append(weight)
        return torch.cat(logits), (torch.cat(hs), torch.cat(cs)), torch.cat(weights)


# %% wrong: attention comes first
# true: old_state_asks
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        h, _ = state
        output, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        state = self.lstm(self.embedding(word), state)
        return self.readout(output), state, weights


# %% wrong: mixed goes on
# true: attentional_state_carried
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        h, c = self.lstm(self.embedding(word), state)
        h, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return self.readout(h), (h, c), weights


# %% wrong: a softmax too many
# true: probabilities
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        h, c = self.lstm(self.embedding(word), state)
        mixed, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return torch.softmax(self.readout(mixed), 1), (h, c), weights


# %% trivial: zeros
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        return torch.zeros(len(word), self.readout.out_features), state, torch.zeros(keys.shape[:2])


# %% trivial: equal weights
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        weights = torch.full(keys.shape[:2], 1 / keys.size(1))
        return self.readout(keys.mean(dim=1)), (keys.mean(dim=1), keys[:, 0]), weights


# %% trivial: noise
class DecoderStep(DecoderStep):
    def forward(self, word, state, keys, mask=None):
        b, s, d = keys.shape
        return torch.randn(b, self.readout.out_features), (torch.randn(b, d), torch.randn(b, d)), torch.rand(b, s)
