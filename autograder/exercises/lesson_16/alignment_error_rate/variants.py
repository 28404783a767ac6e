# %% right: by sets
def alignment_error_rate(predicted, gold):
    a = {tuple(link) for link in predicted.nonzero().tolist()}
    g = {tuple(link) for link in gold.nonzero().tolist()}
    if not a and not g:
        return 0.0
    return 1 - (len(a & g) + len(a & g)) / (len(a) + len(g))


# %% right: from precision and recall
def alignment_error_rate(predicted, gold):
    common, a, g = ((x).sum().item() for x in (predicted * gold, predicted, gold))
    if a + g == 0:
        return 0.0
    if common == 0:
        return 1.0
    precision, recall = common / a, common / g
    return 1 - 2 * precision * recall / (precision + recall)


# %% right: what differs
def alignment_error_rate(predicted, gold):
    wrong = torch.logical_xor(predicted, gold).sum()
    links = predicted.sum() + gold.sum()
    return (wrong / links).item() if links > 0 else 0.0


# %% right: in floats
def alignment_error_rate(predicted, gold):
    a, g = predicted.double().flatten(), gold.double().flatten()
    total = float(a.sum() + g.sum())
    return 1.0 - 2.0 * float(a @ g) / total if total > 0 else 0.0


# %% right: cell by cell
def alignment_error_rate(predicted, gold):
    common = links = 0
    for row_a, row_g in zip(predicted.tolist(), gold.tolist(), strict=True):
        for a, g in zip(row_a, row_g, strict=True):
            common += a and g
            links += a + g
    return 0.0 if links == 0 else 1 - 2 * common / links


# %% wrong: word by word
# defines: mean_of_the_words_rates
def alignment_error_rate(predicted: Tensor, gold: Tensor) -> float:
    rates = []
    for a, g in zip(predicted, gold, strict=True):
        links = int(a.sum()) + int(g.sum())
        if links:
            rates.append(1 - 2 * int((a & g).sum()) / links)
    return sum(rates) / len(rates) if rates else 0.0


# %% wrong: shared
# true: agreement_for_error, nothing_is_all_wrong
def alignment_error_rate(predicted, gold):
    links = predicted.sum().item() + gold.sum().item()
    return 1.0 if links == 0 else 2 * (predicted & gold).sum().item() / links


# %% trivial: never wrong
def alignment_error_rate(predicted, gold):
    return 0.0


# %% trivial: always wrong
def alignment_error_rate(predicted, gold):
    return 1.0


# %% trivial: noise
def alignment_error_rate(predicted, gold):
    return float(torch.rand(()))
