def _loss_of(model, source, target, pad_id, smoothing):
    logits = model(source, target[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=pad_id, label_smoothing=smoothing)


# %% right: torchs parts
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    inputs, labels = shift_targets(target)
    logits = model(source, inputs)
    loss = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id, label_smoothing=smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return float(loss)


# %% right: own slices
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(True)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None
    logits = model(source, target[:, :-1])
    loss = label_smoothed_loss(logits, target[:, 1:], pad_id, smoothing)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach().item()


# %% right: gradients by hand
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id=pad_id, smoothing=smoothing)
    gradients = torch.autograd.grad(loss, parameters)
    norm = sum(gradient.square().sum() for gradient in gradients) ** 0.5
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient * min(1.0, max_norm / (norm.item() + 1e-6))
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% right: with a closure
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()

    def closure():
        optimizer.zero_grad(set_to_none=False)
        inputs, labels = shift_targets(target)
        loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
        return loss

    loss = optimizer.step(closure)
    scheduler.step()
    return loss.item()


# %% right: cleared first and last
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.zero_grad()
    model = model.train()
    inputs, labels = shift_targets(target)
    loss = label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing)
    value = loss.item()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    optimizer.zero_grad()
    scheduler.step()
    return value


# %% wrong: whole target
# true: target_not_shifted
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    logits = model(source, target)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=pad_id, label_smoothing=smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% wrong: detached only
# true: returns_a_tensor
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.detach()


# %% wrong: train false
# true: in_evaluation_mode
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train(False)
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, smoothing)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% wrong: own tenth
# true: smoothing_not_passed_on
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    model.train()
    optimizer.zero_grad()
    loss = _loss_of(model, source, target, pad_id, 0.1)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    scheduler.step()
    return loss.item()


# %% trivial: zero
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    return 0.0


# %% trivial: only the loss
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    inputs, labels = shift_targets(target)
    return label_smoothed_loss(model(source, inputs), labels, pad_id, smoothing).item()


# %% trivial: noise
def train_step(model, optimizer, scheduler, source, target, pad_id, smoothing=0.1, max_norm=1.0):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    return 1.0
