# %% wrong: the loop stops before the last column is appended, so the longest sentence comes back without its end mark
@torch.no_grad()
def greedy_decode(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long, device=source.device)
    done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_length):
        logits = model.decode(ys, memory, memory_mask)
        next_word = logits[:, -1].argmax(dim=-1)
        next_word = next_word.masked_fill(done, model.pad_id)
        done = done | (next_word == eos_id)
        if done.all():
            break
        ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
    return ys[:, 1:]


# %% wrong: padding and the start mark are forbidden by setting their logits to -1e9, so it does not take the likeliest token
@torch.no_grad()
def greedy_decode(model, source, bos_id, eos_id, max_length):
    memory, memory_mask = model.encode(source)
    batch = source.shape[0]
    written = source.new_full((batch, 1), bos_id)
    finished = source.new_zeros(batch).bool()
    for step in range(max_length):
        logits = model.decode(written, memory, memory_mask)[:, -1, :].clone()
        logits[:, model.pad_id] = -1e9
        logits[:, bos_id] = -1e9
        token = torch.log_softmax(logits, dim=-1).argmax(-1)
        token = torch.where(finished, torch.full_like(token, model.pad_id), token)
        written = torch.cat((written, token[:, None]), 1)
        finished |= token == eos_id
        if bool(finished.all()):
            break
    return written[:, 1:]


# %% wrong: a table of full max_length width comes back, even where all sentences have ended earlier
# true: never_stops_early
def greedy_decode(model, source, bos_id, eos_id, max_length):
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        B = source.size(0)
        out = torch.full((B, max_length + 1), model.pad_id, dtype=torch.long, device=source.device)
        out[:, 0] = bos_id
        ended = torch.zeros(B, dtype=torch.bool, device=source.device)
        for t in range(max_length):
            scores = model.decode(out[:, : t + 1], memory, memory_mask)[:, -1]
            word = scores.argmax(dim=-1)
            out[~ended, t + 1] = word[~ended]
            ended |= out[:, t + 1] == eos_id
            if ended.all():
                break
    return out[:, 1:]


# %% right: a list of columns, topk(1) in place of argmax, what follows the first end mark is overwritten afterwards by cumsum
@torch.no_grad()
def greedy_decode(model, source, bos_id, eos_id, max_length):
    encoded = model.encode(source)
    columns = [torch.full((len(source),), bos_id, dtype=torch.long, device=source.device)]
    alive = torch.ones(len(source), dtype=torch.bool, device=source.device)
    while len(columns) <= max_length and alive.any():
        logits = model.decode(torch.stack(columns, dim=1), *encoded)
        best = logits[:, -1].topk(1, dim=-1).indices.squeeze(-1)
        columns.append(best)
        alive = alive & best.ne(eos_id)
    written = torch.stack(columns[1:], dim=1)
    is_end = written.eq(eos_id).long()
    behind_end = (is_end.cumsum(dim=1) - is_end) > 0
    return written.masked_fill(behind_end, model.pad_id)
