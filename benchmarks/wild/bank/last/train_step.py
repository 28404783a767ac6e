# %% wrong: clips each parameter's gradient by itself ("the greatest norm of all gradients together")
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
    inputs, labels = shift_targets(target)
    optimizer.zero_grad()
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    for parameter in model.parameters():
        if parameter.grad is not None:
            clip_gradients([parameter], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% wrong: clears the gradients at the end, so those left from before count in the first step ("gradients left from before do not count") / leaves the model in whatever mode it is ("It is put into training mode")
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
    inputs, labels = shift_targets(target)
    logits = model(source, inputs)
    loss = label_smoothed_loss(logits, labels, pad_id, smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return loss.item()


# %% right: functional, gradients asked for by torch.autograd.grad and laid into .grad
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
    read, asked = shift_targets(target)
    loss = label_smoothed_loss(model(source, read), asked, pad_id, smoothing=smoothing)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    for parameter, gradient in zip(trained, torch.autograd.grad(loss, trained, allow_unused=True)):
        parameter.grad = gradient
    clip_gradients([parameter for parameter in trained if parameter.grad is not None], max_norm)
    for mover in (optimizer, scheduler):
        mover.step()
    return float(loss.detach())
