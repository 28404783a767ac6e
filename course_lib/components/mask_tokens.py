"""The corruption that a masked language model learns to undo.

The random numbers are arguments, so the function can be tested. One number decides both *whether* and
*how*: below 0.8 · rate a token is masked, up to 0.9 · rate replaced.
"""

import torch
from torch import Tensor


def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    """Choose some of the tokens to be predicted, and hide most of those.

    Each token has a uniform random number u. It is *chosen* if u < ``rate``, unless its id is special. Of the chosen
    ones, by the same number,

    - 80 % are replaced by ``mask_id``, those with u < 0.8 ``rate``,
    - 10 % are replaced by a random token, those with u from 0.8 ``rate`` to below 0.9 ``rate``,
    - 10 % don't change.

    Args:
        ids: (B, T) token ids, which must not change.
        uniform: (B, T), u: random numbers between 0 and 1.
        replacements: (B, T), the random ids, for the tokens that are replaced by one.
        mask_id: the id of the mask token.
        rate: the share of tokens that are chosen.
        num_special: ids below this one are special: padding, the beginning, the end, unknown words.

    Returns:
        ``(inputs, labels)``, both (B, T): what the model reads, and the ids of the chosen tokens, with -100
        at all other positions, which ``F.cross_entropy`` ignores.

    Source: Devlin et al. 2019, section 3.1 and appendix A.1.
    """
    chosen = (uniform < rate) & (ids >= num_special)  # (B, T)
    masked = chosen & (uniform < 0.8 * rate)  # (B, T)
    random = chosen & ~masked & (uniform < 0.9 * rate)  # (B, T)
    inputs = torch.where(random, replacements, ids.masked_fill(masked, mask_id))  # (B, T)
    return inputs, ids.masked_fill(~chosen, -100)
