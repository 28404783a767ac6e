# %% wrong (first): the generator is gone through twice, so nothing is clipped when model.parameters() is given
# true: nothing_changed
def clip_gradients(parameters, max_norm):
    total = torch.zeros(())
    for p in parameters:
        if p.grad is not None:
            total = total + (p.grad.data ** 2).sum()
    norm = total.sqrt()
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.data *= max_norm / (norm + 1e-6)
    return norm

# %% wrong (first): each parameter is clipped by its own norm, not all by one
# true: each_by_its_own_norm
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    norms = torch.stack([g.norm(2) for g in grads])
    for g, n in zip(grads, norms):
        if n > max_norm:
            g.mul_(max_norm / (n + 1e-6))
    return norms.norm(2)

# %% wrong (first): each number is cut off at ±max_norm, the direction changes
# true: clipped_by_value
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    norm = torch.sqrt(sum(p.grad.pow(2).sum() for p in params))
    for p in params:
        p.grad.data.clamp_(-max_norm, max_norm)
    return norm

# %% wrong (first): short gradients are scaled up to max_norm too (no upper bound on the factor)
# true: short_ones_lengthened
def clip_gradients(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    total_norm = torch.norm(torch.stack([torch.norm(g.detach(), 2) for g in grads]), 2)
    clip_coef = max_norm / (total_norm + 1e-6)
    for g in grads:
        g.detach().mul_(clip_coef)
    return total_norm

# %% wrong (first): the norm is the sum of the parameters' norms, not the norm of the long vector
# true: norms_added
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    params = list(parameters)
    total = 0.0
    for p in params:
        if p.grad is not None:
            total += p.grad.norm()
    coef = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for p in params:
        if p.grad is not None:
            p.grad.mul_(coef)
    return total

# %% wrong (first): returns the norm after clipping
# true: norm_after_returned
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    def norm():
        return torch.cat([p.grad.reshape(-1) for p in params]).norm()
    before = norm()
    if before > max_norm:
        for p in params:
            p.grad.data.mul_(max_norm / (before + 1e-6))
    return norm()

# %% wrong (first): crashes on a parameter without a gradient
# true: stops_without_a_gradient
def clip_gradients(parameters, max_norm):
    parameters = list(parameters)
    norm = torch.sqrt(sum(torch.sum(p.grad ** 2) for p in parameters))
    if norm > max_norm:
        for p in parameters:
            p.grad[:] *= max_norm / (norm + 1e-6)
    return norm

# %% wrong (first): the parameters themselves are scaled, not their gradients
# true: parameters_scaled
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    norm = torch.norm(torch.cat([p.grad.flatten() for p in params]))
    clip_coef = float(max_norm) / (norm + 1e-6)
    if clip_coef < 1:
        for p in params:
            p.data.mul_(clip_coef)
    return norm

# %% wrong (first): the square root is forgotten, the squared norm is compared and returned
# true: not_rooted
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    total = sum((p.grad.detach() ** 2).sum() for p in params)
    if total > max_norm:
        scale = max_norm / (total + 1e-6)
        for p in params:
            p.grad.detach().mul_(scale)
    return total

# %% wrong (first): the norm is an L1 norm, a sum of absolute values
# true: absolute_values_added
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    total = torch.stack([p.grad.abs().sum() for p in params]).sum()
    coef = (max_norm / (total + 1e-6)).clamp(max=1)
    for p in params:
        p.grad.mul_(coef)
    return total

# %% wrong (first): parameters without a gradient are given one of zeros, so an optimiser with weight decay or momentum would move them
# true: unused_set_to_zeros
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    params = list(parameters)
    for p in params:
        if p.grad is None:
            p.grad = torch.zeros_like(p)
    norm = torch.cat([p.grad.view(-1) for p in params]).norm(p=2)
    if norm > max_norm:
        for p in params:
            p.grad *= max_norm / (norm + 1e-6)
    return norm

# %% wrong (first): the factor is applied to a copy of the gradients, p.grad itself stays as it was
# true: nothing_changed
def clip_gradients(parameters, max_norm):
    grads = [p.grad.clone() for p in parameters if p.grad is not None]
    norm = torch.linalg.vector_norm(torch.cat([g.ravel() for g in grads]))
    if norm > max_norm:
        for g in grads:
            g *= max_norm / (norm + 1e-6)
    return norm

# %% wrong (first): the norm is divided by the number of entries, a root mean square
# true: mean_square
def clip_gradients(parameters, max_norm):
    grads = [p.grad for p in parameters if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in grads])
    norm = flat.pow(2).mean().sqrt()
    coef = max_norm / (norm + 1e-6)
    if coef < 1.0:
        for g in grads:
            g.mul_(coef)
    return norm

