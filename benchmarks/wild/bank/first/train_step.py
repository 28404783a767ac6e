# %% wrong: old gradients are never cleared, they add up
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

# %% wrong: gradients are cleared after backward, so nothing is left for the step
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

# %% wrong: gradients are cleared at the end only, those left from before the call count in it
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

# %% wrong: gradients are clipped before backward, when there are none or old ones
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

# %% wrong: the scheduler moves on before the optimiser has stepped, so the step is made with the next step's rate
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

# %% wrong: the scheduler is handed the loss, which LambdaLR and its like take for the number of the epoch
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

# %% wrong: the model is not put into training mode, after an evaluation nothing is dropped
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

# %% wrong: the loss is measured after the step
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

# %% wrong: each parameter's gradient is clipped by itself, not all together
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

# %% wrong: the entries of the gradients are cut at max_norm, their common norm is not looked at
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

# %% wrong: smoothing is not handed to the loss, which takes its usual 0.1 / max_norm is ignored, gradients are always clipped at 1
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

# %% wrong: gradients are clipped after the optimiser has moved the weights
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

# %% wrong: only the optimiser's first group of parameters is clipped
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

# %% wrong: the loss comes back as a tensor with its graph / the scheduler never moves on
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

# %% wrong: the model reads the labels, the word it is to say, and the loss compares with the same
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

# %% wrong: the loss is multiplied by the number of real tokens before backward, the gradient is that of the sum
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

# %% wrong: all gradients are brought to the length max_norm, the short ones are made longer
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

# %% wrong: the scheduler steps before the optimiser / gradients are not clipped at all
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

# %% right: the seven lines
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

# %% right: gradients cleared first and to zeros, keyword arguments
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

# %% right: the number is kept before the step, gradients cleared parameter by parameter, an assertion
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
