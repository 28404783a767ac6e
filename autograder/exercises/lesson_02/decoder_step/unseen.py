# %% wrong (fifth): the previous h asks (Bahdanau); its context is then joined to the new h
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h_before, c_before = state
        context, weights = attend(dot_scores(h_before, keys), keys, mask)  # (B, D), (B, S)
        h, c = self.lstm(self.embedding(word), (h_before, c_before))
        s_tilde = torch.tanh(self.attentional_state.w(torch.cat([context, h], dim=-1)))
        return self.readout(s_tilde), (h, c), weights


# %% wrong (fifth): the embedding is multiplied by the root of D a second time
# true: embedding_scaled_twice
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        x = self.embedding(word) * math.sqrt(keys.size(-1))  # (B, D)
        h, c = self.lstm(x, state)
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return self.readout(s_tilde), (h, c), weights


# %% wrong (fifth): the attentional state is returned in place of the new h
# true: attentional_state_carried
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h, c = self.lstm(self.embedding(word), state)
        h, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        logits = self.readout(h)
        return logits, (h, c), weights


# %% wrong (fifth): logits are a product with the embedding matrix, so the bias of readout is missing
# true: readout_without_bias
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h, c = self.lstm(self.embedding(word), state)
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        logits = s_tilde @ self.embedding.weight.T  # (B, V): the weights are tied anyway
        return logits, (h, c), weights


# %% wrong (fifth): returns probabilities (softmax over the vocabulary) instead of logits
# true: probabilities
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        x = self.embedding(word)
        h, c = self.lstm(x, state)
        attentional, weights = self.attentional_state(h, keys, keys, mask=mask, need_weights=True)
        scores = F.softmax(self.readout(attentional), dim=-1)
        return scores, (h, c), weights


# %% wrong (fifth): without a mask, keys that are all zeros are taken for padding and hidden
# true: keys_of_zeros_hidden
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        if mask is None:
            mask = keys.abs().sum(dim=-1) > 0  # (B, S): the encoder leaves zeros at padding
        h, c = self.lstm(self.embedding(word), state)
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return self.readout(s_tilde), (h, c), weights


# %% wrong (fifth): weights are squeezed: with one sentence or one key they lose an axis
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h, c = self.lstm(self.embedding(word), state)
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        logits = self.readout(s_tilde)
        return logits, (h, c), weights.squeeze()


# %% wrong (fifth): where the word is padding, the old h and c are kept instead of the new ones of the LSTM
# true: state_kept_at_padding
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.pad_id = pad_id

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h_old, c_old = state
        h, c = self.lstm(self.embedding(word), (h_old, c_old))
        real = (word != self.pad_id).unsqueeze(1)  # (B, 1)
        h, c = torch.where(real, h, h_old), torch.where(real, c, c_old)
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return self.readout(s_tilde), (h, c), weights


# %% wrong (fifth): h and c are detached, so no gradient gets from one step to the step before
# true: state_cut_off
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h, c = (part.detach() for part in state)
        h, c = self.lstm(self.embedding(word), (h, c))
        s_tilde, weights = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return self.readout(s_tilde), (h, c), weights


# %% wrong (fifth): the LSTM is not given the state and starts from zeros; the mask is not passed on
# half: starts_from_zeros
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h, c = self.lstm(self.embedding(word))
        s_tilde, weights = self.attentional_state(h, keys, keys, need_weights=True)
        return self.readout(s_tilde), (h, c), weights


# %% right (fifth): the four gates of the LSTM are written out by hand
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        h_before, c_before = state
        x = self.embedding(word)
        gates = F.linear(x, self.lstm.weight_ih, self.lstm.bias_ih)
        gates = gates + F.linear(h_before, self.lstm.weight_hh, self.lstm.bias_hh)  # (B, 4 D)
        let_in, keep, new, let_out = gates.chunk(4, dim=1)
        c = torch.sigmoid(keep) * c_before + torch.sigmoid(let_in) * torch.tanh(new)
        h = torch.sigmoid(let_out) * torch.tanh(c)
        attentional, weights = self.attentional_state(h, keys, keys, mask, True)
        return self.readout(attentional), (h, c), weights


# %% right (fifth): dot_scores and attend are called here, W is cut into the part for a and the part for s
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        new_state = self.lstm(self.embedding(word), state)
        h = new_state[0]
        context, weights = attend(dot_scores(h, keys), keys, mask)
        for_context, for_state = self.attentional_state.w.weight.split(h.size(1), dim=1)  # (D, D) each
        mixed = context @ for_context.T + h @ for_state.T
        logits = F.linear(mixed.tanh(), self.embedding.weight, self.readout.bias)
        return logits, new_state, weights


# %% right (fifth): a mask of ones when there is none, everything passed by keyword, word given a time axis
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        batch, length, _ = keys.shape
        if mask is None:
            mask = torch.ones(batch, length, dtype=torch.bool, device=keys.device)
        embedded = self.embedding(word[:, None])[:, 0, :]
        hidden, cell = self.lstm(input=embedded, hx=(state[0], state[1]))
        result = self.attentional_state(state=hidden, keys=keys, values=keys, mask=mask, need_weights=True)
        return self.readout(result[0]), (hidden, cell), result[1]


# %% right (fifth): torch.lstm_cell with the parameters of the cell, and addmm for the readout
class DecoderStep(nn.Module):
    def __init__(self, vocabulary_size: int, d_model: int, pad_id: int = 0) -> None:
        super().__init__()
        self.embedding = ScaledEmbedding(vocabulary_size, d_model, padding_idx=pad_id)
        self.lstm = nn.LSTMCell(d_model, d_model)
        self.attentional_state = AttentionalState(d_model, d_model)
        self.readout = nn.Linear(d_model, vocabulary_size)
        self.readout.weight = self.embedding.weight
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, word: Tensor, state: tuple[Tensor, Tensor], keys: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor], Tensor]:
        cell = self.lstm
        h, c = torch.lstm_cell(
            self.embedding(word), list(state), cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh
        )
        s_tilde, alpha = self.attentional_state(h, keys, keys, mask, need_weights=True)
        return torch.addmm(self.readout.bias, s_tilde, self.readout.weight.t()), (h, c), alpha
