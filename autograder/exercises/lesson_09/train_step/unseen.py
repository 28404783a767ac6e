# %% wrong (first): old gradients are never cleared, they add up
# true: gradients_never_cleared
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
    return loss.item()

# %% wrong (first): gradients are cleared after backward, so nothing is left for the step
# true: nothing_moves
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    optimizer.zero_grad(set_to_none=False)
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return float(loss)

# %% wrong (first): gradients are cleared at the end only, those left from before the call count in it
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    optimizer.zero_grad()
    return loss.detach().item()

# %% wrong (first): gradients are clipped before backward, when there are none or old ones
# true: not_clipped
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
    optimizer.zero_grad(set_to_none=False)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    if any(p.grad is not None for p in model.parameters()):
        clip_gradients(model.parameters(), max_norm)
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the scheduler moves on before the optimiser has stepped, so the step is made with the next step's rate
# true: scheduler_first
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
    scheduler.step()
    optimizer.zero_grad()
    tgt_in, tgt_out = shift_targets(target)
    loss = label_smoothed_loss(model(source, tgt_in), tgt_out, pad_id, smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()

# %% wrong (first): the scheduler is handed the loss, which LambdaLR and its like take for the number of the epoch
# true: scheduler_gets_the_loss
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
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step(loss.item())
    return loss.item()

# %% wrong (first): the model is not put into training mode, after an evaluation nothing is dropped
# true: mode_left_as_it_is
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
    optimizer.zero_grad()
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    norm = clip_gradients(model.parameters(), max_norm)
    assert torch.isfinite(norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the loss is measured after the step
# true: loss_after_the_step
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
    def batch_loss():
        inputs, labels = shift_targets(target)
        return label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)

    model.train()
    optimizer.zero_grad()
    batch_loss().backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    with torch.no_grad():
        return batch_loss().item()

# %% wrong (first): each parameter's gradient is clipped by itself, not all together
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    for p in model.parameters():
        if p.grad is not None:
            clip_gradients([p], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the entries of the gradients are cut at max_norm, their common norm is not looked at
# true: clipped_by_value
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): smoothing is not handed to the loss, which takes its usual 0.1 / max_norm is ignored, gradients are always clipped at 1
# true: clipped_at_one, smoothing_not_passed_on
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
    decoder_input, expected = shift_targets(target)
    loss = label_smoothed_loss(model(source, decoder_input), expected, pad_id)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): gradients are clipped after the optimiser has moved the weights
# true: not_clipped
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
    optimizer.step()
    clip_gradients(model.parameters(), max_norm)
    scheduler.step()
    return loss.item()

# %% wrong (first): only the optimiser's first group of parameters is clipped
# true: first_group_clipped
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
    clip_gradients(optimizer.param_groups[0]["params"], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the loss comes back as a tensor with its graph / the scheduler never moves on
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
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    return loss

# %% wrong (first): the model reads the labels, the word it is to say, and the loss compares with the same
# true: labels_read
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
    _, labels = shift_targets(target)
    logits = model(source, labels)
    loss = label_smoothed_loss(logits, labels, pad_id, smoothing)
    model.zero_grad()
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the loss is multiplied by the number of real tokens before backward, the gradient is that of the sum
# true: gradient_of_the_sum
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
    n_tokens = (labels != pad_id).sum()
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing) * n_tokens
    optimizer.zero_grad()
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return (loss / n_tokens).item()

# %% wrong (first): all gradients are brought to the length max_norm, the short ones are made longer
# true: always_scaled_to_max_norm
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
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    norm = torch.sqrt(sum((g.data**2).sum() for g in grads))
    for g in grads:
        g.mul_(max_norm / (norm + 1e-6))
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% wrong (first): the scheduler steps before the optimiser / gradients are not clipped at all
# true: not_clipped, scheduler_first
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    scheduler.step()
    optimizer.step()
    return loss.item()

