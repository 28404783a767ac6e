"""The loss of a decoder that reads, at every step, the right previous word.

`gather` picks the right word's log-probability at each place. Padding is left out *before* the mean: a loss of 0
there would still be counted in the denominator.
"""

import torch
from torch import Tensor


def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """The mean of ``-log p(y_t | y_1 … y_{t-1}, source)`` over all real tokens of a batch.

    The decoder has read ``bos y_1 … y_n`` and should write ``y_1 … y_n eos``. This shift by one is made where the
    batch is made, so the logits and the target of step t belong together, and nothing is shifted here.

    Args:
        logits: (B, T, V), a score for each token of the vocabulary, before the softmax.
        targets: (B, T), the ids of the right tokens, padded with ``pad_id``; at least one is real.
        pad_id: the id of padding, which need not be 0. Padding counts neither in the sum nor in the number of tokens
            that the sum is divided by.

    Returns:
        A scalar, in nats per token.

    Source: Williams and Zipser 1989, doi 10.1162/neco.1989.1.2.270; CSCE 638 lecture 7, "Recap: RNN as Decoder".
    """
    log_probabilities = torch.log_softmax(logits, dim=-1)  # (B, T, V)
    of_targets = log_probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    real = targets != pad_id  # (B, T)
    return -of_targets[real].mean()  # ()
