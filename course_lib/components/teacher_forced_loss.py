"""The loss of a decoder that is told, at every step, what the right last word was."""

import torch
from torch import Tensor


def teacher_forced_loss(logits: Tensor, targets: Tensor, pad_id: int) -> Tensor:
    """The mean of ``-log p(y_t | y_1 … y_{t-1}, source)`` over all real tokens of a batch.

    The decoder was fed ``bos y_1 … y_n`` and is to say ``y_1 … y_n eos``: the shift by one is made where the
    batch is made. Logits at step t and target at step t belong together; nothing is shifted here.

    Args:
        logits: (B, T, V), a score for each token of the vocabulary; the softmax is not yet taken.
        targets: (B, T), ids of the tokens that should be said, padded with ``pad_id``; at least one is real.
        pad_id: the id of the padding token, which need not be 0. Padding counts neither in the sum nor in the number
            of tokens it is divided by.

    Returns:
        A scalar, in nats per token.

    Source: Williams and Zipser 1989; CSCE 638 lecture 7, "Recap: RNN as Decoder".
    """
    log_probabilities = torch.log_softmax(logits, dim=-1)  # (B, T, V)
    of_targets = log_probabilities.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (B, T)
    real = targets != pad_id  # (B, T)
    return -of_targets[real].mean()  # ()
