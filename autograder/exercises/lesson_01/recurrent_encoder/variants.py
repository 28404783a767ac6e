# %% right: sorted and back
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        lengths, order = source.ne(self.pad_id).sum(1).sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source[order]), lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.shape[1])
        back = order.argsort()
        return out[back], (h[-1][back], c[-1][back])


# %% right: sentence by sentence
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        rows, hs, cs = [], [], []
        for row in source:
            real = row[row != self.pad_id]
            states, (h, c) = self.lstm(self.embedding(real))
            rows.append(torch.cat([states, states.new_zeros(len(row) - len(real), states.size(1))]))
            hs.append(h[0])
            cs.append(c[0])
        return torch.stack(rows), (torch.stack(hs), torch.stack(cs))


# %% right: step by step
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source)
        h = c = embedded.new_zeros(source.size(0), embedded.size(2))
        states = []
        for t in range(source.size(1)):
            real = (source[:, t] != self.pad_id)[:, None]
            out, (new_h, new_c) = self.lstm(embedded[:, t : t + 1], (h[None], c[None]))
            h, c = torch.where(real, new_h[0], h), torch.where(real, new_c[0], c)
            states.append(out[:, 0] * real)
        return torch.stack(states, dim=1), (h, c)


# %% right: by hand
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        w, u = self.lstm.weight_ih_l0, self.lstm.weight_hh_l0
        b = self.lstm.bias_ih_l0 + self.lstm.bias_hh_l0
        real = (source != self.pad_id).float()
        h = c = torch.zeros(len(source), u.size(1))
        states = []
        for x, m in zip(self.embedding(source).unbind(1), real.unsqueeze(-1).unbind(1)):  # noqa: B905
            i, f, g, o = (x @ w.T + h @ u.T + b).chunk(4, dim=1)
            new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            new_h = o.sigmoid() * new_c.tanh()
            h, c = m * new_h + (1 - m) * h, m * new_c + (1 - m) * c
            states.append(m * h)
        return torch.stack(states, 1), (h, c)


# %% right: packed sequence of pieces
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        pieces = [self.embedding(row[row != self.pad_id]) for row in source]
        out, (h, c) = self.lstm(nn.utils.rnn.pack_sequence(pieces, enforce_sorted=False))
        out, _ = pad_packed_sequence(out, batch_first=True)
        missing = source.size(1) - out.size(1)
        return nn.functional.pad(out, (0, 0, 0, missing)), (h.squeeze(0), c.squeeze(0))


# %% right: two readings
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        embedded, real = self.embedding(source), source != self.pad_id
        _, (h, c) = self.lstm(pack_padded_sequence(embedded, real.sum(1), batch_first=True, enforce_sorted=False))
        states, _ = self.lstm(embedded)
        return states.masked_fill(~real.unsqueeze(2), 0.0), (h.flatten(0, 1), c.flatten(0, 1))


# %% wrong: memory runs on
# defines: memory_runs_on_over_padding
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source)
        h = c = embedded.new_zeros(source.size(0), embedded.size(2))
        states = []
        for t in range(source.size(1)):
            real = (source[:, t] != self.pad_id)[:, None]
            _, (new_h, new_c) = self.lstm(embedded[:, t : t + 1], (h[None], c[None]))
            h, c = torch.where(real, new_h[0], h), new_c[0]
            states.append(new_h[0] * real)
        return torch.stack(states, dim=1), (h, c)


# %% wrong: state carried
# defines: state_carried_to_the_next_sentence
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        rows, hs, cs, carried = [], [], [], None
        for row in source:
            real = row[row != self.pad_id]
            states, carried = self.lstm(self.embedding(real), carried)
            rows.append(torch.cat([states, states.new_zeros(len(row) - len(real), states.size(1))]))
            hs.append(carried[0][0])
            cs.append(carried[1][0])
        return torch.stack(rows), (torch.stack(hs), torch.stack(cs))


# %% wrong: as it comes
# true: padding_read
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        states, (h, c) = self.lstm(self.embedding(source))
        return states, (h[-1], c[-1])


# %% wrong: unsorted
# true: sorted_sentences_demanded
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        lengths = [len(row[row != self.pad_id]) for row in source]
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source), lengths, True)
        out, (h, c) = self.lstm(packed)
        out = nn.utils.rnn.pad_packed_sequence(out, True, total_length=source.size(1))[0]
        return out, (h[0], c[0])


# %% wrong: memory then state
# true: memory_first
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        h = c = torch.zeros(len(source), self.lstm.hidden_size)
        states = []
        for t, x in enumerate(self.embedding(source).unbind(1)):
            real = (source[:, t] != self.pad_id).unsqueeze(1)
            _, (new_h, new_c) = self.lstm(x.unsqueeze(1), (h.unsqueeze(0), c.unsqueeze(0)))
            h, c = torch.where(real, new_h[0], h), torch.where(real, new_c[0], c)
            states.append(h * real)
        return torch.stack(states, dim=1), (c, h)


# %% wrong: only the last in order
# true: states_not_sorted_back
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        lengths, order = source.ne(self.pad_id).sum(dim=1).sort(descending=True)
        packed = nn.utils.rnn.pack_padded_sequence(self.embedding(source)[order], lengths, batch_first=True)
        out, (h, c) = self.lstm(packed)
        out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True, total_length=source.size(1))
        back = torch.empty_like(order)
        back[order] = torch.arange(len(order))
        return self.in_order(out, (h[0], c[0]), back)

    def in_order(self, states, last, back):
        return states, tuple(part[back] for part in last)


# %% trivial: zeros
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        states = torch.zeros(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, 0])


# %% trivial: the embeddings
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        embedded = self.embedding(source) * (source != self.pad_id).unsqueeze(-1)
        return embedded, (embedded.sum(dim=1), embedded.sum(dim=1))


# %% trivial: noise
class RecurrentEncoder(RecurrentEncoder):
    def forward(self, source):
        states = torch.randn(*source.shape, self.embedding.embedding_dim)
        return states, (states[:, 0], states[:, -1])
