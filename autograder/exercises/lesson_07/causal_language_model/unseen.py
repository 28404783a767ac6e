# %% wrong (first): the mask has no axis for the heads, so with several sentences it fits only where there are as many heads as sentences
# true: axis_of_heads_missing
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        return teacher_forced_loss(self(inputs), labels, self.pad_id)

# %% wrong (first): only the future is masked, padding in front of words is read as if it were a word
# true: padding_visible
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id
        self.register_buffer("tril", torch.tril(torch.ones(max_length, max_length)), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.shape
        x = self.embedding(ids)
        mask = self.tril[:T, :T] == 1
        x = self.blocks(x, mask)
        logits = self.readout(x)
        return logits

    def loss(self, ids: Tensor) -> Tensor:
        logits = self.forward(ids[:, :-1])
        B, T, C = logits.shape
        return F.cross_entropy(logits.reshape(B * T, C), ids[:, 1:].reshape(B * T), ignore_index=self.pad_id)

# %% wrong (first): nothing is shifted, each place is asked for the token that it has just read
# true: asked_for_what_it_reads
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        x = self.blocks(self.embedding(ids), mask)
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        ids = ids[:, :-1]
        return teacher_forced_loss(self(ids), ids, self.pad_id)

# %% wrong (first): the shift goes the wrong way, the model reads from the second token on and says the one before
# true: previous_token_asked_for
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id)[:, None]
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        x, y = ids[:, 1:].contiguous(), ids[:, :-1].contiguous()
        return teacher_forced_loss(self(x), y, self.pad_id)

# %% wrong (first): it is shifted twice, each place is asked for the token after the next
# true: shifted_twice
from course_lib.components.causal_mask import causal_mask
from course_lib.components.padding_mask import padding_mask

class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = padding_mask(ids, self.pad_id) & causal_mask(ids.size(1))
        h = self.embedding(ids)
        h = self.blocks(h, mask.unsqueeze(1))
        return self.readout(h)

    def loss(self, ids: Tensor) -> Tensor:
        x, y = ids[:, :-1], ids[:, 1:]
        out = self(x)
        out, y = out[:, :-1].contiguous(), y[:, 1:].contiguous()  # next-token prediction
        return teacher_forced_loss(out, y, self.pad_id)

# %% wrong (first): forward returns probabilities, and the loss takes a softmax of them again
# true: probabilities_returned
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        out = self.readout(self.blocks(self.embedding(ids), mask))
        return F.softmax(out, dim=-1)

    def loss(self, ids: Tensor) -> Tensor:
        return teacher_forced_loss(self(ids[:, :-1]), ids[:, 1:], self.pad_id)

# %% wrong (first): padding labels count in the loss
# true: padding_counted
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id
        self.criterion = nn.CrossEntropyLoss()

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        mask = decoder_mask(ids, self.pad_id)
        mask = mask.unsqueeze(1).expand(-1, self.blocks.layers[0].self_attention.num_heads, -1, -1)
        return self.readout(self.blocks(x, mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        return self.criterion(logits.permute(0, 2, 1), ids[:, 1:])

# %% wrong (first): the loss is the mean of the sentences' means, so a word of a short sentence weighs more
# true: mean_of_sentences
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        losses = []
        for sentence in ids:
            sentence = sentence[None]
            losses.append(teacher_forced_loss(self(sentence[:, :-1]), sentence[:, 1:], self.pad_id))
        return torch.stack(losses).mean()

# %% wrong (first): the logits (B, T, V) are viewed as (B, V, T) instead of being transposed, so places and words are mixed in the loss
# true: axes_by_view
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id
        self.vocab_size = vocab_size

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        B, T, V = logits.size()
        return F.cross_entropy(logits.view(B, V, T), ids[:, 1:], ignore_index=self.pad_id)

# %% wrong (first): in evaluation mode only the logits of the last place are returned
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def hidden(self, ids):
        return self.blocks(self.embedding(ids), decoder_mask(ids, self.pad_id).unsqueeze(1))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.hidden(ids)
        if self.training:
            return self.readout(x)
        return self.readout(x[:, [-1], :])

    def loss(self, ids: Tensor) -> Tensor:
        logits = self.readout(self.hidden(ids[:, :-1]))
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id)

# %% wrong (first): the loss comes back as a Python number, nothing can be trained with it
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        return self.readout(self.blocks(self.embedding(ids), decoder_mask(ids, self.pad_id).unsqueeze(1)))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self.forward(ids[:, :-1])
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id).item()

