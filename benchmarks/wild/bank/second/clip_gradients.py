# %% wrong: each parameter's gradient is shortened by its own norm, not all by one factor
# true: each_by_its_own_norm
def clip_gradients(parameters, max_norm):
    total = 0.0
    for p in parameters:
        if p.grad is None:
            continue
        norm = p.grad.data.norm(2)
        total = total + norm**2
        coef = max_norm / (norm + 1e-6)
        if coef < 1:
            p.grad.data.mul_(coef)
    return total**0.5


# %% wrong: gradients shorter than the maximum are stretched to it, because the factor is not limited to 1
# true: short_ones_lengthened
def clip_gradients(parameters, max_norm):
    grads = [p.grad.data for p in parameters if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in grads])
    total_norm = flat.norm(p=2)
    clip_coef = max_norm / (total_norm + 1e-6)
    for g in grads:
        g *= clip_coef
    return total_norm


# %% wrong: the parameters are gone through a second time for the scaling, and a generator is empty by then / the norm after clipping is returned
# true: nothing_changed, norm_after_returned
def clip_gradients(parameters, max_norm):
    norm = torch.sqrt(sum((p.grad.detach() ** 2).sum() for p in parameters if p.grad is not None))
    scale = max_norm / (norm + 1e-6)
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.detach().mul_(scale)
        norm = norm * scale
    return norm


# %% right: norm of the stacked norms, clamped factor, under no_grad
@torch.no_grad()
def clip_gradients(parameters, max_norm):
    params = [p for p in list(parameters) if p.grad is not None]
    norms = torch.stack([torch.linalg.vector_norm(p.grad) for p in params])
    total_norm = torch.linalg.vector_norm(norms)
    factor = torch.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    for p in params:
        p.grad.mul_(factor)
    return total_norm
