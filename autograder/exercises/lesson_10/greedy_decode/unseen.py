# %% wrong (first): bos is left in front of what is returned
# true: begin_kept
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    done = torch.zeros(source.size(0), dtype=torch.bool)
    for _ in range(max_length):
        word = model.decode(ys, memory, memory_mask)[:, -1].argmax(dim=-1)
        word = word.masked_fill(done, model.pad_id)
        ys = torch.cat([ys, word.unsqueeze(1)], dim=1)
        done = done | (word == eos_id)
        if done.all():
            break
    return ys

# %% wrong (first): a sentence that has ended goes on writing words until all have ended
# true: goes_on_after_the_end
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    batch_size = source.shape[0]
    ys = torch.ones(batch_size, 1).fill_(bos_id).long()
    finished = torch.zeros(batch_size).bool()
    for i in range(max_length):
        out = model.decode(ys, memory, memory_mask)
        prob = out[:, -1].softmax(dim=-1)
        _, next_word = torch.max(prob, dim=1)
        ys = torch.cat([ys, next_word.view(-1, 1)], dim=1)
        finished |= next_word.eq(eos_id)
        if bool(finished.all()):
            break
    return ys[:, 1:]

# %% wrong (first): the end mark itself is replaced by padding
# true: end_left_out
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, mask = model.encode(source)
    written = source.new_full((source.size(0), 1), bos_id)
    ended = torch.zeros(source.size(0), dtype=torch.bool)
    for _ in range(max_length):
        logits = model.decode(written, memory, mask)[:, -1]
        token = logits.argmax(-1)
        ended = ended | (token == eos_id)
        token[ended] = model.pad_id
        written = torch.cat((written, token[:, None]), dim=1)
        if ended.all():
            break
    return written[:, 1:]

# %% wrong (first): the source is encoded anew at every step
# true: encoded_at_every_step
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    target = torch.full((len(source), 1), bos_id, dtype=source.dtype)
    ended = torch.zeros(len(source), dtype=torch.bool)
    while target.size(1) <= max_length and not ended.all():
        memory, memory_mask = model.encode(source)
        best = model.decode(target, memory, memory_mask)[:, -1, :].argmax(dim=-1)
        best = torch.where(ended, torch.full_like(best, model.pad_id), best)
        target = torch.cat([target, best.unsqueeze(-1)], dim=-1)
        ended = ended | best.eq(eos_id)
    return target[:, 1:]

# %% wrong (first): decode is shown the last word only, not all that is written
# true: only_the_last_token
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    token = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    ended = torch.zeros(source.size(0), 1, dtype=torch.bool)
    words = []
    for _ in range(max_length):
        token = model.decode(token, memory, memory_mask)[:, -1:].argmax(dim=-1)
        token = token.masked_fill(ended, model.pad_id)
        words.append(token)
        ended = ended | (token == eos_id)
        if ended.all():
            break
    return torch.cat(words, dim=1)

# %% wrong (first): the loop stops as soon as one sentence has ended
# true: stops_with_the_first
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.zeros(source.size(0), 1, dtype=torch.long) + bos_id
    for _ in range(max_length):
        nxt = model.decode(ys, memory, memory_mask)[:, -1].argmax(1, keepdim=True)
        ys = torch.cat([ys, nxt], dim=1)
        if (nxt == eos_id).any():
            break
    return ys[:, 1:]

# %% wrong (first): the loop stops only when all sentences end at the very same step, so there are columns of nothing but padding
# true: stops_only_if_all_end_at_once
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    B = source.size(0)
    ys = torch.full((B, 1), bos_id)
    ended = torch.zeros(B, dtype=torch.bool)
    for _ in range(max_length):
        word = torch.argmax(model.decode(ys, memory, memory_mask)[:, -1], dim=-1)
        word[ended] = model.pad_id
        ys = torch.hstack([ys, word.reshape(B, 1)])
        ended |= word == eos_id
        if (word == eos_id).all():
            break
    return ys[:, 1:]