# %% wrong (first): words are written with the embedding's table, the read-out layer is never used
# true: readout_not_used
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        h = self.blocks(self.embedding(ids), mask)
        return F.linear(h, self.embedding.token_embedding.weight)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id)

# %% wrong (first): the mask is turned round, each place sees what comes after it and not itself / the loss divides by all places, padding too
from course_lib.components.padding_mask import padding_mask

class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.size(1)
        future = torch.triu(torch.ones(T, T), diagonal=1).bool()
        mask = future & padding_mask(ids, self.pad_id)
        return self.readout(self.blocks(self.embedding(ids), mask.unsqueeze(1)))

    def loss(self, ids: Tensor) -> Tensor:
        labels = ids[:, 1:]
        logp = self(ids[:, :-1]).log_softmax(-1)
        nll = -logp.gather(-1, labels.unsqueeze(-1)).squeeze(-1)
        nll = nll * (labels != self.pad_id).float()
        return nll.mean()

# %% wrong (first): the label of a place is padding's only where the place itself is padding, so the mean is taken over the tokens that are read and not over those that are asked for
# true: real_where_it_is_read
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        return self.readout(self.blocks(self.embedding(ids), decoder_mask(ids, self.pad_id).unsqueeze(1)))

    def loss(self, ids: Tensor) -> Tensor:
        x, y = ids[:, :-1], ids[:, 1:]
        losses = F.cross_entropy(self(x).flatten(0, 1), y.flatten(), reduction="none")
        mask = (x != self.pad_id).flatten()
        return (losses * mask).sum() / mask.sum()

# %% wrong (first): embedding is scaled by the root of the width once more, and the positions get drowned
# true: words_scaled_twice
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        token = self.embedding.token_embedding(ids) * math.sqrt(self.readout.in_features)
        x = self.embedding.dropout(token * math.sqrt(self.readout.in_features) + self.embedding.positions[: ids.size(1)])
        x = self.blocks(x, decoder_mask(ids, self.pad_id).unsqueeze(1))
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        return teacher_forced_loss(self(ids[:, :-1]), ids[:, 1:], self.pad_id)

# %% wrong (first): queries of padding see nothing at all, although real tokens stand before them / the loss is the sum over the tokens, divided by the number of sentences
from course_lib.components.causal_mask import causal_mask

class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        real = (ids != self.pad_id).float()
        both = torch.einsum('bq,bk->bqk', real, real) > 0
        mask = (both & causal_mask(ids.size(1))).unsqueeze(1)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1]).transpose(1, 2)
        summed = F.cross_entropy(logits, ids[:, 1:], ignore_index=self.pad_id, reduction='sum')
        return summed / ids.size(0)

# %% right (first): short, with the earlier parts
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        return teacher_forced_loss(self(ids[:, :-1]), ids[:, 1:], self.pad_id)

# %% right (first): GPT style, buffer for the triangle, cross entropy on flattened logits, sizes kept as attributes
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id
        self.block_size = max_length
        self.register_buffer("bias", torch.tril(torch.ones(max_length, max_length)).view(1, 1, max_length, max_length), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.size()
        assert T <= self.block_size, f"{T} tokens, and the model reads {self.block_size}"
        keep = (self.bias[:, :, :T, :T] > 0) & ids.ne(self.pad_id).view(B, 1, 1, T)
        x = self.blocks(self.embedding(ids), keep)
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1].contiguous())
        V = logits.size(-1)
        return F.cross_entropy(logits.reshape(-1, V), ids[:, 1:].reshape(-1), ignore_index=self.pad_id)

# %% right (first): layers called one by one, loss by log_softmax and gather
from course_lib.components.causal_mask import causal_mask
from course_lib.components.padding_mask import padding_mask

class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def make_mask(self, ids):
        real = padding_mask(ids, self.pad_id)
        return torch.logical_and(real, causal_mask(ids.size(1)).to(ids.device))[:, None, :, :]

    def forward(self, ids: Tensor) -> Tensor:
        mask = self.make_mask(ids)
        hidden = self.embedding(ids)
        for layer in self.blocks.layers:
            hidden = layer(hidden, mask)
        hidden = self.blocks.norm(hidden)
        return self.readout(hidden)

    def loss(self, ids: Tensor) -> Tensor:
        read, said = ids[:, :-1], ids[:, 1:]
        log_probs = torch.log_softmax(self(read), dim=-1)
        picked = log_probs.gather(dim=2, index=said.unsqueeze(2)).squeeze(2)
        is_real = said != self.pad_id
        return -picked[is_real].mean()

