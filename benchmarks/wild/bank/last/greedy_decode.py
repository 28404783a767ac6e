# %% wrong: asks that all sentences write eos at the same step; those that ended earlier write padding, so a batch runs on to max_length ("T is the length of the longest")
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    done = torch.zeros(source.size(0), dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(ys, memory, memory_mask)
        next_word = logits[:, -1].argmax(dim=-1)
        next_word = next_word.masked_fill(done, model.pad_id)
        ys = torch.cat([ys, next_word.unsqueeze(1)], dim=1)
        done = done | (next_word == eos_id)
        if (next_word == eos_id).all():
            break
    return ys[:, 1:]


# %% wrong: bos is counted in max_length, one token too few is written ("bos_id does not: nobody wrote it") / the source is encoded anew at every step ("The source is encoded once")
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    output = torch.full((len(source), 1), bos_id, dtype=torch.long)
    finished = torch.zeros(len(source), dtype=torch.bool)
    while output.size(1) < max_length and not finished.all():
        logits = model.decode(output, *model.encode(source))
        token = logits[:, -1, :].argmax(-1)
        token[finished] = model.pad_id
        finished |= token == eos_id
        output = torch.cat((output, token[:, None]), dim=1)
    return output[:, 1:]


# %% right: a sheet of padding filled in, and only the sentences still running are decoded
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    with torch.no_grad():
        memory, memory_mask = model.encode(source)
        sheet = source.new_full((len(source), max_length + 1), model.pad_id)  # (B, T_max + 1)
        sheet[:, 0] = bos_id
        running, written = torch.arange(len(source), device=source.device), 0
        while len(running) and written < max_length:
            logits = model.decode(sheet[running, : written + 1], memory[running], memory_mask[running])
            words = logits[:, written].max(dim=-1).indices
            written += 1
            sheet[running, written] = words
            running = running[words != eos_id]
    return sheet[:, 1 : written + 1]
