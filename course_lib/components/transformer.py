"""The Transformer: an encoder reads, a decoder writes.

`encode` and `decode` are apart, because decoding calls the second again and again and the first just once. The
target's embedding is also the output layer, which saves V · D parameters. No softmax: the loss takes logits.
"""

from torch import Tensor, nn

from course_lib.components.decoder import Decoder
from course_lib.components.decoder_mask import decoder_mask
from course_lib.components.encoder import Encoder
from course_lib.components.padding_mask import padding_mask
from course_lib.components.position_embedding import PositionEmbedding


class Transformer(nn.Module):
    """The encoder-decoder of Vaswani et al., from token ids to logits.

    Args:
        source_vocab_size: V_s, the number of different source tokens.
        target_vocab_size: V, the number of different target tokens.
        d_model: D, the width.
        num_heads: H, which must divide D.
        num_layers: layers of the encoder, and of the decoder.
        d_ff: F, the width inside the feed-forward networks.
        max_length: the greatest number of tokens in a sentence.
        dropout: the probability of dropping, in training, of embeddings and in each layer.
        norm_first: pre-norm, or post-norm.
        pad_id: the id of the padding token, on both sides.

    Parameters: those of ``source_embedding`` and ``target_embedding``, two `PositionEmbedding`; of ``encoder``, an
    `Encoder`; and of ``decoder``, a `Decoder`. The output layer has none: it is *tied* to the target's
    embedding, ``logits = decoded Eᵀ``, one table for reading a word and for writing it.

    Source: Vaswani et al. 2017, section 3; Press & Wolf 2017 (tied embeddings); CSC401, assignment 2,
        row 13 of its marking table.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        max_length: int,
        dropout: float = 0.1,
        norm_first: bool = True,
        pad_id: int = 0,
    ) -> None:
        super().__init__()
        self.source_embedding = PositionEmbedding(source_vocab_size, d_model, max_length, dropout)
        self.target_embedding = PositionEmbedding(target_vocab_size, d_model, max_length, dropout)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm_first)
        self.pad_id = pad_id

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Read the source, once for a whole translation.

        Args:
            source: (B, S) token ids; ``pad_id`` can be anywhere but at the start.

        Returns:
            ``(memory, memory_mask)``: (B, S, D), and which of it is real, (B, 1, 1, S).
        """
        memory_mask = padding_mask(source, self.pad_id).unsqueeze(1)  # (B, 1, 1, S)
        memory = self.encoder(self.source_embedding(source), memory_mask)  # (B, S, D)
        return memory, memory_mask

    def decode(self, target: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Score what comes next, at each position of the target.

        Args:
            target: (B, T) token ids, what is written so far; ``pad_id`` can be anywhere but at the start.
            memory: (B, S, D), from `encode`.
            memory_mask: (B, 1, 1, S), from `encode`.

        Returns:
            The logits (B, T, V): those at position t depend on the target's tokens 0 to t only.
        """
        mask = decoder_mask(target, self.pad_id).unsqueeze(1)  # (B, 1, T, T)
        decoded = self.decoder(self.target_embedding(target), memory, mask, memory_mask)  # (B, T, D)
        logits: Tensor = decoded @ self.target_embedding.token_embedding.weight.T  # (B, T, V)
        return logits

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """The logits at every position of a known target, as in training.

        Args:
            source: (B, S) token ids, padded with ``pad_id``.
            target: (B, T) token ids, padded with ``pad_id``.

        Returns:
            The logits (B, T, V) of the tokens that come after each.
        """
        memory, memory_mask = self.encode(source)  # (B, S, D), (B, 1, 1, S)
        return self.decode(target, memory, memory_mask)  # (B, T, V)
