# %% wrong (fourth): the model is given the whole text, however long
# true: context_ignored
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    done = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if done.all():
            break
        next_ids = choose(model(ids)[:, -1])
        next_ids = torch.where(done, pad_id, next_ids)
        done = done | (next_ids == eos_id)
        ids = torch.cat([ids, next_ids.unsqueeze(1)], dim=1)
    return ids


# %% wrong (fourth): the model reads the first tokens of a long text, not the last
# true: first_tokens_read
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt.clone()
    finished = torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        logits = model(ids[:, :context])[:, -1, :]
        chosen = choose(logits)
        chosen[finished] = pad_id
        ids = torch.cat([ids, chosen[:, None]], dim=1)
        finished |= chosen == eos_id
        if finished.all():
            break
    return ids


# %% wrong (fourth): what has dropped out of the context is lost from the result as well
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        ids = ids[:, -context:]
        logits = model(ids)
        token = choose(logits[:, -1])
        token = token.masked_fill(finished, pad_id)
        ids = torch.cat((ids, token.unsqueeze(-1)), dim=1)
        finished = finished | (token == eos_id)
        if bool(finished.all()):
            break
    return ids


# %% wrong (fourth): goes on writing after the end: nothing is padded
# true: goes_on_after_the_end
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    ended = torch.zeros(prompt.shape[0], dtype=torch.bool)
    for _ in range(max_new_tokens):
        idx_cond = ids if ids.size(1) <= context else ids[:, -context:]
        idx_next = choose(model(idx_cond)[:, -1, :])
        ids = torch.cat((ids, idx_next[:, None]), dim=1)
        ended |= idx_next == eos_id
        if ended.all():
            break
    return ids


# %% wrong (fourth): stops as soon as one sentence has ended
# true: stops_with_the_first
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        nxt = choose(model(ids[:, -context:])[:, -1])
        nxt = torch.where(finished, torch.full_like(nxt, pad_id), nxt)
        ids = torch.cat([ids, nxt.unsqueeze(1)], dim=1)
        finished = finished | nxt.eq(eos_id)
        if finished.any():
            break
    return ids


# %% wrong (fourth): never stops early
# true: never_stops_early
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(prompt.size(0), 1, dtype=torch.bool)
    for step in range(max_new_tokens):
        logits = model(ids[:, -context:])  # (B, T, V)
        nxt = choose(logits[:, -1, :]).view(-1, 1)
        nxt = nxt.masked_fill(finished, pad_id)
        finished = finished | (nxt == eos_id)
        ids = torch.cat([ids, nxt], dim=1)
    return ids


# %% wrong (fourth): returns what was written without the prompts
# true: prompt_cut_off
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    text = prompt
    over = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if over.all():
            break
        chosen = choose(model(text[:, -context:])[:, -1])
        chosen = torch.where(over, pad_id, chosen)
        text = torch.cat([text, chosen[:, None]], 1)
        over = over | (chosen == eos_id)
    return text[:, prompt.size(1):]


# %% wrong (fourth): an eos in the prompt ends the sentence before it has begun
# true: end_in_the_prompt_counts
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    for _ in range(max_new_tokens):
        finished = (ids == eos_id).any(dim=1)
        if finished.all():
            break
        nxt = choose(model(ids[:, -context:])[:, -1])
        nxt[finished] = pad_id
        ids = torch.cat([ids, nxt.unsqueeze(1)], dim=1)
    return ids


# %% wrong (fourth): probabilities are handed to choose, not logits
# true: probabilities_handed_on
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(len(ids), dtype=torch.bool)
    for _ in range(max_new_tokens):
        probs = torch.softmax(model(ids[:, -context:])[:, -1], dim=-1)
        nxt = choose(probs)
        nxt = torch.where(finished, torch.tensor(pad_id), nxt)
        ids = torch.cat([ids, nxt[:, None]], dim=-1)
        finished = finished | (nxt == eos_id)
        if finished.all():
            break
    return ids


# %% wrong (fourth): stops only if all sentences end in the same step, and pads nothing but the step after an end
# true: end_remembered_one_step
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    last = torch.full((prompt.size(0),), -1)
    for _ in range(max_new_tokens):
        nxt = choose(model(ids[:, -context:])[:, -1])
        nxt = torch.where(last == eos_id, torch.full_like(nxt, pad_id), nxt)
        ids = torch.cat([ids, nxt[:, None]], dim=1)
        last = nxt
        if (nxt == eos_id).all():
            break
    return ids


# %% wrong (fourth): choose is called once for each sentence
# true: chosen_row_by_row
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    done = [False] * prompt.size(0)
    for _ in range(max_new_tokens):
        logits = model(ids[:, -context:])[:, -1]
        column = []
        for b in range(prompt.size(0)):
            if done[b]:
                column.append(pad_id)
                continue
            token = int(choose(logits[b : b + 1]))
            done[b] = token == eos_id
            column.append(token)
        ids = torch.cat([ids, torch.tensor(column)[:, None]], dim=1)
        if all(done):
            break
    return ids


