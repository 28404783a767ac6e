# %% right: torchs own
def clip_gradients(parameters, max_norm):
    return nn.utils.clip_grad_norm_(parameters, max_norm)


# %% right: only if too long
def clip_gradients(parameters, max_norm):
    parameters = [p for p in parameters if p.grad is not None]
    total = torch.cat([p.grad.flatten() for p in parameters]).norm()
    if total > max_norm:
        for p in parameters:
            p.grad *= max_norm / total
    return total


# %% right: a number
def clip_gradients(parameters, max_norm):
    parameters = list(parameters)
    total = math.sqrt(sum(p.grad.pow(2).sum().item() for p in parameters if p.grad is not None))
    scale = min(1.0, max_norm / (total + 1e-6))
    for p in parameters:
        if p.grad is not None:
            p.grad.data.mul_(scale)
    return total


# %% right: new tensors
def clip_gradients(parameters, max_norm):
    kept = [p for p in parameters if p.grad is not None]
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(p.grad) for p in kept]))
    factor = max_norm / max(total.item(), max_norm)
    for p in kept:
        p.grad = p.grad * factor
    return total


# %% right: running total
def clip_gradients(parameters, max_norm):
    seen, total = [], torch.zeros(())
    for p in parameters:
        if p.grad is None:
            continue
        seen.append(p)
        total = total + (p.grad.detach() ** 2).sum()
    total = total**0.5
    if total <= max_norm:
        return total
    with torch.no_grad():
        for p in seen:
            p.grad.copy_(p.grad / total * max_norm)
    return total


# %% right: all at once
def clip_gradients(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = torch.stack(torch._foreach_norm(grads)).norm()
    torch._foreach_mul_(grads, min(1.0, max_norm / norm.item()))
    return norm


# %% trivial: nothing
def clip_gradients(parameters, max_norm):
    return torch.zeros(())


# %% trivial: all zeros
def clip_gradients(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.zero_()
    return max_norm


# %% trivial: halved
def clip_gradients(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.mul_(0.5)
    return torch.tensor(max_norm)


# %% trivial: noise
def clip_gradients(parameters, max_norm):
    for p in parameters:
        if p.grad is not None:
            p.grad.normal_()
    return torch.rand(())