# %% wrong (first): returns a tensor of shape (1,), not a scalar / gradients that are too long are cut by each number
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    norm = torch.zeros(1)
    for p in params:
        norm += p.grad.pow(2).sum().float()
    norm = norm.sqrt()
    if norm > max_norm:
        for p in params:
            p.grad.clamp_(min=-max_norm, max=max_norm)
    return norm

# %% wrong (first): the norm is taken while the gradients are already being scaled, so each parameter gets a factor of the running norm
def clip_gradients(parameters, max_norm):
    squared = torch.tensor(0.0)
    for p in parameters:
        if p.grad is None:
            continue
        squared = squared + p.grad.detach().pow(2).sum()
        running = squared.sqrt()
        if running > max_norm:
            p.grad.mul_(max_norm / (running + 1e-6))
    return squared.sqrt()

# %% wrong (first): short gradients are made longer too / the norm that is returned is a Python float
# true: short_ones_lengthened
def clip_gradients(parameters, max_norm):
    params = [p for p in parameters if p.grad is not None]
    total_norm = 0.0
    for p in params:
        total_norm += p.grad.data.norm(2).item() ** 2
    total_norm = total_norm ** 0.5
    for p in params:
        p.grad.data.mul_(max_norm / (total_norm + 1e-6))
    return total_norm

# %% wrong (first): each parameter is clipped by its own norm / the norm of the last parameter is returned
def clip_gradients(parameters, max_norm):
    norm = None
    for p in parameters:
        if p.grad is None:
            continue
        norm = p.grad.detach().norm()
        p.grad.detach().mul_(torch.clamp(max_norm / (norm + 1e-6), max=1.0))
    return norm

# %% right (first): list first, clamp of the factor as PyTorch does
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    total_norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in grads]))
    coef = torch.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    with torch.no_grad():
        for g in grads:
            g.mul_(coef)
    return total_norm

# %% right (first): one flat vector, if in place of clamp, .data
def clip_gradients(parameters, max_norm):
    parameters = [p for p in parameters if p.grad is not None]
    norm = torch.cat([p.grad.data.reshape(-1) for p in parameters]).norm()
    if norm > max_norm:
        for p in parameters:
            p.grad.data *= max_norm / (norm + 1e-6)
    return norm

# %% right (first): sum of squares in a loop, copy_ into the gradient
@torch.no_grad()
def clip_gradients(parameters, max_norm):
    kept, squares = [], 0
    for p in parameters:
        if p.grad is None:
            continue
        kept.append(p)
        squares = squares + (p.grad * p.grad).sum()
    norm = squares ** 0.5
    factor = max_norm / (norm + 1e-6)
    if factor < 1:
        for p in kept:
            p.grad.copy_(p.grad * factor)
    return norm

# %% wrong (second): each parameter's gradient is shortened by its own norm, not all by one factor
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


# %% wrong (second): gradients shorter than the maximum are stretched to it, because the factor is not limited to 1
# true: short_ones_lengthened
def clip_gradients(parameters, max_norm):
    grads = [p.grad.data for p in parameters if p.grad is not None]
    flat = torch.cat([g.reshape(-1) for g in grads])
    total_norm = flat.norm(p=2)
    clip_coef = max_norm / (total_norm + 1e-6)
    for g in grads:
        g *= clip_coef
    return total_norm


# %% wrong (second): the parameters are gone through a second time for the scaling, and a generator is empty by then / the norm after clipping is returned
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


