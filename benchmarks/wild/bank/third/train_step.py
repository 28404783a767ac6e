# %% wrong: clears the gradients after the step only: those left from before the first one count
# true: cleared_at_the_end
def train_step(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    smoothing: float = 0.1,
    max_norm: float = 1.0,
) -> float:
    model.train()
    inputs, labels = shift_targets(target)
    logits = model(source, inputs)
    loss = label_smoothed_loss(logits, labels, pad_id, smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return loss.item()


# %% wrong: clips the gradient of each parameter for itself, not all together
# true: clipped_one_by_one
def train_step(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    smoothing: float = 0.1,
    max_norm: float = 1.0,
) -> float:
    model.train()
    optimizer.zero_grad()
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    for p in model.parameters():
        if p.grad is not None:
            clip_gradients([p], max_norm)
    optimizer.step()
    scheduler.step()
    return float(loss.detach())


# %% wrong: does not hand smoothing on, so that it is always 0.1 / returns a tensor and not a Python number
def train_step(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    smoothing: float = 0.1,
    max_norm: float = 1.0,
) -> float:
    model.train()
    tgt_in, tgt_out = shift_targets(target)
    optimizer.zero_grad(set_to_none=True)
    out = model(source, tgt_in)
    loss = label_smoothed_loss(out, tgt_out, pad_id)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach()


# %% right: gradients are asked for with torch.autograd.grad and put in place, nothing is added to old ones
def train_step(
    model: nn.Module,
    optimizer: Optimizer,
    scheduler: LRScheduler,
    source: Tensor,
    target: Tensor,
    pad_id: int,
    smoothing: float = 0.1,
    max_norm: float = 1.0,
) -> float:
    model.train(mode=True)
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id=pad_id, smoothing=smoothing)
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    for parameter, gradient in zip(learned, torch.autograd.grad(loss, learned, allow_unused=True)):
        parameter.grad = None if gradient is None else gradient.clone()
    clip_gradients(learned, max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()