# %% wrong (first): bos is counted among the words, one token too few is written
# true: one_token_too_few
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    encoded = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    ended = torch.zeros(source.size(0), dtype=torch.bool)
    while ys.size(1) < max(max_length, 2):
        word = model.decode(ys, *encoded)[:, -1].argmax(-1)
        word = word.masked_fill(ended, model.pad_id)
        ys = torch.cat([ys, word[:, None]], 1)
        ended = ended.logical_or(word.eq(eos_id))
        if ended.all():
            break
    return ys[:, 1:]

# %% wrong (first): ended sentences are filled up with 0, whatever the model's pad_id is
# true: filled_with_zeros
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    unfinished = torch.ones(source.size(0), dtype=torch.long)
    for _ in range(max_length):
        token = model.decode(ys, memory, memory_mask)[:, -1].argmax(dim=-1)
        token = token * unfinished  # 0 where finished
        ys = torch.cat([ys, token.unsqueeze(1)], dim=1)
        unfinished = unfinished * (token != eos_id).long()
        if unfinished.max() == 0:
            break
    return ys[:, 1:]

# %% wrong (first): the next word is drawn by its probability, not chosen
# true: drawn_by_chance
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    ended = torch.zeros(source.size(0), 1, dtype=torch.bool)
    for _ in range(max_length):
        probabilities = torch.softmax(model.decode(ys, memory, memory_mask)[:, -1], dim=-1)
        token = torch.multinomial(probabilities, num_samples=1)
        token = token.masked_fill(ended, model.pad_id)
        ys = torch.cat([ys, token], dim=1)
        ended |= token == eos_id
        if ended.all():
            break
    return ys[:, 1:]

# %% wrong (first): the end is remembered one step only: after one padding a sentence goes on with words
# true: end_remembered_one_step
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    written = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    finished = torch.zeros(source.size(0), dtype=torch.bool)
    for step in range(max_length):
        logits = model.decode(written, memory, memory_mask)
        word = logits[:, -1].argmax(dim=-1)
        word[written[:, -1] == eos_id] = model.pad_id
        written = torch.cat([written, word.unsqueeze(1)], dim=1)
        finished = finished | (word == eos_id)
        if finished.all():
            break
    return written[:, 1:]

# %% wrong (first): behind its end a sentence is filled up with more end marks
# true: filled_with_the_end
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    for _ in range(max_length):
        nxt = model.decode(ys, memory, memory_mask)[:, -1].data.argmax(dim=-1, keepdim=True)
        nxt[ys[:, -1:] == eos_id] = eos_id
        ys = torch.cat([ys, nxt], dim=1)
        if (nxt == eos_id).all():
            break
    return ys[:, 1:]

# %% wrong (first): lists come back, cut at the end mark, not one tensor with padding
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    for _ in range(max_length):
        nxt = model.decode(ys, memory, memory_mask)[:, -1].argmax(-1, keepdim=True)
        ys = torch.cat([ys, nxt], dim=1)
        if ys.eq(eos_id).any(dim=1).all():
            break
    results = []
    for row in ys[:, 1:].tolist():
        results.append(row[: row.index(eos_id) + 1] if eos_id in row else row)
    return results

# %% wrong (first): the answer is taken at the first place, not at the last / the first axis of a batch of one sentence is squeezed away
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    ys = torch.full((source.size(0), 1), bos_id, dtype=torch.long)
    ended = torch.zeros(source.size(0), dtype=torch.bool)
    for _ in range(max_length):
        word = model.decode(ys, memory, memory_mask)[:, 0].argmax(dim=-1)
        word = torch.where(ended, model.pad_id, word)
        ys = torch.cat([ys, word[:, None]], dim=1)
        ended = ended | word.eq(eos_id)
        if ended.all():
            break
    return ys[:, 1:].squeeze(0)

