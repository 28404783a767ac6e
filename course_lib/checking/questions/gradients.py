"""Gradients of what an implementation returns."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from course_lib.checking.values import Value, pick


def record(arguments: Mapping[str, Value]) -> dict[str, Tensor]:
    """Let gradients be recorded for the floating-point arguments, and return these by name, such as ``"state[0]"``."""
    tensors: dict[str, Value] = {}
    for name, value in arguments.items():
        parts = enumerate(value) if isinstance(value, tuple) else ()
        tensors |= {name: value} | {f"{name}[{i}]": part for i, part in parts}
    return {
        name: value.requires_grad_()
        for name, value in tensors.items()
        if isinstance(value, Tensor) and value.is_floating_point()
    }


def gradients(
    outputs: Mapping[str, Value], upstream: Mapping[str, Tensor], inputs: Mapping[str, Tensor]
) -> dict[str, Value]:
    """Return the gradients of ``sum(upstream * output)`` by input, with None if no gradient flows.

    An output may be on another device than the inputs.
    """
    found = ((path, pick(dict(outputs), path), weight) for path, weight in upstream.items())
    used = [_product(path, output, weight).sum() for path, output, weight in found if isinstance(output, Tensor)]
    total = sum(used[1:], used[0]) if used else None
    if isinstance(total, Tensor) and total.requires_grad:
        total.backward()  # type: ignore[no-untyped-call]
    return {name: tensor.grad for name, tensor in inputs.items()}


def _product(path: str, output: Tensor, weight: Tensor) -> Tensor:
    try:
        return output * weight.to(output.device)
    except RuntimeError as error:
        message = f"the gradient of `{path}` has the shape {tuple(weight.shape)}, and yours {tuple(output.shape)}"
        raise RuntimeError(message) from error
