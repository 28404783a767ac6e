# %% wrong: the positions are counted from 1, so the row of position 0 holds the code of 1
# true: positions_from_1
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(1, length + 1):
        row = []
        for k in range(num_bits):
            row.append(float((t // 2 ** k) % 2))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.get_default_dtype()).view(length, num_bits)

# %% wrong: the quotient is rounded to the nearest number and not rounded down, so the slower bits change at wrong places
# true: rounded_to_the_nearest
def binary_code(length: int, num_bits: int) -> Tensor:
    pos = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1)
    powers = torch.pow(2.0, torch.arange(num_bits)).to(pos.dtype)
    return torch.remainder(torch.round(pos / powers), 2)

# %% wrong: a position too large for the bits gets a longer row, so the function crashes there and does not start the code again
def binary_code(length: int, num_bits: int) -> Tensor:
    table = []
    for t in range(length):
        bits = format(t, "b").zfill(num_bits)
        table.append([float(b) for b in reversed(bits)])
    return torch.tensor(table)

# %% right: shifts and a bitwise and in numpy
def binary_code(length: int, num_bits: int) -> Tensor:
    t = np.arange(length, dtype=np.int64).reshape(-1, 1)
    k = np.arange(num_bits, dtype=np.int64).reshape(1, -1)
    bits = np.bitwise_and(np.right_shift(t, k), 1)
    return torch.from_numpy(bits).to(torch.get_default_dtype())
