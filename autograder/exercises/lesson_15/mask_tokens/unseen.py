# %% wrong (fourth): every token is a label
# true: everything_asked
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    inputs = ids.clone()
    inputs[chosen & (uniform < 0.8 * rate)] = mask_id
    swap = chosen & (uniform >= 0.8 * rate) & (uniform < 0.9 * rate)
    inputs[swap] = replacements[swap]
    return inputs, ids.clone()


# %% wrong (fourth): only masks are asked for, as is often said of BERT
# true: masks_asked_only
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    masked = chosen & (uniform < 0.8 * rate)
    random = chosen & ~masked & (uniform < 0.9 * rate)
    inputs = torch.where(masked, mask_id, torch.where(random, replacements, ids))
    labels = torch.where(masked, ids, -100)
    return inputs, labels


# %% wrong (fourth): those that stay as they are are not asked for
# true: changed_ones_asked_only
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    eligible = ids >= num_special
    to_mask = eligible & (uniform < 0.8 * rate)
    to_replace = eligible & (uniform >= 0.8 * rate) & (uniform < 0.9 * rate)
    inputs = ids.clone()
    inputs[to_mask] = mask_id
    inputs[to_replace] = replacements[to_replace]
    labels = ids.clone()
    labels[inputs == ids] = -100
    return inputs, labels


# %% wrong (fourth): writes the masks into the ids that were handed in
# true: written_into_the_ids
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    labels = ids.clone()
    chosen = (uniform < rate) & (ids >= num_special)
    labels[~chosen] = -100
    random = chosen & (uniform >= 0.8 * rate) & (uniform < 0.9 * rate)
    ids[chosen & (uniform < 0.8 * rate)] = mask_id
    ids[random] = replacements[random]
    return ids, labels


# %% wrong (fourth): special tokens are chosen like any other
# true: specials_chosen
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = uniform < rate
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    inputs = torch.where(uniform < 0.8 * rate, torch.full_like(ids, mask_id), inputs)
    inputs = torch.where((uniform >= 0.8 * rate) & (uniform < 0.9 * rate), replacements, inputs)
    return inputs, labels


# %% wrong (fourth): the first real word, of id num_special, is taken for special
# true: first_word_spared
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids > num_special)
    labels = ids.masked_fill(~chosen, -100)
    inputs = ids.masked_fill(chosen & (uniform < rate * 0.8), mask_id)
    inputs = torch.where(chosen & (uniform >= rate * 0.8) & (uniform < rate * 0.9), replacements, inputs)
    return inputs, labels


# %% wrong (fourth): 0.8 and 0.9 are compared with u as it is: all that is chosen is masked
# true: shares_of_all_tokens
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    inputs = ids.clone()
    inputs = torch.where(chosen & (uniform < 0.8), torch.tensor(mask_id), inputs)
    inputs = torch.where(chosen & (uniform >= 0.8) & (uniform < 0.9), replacements, inputs)
    labels = torch.where(chosen, ids, torch.tensor(-100))
    return inputs, labels


# %% wrong (fourth): random tokens are written over the masks
# true: masks_overwritten
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    labels = torch.where(chosen, ids, torch.full_like(ids, -100))
    inputs = ids.clone()
    mask_here = chosen & (uniform < 0.8 * rate)
    inputs[mask_here] = mask_id
    random_here = chosen & (uniform < 0.9 * rate)
    inputs[random_here] = replacements[random_here]
    return inputs, labels


# %% wrong (fourth): labels are what the model reads: copied after the masks were written
# true: asked_for_what_it_reads
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    inputs = ids.clone()
    inputs[chosen & (uniform < 0.8 * rate)] = mask_id
    r = chosen & (uniform >= 0.8 * rate) & (uniform < 0.9 * rate)
    inputs[r] = replacements[r]
    labels = inputs.clone()
    labels[~chosen] = -100
    return inputs, labels


# %% wrong (fourth): random numbers of its own, as Hugging Face's data collator
# true: random_numbers_of_its_own
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    labels = ids.clone()
    inputs = ids.clone()
    probability_matrix = torch.full(labels.shape, rate)
    probability_matrix.masked_fill_(ids < num_special, value=0.0)
    masked_indices = torch.bernoulli(probability_matrix).bool()
    labels[~masked_indices] = -100
    indices_replaced = torch.bernoulli(torch.full(labels.shape, 0.8)).bool() & masked_indices
    inputs[indices_replaced] = mask_id
    indices_random = torch.bernoulli(torch.full(labels.shape, 0.5)).bool() & masked_indices & ~indices_replaced
    inputs[indices_random] = replacements[indices_random]
    return inputs, labels


