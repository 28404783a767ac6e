# %% wrong: takes the first num_bits characters of the binary string, so from position 2**num_bits on it shows the high bits instead of starting again ("From position 2**num_bits on, the code starts again")
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        word = format(t, f"0{num_bits}b")[:num_bits]  # e.g. "0110"
        rows.append([float(bit) for bit in reversed(word)])
    return torch.tensor(rows).reshape(length, num_bits)


# %% wrong: numbers the bits from 1, so column 0 changes only at every second position / always float32, where the docstring says torch's default type
# true: first_bit_lost
def binary_code(length: int, num_bits: int) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    powers = 2 ** torch.arange(1, num_bits + 1).unsqueeze(0)
    return ((positions // powers) % 2).to(torch.float32)


# %% right: one column at a time, by stretching and tiling the pair (0, 1)
def binary_code(length: int, num_bits: int) -> Tensor:
    columns = [torch.zeros(length, 0)]
    for k in range(num_bits):
        run = max(1, min(2**k, length))  # a run longer than the table is cut anyway
        period = torch.tensor([0.0, 1.0]).repeat_interleave(run)
        columns.append(period.tile(-(-length // (2 * run)))[:length, None])
    return torch.cat(columns, dim=1)
