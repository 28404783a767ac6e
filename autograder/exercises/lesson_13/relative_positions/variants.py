# %% right: shifted then cut
def relative_positions(query_length, key_length, max_distance):
    rows = torch.arange(key_length)[None, :] - torch.arange(query_length)[:, None] + max_distance
    return rows.clip(0, 2 * max_distance)


# %% right: number by number
def relative_positions(query_length, key_length, max_distance):
    table = torch.zeros(query_length, key_length, dtype=torch.long)
    for t in range(query_length):
        for s in range(key_length):
            table[t, s] = min(max(s - t, -max_distance), max_distance) + max_distance
    return table


# %% right: through numpy
def relative_positions(query_length, key_length, max_distance):
    gaps = np.subtract.outer(np.arange(key_length), np.arange(query_length)).T
    return torch.from_numpy(np.clip(gaps, -max_distance, max_distance) + max_distance)


# %% right: minimum and maximum
def relative_positions(query_length, key_length, max_distance):
    s, t = torch.arange(key_length), torch.arange(query_length).view(-1, 1)
    furthest = torch.tensor(max_distance)
    return torch.maximum(torch.minimum(s - t, furthest), -furthest) + furthest


# %% right: by meshgrid
def relative_positions(query_length, key_length, max_distance):
    t, s = torch.meshgrid(torch.arange(query_length), torch.arange(key_length), indexing="ij")
    gaps = s - t
    gaps[gaps > max_distance] = max_distance
    gaps[gaps < -max_distance] = -max_distance
    return gaps + max_distance


# %% trivial: zeros
def relative_positions(query_length, key_length, max_distance):
    return torch.zeros(query_length, key_length, dtype=torch.long)


# %% trivial: own position for all
def relative_positions(query_length, key_length, max_distance):
    return torch.full((query_length, key_length), max_distance)


# %% trivial: the key itself
def relative_positions(query_length, key_length, max_distance):
    return torch.arange(key_length).expand(query_length, key_length)
