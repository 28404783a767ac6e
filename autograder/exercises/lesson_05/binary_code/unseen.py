# %% wrong (first): the slowest bit comes first
# true: fastest_last
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length)[:, None]
    k = torch.arange(num_bits - 1, -1, -1)[None, :]
    return ((t // 2**k) % 2).to(torch.get_default_dtype())

# %% wrong (first): positions are counted from 1
# true: positions_from_1
def binary_code(length: int, num_bits: int) -> Tensor:
    code = torch.zeros(length, num_bits)
    for t in range(1, length + 1):
        for k in range(num_bits):
            code[t - 1, k] = (t >> k) & 1
    return code

# %% wrong (first): whole numbers come back and not floating-point ones
# true: whole_numbers
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length).unsqueeze(1)
    k = torch.arange(num_bits).unsqueeze(0)
    return (t // (2 ** k)) % 2

# %% wrong (first): the division is not rounded down, so all bits but the first take values in between
# true: not_rounded_down
def binary_code(length: int, num_bits: int) -> Tensor:
    pos = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(-1)
    powers = 2.0 ** torch.arange(num_bits)
    return (pos / powers) % 2

# %% wrong (first): multiples in place of powers of two, right for two bits only
# true: periods_grow_by_one
def binary_code(length: int, num_bits: int) -> Tensor:
    columns = []
    t = torch.arange(length)
    for k in range(num_bits):
        columns.append(t // (k + 1) % 2)
    return torch.stack(columns, dim=1).to(torch.get_default_dtype())

# %% wrong (first): the masked bit is not shifted down, so bit k is 0 or 2**k
# true: bit_not_moved_down
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length).reshape(-1, 1)
    masks = torch.tensor([1 << k for k in range(num_bits)])
    return (t & masks).to(torch.get_default_dtype())

# %% wrong (first): the bits stand in rows and the positions in columns
# true: transposed
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = [[float((t // 2**k) % 2) for t in range(length)] for k in range(num_bits)]
    return torch.tensor(rows)

# %% wrong (first): a position that needs more bits is clamped to the last code, it does not start again
# true: held_at_the_last_code
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length).clamp(max=2**num_bits - 1)
    code = torch.zeros(length, num_bits)
    for k in range(num_bits):
        code[:, k] = torch.div(t, 2**k, rounding_mode="floor") % 2
    return code

# %% wrong (first): positions are kept as bytes, so from 256 on the higher bits are lost
# true: only_eight_bits
def binary_code(length: int, num_bits: int) -> Tensor:
    t = np.arange(length).astype(np.uint8)
    bits = np.unpackbits(t[:, None], axis=1, bitorder="little")
    out = np.zeros((length, num_bits), dtype=np.float32)
    n = min(8, num_bits)
    out[:, :n] = bits[:, :n]
    return torch.from_numpy(out).to(torch.get_default_dtype())

# %% wrong (first): always float64, whatever torch's default type is
def binary_code(length: int, num_bits: int) -> Tensor:
    t = np.arange(length)[:, np.newaxis]
    k = np.arange(num_bits)[np.newaxis, :]
    code = np.floor(t / np.power(2.0, k)) % 2
    return torch.from_numpy(code)

# %% wrong (first): binary strings are longer than num_bits from position 2**num_bits on, and torch.tensor then crashes
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        digits = bin(t)[2:].zfill(num_bits)
        rows.append([float(d) for d in reversed(digits)])
    return torch.tensor(rows)

# %% wrong (first): a zero bit is written as -1 / the slowest bit comes first
# true: fastest_last, plus_and_minus_one
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length).view(-1, 1)
    shifts = torch.arange(num_bits).flip(0)
    bits = (t >> shifts) & 1
    return bits.to(torch.get_default_dtype()) * 2 - 1

# %% wrong (first): a Gray code, in which neighbours differ in a single bit
# true: gray_code
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length)
    gray = t ^ (t >> 1)
    return torch.stack([(gray >> k) & 1 for k in range(num_bits)], dim=-1).to(torch.get_default_dtype())

# %% right (first): shifts and a mask
def binary_code(length: int, num_bits: int) -> Tensor:
    places = torch.arange(length).unsqueeze(1)
    shifts = torch.arange(num_bits)
    return ((places >> shifts) & 1).to(torch.get_default_dtype())

# %% right (first): two loops filling a table of zeros
def binary_code(length: int, num_bits: int) -> Tensor:
    table = torch.zeros(length, num_bits)
    for t in range(length):
        rest = t
        for k in range(num_bits):
            table[t, k] = rest % 2
            rest //= 2
    return table

# %% right (first): strings, cut to the lowest bits
def binary_code(length: int, num_bits: int) -> Tensor:
    table = torch.empty(length, num_bits)
    for t in range(length):
        digits = format(t, "b").zfill(num_bits)[::-1][:num_bits]
        table[t] = torch.tensor([float(d) for d in digits])
    return table

# %% right (first): numpy inside, cast at the end
def binary_code(length: int, num_bits: int) -> Tensor:
    t, k = np.ogrid[:length, :num_bits]
    return torch.as_tensor((t // 2**k) % 2, dtype=torch.get_default_dtype())

# %% wrong (second): the positions are counted from 1, so the row of position 0 holds the code of 1
# true: positions_from_1
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(1, length + 1):
        row = []
        for k in range(num_bits):
            row.append(float((t // 2 ** k) % 2))
        rows.append(row)
    return torch.tensor(rows, dtype=torch.get_default_dtype()).view(length, num_bits)

# %% wrong (second): the quotient is rounded to the nearest number and not rounded down, so the slower bits change at wrong places
# true: rounded_to_the_nearest
def binary_code(length: int, num_bits: int) -> Tensor:
    pos = torch.arange(length, dtype=torch.get_default_dtype()).unsqueeze(1)
    powers = torch.pow(2.0, torch.arange(num_bits)).to(pos.dtype)
    return torch.remainder(torch.round(pos / powers), 2)

# %% wrong (second): a position too large for the bits gets a longer row, so the function crashes there and does not start the code again
def binary_code(length: int, num_bits: int) -> Tensor:
    table = []
    for t in range(length):
        bits = format(t, "b").zfill(num_bits)
        table.append([float(b) for b in reversed(bits)])
    return torch.tensor(table)

# %% right (second): shifts and a bitwise and in numpy
def binary_code(length: int, num_bits: int) -> Tensor:
    t = np.arange(length, dtype=np.int64).reshape(-1, 1)
    k = np.arange(num_bits, dtype=np.int64).reshape(1, -1)
    bits = np.bitwise_and(np.right_shift(t, k), 1)
    return torch.from_numpy(bits).to(torch.get_default_dtype())

# %% wrong (third): the fastest bit stands last / always float32, also where the default type is another
# true: fastest_last
def binary_code(length: int, num_bits: int) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    powers = 2 ** torch.arange(num_bits - 1, -1, -1)
    return ((positions // powers) % 2).float()


# %% wrong (third): whole numbers instead of floating-point ones
# true: whole_numbers
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length)[:, None]
    k = torch.arange(num_bits)[None, :]
    return (t >> k) & 1


# %% wrong (third): does not start again: positions that need more bits make rows that are too long
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        digits = format(t, f"0{num_bits}b")
        rows.append([float(d) for d in reversed(digits)])
    return torch.tensor(rows)


# %% right (third): a counter that carries, one increment a row
def binary_code(length: int, num_bits: int) -> Tensor:
    code = torch.zeros(length, num_bits)  # (T, num_bits), of the default type
    bits = [0.0] * num_bits
    for t in range(length):
        code[t] = torch.tensor(bits)
        for k in range(num_bits):  # add one, from the fastest bit on
            bits[k] = 1.0 - bits[k]
            if bits[k] == 1.0:
                break  # nothing to carry
    return code

# %% wrong (last): takes the first num_bits characters of the binary string, so from position 2**num_bits on it shows the high bits instead of starting again ("From position 2**num_bits on, the code starts again")
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        word = format(t, f"0{num_bits}b")[:num_bits]  # e.g. "0110"
        rows.append([float(bit) for bit in reversed(word)])
    return torch.tensor(rows).reshape(length, num_bits)


# %% wrong (last): numbers the bits from 1, so column 0 changes only at every second position / always float32, where the docstring says torch's default type
# true: first_bit_lost
def binary_code(length: int, num_bits: int) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    powers = 2 ** torch.arange(1, num_bits + 1).unsqueeze(0)
    return ((positions // powers) % 2).to(torch.float32)


# %% right (last): one column at a time, by stretching and tiling the pair (0, 1)
def binary_code(length: int, num_bits: int) -> Tensor:
    columns = [torch.zeros(length, 0)]
    for k in range(num_bits):
        run = max(1, min(2**k, length))  # a run longer than the table is cut anyway
        period = torch.tensor([0.0, 1.0]).repeat_interleave(run)
        columns.append(period.tile(-(-length // (2 * run)))[:length, None])
    return torch.cat(columns, dim=1)


# %% wrong (fifth): bits from format strings, so from position 2**num_bits on it stops with an error
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        digits = format(t, f"0{num_bits}b")
        rows.append([float(digit) for digit in reversed(digits)])
    return torch.tensor(rows)


# %% wrong (fifth): always float32, also when torch's default dtype is float64
def binary_code(length: int, num_bits: int) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    bits = torch.arange(num_bits).unsqueeze(0)
    return ((positions >> bits) & 1).float()


# %% right (fifth): an odometer that counts up with carries
def binary_code(length: int, num_bits: int) -> Tensor:
    table = torch.zeros(length, num_bits)
    row = [0] * num_bits
    for t in range(length):
        for k, bit in enumerate(row):
            table[t, k] = bit
        k = 0
        while k < num_bits and row[k] == 1:
            row[k] = 0
            k += 1
        if k < num_bits:
            row[k] = 1
    return table
