# %% right: with clones
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = ids.clone(), ids.clone()
    chosen = torch.logical_and(uniform < rate, ids >= num_special)
    labels[~chosen] = -100
    share = uniform / rate
    inputs[chosen & (share < 0.8)] = mask_id
    swap = chosen & (share >= 0.8) & (share < 0.9)
    inputs[swap] = replacements[swap]
    return inputs, labels


# %% right: token by token
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    inputs, labels = [], []
    for row, us, others in zip(ids.tolist(), uniform.tolist(), replacements.tolist(), strict=True):
        read, asked = [], []
        for token, u, other in zip(row, us, others, strict=True):
            if token < num_special or u >= rate:
                read.append(token)
                asked.append(-100)
                continue
            asked.append(token)
            read.append(mask_id if u < 0.8 * rate else other if u < 0.9 * rate else token)
        inputs.append(read)
        labels.append(asked)
    return torch.tensor(inputs), torch.tensor(labels)


# %% right: with where
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    uniform = torch.where(ids < num_special, torch.inf, uniform)
    inputs = torch.where(uniform < 0.9 * rate, replacements, ids)
    inputs = torch.where(uniform < 0.8 * rate, mask_id, inputs)
    return inputs, torch.where(uniform < rate, ids, -100)


# %% right: by arithmetic
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    chosen = (uniform < rate).long() * (ids >= num_special).long()
    masked = chosen * (uniform < 0.8 * rate).long()
    random = chosen * (uniform < 0.9 * rate).long() - masked
    inputs = ids * (1 - masked - random) + mask_id * masked + replacements * random
    return inputs, ids * chosen - 100 * (1 - chosen)


# %% wrong: simply masked
# true: all_masked
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    chosen = (uniform < rate) & (ids >= num_special)
    return torch.where(chosen, mask_id, ids), torch.where(chosen, ids, -100)


# %% trivial: unchanged
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return ids, ids


# %% trivial: only masks
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return torch.full_like(ids, mask_id), torch.full_like(ids, -100)


# %% trivial: noise
def mask_tokens(ids, uniform, replacements, mask_id, rate=0.15, num_special=4):
    return torch.randint_like(ids, 40), torch.randint_like(ids, 40)
