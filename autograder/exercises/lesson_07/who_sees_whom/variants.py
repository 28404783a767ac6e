# %% right: one sentence after another
def who_sees_whom(model, ids, other):
    length = len(ids)
    before = model(ids[None])[0]
    seen = torch.zeros(length, length, dtype=torch.bool)
    for j in range(length):
        changed = ids.clone()
        changed[j] = other
        after = model(changed[None])[0]
        seen[:, j] = ((after - before).abs() > 1e-9).any(dim=-1)
    return seen


# %% right: a column for each token
def who_sees_whom(model, ids, other):
    with torch.no_grad():
        clean = model(ids.view(1, -1))
        columns = []
        for position in range(ids.numel()):
            words = ids.tolist()
            words[position] = other
            columns.append((model(torch.tensor([words])) - clean).norm(dim=-1)[0] > 1e-9)
    return torch.stack(columns, dim=1)


# %% right: where on an identity matrix
def who_sees_whom(model, ids, other):
    eye = torch.eye(len(ids), dtype=torch.bool)
    batch = torch.where(eye, torch.full_like(ids, other), ids)
    moved = (model(batch) - model(ids.unsqueeze(0))).detach().abs().max(dim=2).values
    return (moved > 1e-9).transpose(0, 1)


# %% right: the original in the same batch
def who_sees_whom(model, ids, other):
    sentences = ids.expand(len(ids) + 1, -1).clone()
    sentences[1:].fill_diagonal_(other)
    outputs = model(sentences).detach().numpy()
    return torch.from_numpy(np.any(np.abs(outputs[1:] - outputs[:1]) > 1e-9, axis=-1).T)


# %% right: pair by pair
def who_sees_whom(model, ids, other):
    T = ids.shape[0]
    grid = []
    for i in range(T):
        row = []
        for j in range(T):
            new = torch.cat([ids[:j], torch.tensor([other]), ids[j + 1:]])
            change = model(new.reshape(1, T))[0, i] - model(ids.reshape(1, T))[0, i]
            row.append(bool(change.abs().max() > 1e-9))
        grid.append(row)
    return torch.tensor(grid)


# %% wrong: the sentence itself is overwritten
# true: changes_stay
def who_sees_whom(model, ids, other):
    before = model(ids[None])
    seen = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    for j in range(len(ids)):
        ids[j] = other
        seen[:, j] = ((model(ids[None]) - before).abs().amax(-1) > 1e-9)[0]
    return seen


# %% wrong: close enough
# true: too_coarse
def who_sees_whom(model, ids, other):
    before = model(ids[None])[0]
    seen = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    for j in range(len(ids)):
        changed = ids.clone()
        changed[j] = other
        after = model(changed[None])[0]
        for i in range(len(ids)):
            seen[i, j] = not torch.allclose(after[i], before[i])
    return seen


# %% wrong: rows of replaced tokens
# true: rows_are_tokens
def who_sees_whom(model, ids, other):
    before = model(ids[None])[0]
    rows = []
    for j in range(len(ids)):
        changed = ids.clone()
        changed[j] = other
        rows.append((model(changed[None])[0] - before).abs().amax(-1) > 1e-9)
    return torch.stack(rows)


# %% wrong: exactly equal
# true: rounding_counts
def who_sees_whom(model, ids, other):
    before = model(ids[None])[0]
    seen = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    for j in range(len(ids)):
        changed = ids.clone()
        changed[j] = other
        seen[:, j] = (model(changed[None])[0] != before).any(-1)
    return seen


# %% trivial: all true
def who_sees_whom(model, ids, other):
    return torch.ones(len(ids), len(ids), dtype=torch.bool)


# %% trivial: a triangle
def who_sees_whom(model, ids, other):
    return torch.ones(len(ids), len(ids), dtype=torch.bool).tril()


# %% trivial: noise
def who_sees_whom(model, ids, other):
    return torch.rand(len(ids), len(ids)) < 0.5
