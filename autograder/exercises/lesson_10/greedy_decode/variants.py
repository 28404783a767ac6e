def greedy_in_lists(
    begin="bos", fill="pad", from_=1, more=0, stop=all, shown=slice(None), choose=lambda x: x.argmax(-1), end=True
):
    """Greedy decoding in Python lists, one thing changed."""

    def decode(model, source, bos_id, eos_id, max_length):
        ids = {"bos": bos_id, "pad": model.pad_id, "eos": eos_id, "zero": 0}
        memory, mask = model.encode(source)
        rows, done = [[ids[begin]] for _ in source], [False] * len(source)
        for _ in range(max_length + more):
            logits = model.decode(torch.tensor([row[shown] for row in rows]), memory, mask)[:, -1]
            for i, token in enumerate(choose(logits).tolist()):
                rows[i].append(ids[fill] if done[i] and fill else token)
                done[i] = done[i] or token == eos_id
            if stop(done):
                break
        written = torch.tensor([row[from_:] for row in rows])
        return written if end else torch.where(written == eos_id, model.pad_id, written)

    return decode


# %% right: columns are collected
def greedy_decode(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    column = torch.full((len(source), 1), bos_id)
    columns, done = [], torch.zeros(len(source), 1, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(torch.cat([torch.full((len(source), 1), bos_id), *columns], dim=1), memory, memory_mask)
        column = torch.where(done, model.pad_id, logits[:, -1:].argmax(-1))
        columns.append(column)
        done |= column == eos_id
        if done.all():
            break
    return torch.cat(columns, dim=1)


# %% right: sentence by sentence
def greedy_decode(model, source, bos_id, eos_id, max_length):
    rows = []
    for sentence in source:
        row, read = [bos_id], model.encode(sentence[None])
        while len(row) <= max_length and row[-1] != eos_id:
            logits = model.decode(torch.tensor([row]), *read)
            row.append(int(logits[0, -1].argmax()))
        rows.append(row[1:])
    longest = max(map(len, rows))
    return torch.tensor([row + [model.pad_id] * (longest - len(row)) for row in rows])


# %% right: a table of padding filled in
def greedy_decode(model, source, bos_id, eos_id, max_length):
    memory, mask = model.encode(source)
    out = torch.full((source.shape[0], max_length + 1), model.pad_id, dtype=torch.long)
    out[:, 0] = bos_id
    running = torch.ones(source.shape[0], dtype=torch.bool)
    t = 0
    while running.any() and t < max_length:
        following = model.decode(out[:, : t + 1], memory, mask)[:, t].log_softmax(-1).max(-1).indices
        t += 1
        out[running, t] = following[running]
        running = running & (following != eos_id)
    return out[:, 1 : t + 1]


# %% right: cut at the end
def greedy_decode(model, source, bos_id, eos_id, max_length):
    read = model.encode(source)
    ids = source.new_full((source.size(0), 1), bos_id)
    for _ in range(max_length):
        ids = torch.cat([ids, model.decode(ids, *read)[:, -1].topk(1).indices], dim=1)
    ids = ids[:, 1:]
    ended_before = (ids == eos_id).long().cumsum(1) - (ids == eos_id).long() > 0
    ids = ids.masked_fill(ended_before, model.pad_id)
    return ids[:, : int((~ended_before).sum(1).max())]


# %% right: only running rows are decoded
def greedy_decode(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    found = [[] for _ in source]
    rows = list(range(len(source)))
    for _ in range(max_length):
        target = torch.tensor([[bos_id, *found[r]] for r in rows])
        tokens = model.decode(target, memory[rows], memory_mask[rows])[:, -1].argmax(1).tolist()
        for r, token in zip(rows, tokens, strict=True):
            found[r].append(token)
        rows = [r for r in rows if found[r][-1] != eos_id]
        if not rows:
            break
    longest = max(len(f) for f in found)
    return torch.tensor([f + [model.pad_id] * (longest - len(f)) for f in found])


# %% wrong: one token too many
# true: one_token_too_many
greedy_decode = greedy_in_lists(more=1)


# %% wrong: begins with padding
# true: begins_with_padding
greedy_decode = greedy_in_lists(begin="pad")


# %% wrong: begins with the end
# true: begins_with_the_end
greedy_decode = greedy_in_lists(begin="eos")


# %% wrong: least likely
# true: least_likely
greedy_decode = greedy_in_lists(choose=lambda x: (-x).softmax(-1).max(-1).indices)


# %% trivial: nothing but padding
def greedy_decode(model, source, bos_id, eos_id, max_length):
    return torch.full((source.size(0), max_length), model.pad_id)


# %% trivial: the source again
def greedy_decode(model, source, bos_id, eos_id, max_length):
    return source


# %% trivial: the end at once
def greedy_decode(model, source, bos_id, eos_id, max_length):
    return torch.full((source.size(0), 1), eos_id)


# %% trivial: noise
def greedy_decode(model, source, bos_id, eos_id, max_length):
    return torch.randint(3, 6, (source.size(0), max_length))
