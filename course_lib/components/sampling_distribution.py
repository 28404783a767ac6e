"""From logits to the distribution that a language model's next token is sampled from.

All is done in sorted order, where top-k is a slice and top-p a running sum, and `scatter` undoes the sorting.
`before` leaves the token's own probability out, so that the most likely one always stays.
"""

import torch
from torch import Tensor


def sampling_distribution(
    logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    """Divide by the temperature, keep the top k, keep the top p, and let what is left sum to 1.

    In this order, each step works on what the one before has left:

    - *temperature*: the logits are divided by it,
    - *top k*: only the k most probable tokens are kept,
    - *top p*, or nucleus: of those, renormalised, the smallest set is kept whose probabilities sum to at least p, the
      most probable first. At least one token is always kept.

    Args:
        logits: (..., V). No two of one row are equal.
        temperature: above 0; below 1 sharpens the distribution, above 1 flattens it.
        top_k: at least 1, and perhaps more than V; None keeps all.
        top_p: above 0; 1 keeps all.

    Returns:
        Probabilities (..., V), 0 for every token that isn't kept.

    Raises:
        ValueError: ``temperature`` isn't above 0.

    Source: Fan et al. 2018, section 5.3 (top k); Holtzman et al. 2020, section 3.1 (top p).
    """
    if temperature <= 0:
        raise ValueError(f"a temperature has to be above 0, and this one is {temperature}")
    ordered, order = (logits / temperature).sort(dim=-1, descending=True)  # (..., V)
    if top_k is not None:
        ordered[..., top_k:] = -torch.inf
    probabilities = torch.softmax(ordered, dim=-1)  # (..., V), most probable first
    if top_p < 1:
        before = probabilities.cumsum(dim=-1) - probabilities  # (..., V), the sum over all more probable tokens
        # the most probable one has nothing before it, and stays
        probabilities = probabilities.masked_fill(before >= top_p, 0.0)
    probabilities = probabilities / probabilities.sum(dim=-1, keepdim=True)  # (..., V)
    return torch.zeros_like(probabilities).scatter(-1, order, probabilities)  # (..., V), in the vocabulary's order
