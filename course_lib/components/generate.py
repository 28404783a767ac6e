"""Generation: a language model continues a prompt, one token at a time.

How a token is chosen comes in as a function, so greedy decoding and every way of sampling share one loop. `-context:`
drops the oldest tokens when there are more than the model has positions for.
"""

from collections.abc import Callable

import torch
from torch import Tensor


@torch.no_grad()
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    """Continue a batch of prompts until each has ended, or ``max_new_tokens`` are written.

    A sentence ends with the first ``eos_id`` that is written; from there on it holds ``pad_id``.

    Args:
        model: a causal language model in evaluation mode, from ids (B, T) to logits (B, T, V).
        prompt: (B, P) token ids, all of them real; P is at least 1.
        max_new_tokens: the most tokens that are written, ``eos_id`` counted.
        choose: from logits (B, V) to the chosen ids (B,), called once a step.
        eos_id: what a sentence ends with.
        pad_id: the id of the padding token.
        context: the most tokens that the model can read. If there are more, it reads the last ``context`` of them.

    Returns:
        (B, P + N) token ids: the prompts, and the N tokens that were written, N at most ``max_new_tokens``.

    Source: Radford et al. 2019, section 3.6.
    """
    written = prompt
    ended = torch.zeros(prompt.size(0), dtype=torch.bool, device=prompt.device)  # (B,)
    while written.size(1) < prompt.size(1) + max_new_tokens and not ended.all():
        logits = model(written[:, -context:])[:, -1]  # (B, V)
        token = choose(logits).masked_fill(ended, pad_id)  # (B,)
        written = torch.cat([written, token.unsqueeze(1)], dim=1)  # (B, t + 1)
        ended = ended | (token == eos_id)  # (B,)
    return written
