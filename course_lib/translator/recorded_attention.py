"""What the heads of a network attend to, while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn


@contextmanager
def recorded_attention(network: nn.Module, *names: str) -> Iterator[list[Tensor]]:
    """Collect the weights (B, H, T, S) of every attention whose name ends with one of ``names``, call by call.

    Works on modules called as `MultiHeadAttention` is, with ``need_weights``, and on torch's own.
    """
    collected: list[Tensor] = []

    def ask(module: nn.Module, arguments: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        each_head = {"average_attn_weights": False} if isinstance(module, nn.MultiheadAttention) else {}
        return arguments, {**named, "need_weights": True, **each_head}

    def keep(module: nn.Module, arguments: Any, output: Any) -> Any:
        collected.append(output[1].detach())
        return output if isinstance(module, nn.MultiheadAttention) else output[0]

    hooks = []
    for name, module in network.named_modules():
        if name.endswith(names):
            hooks += [module.register_forward_pre_hook(ask, with_kwargs=True), module.register_forward_hook(keep)]
    try:
        yield collected
    finally:
        for hook in hooks:
            hook.remove()