# %% wrong (first): it translates a batch of one only: the whole batch counts as ended with its first sentence, and all get its words
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    written = [bos_id]
    for _ in range(max_length):
        ys = torch.tensor(written).repeat(source.size(0), 1)
        word = int(model.decode(ys, memory, memory_mask)[0, -1].argmax())
        written.append(word)
        if word == eos_id:
            break
    return torch.tensor(written[1:]).repeat(source.size(0), 1)

# %% wrong (first): one token more than max_length may be written / ended sentences are filled up with bos, not with padding
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    written = torch.full((source.size(0), 1), bos_id, dtype=torch.long, device=source.device)
    ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_length + 1):
        word = model.decode(written, memory, memory_mask)[:, -1].argmax(dim=-1)
        word = word.masked_fill(ended, bos_id)
        written = torch.cat([written, word.unsqueeze(1)], dim=1)
        ended = ended | (word == eos_id)
        if ended.all():
            break
    return written[:, 1:]

# %% wrong (first): the memory's mask is thrown away and one of all True is given to decode / rows of sentences that end at the first step count as running
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    memory_mask = torch.ones_like(memory_mask)
    written = torch.full((source.size(0), 1), bos_id, dtype=torch.long, device=source.device)
    ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_length):
        word = model.decode(written, memory, memory_mask)[:, -1].argmax(dim=-1)
        word = word.masked_fill(ended, model.pad_id)
        written = torch.cat([written, word.unsqueeze(1)], dim=1)
        if written.size(1) > 2:
            ended = ended | (word == eos_id)
        if ended.all():
            break
    return written[:, 1:]

# %% right (first): a loop with a flag for each sentence
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    written = torch.full((source.size(0), 1), bos_id, dtype=torch.long, device=source.device)
    ended = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    for _ in range(max_length):
        word = model.decode(written, memory, memory_mask)[:, -1].argmax(dim=-1)
        word = word.masked_fill(ended, model.pad_id)
        written = torch.cat([written, word.unsqueeze(1)], dim=1)
        ended = ended | (word == eos_id)
        if ended.all():
            break
    return written[:, 1:]

# %% right (first): a table of padding is filled in place and cut to the longest at the end
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    B = source.shape[0]
    table = torch.full((B, max_length + 1), model.pad_id, dtype=torch.long)
    table[:, 0] = bos_id
    active = torch.ones(B, dtype=torch.bool)
    t = 0
    while t < max_length and active.any():
        logits = model.decode(table[:, : t + 1].clone(), memory, memory_mask)[:, t, :]
        choice = logits.max(dim=-1).indices
        table[active, t + 1] = choice[active]
        active = active & (choice != eos_id)
        t += 1
    return table[:, 1 : t + 1]

# %% right (first): Python lists of words, padded at the end, no_grad as a context
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    with torch.no_grad():
        encoded = model.encode(source)
        sentences = [[] for _ in range(len(source))]
        prefix = torch.tensor([[bos_id]] * len(source))
        for _ in range(max_length):
            scores = F.log_softmax(model.decode(prefix, *encoded)[:, -1], dim=-1)
            chosen = scores.topk(1, dim=-1).indices.squeeze(-1).tolist()
            column = []
            for sentence, word in zip(sentences, chosen):
                if eos_id in sentence:
                    column.append(model.pad_id)
                else:
                    sentence.append(word)
                    column.append(word)
            prefix = torch.cat([prefix, torch.tensor(column).unsqueeze(1)], dim=1)
            if all(eos_id in sentence for sentence in sentences):
                break
    longest = max(len(sentence) for sentence in sentences)
    return torch.tensor([sentence + [model.pad_id] * (longest - len(sentence)) for sentence in sentences])

# %% wrong (second): the loop stops before the last column is appended, so the longest sentence comes back without its end mark
# true: left_before_the_last_end
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


