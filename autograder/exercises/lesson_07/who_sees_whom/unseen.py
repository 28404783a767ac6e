# %% wrong (fifth): the grid is transposed, rows are tokens and columns are outputs
# true: rows_are_tokens
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    length = ids.size(0)
    before = model(ids.unsqueeze(0))[0]  # (T, V)
    grid = torch.zeros(length, length, dtype=torch.bool)
    for position in range(length):
        changed = ids.clone()
        changed[position] = other
        after = model(changed.unsqueeze(0))[0]  # (T, V)
        grid[position] = ((after - before).abs() > 1e-9).any(dim=-1)
    return grid


# %% wrong (fifth): no clone, so earlier tokens stay replaced, in the ids of the caller too
# true: changes_stay
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = len(ids)
    before = model(ids[None])[0]  # (T, V)
    grid = torch.zeros(T, T, dtype=torch.bool)
    for j in range(T):
        changed = ids
        changed[j] = other
        after = model(changed[None])[0]  # (T, V)
        grid[:, j] = ((after - before).abs() > 1e-9).any(dim=-1)
    return grid


# %% wrong (fifth): torch.isclose with its default tolerances, so small changes are missed
# true: too_coarse
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    before = model(ids.unsqueeze(0))  # (1, T, V)
    columns = []
    for j in range(len(ids)):
        changed = ids.clone()
        changed[j] = other
        after = model(changed.unsqueeze(0))  # (1, T, V)
        columns.append(~torch.isclose(before, after).all(dim=-1)[0])
    return torch.stack(columns, dim=1)


# %% wrong (fifth): differences are summed over V with their signs, so they can cancel
# true: changes_cancel
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    before = model(ids.unsqueeze(0))  # (1, T, V)
    seen = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    for j in range(len(ids)):
        changed = ids.clone()
        changed[j] = other
        difference = (model(changed.unsqueeze(0)) - before).sum(dim=-1)  # (1, T)
        seen[:, j] = difference[0].abs() > 1e-9
    return seen


# %% wrong (fifth): only asks whether the highest of the V numbers is at another place
# true: prediction_only
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.shape[0]
    predicted = model(ids.view(1, T)).argmax(dim=-1)  # (1, T)
    grid = torch.zeros(T, T, dtype=torch.bool)
    for j in range(T):
        replaced = ids.clone()
        replaced[j] = other
        grid[:, j] = (model(replaced.view(1, T)).argmax(dim=-1) != predicted)[0]
    return grid


# %% wrong (fifth): outputs are compared with !=, so a rounding error counts as a change
# true: rounding_counts
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.size(0)
    before = model(ids.unsqueeze(0)).squeeze(0)  # (T, V)
    grid = torch.empty(T, T, dtype=torch.bool)
    for j in range(T):
        changed = ids.clone()
        changed[j] = other
        after = model(changed.unsqueeze(0)).squeeze(0)  # (T, V)
        grid[:, j] = (after != before).any(dim=1)
    return grid


# %% wrong (fifth): all of the V numbers have to differ, not any of them
# true: every_number_must_move
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.size(0)
    grid = torch.zeros(T, T, dtype=torch.bool)
    before = model(ids[None, :])  # (1, T, V)
    for j in range(T):
        changed = ids.clone()
        changed[j] = other
        after = model(changed[None, :])  # (1, T, V)
        for i in range(T):
            grid[i, j] = torch.all((after[0, i] - before[0, i]).abs() > 1e-9)
    return grid


# %% wrong (fifth): outputs are converted to float32 before the comparison
# true: single_precision
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.size(0)
    with torch.no_grad():
        before = model(ids.unsqueeze(0)).float()  # (1, T, V)
        grid = torch.zeros(T, T, dtype=torch.bool)
        for j in range(T):
            changed = ids.clone()
            changed[j] = other
            after = model(changed.unsqueeze(0)).float()  # (1, T, V)
            grid[:, j] = (after - before).abs().amax(dim=-1)[0] > 1e-9
    return grid


# %% wrong (fifth): the diagonal is taken for granted and never measured
# true: own_token_assumed
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.size(0)
    before = model(ids.unsqueeze(0))[0]  # (T, V)
    grid = torch.eye(T, dtype=torch.bool)  # each output depends on its own token
    for j in range(T):
        changed = ids.clone()
        changed[j] = other
        after = model(changed.unsqueeze(0))[0]  # (T, V)
        for i in range(T):
            if i != j:
                grid[i, j] = bool(((after[i] - before[i]).abs() > 1e-9).any())
    return grid


# %% wrong (fifth): replacements pile up, each run is compared with the run before it
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    T = ids.size(0)
    changed = ids.clone()
    before = model(changed.unsqueeze(0))[0]  # (T, V)
    grid = torch.zeros(T, T, dtype=torch.bool)
    for j in range(T):
        changed[j] = other
        after = model(changed.unsqueeze(0))[0]  # (T, V)
        grid[:, j] = (after - before).abs().amax(dim=-1) > 1e-9
        before = after
    return grid


# %% right (fifth): all sentences in one batch, the diagonal replaced
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    batch = ids.repeat(len(ids) + 1, 1)  # (T + 1, T)
    batch[1:].fill_diagonal_(other)
    with torch.no_grad():
        outputs = model(batch)  # (T + 1, T, V)
    moved = (outputs[1:] - outputs[:1]).abs().amax(dim=-1) > 1e-9  # (token, output)
    return moved.T


# %% right (fifth): torch.where picks the token, the largest difference is a maximum norm
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    places = torch.arange(len(ids), device=ids.device)
    before = model(ids[None])
    return torch.stack(
        [
            torch.linalg.vector_norm(model(torch.where(places == j, other, ids)[None]) - before, ord=math.inf, dim=-1)[0]
            for j in range(len(ids))
        ],
        dim=-1,
    ) > 1e-9


# %% right (fifth): Python loops over every pair and every number
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    words = ids.tolist()
    before = model(torch.tensor([words], device=ids.device))[0].tolist()
    grid = [[False] * len(words) for _ in words]
    for j in range(len(words)):
        changed = words[:j] + [other] + words[j + 1 :]
        after = model(torch.tensor([changed], device=ids.device))[0].tolist()
        for i, (old, new) in enumerate(zip(before, after)):
            for a, b in zip(old, new):
                if abs(a - b) > 1e-9:
                    grid[i][j] = True
    return torch.tensor(grid, dtype=torch.bool)


# %% right (fifth): the token is put back after each run, the grid is filled by index
def who_sees_whom(model: Callable[[Tensor], Tensor], ids: Tensor, other: int) -> Tensor:
    sentence = ids.detach().clone().reshape(1, -1)  # (1, T)
    T = sentence.shape[1]
    grid = torch.full((T, T), False)
    with torch.no_grad():
        before = model(sentence.clone())  # (1, T, V)
        for j in range(T):
            word = sentence[0, j].item()
            sentence[0, j] = other
            change = torch.abs(model(sentence.clone()) - before)  # (1, T, V)
            sentence[0, j] = word
            _, rows, _ = torch.nonzero(change > 1e-9, as_tuple=True)
            grid[rows, j] = True
    return grid
