"""Copying weights from `MultiHeadAttention` to PyTorch's own `nn.MultiheadAttention`.

PyTorch stacks W_q, W_k and W_v in one matrix, so `cat` is the whole difference.
`no_grad` keeps the copy out of the graph, and `copy_` leaves each parameter the object that an optimizer may hold
already.
"""

import torch
from torch import nn

from course_lib.components.multi_head_attention import MultiHeadAttention


def copy_to_torch(attention: "MultiHeadAttention") -> nn.MultiheadAttention:
    """PyTorch's module with the weights of ours, so that it gives the same outputs.

    PyTorch stacks the weights of W_q, W_k and W_v in one tensor, ``in_proj_weight`` (3 D, D),
    one below the other, and their biases in ``in_proj_bias`` (3 D,); W_o is ``out_proj``.
    Like ``nn.Linear``, it stores a weight as (out, in).

    Args:
        attention: with or without biases; it is left as it is.

    Returns:
        A new module with ``batch_first=True``, and with the same number of heads, dropout and dtype.
    """
    layers = (attention.w_q, attention.w_k, attention.w_v)
    module = nn.MultiheadAttention(
        embed_dim=attention.w_o.in_features,
        num_heads=attention.num_heads,
        dropout=attention.dropout.p,
        bias=attention.w_o.bias is not None,
        batch_first=True,
        dtype=attention.w_o.weight.dtype,
    )
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([layer.weight for layer in layers]))  # (3 D, D)
        module.out_proj.weight.copy_(attention.w_o.weight)  # (D, D)
        if attention.w_o.bias is not None:
            module.in_proj_bias.copy_(torch.cat([layer.bias for layer in layers]))  # (3 D,)
            module.out_proj.bias.copy_(attention.w_o.bias)  # (D,)
    return module