# %% wrong (second): the loss is the mean of each sentence's mean, so a token of a short sentence counts more than one of a long sentence
# true: mean_of_sentences
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id)[:, None]  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        inputs, targets = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        nll = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")  # (B, T)
        real = (targets != self.pad_id).to(nll.dtype)
        per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()

# %% wrong (second): only the future is hidden and padding in front of a word is attended to / labels that are padding count in the loss
# true: padding_visible, padding_counted
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        B, T = ids.size()
        mask = torch.tril(torch.ones(T, T, device=ids.device)).view(1, 1, T, T).bool()
        x = self.embedding(ids)
        x = self.blocks(x, mask)
        logits = self.readout(x)
        return logits

    def loss(self, ids: Tensor) -> Tensor:
        x, y = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()
        logits = self.forward(x)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), y.view(-1))

# %% wrong (second): the loss lets the model read all T + 1 tokens and drops the last logits, so it crashes where the sentence has one token more than the model can read
# true: read_whole_then_cut
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id)
        hidden = self.blocks(self.embedding(ids), mask.unsqueeze(dim=1))
        return self.readout(hidden)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        shift_logits = logits[..., :-1, :].contiguous()
        shift_labels = ids[..., 1:].contiguous()
        return teacher_forced_loss(shift_logits, shift_labels, self.pad_id)

# %% right (second): log-probabilities gathered by hand, mask made in place from two comparisons
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def _may_attend(self, ids: Tensor) -> Tensor:
        length = ids.size(1)
        triangle = torch.ones(length, length, dtype=torch.bool, device=ids.device).tril()
        return triangle & (ids != self.pad_id)[:, None, None, :]

    def forward(self, ids: Tensor) -> Tensor:
        return self.readout(self.blocks(self.embedding(ids), mask=self._may_attend(ids)))

    def loss(self, ids: Tensor) -> Tensor:
        read, asked = ids.narrow(1, 0, ids.size(1) - 1), ids.narrow(1, 1, ids.size(1) - 1)
        log_p = torch.log_softmax(self(read), dim=-1)
        cost = -log_p.gather(2, asked.unsqueeze(2)).squeeze(2)
        return cost[asked != self.pad_id].mean()

# %% wrong (third): the loss reads all T + 1 tokens and throws the last answer away: ids of max_length + 1 are an error
# true: read_whole_then_cut
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)
        x = self.blocks(self.embedding(ids), mask)
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        # shift so that tokens < n predict n
        shift_logits = logits[:, :-1, :].contiguous()
        shift_labels = ids[:, 1:].contiguous()
        return teacher_forced_loss(shift_logits, shift_labels, self.pad_id)


# %% wrong (third): takes the mean of each sentence, then the mean of the sentences: a word of a short one counts more
# true: mean_of_sentences
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        h = self.embedding(ids)
        h = self.blocks(h, decoder_mask(ids, self.pad_id)[:, None])
        return self.readout(h)

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        log_probs = F.log_softmax(self.forward(inputs), dim=-1)
        nll = -log_probs.gather(-1, labels.unsqueeze(-1)).squeeze(-1)  # (B, T)
        real = (labels != self.pad_id).to(nll.dtype)
        per_sentence = (nll * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()


# %% wrong (third): the mask takes 0 for the padding, whatever pad_id says
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        T = ids.size(1)
        pad = (ids != 0)[:, None, None, :]  # (B, 1, 1, T)
        mask = pad & causal_mask(T)[None, None]  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1])
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id)


# %% right (third): the mask from a comparison of places, the loss by F.cross_entropy over the flattened batch
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        place = torch.arange(ids.size(1), device=ids.device)  # (T,)
        not_later = torch.ge(place.view(-1, 1), place.view(1, -1))  # (T, T): (query, key)
        real = torch.ne(ids, self.pad_id).view(len(ids), 1, 1, -1)  # (B, 1, 1, T)
        tokens = self.blocks(self.embedding(ids), mask=torch.logical_and(not_later, real))  # (B, T, D)
        return torch.einsum("btd,vd->btv", tokens, self.readout.weight) + self.readout.bias  # (B, T, V)

    def loss(self, ids: Tensor) -> Tensor:
        T = ids.size(1) - 1
        logits = self(ids.narrow(1, 0, T))  # (B, T, V)
        labels = ids.narrow(1, 1, T)  # (B, T)
        return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=self.pad_id)

# %% wrong (last): the mask is causal only, padding in front or in the middle is seen ("depend on the real tokens ... and on nothing else") / the loss is a mean of each sentence's mean, not over all real tokens
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        x = self.blocks(x, causal_mask(ids.size(1)))
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)
        losses = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=self.pad_id, reduction="none")  # (B, T)
        real = labels != self.pad_id
        per_sentence = losses.sum(dim=1) / real.sum(dim=1).clamp(min=1)
        return per_sentence.mean()


