# %% wrong: the fastest bit stands last / always float32, also where the default type is another
# true: fastest_last
def binary_code(length: int, num_bits: int) -> Tensor:
    positions = torch.arange(length).unsqueeze(1)
    powers = 2 ** torch.arange(num_bits - 1, -1, -1)
    return ((positions // powers) % 2).float()


# %% wrong: whole numbers instead of floating-point ones
# true: whole_numbers
def binary_code(length: int, num_bits: int) -> Tensor:
    t = torch.arange(length)[:, None]
    k = torch.arange(num_bits)[None, :]
    return (t >> k) & 1


# %% wrong: does not start again: positions that need more bits make rows that are too long
def binary_code(length: int, num_bits: int) -> Tensor:
    rows = []
    for t in range(length):
        digits = format(t, f"0{num_bits}b")
        rows.append([float(d) for d in reversed(digits)])
    return torch.tensor(rows)


# %% right: a counter that carries, one increment a row
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
