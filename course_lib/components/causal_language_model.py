"""A language model: blocks of self-attention that cannot see the tokens that they predict.

A decoder without a source is an encoder with a causal mask, so `Encoder` is used as it is. The loss does the
shift by one itself: inputs and labels come from the same ids.
"""

from torch import Tensor, nn

from course_lib.components.decoder_mask import decoder_mask
from course_lib.components.encoder import Encoder
from course_lib.components.position_embedding import PositionEmbedding
from course_lib.components.teacher_forced_loss import teacher_forced_loss


class CausalLanguageModel(nn.Module):
    """Score every token that may come next, at each position of a sentence.

    Args:
        vocab_size: V, the number of different tokens.
        d_model: D, the width.
        num_heads: H, which must divide D.
        num_layers: the number of blocks.
        d_ff: F, the width inside the feed-forward networks.
        max_length: L, the largest number of tokens that the model reads.
        dropout: the share that is dropped in training, after the embedding and in each block.
        pad_id: the id of the padding token.

    Parameters: those of ``embedding``, a `PositionEmbedding`; of ``blocks``, an `Encoder`, which acts as a decoder once
    its mask is causal; and of ``readout``, the output projection, an ``nn.Linear(d_model, vocab_size)``.

    Source: Radford et al. 2018, section 3.1.
    """

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
        """Read sentences, all positions at once.

        Args:
            ids: (B, T) token ids; padding can be anywhere, and doesn't shift the positions.
                T is at most L.

        Returns:
            The logits (B, T, V): those of a real token at position t depend on the real tokens at positions 0 to t,
            and on nothing else.
        """
        mask = decoder_mask(ids, self.pad_id).unsqueeze(1)  # (B, 1, T, T): every head sees the same
        decoded = self.blocks(self.embedding(ids), mask)  # (B, T, D)
        logits: Tensor = self.readout(decoded)  # (B, T, V)
        return logits

    def loss(self, ids: Tensor) -> Tensor:
        """The mean of ``-log p(next token)`` over all next tokens that are real; training minimises it.

        Args:
            ids: (B, T + 1) token ids: ``bos``, the sentence, ``eos``, padding. The model reads T of them, and each
                one's label is the token after it. Labels that are padding don't count.

        Returns:
            A scalar, in nats per token.
        """
        inputs, labels = ids[:, :-1], ids[:, 1:]  # (B, T), (B, T)
        return teacher_forced_loss(self(inputs), labels, self.pad_id)  # ()
