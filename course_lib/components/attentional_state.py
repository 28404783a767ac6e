"""A decoder's step with attention: the state and what it found, in one vector.

It only joins what you built before: `dot_scores`, `attend`, then one matrix over both vectors. Luong puts the context
first, and so do we: with weights copied from elsewhere the order counts.
"""

import torch
from torch import Tensor, nn

from course_lib.components.attend import attend
from course_lib.components.dot_scores import dot_scores


class AttentionalState(nn.Module):
    """The attentional state ``s̃ = tanh(W [a; s])``, from which the next word is predicted.

    ``a`` is the context that the decoder's state ``s`` finds by dot-product attention.

    Args:
        d_state: D, the width of the state, of the keys and of the result.
        d_value: Dv, the width of the values and so of the context.

    Parameters: ``w``, an ``nn.Linear(d_value + d_state, d_state)`` without bias; the context's
    columns come first, the state's after them.

    Source: Luong et al. 2015, eq. 5; CSCE 638 lecture 7, "RNN with Attention".
    """

    def __init__(self, d_state: int, d_value: int) -> None:
        super().__init__()
        self.w = nn.Linear(d_value + d_state, d_state, bias=False)

    def forward(
        self, state: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None = None, need_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Attend with the state, and concatenate the context and the state, in this order.

        Args:
            state: s, (B, D).
            keys: (B, S, D).
            values: (B, S, Dv).
            mask: (B, S), boolean, **True = may attend**.
            need_weights: whether to return the weights too.

        Returns:
            The attentional state (B, D), or ``(attentional state, weights)`` with weights (B, S).
        """
        scores = dot_scores(state, keys)  # (B, S)
        context, weights = attend(scores, values, mask)  # (B, Dv), (B, S)
        both = torch.cat([context, state], dim=-1)  # (B, Dv + D)
        output = torch.tanh(self.w(both))  # (B, D)
        return (output, weights) if need_weights else output
