# %% wrong: stops early only where all sentences end at the same step; otherwise it goes on to max_length, with columns of padding
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    B = source.size(0)
    ys = torch.full((B, 1), bos_id, dtype=torch.long)
    finished = torch.zeros(B, dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(ys, memory, memory_mask)
        next_word = logits[:, -1].argmax(dim=-1)
        next_word = next_word.masked_fill(finished, model.pad_id)
        ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
        finished = finished | (next_word == eos_id)
        if (next_word == eos_id).all():
            break
    return ys[:, 1:]


# %% wrong: notes that a sentence has ended before it fills up, and so writes padding over the end mark
# true: end_left_out
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        written = torch.full((len(source), 1), bos_id)
        done = torch.zeros(len(source), dtype=torch.bool)
        while not done.all() and written.size(1) <= max_length:
            logits = model.decode(written, memory, memory_mask)  # (B, t, V)
            token = logits[:, -1, :].argmax(-1)
            done |= token == eos_id
            token = torch.where(done, torch.tensor(model.pad_id), token)
            written = torch.cat((written, token[:, None]), dim=1)
    return written[:, 1:]


# %% wrong: fills up with zeros, whatever the model's pad_id is
# true: filled_with_zeros
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    batch = source.shape[0]
    memory, memory_mask = model.encode(source)
    out = torch.zeros(batch, max_length + 1, dtype=torch.long)
    out[:, 0] = bos_id
    active = torch.ones(batch, dtype=torch.bool)
    t = 0
    while t < max_length and active.any():
        step = model.decode(out[:, : t + 1], memory, memory_mask)[:, t].argmax(dim=-1)
        t += 1
        out[active, t] = step[active]
        active = active & (step != eos_id)
    return out[:, 1 : t + 1]


# %% right: the batch shrinks, only sentences that still run are decoded, and each is written into its row
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        table = source.new_full((source.size(0), max_length), model.pad_id, dtype=torch.long)  # (B, T_max)
        running = torch.arange(source.size(0), device=source.device)  # numbers of the rows that have not ended
        begun = running.new_full((running.numel(), 1), bos_id)  # (R, t + 1)
        steps = 0
        while running.numel() and steps < max_length:
            logits = model.decode(begun, memory[running], memory_mask[running])  # (R, t + 1, V)
            word = torch.max(logits.select(1, -1), dim=-1).indices  # (R,)
            table[running, steps] = word
            goes_on = word.ne(eos_id)
            begun = torch.cat([begun, word.unsqueeze(-1)], dim=-1)[goes_on]
            running = running[goes_on]
            steps += 1
    return table[:, :steps].contiguous()
