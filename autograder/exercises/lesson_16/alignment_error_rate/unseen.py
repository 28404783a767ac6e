# %% wrong (fourth): the union below: one minus Jaccard's index
# true: union
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    both = (predicted & gold).sum().item()
    either = (predicted | gold).sum().item()
    if either == 0:
        return 0.0
    return 1 - both / either


# %% wrong (fourth): booleans are added, which is an or: the links of both sides count once
# true: booleans_added
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    common = (predicted * gold).sum()
    total = (predicted + gold).sum()
    if total == 0:
        return 0.0
    return (1 - 2 * common / total).item()


# %% wrong (fourth): the 2 is forgotten
# true: common_counted_once
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    common = torch.logical_and(predicted, gold).sum().item()
    total = predicted.sum().item() + gold.sum().item()
    return 1 - common / total if total else 0.0


# %% wrong (fourth): one minus precision: the share of predicted links that are wrong
# true: precision
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    hits = (predicted & gold).sum().item()
    n = predicted.sum().item()
    if n == 0:
        return 0.0 if gold.sum() == 0 else 1.0
    return 1 - hits / n


# %% wrong (fourth): one minus recall: the share of gold links that are missing
# true: recall
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    hits = (predicted & gold).sum().item()
    n = gold.sum().item()
    if n == 0:
        return 0.0 if predicted.sum() == 0 else 1.0
    return 1 - hits / n


# %% wrong (fourth): 0 over 0 where neither has a link
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    a, g = predicted.sum().item(), gold.sum().item()
    common = (predicted & gold).sum().item()
    return 1 - 2 * common / (a + g)


# %% wrong (fourth): 1 where neither has a link
# true: nothing_is_all_wrong
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    size = int(predicted.sum() + gold.sum())
    if size == 0:
        return 1.0
    return 1.0 - 2.0 * int((predicted & gold).sum()) / size


# %% wrong (fourth): the share of cells that differ
# true: share_of_cells
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    return (predicted != gold).float().mean().item()


# %% wrong (fourth): cells without a link in both count as agreement
# true: empty_cells_agree
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    agree = (predicted == gold).sum().item()
    total = predicted.sum().item() + gold.sum().item()
    if total == 0:
        return 0.0
    return 1 - 2 * agree / total


# %% wrong (fourth): the share that agrees, not one minus it
# true: agreement_for_error
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    total = predicted.sum().item() + gold.sum().item()
    if total == 0:
        return 0.0
    return 2 * (predicted & gold).sum().item() / total


# %% wrong (fourth): a tensor comes back, not a float
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    common = (predicted & gold).sum()
    total = predicted.sum() + gold.sum()
    if total == 0:
        return torch.tensor(0.0)
    return 1 - 2 * common / total


# %% wrong (fourth): the mean of the rates of the target words
# true: mean_of_the_words_rates
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    rates = []
    for p, g in zip(predicted, gold):
        total = p.sum().item() + g.sum().item()
        if total > 0:
            rates.append(1 - 2 * (p & g).sum().item() / total)
    return sum(rates) / len(rates) if rates else 0.0


# %% right (fourth): sets of pairs
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    a = {tuple(link) for link in predicted.nonzero().tolist()}
    g = {tuple(link) for link in gold.nonzero().tolist()}
    if not a and not g:
        return 0.0
    return 1.0 - 2.0 * len(a & g) / (len(a) + len(g))


# %% right (fourth): links that only one side has, over all
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    apart = torch.logical_xor(predicted, gold).sum().item()
    return apart / max(1, predicted.sum().item() + gold.sum().item())


# %% right (fourth): from precision and recall: one minus F1
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    hits = torch.count_nonzero(predicted & gold).item()
    if hits == 0:
        return float(bool(predicted.any() or gold.any()))
    precision, recall = hits / predicted.sum().item(), hits / gold.sum().item()
    return 1 - 2 * precision * recall / (precision + recall)


# %% right (fourth): a dot product of zeros and ones
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    a, g = predicted.flatten().double(), gold.flatten().double()
    below = (a.sum() + g.sum()).item()
    return 1 - 2 * torch.dot(a, g).item() / below if below > 0 else 0.0


# %% wrong (fifth): 1 instead of 0 if neither side has a link, as the divisor is raised to 1
# true: nothing_is_all_wrong
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    shared = (predicted & gold).sum().item()
    links = predicted.sum().item() + gold.sum().item()
    return 1 - 2 * shared / max(links, 1)