# %% wrong (second): padding and the start mark are forbidden by setting their logits to -1e9, so it does not take the likeliest token
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


# %% wrong (second): a table of full max_length width comes back, even where all sentences have ended earlier
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


# %% right (second): a list of columns, topk(1) in place of argmax, what follows the first end mark is overwritten afterwards by cumsum
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

# %% wrong (third): stops early only where all sentences end at the same step; otherwise it goes on to max_length, with columns of padding
# true: stops_only_if_all_end_at_once
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


# %% wrong (third): notes that a sentence has ended before it fills up, and so writes padding over the end mark
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


# %% wrong (third): fills up with zeros, whatever the model's pad_id is
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


# %% right (third): the batch shrinks, only sentences that still run are decoded, and each is written into its row
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

# %% wrong (last): asks that all sentences write eos at the same step; those that ended earlier write padding, so a batch runs on to max_length ("T is the length of the longest")
# true: stops_only_if_all_end_at_once
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


# %% wrong (last): bos is counted in max_length, one token too few is written ("bos_id does not: nobody wrote it") / the source is encoded anew at every step ("The source is encoded once")
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


# %% right (last): a sheet of padding filled in, and only the sentences still running are decoded
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


# %% wrong (fifth): bos counts as a written token, so an unfinished sentence stops one token early
# true: one_token_too_few
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    target = torch.full((source.size(0), 1), bos_id, dtype=torch.long, device=source.device)
    done = torch.zeros(source.size(0), dtype=torch.bool, device=source.device)
    while target.size(1) < max_length and not done.all():
        next_token = model.decode(target, memory, memory_mask)[:, -1].argmax(dim=-1)
        next_token = next_token.masked_fill(done, model.pad_id)
        target = torch.cat([target, next_token.unsqueeze(1)], dim=1)
        done |= next_token == eos_id
    return target[:, 1:]


# %% wrong (fifth): only the newest token says who has ended, so a sentence wakes up after its first padding
# true: end_remembered_one_step
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    encoded = model.encode(source)
    written = source.new_full((len(source), 1), bos_id)
    for _ in range(max_length):
        ended = written[:, -1] == eos_id
        logits = model.decode(written, *encoded)[:, -1]
        new = torch.where(ended, model.pad_id, logits.argmax(dim=-1))
        written = torch.cat([written, new[:, None]], dim=1)
        if (written == eos_id).any(dim=1).all():
            break
    return written[:, 1:]


# %% wrong (fifth): ended sentences are filled up with 0, whatever the model's pad_id is
# true: filled_with_zeros
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, mask = model.encode(source)
    batch = source.shape[0]
    ys = torch.full((batch, 1), bos_id, dtype=source.dtype, device=source.device)
    unfinished = torch.ones(batch, dtype=torch.long, device=source.device)
    for _ in range(max_length):
        out = model.decode(ys, memory, mask)
        next_tokens = out[:, -1, :].argmax(dim=-1) * unfinished
        ys = torch.cat([ys, next_tokens[:, None]], dim=-1)
        unfinished = unfinished * (next_tokens != eos_id).long()
        if unfinished.max() == 0:
            break
    return ys[:, 1:]


# %% right (fifth): a table full of padding is filled in, and only sentences that have not ended are decoded
@torch.no_grad()
def greedy_decode(model: Transformer, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
    memory, memory_mask = model.encode(source)
    count = source.size(0)
    table = torch.full((count, max_length + 1), model.pad_id, dtype=torch.long, device=source.device)
    table[:, 0] = bos_id
    running = torch.arange(count, device=source.device)  # the rows that are still being written
    written = 0
    while written < max_length and len(running) > 0:
        written += 1
        logits = model.decode(table[running, :written], memory[running], memory_mask[running])  # (R, t, V)
        words = logits[:, -1].argmax(dim=-1)  # (R,)
        table[running, written] = words
        running = running[words != eos_id]
    return table[:, 1 : written + 1]
