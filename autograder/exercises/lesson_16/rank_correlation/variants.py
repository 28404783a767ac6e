# %% right: with numpy
def rank_correlation(x, y):
    def ranks(numbers):
        _, inverse, counts = np.unique(numbers.numpy(), return_inverse=True, return_counts=True)
        last = np.cumsum(counts)
        return (last - (counts + 1) / 2)[inverse.ravel()]

    a, b = ranks(x), ranks(y)
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


# %% right: in plain python
def rank_correlation(x, y):
    def ranks(numbers):
        return [sum(b < a for b in numbers) + (sum(b == a for b in numbers) - 1) / 2 for a in numbers]

    a, b = ranks(x.tolist()), ranks(y.tolist())
    middle = (len(a) - 1) / 2
    top = sum((p - middle) * (q - middle) for p, q in zip(a, b, strict=True))
    bottom = (sum((p - middle) ** 2 for p in a) * sum((q - middle) ** 2 for q in b)) ** 0.5
    return top / bottom if bottom else 0.0


# %% right: by signs
def rank_correlation(x, y):
    """The sum of the signs of a number's differences is twice its centred rank."""
    a = torch.sign(x[:, None] - x[None]).sum(1)
    b = torch.sign(y[:, None] - y[None]).sum(1)
    size = torch.sqrt((a * a).sum() * (b * b).sum())
    return (a @ b / size).item() if size.item() > 0 else 0.0


# %% right: by corrcoef
def rank_correlation(x, y):
    def ranks(numbers):
        ordered, place = torch.sort(numbers, stable=True)
        result = torch.empty(len(numbers), dtype=torch.float64)
        start = 0
        while start < len(ordered):
            stop = start
            while stop < len(ordered) and ordered[stop] == ordered[start]:
                stop += 1
            result[place[start:stop]] = (start + stop - 1) / 2
            start = stop
        return result

    if torch.all(x == x[0]) or torch.all(y == y[0]):
        return 0.0
    return torch.corrcoef(torch.stack([ranks(x), ranks(y)]))[0, 1].item()


# %% wrong: ranks by sorting
# defines: ties_in_the_order_they_come
def rank_correlation(x: Tensor, y: Tensor) -> float:
    ranks = [numbers.argsort().argsort().double() for numbers in (x, y)]
    a, b = (r - r.mean() for r in ranks)
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


# %% wrong: ranks by sorting unguarded
# defines: ties_in_the_order_they_come_even_if_all_are_equal
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    return float(a @ b / (a.norm() * b.norm()))


# %% wrong: one sort for ranks guarded
# defines: positions_for_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


# %% wrong: one sort for ranks
# defines: positions_for_ranks_of_equal_numbers_too
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.argsort().double() - (len(numbers) - 1) / 2 for numbers in (x, y))
    return float(a @ b / (a.norm() * b.norm()))


# %% wrong: of the numbers
# defines: numbers_for_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a, b = (numbers.double() - numbers.double().mean() for numbers in (x, y))
    size = a.norm() * b.norm()
    return float(a @ b / size) if size > 1e-12 else 0.0


# %% wrong: by squared differences guarded
# defines: formula_without_ties
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        smaller = (numbers[None] < numbers[:, None]).sum(dim=1)
        return smaller.double() + ((numbers[None] == numbers[:, None]).sum(dim=1) - 1).double() / 2

    if bool((x == x[0]).all()) or bool((y == y[0]).all()):
        return 0.0
    n = len(x)
    return 1 - 6 * float((ranks(x) - ranks(y)).square().sum()) / (n * (n * n - 1))


# %% wrong: by squared differences
# defines: formula_without_ties_for_equal_numbers_too
def rank_correlation(x: Tensor, y: Tensor) -> float:
    def ranks(numbers: Tensor) -> Tensor:
        smaller = (numbers[None] < numbers[:, None]).sum(dim=1)
        return smaller.double() + ((numbers[None] == numbers[:, None]).sum(dim=1) - 1).double() / 2

    n = len(x)
    return 1 - 6 * float((ranks(x) - ranks(y)).square().sum()) / (n * (n * n - 1))


# %% wrong: share of pairs
# defines: pairs_counted
def rank_correlation(x: Tensor, y: Tensor) -> float:
    signs = torch.sign(x[:, None] - x) * torch.sign(y[:, None] - y)
    pairs = len(x) * (len(x) - 1)
    return float(signs.sum()) / pairs


# %% wrong: cosine of ranks
# defines: cosine_of_the_ranks
def rank_correlation(x: Tensor, y: Tensor) -> float:
    a, b = ((numbers[None] < numbers[:, None]).sum(dim=1).double() for numbers in (x, y))
    a, b = (r + ((n[None] == n[:, None]).sum(dim=1) - 1).double() / 2 for r, n in ((a, x), (b, y)))
    flat = bool((x == x[0]).all()) or bool((y == y[0]).all())
    return 0.0 if flat else float(a @ b / (a.norm() * b.norm()))


# %% wrong: without a sign
# true: sign_lost
def rank_correlation(x, y):
    a, b = (torch.sign(n[:, None] - n[None]).sum(1) for n in (x, y))
    size = a.norm() * b.norm()
    return (a @ b).abs().item() / size.item() if size > 0 else 0.0


# %% wrong: places in a sorted list
# true: ties_in_the_order_they_come_even_if_all_are_equal
def rank_correlation(x, y):
    a, b = (torch.empty(len(n)).double().scatter(0, n.argsort(), torch.arange(len(n)).double()) for n in (x, y))
    return torch.corrcoef(torch.stack([a, b]))[0, 1].item()


# %% trivial: always one
def rank_correlation(x, y):
    return 1.0


# %% trivial: always zero
def rank_correlation(x, y):
    return 0.0


# %% trivial: noise
def rank_correlation(x, y):
    return float(torch.rand(())) * 2 - 1