# %% wrong (fourth): the eos is replaced by padding, too
# true: end_replaced_by_padding
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        nxt = choose(model(ids[:, -context:])[:, -1])
        finished = finished | (nxt == eos_id)
        nxt = nxt.masked_fill(finished, pad_id)
        ids = torch.cat([ids, nxt.unsqueeze(-1)], dim=1)
        if finished.all():
            break
    return ids


# %% wrong (fourth): the end is found out a step late: one column of padding too many
# true: stops_a_step_late
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(prompt.size(0), dtype=torch.bool)
    for _ in range(max_new_tokens):
        nxt = choose(model(ids[:, -context:])[:, -1])
        nxt = nxt.masked_fill(finished, pad_id)
        ids = torch.cat([ids, nxt.unsqueeze(-1)], dim=1)
        if finished.all():
            break
        finished = finished | (nxt == eos_id)
    return ids


# %% right (fourth): a list of columns
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    columns = list(prompt.unbind(dim=1))
    alive = torch.ones(prompt.size(0), dtype=torch.bool)
    while len(columns) - prompt.size(1) < max_new_tokens and alive.any():
        text = torch.stack(columns[-context:], dim=1)
        chosen = choose(model(text)[:, -1])
        columns.append(torch.where(alive, chosen, pad_id))
        alive = alive & (chosen != eos_id)
    return torch.stack(columns, dim=1)


# %% right (fourth): a canvas of padding that is filled in, and cut
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    B, P = prompt.shape
    canvas = torch.full((B, P + max_new_tokens), pad_id, dtype=prompt.dtype)
    canvas[:, :P] = prompt
    going = torch.ones(B, dtype=torch.bool)
    end = P
    while end < P + max_new_tokens and bool(going.any()):
        start = max(0, end - context)
        chosen = choose(model(canvas[:, start:end])[:, -1, :])
        canvas[going, end] = chosen[going]
        going &= canvas[:, end] != eos_id
        end += 1
    return canvas[:, :end]


# %% right (fourth): what is finished is read off the text that was written
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    for _ in range(max_new_tokens):
        ended = (ids[:, prompt.size(1) :] == eos_id).any(dim=1)
        if ended.all():
            return ids
        with torch.no_grad():
            logits = model(ids[:, max(0, ids.size(1) - context) :])
        new = choose(logits[:, -1])
        new = new * ~ended + pad_id * ended
        ids = torch.cat((ids, new[:, None]), dim=1)
    return ids


# %% right (fourth): written by calling itself
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    def go_on(ids, ended, left):
        if left == 0 or ended.all():
            return ids
        token = choose(model(ids[:, -context:]).select(1, -1)).masked_fill(ended, pad_id)
        return go_on(torch.hstack([ids, token[:, None]]), ended | (token == eos_id), left - 1)

    return go_on(prompt, prompt.new_zeros(prompt.size(0)).bool(), max_new_tokens)


# %% wrong (fifth): a prompt that contains eos_id counts as ended before anything is written
# true: end_in_the_prompt_counts
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    for _ in range(max_new_tokens):
        finished = (ids == eos_id).any(dim=1)
        if finished.all():
            break
        logits = model(ids[:, -context:])[:, -1]
        chosen = choose(logits).masked_fill(finished, pad_id)
        ids = torch.cat([ids, chosen[:, None]], dim=1)
    return ids


# %% wrong (fifth): stops as soon as any sentence of the batch has ended
# true: stops_with_the_first
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    ids = prompt
    finished = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    for _ in range(max_new_tokens):
        logits = model(ids[:, -context:])[:, -1, :]
        chosen = torch.where(finished, pad_id, choose(logits))
        ids = torch.cat([ids, chosen.unsqueeze(1)], dim=1)
        finished = finished | (chosen == eos_id)
        if finished.any():
            break
    return ids


# %% right (fifth): a table filled with padding, written into column by column, cut at the end
def generate(
    model: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
    eos_id: int,
    pad_id: int,
    context: int,
) -> Tensor:
    batch, start = prompt.shape
    table = prompt.new_full((batch, start + max_new_tokens), pad_id)
    table[:, :start] = prompt
    writing = torch.ones(batch, dtype=torch.bool, device=prompt.device)
    end = start
    while end < start + max_new_tokens and bool(writing.any()):
        logits = model(table[:, max(0, end - context) : end])
        new = choose(logits[:, -1, :])
        table[writing, end] = new[writing].to(table.dtype)
        writing &= new != eos_id
        end += 1
    return table[:, :end].clone()