# %% wrong (fourth): 0 where nothing is asked, not -100
# true: ignored_by_zero
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    u = uniform / rate
    inputs = torch.where(chosen & (u < 0.8), mask_id, ids)
    inputs = torch.where(chosen & (u >= 0.8) & (u < 0.9), replacements, inputs)
    return inputs, ids * chosen


# %% wrong (fourth): half and half: of what is not masked, everything becomes random
# true: random_for_kept
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    inputs = ids.clone()
    inputs[chosen] = torch.where(uniform[chosen] < 0.8 * rate, mask_id, replacements[chosen])
    labels = ids.masked_fill(~chosen, -100)
    return inputs, labels


# %% right (fourth): token by token
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    for b in range(ids.size(0)):
        for t in range(ids.size(1)):
            u = uniform[b, t].item()
            if ids[b, t] < num_special or u >= rate:
                continue
            labels[b, t] = ids[b, t]
            if u < 0.8 * rate:
                inputs[b, t] = mask_id
            elif u < 0.9 * rate:
                inputs[b, t] = replacements[b, t]
    return inputs, labels


# %% right (fourth): nested where
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (ids >= num_special) & (uniform < rate)
    hidden = torch.where(uniform < 0.8 * rate, mask_id, torch.where(uniform < 0.9 * rate, replacements, ids))
    return torch.where(chosen, hidden, ids), torch.where(chosen, ids, -100)


# %% right (fourth): three candidates for each token, of which a bucket of u picks one
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    u = torch.where(ids < num_special, torch.ones_like(uniform), uniform)
    bounds = torch.tensor([0.8 * rate, 0.9 * rate], dtype=u.dtype)
    which = torch.bucketize(u, bounds, right=True)  # 0: mask, 1: random, 2: as it is
    candidates = torch.stack([torch.full_like(ids, mask_id), replacements, ids])  # (3, B, T)
    inputs = candidates.gather(0, which.unsqueeze(0)).squeeze(0)
    labels = ids.masked_fill(u >= rate, -100)
    return inputs, labels


# %% right (fourth): arithmetic with zeros and ones
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = ((uniform < rate) & (ids >= num_special)).long()
    mask = chosen * (uniform < 0.8 * rate).long()
    swap = chosen * (uniform < 0.9 * rate).long() - mask
    inputs = ids * (1 - mask - swap) + mask_id * mask + replacements * swap
    labels = ids * chosen - 100 * (1 - chosen)
    return inputs, labels


# %% wrong (fifth): ids is changed, because inputs is the same tensor
# true: written_into_the_ids
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & (ids >= num_special)
    labels = ids.clone()
    labels[~chosen] = -100
    inputs = ids
    masked = chosen & (uniform < 0.8 * rate)
    replaced = chosen & (uniform >= 0.8 * rate) & (uniform < 0.9 * rate)
    inputs[masked] = mask_id
    inputs[replaced] = replacements[replaced]
    return inputs, labels


# %% wrong (fifth): the id num_special itself is taken for special and never chosen
# true: first_word_spared
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    chosen = (uniform < rate) & ~(ids <= num_special)
    labels = torch.where(chosen, ids, -100)
    masked = chosen & (uniform < 0.8 * rate)
    replaced = chosen & ~masked & (uniform < 0.9 * rate)
    inputs = torch.where(masked, mask_id, torch.where(replaced, replacements, ids))
    return inputs, labels


# %% right (fifth): random tokens are written first, and mask tokens over most of them
def mask_tokens(
    ids: Tensor, uniform: Tensor, replacements: Tensor, mask_id: int, rate: float = 0.15, num_special: int = 4
) -> tuple[Tensor, Tensor]:
    not_chosen = torch.logical_or(uniform >= rate, ids < num_special)
    changed = ~not_chosen & (uniform < 0.9 * rate)
    hidden = ~not_chosen & (uniform < 0.8 * rate)
    inputs = torch.where(changed, replacements, ids).masked_fill(hidden, mask_id)
    return inputs, ids.masked_fill(not_chosen, -100)
