# %% wrong: the parameters are gone through twice, so model.parameters() is used up when it comes to scaling
# true: nothing_changed
# Violates "It may be a generator ...: it can be gone through once": the norm is right, nothing is scaled.
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    total = torch.sqrt(sum(p.grad.pow(2).sum() for p in parameters if p.grad is not None))
    if total > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(max_norm / (total + 1e-6))
    return total


# %% wrong: every parameter's gradient is clipped by its own norm
# true: each_by_its_own_norm
# Violates "Scale all gradients by one factor ... The norm is one for all".
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    squares = []
    for p in parameters:
        if p.grad is None:
            continue
        norm = p.grad.norm(2)
        squares.append(norm**2)
        coefficient = max_norm / (norm + 1e-6)
        if coefficient < 1:
            p.grad.mul_(coefficient)
    return torch.stack(squares).sum().sqrt()


# %% right: one long vector, a factor clamped to at most 1, foreach
@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    gradients = list(filter(lambda g: g is not None, map(lambda p: p.grad, parameters)))
    length = torch.linalg.vector_norm(torch.cat([*map(torch.ravel, gradients)]))
    factor = max_norm / (length + 1e-6)
    factor = torch.minimum(factor, torch.ones_like(factor))
    for gradient in gradients:
        torch.mul(gradient, factor, out=gradient)
    return length
