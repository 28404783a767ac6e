"""The vision Transformer: an encoder that reads patches instead of words.

Patches take the place of words, so the encoder doesn't change. The [CLS] vector is a parameter, expanded rather than
copied, and it has its own position.
"""

import torch
from torch import Tensor, nn

from course_lib.components.encoder import Encoder
from course_lib.components.learned_positions import LearnedPositions
from course_lib.components.split_into_patches import split_into_patches


class VisionTransformer(nn.Module):
    """Patches, embedded by one linear layer; a token for the whole image; positions; an encoder; a head.

    Args:
        image_size: the height and width of the images, a multiple of ``patch_size``.
        patch_size: P.
        channels: C_in, how many numbers a pixel has.
        num_classes: C, what the head distinguishes.
        d_model: D, the width.
        num_heads: H, which must divide D.
        num_layers: layers of the encoder.
        d_ff: F, the width inside the feed-forward networks.
        dropout: the probability of dropping, in training, in each layer of the encoder.

    Parameters: those of ``projection``, an ``nn.Linear(C_in P², D)``; ``cls`` (D), an ``nn.Parameter``, the vector
    before the patches; of ``positions``, `LearnedPositions` for it and all patches; of ``encoder``, an `Encoder`
    (pre-norm); and of ``head``, an ``nn.Linear(D, C)``.

    Source: Dosovitskiy et al. 2021, eqs. 1 to 4.
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        channels: int,
        num_classes: int,
        d_model: int,
        num_heads: int,
        num_layers: int,
        d_ff: int,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.patch_size = patch_size
        num_patches = (image_size // patch_size) ** 2
        self.projection = nn.Linear(channels * patch_size**2, d_model)
        self.cls = nn.Parameter(0.02 * torch.randn(d_model))  # (D,)
        self.positions = LearnedPositions(1 + num_patches, d_model)
        self.encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout)
        self.head = nn.Linear(d_model, num_classes)

    def forward(self, images: Tensor) -> Tensor:
        """Classify images.

        Args:
            images: (B, C_in, H, W).

        Returns:
            Logits (B, C), from the encoder's output for ``cls``.
        """
        patches = self.projection(split_into_patches(images, self.patch_size))  # (B, N, D)
        cls = self.cls.expand(len(images), 1, -1)  # (B, 1, D)
        x = torch.cat([cls, patches], dim=1)  # (B, 1 + N, D)
        x = self.encoder(x + self.positions(x.size(1)))  # (B, 1 + N, D)
        logits: Tensor = self.head(x[:, 0])  # (B, C)
        return logits