# %% wrong (last): the Hugging Face habit, reads all T + 1 tokens and drops the last logits: ids of L + 1 tokens, which the docstrings allow (reads T of them, T at most L), do not fit the positions any more
# true: read_whole_then_cut
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids)
        shift_logits = logits[:, :-1, :].contiguous()
        shift_labels = ids[:, 1:].contiguous()
        return F.cross_entropy(
            shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1), ignore_index=self.pad_id
        )


# %% right (last): mask by comparing places, surprise of each label as logsumexp minus its logit
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        place = torch.arange(ids.shape[1], device=ids.device)
        real = ids.ne(self.pad_id)[:, None, None, :]  # (B, 1, 1, T)
        allowed = torch.logical_and(real, torch.ge(place[:, None], place))  # (B, 1, T, T)
        decoded = self.blocks(self.embedding(ids), mask=allowed)
        return torch.einsum("btd,vd->btv", decoded, self.readout.weight) + self.readout.bias

    def loss(self, ids: Tensor) -> Tensor:
        read, asked = ids[:, :-1], ids[:, 1:]
        counts = asked.ne(self.pad_id)  # (B, T)
        logits, wanted = self(read)[counts], asked[counts]  # (N, V), (N,)
        surprise = logits.logsumexp(dim=-1) - logits[torch.arange(len(wanted)), wanted]
        return surprise.sum() / len(wanted)


# %% wrong (fifth): the mask is only causal, padding before or between words is seen as a key
# true: padding_visible
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)  # (B, T, D)
        x = self.blocks(x, causal_mask(ids.size(1)))
        return self.readout(x)

    def loss(self, ids: Tensor) -> Tensor:
        return teacher_forced_loss(self(ids[:, :-1]), ids[:, 1:], self.pad_id)


# %% wrong (fifth): loss reads all T + 1 tokens and drops the last logits, too many when T = L
# true: read_whole_then_cut
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits = self.forward(ids)[:, :-1]  # (B, T, V)
        return teacher_forced_loss(logits, ids[:, 1:], self.pad_id)


# %% wrong (fifth): the mean of the means of the sentences, so short sentences count more
# true: mean_of_sentences
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        logits, labels = self(ids[:, :-1]), ids[:, 1:]
        real = labels != self.pad_id  # (B, T)
        losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")  # (B, T)
        per_sentence = (losses * real).sum(dim=1) / real.sum(dim=1)  # (B,)
        return per_sentence.mean()


# %% wrong (fifth): loss ignores the label 0, whatever pad_id is
# true: label_0_left_out
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        return self.readout(self.blocks(self.embedding(ids), mask))

    def loss(self, ids: Tensor) -> Tensor:
        inputs, labels = ids[:, :-1], ids[:, 1:]
        logits = self(inputs)  # (B, T, V)
        return F.cross_entropy(logits.reshape(-1, logits.size(-1)), labels.reshape(-1), ignore_index=0)


# %% right (fifth): mask from comparisons of positions, loss with cross_entropy on the moved axis
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        place = torch.arange(ids.shape[1], device=ids.device)
        earlier = place[None, :] <= place[:, None]  # (T, T)
        mask = earlier[None, None] & (ids != self.pad_id)[:, None, None, :]  # (B, 1, T, T)
        hidden = self.blocks(self.embedding(ids), mask)
        return self.readout(hidden)

    def loss(self, ids: Tensor) -> Tensor:
        logits = self(ids[:, :-1]).movedim(-1, 1)  # (B, V, T)
        return F.cross_entropy(logits, ids[:, 1:], ignore_index=self.pad_id)


# %% right (fifth): the loss picks the log probabilities of the real labels by index
class CausalLanguageModel(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.embedding = PositionEmbedding(vocab_size, d_model, max_length, dropout)
        self.blocks = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.readout = nn.Linear(d_model, vocab_size)
        self.pad_id = pad_id

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embedding(ids)
        x = self.blocks(x, decoder_mask(ids, self.pad_id)[:, None])
        x = self.readout(x)
        return x

    def loss(self, ids: Tensor) -> Tensor:
        read, label = ids[:, :-1], ids[:, 1:]
        sentence, place = (label != self.pad_id).nonzero(as_tuple=True)
        scores = self.forward(read)[sentence, place]  # (N, V)
        right = scores.gather(1, label[sentence, place].unsqueeze(1)).squeeze(1)  # (N,)
        return (scores.logsumexp(dim=1) - right).mean()
