# %% wrong: goes through the parameters twice, so that a generator's gradients are measured and never scaled
# true: nothing_changed
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    squares = torch.zeros(())
    for p in parameters:
        if p.grad is not None:
            squares = squares + p.grad.detach().pow(2).sum()
    total_norm = squares.sqrt()
    factor = max_norm / (total_norm + 1e-6)
    if factor < 1:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(factor)
    return total_norm


# %% wrong: adds up the norms of the parameters instead of their squares
# true: norms_added
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    params = [p for p in parameters if p.grad is not None]
    total = sum(torch.linalg.vector_norm(p.grad) for p in params)
    coef = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for p in params:
        p.grad.data.mul_(coef)
    return total


# %% wrong: stretches gradients that are shorter than max_norm
# true: short_ones_lengthened
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = torch.sqrt(sum((g**2).sum() for g in grads))
    with torch.no_grad():
        for g in grads:
            g *= max_norm / (norm + 1e-6)
    return norm


# %% right: one flat vector of all gradients, cut up again and written back
@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    grads = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([grad.reshape(-1) for grad in grads])  # (N,)
    norm = flat.norm()
    factor = max_norm / (norm + 1e-6)
    if factor < 1:
        for grad, piece in zip(grads, (flat * factor).split([grad.numel() for grad in grads])):
            grad.copy_(piece.view(grad.shape))
    return norm
