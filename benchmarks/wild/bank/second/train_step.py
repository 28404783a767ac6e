# %% wrong: every single gradient entry is clipped to max_norm by value, in place of scaling them all by their common norm
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


# %% wrong: the scheduler is handed the loss, which it takes for the number of the epoch
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


# %% wrong: a tensor is returned and not a number / smoothing is not handed to the loss, which always takes 0.1
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


# %% right: gradients cleared through the parameters, enable_grad around the forward pass, a list of those that have a gradient for the clipping
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
