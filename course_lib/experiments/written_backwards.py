"""A task for an encoder and a decoder that takes seconds: write the sentence that was read, backwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.experiments.mystery_decoder import mystery_of
from course_lib.experiments.series import Series, in_tens

#: the number of words, not counting pad, bos and eos; sentences have 3 words up to this many
WORDS, LONGEST = 12, 8
PAD_ID, BOS_ID, EOS_ID = 0, 1, 2
#: the arguments of `Transformer`
SETTINGS: dict[str, Any] = {
    "source_vocab_size": WORDS + 3,
    "target_vocab_size": WORDS + 3,
    "d_model": 32,
    "num_heads": 4,
    "num_layers": 2,
    "d_ff": 64,
    "max_length": LONGEST + 2,
    "dropout": 0.0,
}


def draw_sentences(batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Generate random sentences (B, S), and each backwards between bos and eos (B, T); both padded."""
    lengths = torch.randint(3, LONGEST + 1, (batch,), generator=generator).tolist()
    source = torch.full((batch, LONGEST), PAD_ID)
    target = torch.full((batch, LONGEST + 2), PAD_ID)
    for b, length in enumerate(lengths):
        words = torch.randint(3, WORDS + 3, (length,), generator=generator)
        source[b, :length] = words
        target[b, : length + 2] = torch.cat([torch.tensor([BOS_ID]), words.flip(0), torch.tensor([EOS_ID])])
    return source, target


def learn_backwards(
    transformer: Callable[..., nn.Module],
    seed: int,
    decoder: Callable[..., nn.Module] | None = None,
    steps: int = 300,
) -> tuple[nn.Module, Series]:
    """Train a `Transformer`, and return it with its loss, averaged over ten steps at a time.

    Args:
        transformer: `Transformer`, yours for instance.
        seed: for its weights and the sentences.
        decoder: replaces its decoder.
        steps: how many steps to take.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = transformer(**SETTINGS)
        if decoder is not None:
            model.decoder = decoder(*(SETTINGS[name] for name in ("num_layers", "d_model", "num_heads", "d_ff")), 0.0)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    losses = []
    for _ in range(steps):
        source, target = draw_sentences(32, generator)  # (B, S), (B, T + 1)
        logits = model(source, target[:, :-1])  # (B, T, V)
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD_ID)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        losses.append(loss.item())
    return model.eval(), in_tens(losses)


def mystery(transformer: Callable[..., nn.Module], decoder: type[nn.Module], seed: int) -> Series:
    """Return the loss of a `Transformer` with the decoder that contains a mistake."""
    return learn_backwards(transformer, seed, mystery_of(decoder))[1]
