# %% wrong (fourth): Pearson's correlation of the numbers themselves
# true: numbers_for_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    x, y = x.double() - x.double().mean(), y.double() - y.double().mean()
    below = x.norm() * y.norm()
    return (x @ y / below).item() if below > 0 else 0.0


# %% wrong (fourth): argsort once: positions in the order, not ranks
# true: positions_for_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    rx = torch.argsort(x).double()
    ry = torch.argsort(y).double()
    if (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    rx, ry = rx - rx.mean(), ry - ry.mean()
    return float((rx * ry).sum() / (rx.norm() * ry.norm()))


# %% wrong (fourth): equal numbers get different ranks, by the order in which they stand
# true: ties_in_the_order_they_come
def rank_correlation(x: Tensor, y: Tensor) -> float:
    if x.unique().numel() == 1 or y.unique().numel() == 1:
        return 0.0
    rx = x.argsort(stable=True).argsort().double()
    ry = y.argsort(stable=True).argsort().double()
    rx = rx - rx.mean()
    ry = ry - ry.mean()
    return (rx.dot(ry) / (rx.dot(rx) * ry.dot(ry)).sqrt()).item()


# %% wrong (fourth): six times the squared differences, a formula that holds without ties only
# true: formula_without_ties
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    n = x.numel()
    if x.min() == x.max() or y.min() == y.max():
        return 0.0
    d = ranks(x) - ranks(y)
    return 1 - 6 * (d**2).sum().item() / (n * (n**2 - 1))


# %% wrong (fourth): equal numbers share the lowest of their ranks
# true: ties_take_the_lowest
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        return (z[:, None] > z[None, :]).sum(dim=1).double()

    a, b = ranks(x), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    denominator = torch.sqrt((a**2).sum() * (b**2).sum())
    return 0.0 if denominator == 0 else ((a * b).sum() / denominator).item()


# %% wrong (fourth): dense ranks: the next number gets the next rank, however many are equal
# true: distinct_numbers_counted
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a = torch.unique(x, return_inverse=True)[1].double()
    b = torch.unique(y, return_inverse=True)[1].double()
    a, b = a - a.mean(), b - b.mean()
    norm = a.norm() * b.norm()
    if norm == 0:
        return 0.0
    return (a @ b / norm).item()


# %% wrong (fourth): nan where all numbers are equal
# true: nan_where_all_are_equal
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    a, b = ranks(x), ranks(y)
    a = a - a.mean()
    b = b - b.mean()
    return ((a * b).sum() / torch.sqrt((a * a).sum() * (b * b).sum())).item()


# %% wrong (fourth): Kendall's: pairs in the same order less those in the opposite
# true: pairs_counted
def rank_correlation(x: Tensor, y: Tensor) -> float:
    n = x.numel()
    s = 0
    for i in range(n):
        for j in range(i):
            s += int(torch.sign(x[i] - x[j]) * torch.sign(y[i] - y[j]))
    return s / (n * (n - 1) / 2)


# %% wrong (fourth): the covariance of the ranks, not divided by their standard deviations
# true: not_divided_by_the_norms
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    a, b = ranks(x), ranks(y)
    return ((a - a.mean()) * (b - b.mean())).mean().item()


# %% wrong (fourth): means over N, standard deviations over N - 1
# true: means_and_deviations_by_other_counts
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    a, b = ranks(x), ranks(y)
    covariance = ((a - a.mean()) * (b - b.mean())).mean()
    below = a.std() * b.std()
    return (covariance / below).item() if below > 0 else 0.0


# %% wrong (fourth): the mean is not taken off: a cosine of the ranks
# true: cosine_of_the_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    a, b = ranks(x), ranks(y)
    if (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    return torch.nn.functional.cosine_similarity(a, b, dim=0).item()


# %% wrong (fourth): the first list is ranked from the largest, the second from the smallest
# true: one_list_the_other_way_round
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        z = z.double()
        below = (z[:, None] > z[None, :]).sum(dim=1)
        equal = (z[:, None] == z[None, :]).sum(dim=1)
        return below + (equal - 1) / 2

    a, b = ranks(-x), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    below = (a.norm() * b.norm()).item()
    return (a @ b).item() / below if below else 0.0


# %% right (fourth): comparisons of all pairs
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        return torch.sign(z.unsqueeze(1) - z.unsqueeze(0)).sum(dim=1).double()  # twice the rank's deviation from the mean

    a, b = ranks(x), ranks(y)
    below = torch.sqrt(a.square().sum() * b.square().sum()).item()
    return torch.dot(a, b).item() / below if below > 0 else 0.0


# %% right (fourth): unique numbers with their counts, and numpy's corrcoef
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        _, inverse, counts = np.unique(z.detach().numpy(), return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        return (last - (counts + 1) / 2)[inverse]

    a, b = ranks(x), ranks(y)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


# %% right (fourth): Python: sorted, and groups of equal numbers; ranks from 1
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(numbers):
        order = sorted(range(len(numbers)), key=numbers.__getitem__)
        result, i = [0.0] * len(numbers), 0
        while i < len(order):
            j = i
            while j + 1 < len(order) and numbers[order[j + 1]] == numbers[order[i]]:
                j += 1
            for k in range(i, j + 1):
                result[order[k]] = (i + j) / 2 + 1
            i = j + 1
        return result

    a, b = ranks(x.tolist()), ranks(y.tolist())
    n = len(a)
    ma, mb = sum(a) / n, sum(b) / n
    cov = sum((p - ma) * (q - mb) for p, q in zip(a, b))
    va, vb = sum((p - ma) ** 2 for p in a), sum((q - mb) ** 2 for q in b)
    return cov / (va * vb) ** 0.5 if va * vb else 0.0


# %% right (fourth): searchsorted from left and right, and torch.corrcoef
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(z):
        ordered = z.sort().values
        return (torch.searchsorted(ordered, z) + torch.searchsorted(ordered, z, right=True)).double() / 2

    both = torch.stack([ranks(x), ranks(y)])
    return torch.corrcoef(both)[0, 1].nan_to_num(0.0).item()


# %% wrong (fifth): equal numbers get different ranks, by their order in the list
# true: ties_in_the_order_they_come
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        return numbers.argsort(stable=True).argsort().double()

    if (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    a, b = ranks(x), ranks(y)
    a, b = a - a.mean(), b - b.mean()
    return ((a * b).sum() / ((a * a).sum() * (b * b).sum()).sqrt()).item()


# %% wrong (fifth): the shortcut 1 - 6 sum d^2 / (n^3 - n), which is wrong if numbers are equal
# true: formula_without_ties
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        smaller = (numbers[None, :] < numbers[:, None]).sum(dim=1)
        equal = (numbers[None, :] == numbers[:, None]).sum(dim=1)
        return smaller + (equal - 1) / 2

    if len(x.unique()) == 1 or len(y.unique()) == 1:
        return 0.0
    n = len(x)
    d = ranks(x) - ranks(y)
    return 1 - 6 * float((d**2).sum()) / (n * (n**2 - 1))


# %% right (fifth): ranks as the mean of the first and last place in the sorted list
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def deviations(numbers: Tensor) -> list[float]:
        numbers = numbers.tolist()
        places = {}
        for place, number in enumerate(sorted(numbers)):
            places.setdefault(number, []).append(place)
        middle = (len(numbers) - 1) / 2
        return [(places[number][0] + places[number][-1]) / 2 - middle for number in numbers]

    first, second = deviations(x), deviations(y)
    spread = sum(a * a for a in first) * sum(b * b for b in second)
    if spread == 0:
        return 0.0
    return sum(a * b for a, b in zip(first, second, strict=True)) / spread**0.5