# %% right (first): the seven lines
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()

# %% right (first): gradients cleared first and to zeros, keyword arguments
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
    model.train(True)
    optimizer.zero_grad(set_to_none=False)
    decoder_in, gold = shift_targets(target)
    with torch.enable_grad():
        logits = model(source, decoder_in)
        loss = label_smoothed_loss(logits, gold, pad_id=pad_id, smoothing=smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm=max_norm)
    optimizer.step()
    scheduler.step()
    return float(loss.detach())

# %% right (first): the number is kept before the step, gradients cleared parameter by parameter, an assertion
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
    for parameter in model.parameters():
        parameter.grad = None
    model.train()
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    before = loss.cpu().item()
    assert math.isfinite(before), "the loss is not a number"
    loss.backward()
    clip_gradients([p for p in model.parameters() if p.requires_grad], max_norm)
    optimizer.step()
    scheduler.step()
    return before

# %% wrong (second): every single gradient entry is clipped to max_norm by value, in place of scaling them all by their common norm
# true: clipped_by_value
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    inputs, labels = shift_targets(target)
    logits = model(source, inputs)
    loss = label_smoothed_loss(logits, labels, pad_id, smoothing)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% wrong (second): the scheduler is handed the loss, which it takes for the number of the epoch
# true: scheduler_gets_the_loss
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    value = float(loss.data)
    scheduler.step(value)
    return value


# %% wrong (second): a tensor is returned and not a number / smoothing is not handed to the loss, which always takes 0.1
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    inputs, labels = shift_targets(target)
    optimizer.zero_grad()
    output = model(source, inputs)
    loss = label_smoothed_loss(output, labels, pad_id)
    loss.backward()
    clip_gradients(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach()


# %% right (second): gradients cleared through the parameters, enable_grad around the forward pass, a list of those that have a gradient for the clipping
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(True)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    with torch.enable_grad():
        inputs, labels = shift_targets(target)
        loss = label_smoothed_loss(model(source, inputs), labels, pad_id=pad_id, smoothing=smoothing)
        loss.backward()
    clip_gradients([p for p in model.parameters() if p.grad is not None], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach().cpu().item()

# %% wrong (third): clears the gradients after the step only: those left from before the first one count
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


# %% wrong (third): clips the gradient of each parameter for itself, not all together
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


# %% wrong (third): does not hand smoothing on, so that it is always 0.1 / returns a tensor and not a Python number
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


# %% right (third): gradients are asked for with torch.autograd.grad and put in place, nothing is added to old ones
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

# %% wrong (last): clips each parameter's gradient by itself ("the greatest norm of all gradients together")
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


# %% wrong (last): clears the gradients at the end, so those left from before count in the first step ("gradients left from before do not count") / leaves the model in whatever mode it is ("It is put into training mode")
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


# %% right (last): functional, gradients asked for by torch.autograd.grad and laid into .grad
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


# %% wrong (fifth): gradients are cleared at the end of the step, so old ones from elsewhere count in the first
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
    optimizer.zero_grad()  # ready for the next batch
    return loss.item()


# %% wrong (fifth): only the parameters of the optimizer's first group are clipped
# true: first_group_clipped
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
    clip_gradients(optimizer.param_groups[0]["params"], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% wrong (fifth): every parameter is clipped to max_norm on its own, not all of them together
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
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    optimizer.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        if parameter.grad is not None:
            clip_gradients([parameter], max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% right (fifth): gradients are cleared on the model before anything else, the loss is read before backward
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
    for parameter in model.train().parameters():
        parameter.grad = None
    reads, asked = shift_targets(target)
    loss = label_smoothed_loss(model(source, reads), asked, pad_id, smoothing)
    before = float(loss.detach())
    loss.backward()
    clip_gradients([p for p in model.parameters() if p.grad is not None], max_norm)
    optimizer.step()
    scheduler.step()
    return before