# %% right (second): norm of the stacked norms, clamped factor, under no_grad
@torch.no_grad()
def clip_gradients(parameters, max_norm):
    params = [p for p in list(parameters) if p.grad is not None]
    norms = torch.stack([torch.linalg.vector_norm(p.grad) for p in params])
    total_norm = torch.linalg.vector_norm(norms)
    factor = torch.clamp(max_norm / (total_norm + 1e-6), max=1.0)
    for p in params:
        p.grad.mul_(factor)
    return total_norm

# %% wrong (third): goes through the parameters twice, so that a generator's gradients are measured and never scaled
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


# %% wrong (third): adds up the norms of the parameters instead of their squares
# true: norms_added
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    params = [p for p in parameters if p.grad is not None]
    total = sum(torch.linalg.vector_norm(p.grad) for p in params)
    coef = torch.clamp(max_norm / (total + 1e-6), max=1.0)
    for p in params:
        p.grad.data.mul_(coef)
    return total


# %% wrong (third): stretches gradients that are shorter than max_norm
# true: short_ones_lengthened
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    grads = [p.grad for p in parameters if p.grad is not None]
    norm = torch.sqrt(sum((g**2).sum() for g in grads))
    with torch.no_grad():
        for g in grads:
            g *= max_norm / (norm + 1e-6)
    return norm


# %% right (third): one flat vector of all gradients, cut up again and written back
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

# %% wrong (last): the parameters are gone through twice, so model.parameters() is used up when it comes to scaling
# true: nothing_changed
# Violates "It may be a generator ...: it can be gone through once": the norm is right, nothing is scaled.
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    total = torch.sqrt(sum(p.grad.pow(2).sum() for p in parameters if p.grad is not None))
    if total > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(max_norm / (total + 1e-6))
    return total


# %% wrong (last): every parameter's gradient is clipped by its own norm
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


# %% right (last): one long vector, a factor clamped to at most 1, foreach
@torch.no_grad()
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    gradients = list(filter(lambda g: g is not None, map(lambda p: p.grad, parameters)))
    length = torch.linalg.vector_norm(torch.cat([*map(torch.ravel, gradients)]))
    factor = max_norm / (length + 1e-6)
    factor = torch.minimum(factor, torch.ones_like(factor))
    for gradient in gradients:
        torch.mul(gradient, factor, out=gradient)
    return length


# %% wrong (fifth): goes over the parameters twice, so nothing of a generator is scaled
# true: nothing_changed
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    norm = torch.stack([p.grad.norm() for p in parameters if p.grad is not None]).norm()
    if norm > max_norm:
        for p in parameters:
            if p.grad is not None:
                p.grad.mul_(max_norm / (norm + 1e-6))
    return norm


# %% wrong (fifth): each parameter's gradient is clipped by its own norm
# true: each_by_its_own_norm
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    squares = []
    for parameter in parameters:
        if parameter.grad is None:
            continue
        norm = parameter.grad.norm()
        squares.append(norm**2)
        if norm > max_norm:
            parameter.grad.mul_(max_norm / (norm + 1e-6))
    return torch.stack(squares).sum().sqrt()


# %% wrong (fifth): grad is replaced by a new tensor, not changed in place
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    with_grad = [p for p in parameters if p.grad is not None]
    norm = torch.sqrt(sum((p.grad**2).sum() for p in with_grad))
    if norm > max_norm:
        for p in with_grad:
            p.grad = p.grad * (max_norm / (norm + 1e-6))
    return norm


# %% right (fifth): one long vector for the norm, and a factor that is 1 if nothing is to be done
def clip_gradients(parameters: Iterable[nn.Parameter], max_norm: float) -> Tensor:
    gradients = [p.grad.detach() for p in parameters if p.grad is not None]  # they share memory with p.grad
    total = torch.linalg.vector_norm(torch.cat([gradient.reshape(-1) for gradient in gradients]))  # ()
    factor = torch.where(total > max_norm, max_norm / (total + 1e-6), torch.ones_like(total))
    for gradient in gradients:
        gradient *= factor
    return total
