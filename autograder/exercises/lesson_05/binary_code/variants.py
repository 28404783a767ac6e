# %% right: shifted right
def binary_code(length, num_bits):
    return ((torch.arange(length)[:, None] >> torch.arange(num_bits)) & 1).float()


# %% right: one bit at a time
def binary_code(length, num_bits):
    code = torch.zeros(length, num_bits)
    for t in range(length):
        rest = t
        for k in range(num_bits):
            code[t, k] = rest % 2
            rest = rest // 2
    return code


# %% right: from text
def binary_code(length, num_bits):
    rows = [[float(bit) for bit in reversed(format(t % 2**num_bits, f"0{num_bits}b"))] for t in range(length)]
    return torch.tensor(rows)


# %% right: blocks of zeros and ones
def binary_code(length, num_bits):
    columns = []
    for k in range(num_bits):
        block = torch.cat([torch.zeros(2**k), torch.ones(2**k)])
        columns.append(block.repeat(length // 2 ** (k + 1) + 1)[:length])
    return torch.stack(columns, dim=1)


# %% right: by masks
def binary_code(length, num_bits):
    places = torch.tensor([2**k for k in range(num_bits)])
    return torch.arange(length).reshape(-1, 1).bitwise_and(places).ne(0).to(torch.float32)


# %% right: second half of a period
def binary_code(length, num_bits):
    positions = torch.arange(length, dtype=torch.float32).view(length, 1)
    periods = 2.0 ** torch.arange(1, num_bits + 1)
    return torch.where(positions % periods >= periods / 2, 1.0, 0.0)


# %% wrong: remainder in loops
# true: remainder_only
def binary_code(length, num_bits):
    return torch.tensor([[float(t % 2**k) for k in range(num_bits)] for t in range(length)])


# %% wrong: text from 1
# true: fastest_last, positions_from_1
def binary_code(length, num_bits):
    rows = [[float(bit) for bit in format(t % 2**num_bits, f"0{num_bits}b")] for t in range(1, length + 1)]
    return torch.tensor(rows)


# %% trivial: zeros
def binary_code(length, num_bits):
    return torch.zeros(length, num_bits)


# %% trivial: the position itself
def binary_code(length, num_bits):
    return torch.arange(length).float().unsqueeze(1).expand(length, num_bits)


# %% trivial: even and odd
def binary_code(length, num_bits):
    return F.one_hot(torch.arange(length) % 2, num_bits).float()


# %% trivial: noise
def binary_code(length, num_bits):
    return torch.randint(0, 2, (length, num_bits)).float()
