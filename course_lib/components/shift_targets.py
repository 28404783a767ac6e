"""The target shift: what the decoder reads, and what it should predict.

Two slices of the same tensor need no copy and no loop. Position t of the second is the label of position t of the
first.
"""

from torch import Tensor


def shift_targets(target: Tensor) -> tuple[Tensor, Tensor]:
    """Split a target into what the decoder reads at each position and the *next* token, which it should predict.

    Args:
        target: (B, T + 1) token ids: ``bos``, the sentence, ``eos``, padding.

    Returns:
        ``(inputs, labels)``, both (B, T): ``inputs`` starts with ``bos`` and lacks the last token,
        ``labels`` lacks ``bos``; ``labels[:, t]`` comes right after ``inputs[:, t]``.

    Source: Vaswani et al. 2017, section 3.1, "the output embeddings are offset by one position"; CS 4644/7643
    lecture 13, whose formula ``s_t = g(y_t, s_{t-1}, c)`` reads the word that it should write, although its figure does
    not.
    """
    return target[:, :-1], target[:, 1:]  # (B, T), (B, T)
