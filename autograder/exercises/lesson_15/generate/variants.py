WORDS = 11


# %% right: with a loop
@torch.no_grad()
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text = prompt.clone()
    done = torch.full((len(prompt),), False)
    for _ in range(max_new_tokens):
        if bool(done.all()):
            break
        window = text if text.shape[1] <= context else text[:, text.shape[1] - context :]
        following = choose(model(window)[:, -1, :])
        following = torch.where(done, torch.tensor(pad_id), following)
        text = torch.hstack([text, following[:, None]])
        done |= following == eos_id
    return text


# %% right: with lists
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    rows = [row.tolist() for row in prompt]
    going = [True] * len(rows)
    with torch.inference_mode():
        while any(going) and len(rows[0]) < prompt.shape[1] + max_new_tokens:
            said = choose(model(torch.tensor([row[-context:] for row in rows]))[:, -1]).tolist()
            for i, token in enumerate(said):
                rows[i].append(token if going[i] else pad_id)
                going[i] = going[i] and token != eos_id
    return torch.tensor(rows)


# %% right: filled afterwards
@torch.no_grad()
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    """Ended sentences go on until all have, and what is behind their ends is painted over."""
    written, length = prompt, prompt.size(1)
    while written.size(1) < length + max_new_tokens:
        if written.size(1) > length and (written[:, length:] == eos_id).any(dim=1).all():
            break
        written = torch.cat([written, choose(model(written[:, -context:])[:, -1])[:, None]], dim=1)
    new = written[:, length:]
    behind = (new == eos_id).long().cumsum(dim=1) - (new == eos_id).long() > 0
    return torch.cat([prompt, new.masked_fill(behind, pad_id)], dim=1)


# %% right: into a table
@torch.no_grad()
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    b, p = prompt.shape
    table = torch.full((b, p + max_new_tokens), pad_id, dtype=prompt.dtype)
    table[:, :p] = prompt
    alive = torch.ones(b, dtype=torch.bool)
    end = p
    while end < p + max_new_tokens and alive.any():
        token = choose(model(table[:, max(0, end - context) : end])[:, -1])
        table[alive, end] = token[alive]
        alive = alive & (token != eos_id)
        end += 1
    return table[:, :end]


# %% wrong: noticed in the next step
# defines: stops_a_step_late
@torch.no_grad()
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    written = prompt
    ended = torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        token = choose(model(written[:, -context:])[:, -1]).masked_fill(ended, pad_id)
        written = torch.cat([written, token[:, None]], dim=1)
        if ended.all():
            break
        ended = ended | (token == eos_id)
    return written


# %% wrong: greedy
# true: choice_ignored
@torch.no_grad()
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    text, done = prompt, torch.zeros(len(prompt), dtype=torch.bool)
    for _ in range(max_new_tokens):
        if done.all():
            break
        token = model(text[:, -context:])[:, -1].topk(1).indices.flatten()
        token[done] = pad_id
        text, done = torch.cat((text, token.view(-1, 1)), 1), done | (token == eos_id)
    return text


# %% trivial: only the prompt
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return prompt


# %% trivial: nothing but padding
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return torch.cat([prompt, torch.full((len(prompt), max_new_tokens), pad_id)], dim=1)


# %% trivial: noise
def generate(model, prompt, max_new_tokens, choose, eos_id, pad_id, context):
    return torch.cat([prompt, torch.randint(WORDS, (len(prompt), max_new_tokens))], dim=1)


# %% wrong: the text is cut to the context
# defines: text_cut_to_the_context
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
    finished = torch.zeros(len(ids), dtype=torch.bool)
    for _ in range(max_new_tokens):
        ids = ids[:, -context:]
        new = choose(model(ids)[:, -1, :])
        new = torch.where(finished, torch.full_like(new, pad_id), new)
        ids = torch.cat((ids, new.unsqueeze(1)), dim=1)
        finished |= new == eos_id
        if finished.all():
            break
    return ids
