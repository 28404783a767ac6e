# %% wrong (fourth): query minus key, as one lecture's slide has it
# true: query_minus_key
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    q = torch.arange(query_length)[:, None]
    k = torch.arange(key_length)[None, :]
    return torch.clamp(q - k, -max_distance, max_distance) + max_distance


# %% wrong (fourth): the distances themselves, from -K to K: K is never added
# true: not_shifted
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    distance = torch.arange(key_length).unsqueeze(0) - torch.arange(query_length).unsqueeze(1)  # (T, S)
    return distance.clamp(min=-max_distance, max=max_distance)


# %% wrong (fourth): adds K first and clips to -K and K afterwards
# true: clipped_after_the_shift
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    distance = torch.arange(key_length) - torch.arange(query_length)[:, None]
    rows = distance + max_distance
    return rows.clamp(-max_distance, max_distance)


# %% wrong (fourth): never clipped, so far keys run out of the table
# true: not_clipped
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    positions = torch.zeros(query_length, key_length, dtype=torch.long)
    for t in range(query_length):
        for s in range(key_length):
            positions[t, s] = s - t + max_distance
    return positions


# %% wrong (fourth): the distance without its direction
# true: no_direction
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    t = torch.arange(query_length).view(-1, 1)
    s = torch.arange(key_length).view(1, -1)
    return (s - t).abs().clamp(max=max_distance) + max_distance


# %% wrong (fourth): queries are taken for the last T of the S positions, as tensor2tensor does for a cache
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    range_vec_k = torch.arange(key_length)
    range_vec_q = range_vec_k[-query_length:] if query_length <= key_length else torch.arange(query_length)
    distance_mat = range_vec_k[None, :] - range_vec_q[:, None]
    return torch.clamp(distance_mat, -max_distance, max_distance) + max_distance


# %% wrong (fourth): clips at K - 1 from above, as the end of a range would
# true: last_row_never_used
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    gap = torch.arange(key_length)[None] - torch.arange(query_length)[:, None]  # (T, S)
    gap = torch.where(gap < -max_distance, -max_distance, gap)
    gap = torch.where(gap >= max_distance, max_distance - 1, gap)
    return gap + max_distance


# %% wrong (fourth): shifted by the number of queries less one, as the windows of Swin are, and then clipped to 2K
# true: shifted_by_the_number_of_queries
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    coords_q, coords_k = torch.arange(query_length), torch.arange(key_length)
    relative_coords = coords_k[None, :] - coords_q[:, None]
    relative_coords = relative_coords + (query_length - 1)  # shift to start from 0
    return relative_coords.clamp(0, 2 * max_distance)


# %% wrong (fourth): floats, which no table can be indexed with
# true: floats
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    q = torch.linspace(0, query_length - 1, query_length)
    k = torch.linspace(0, key_length - 1, key_length)
    return (k[None, :] - q[:, None]).clamp(-max_distance, max_distance) + max_distance


# %% wrong (fourth): a square of queries only; the number of keys is not used
# true: square
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    positions = torch.arange(query_length)
    relative = positions.unsqueeze(0) - positions.unsqueeze(1)
    return relative.clamp(-max_distance, max_distance) + max_distance


# %% wrong (fourth): a remainder instead of a clip: distances go round
# true: wrapped_round
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    gap = torch.arange(key_length) - torch.arange(query_length).reshape(-1, 1)
    return (gap + max_distance) % (2 * max_distance + 1)


# %% right (fourth): two loops with min and max
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    rows = []
    for t in range(query_length):
        rows.append([max(-max_distance, min(max_distance, s - t)) + max_distance for s in range(key_length)])
    return torch.tensor(rows, dtype=torch.long).reshape(query_length, key_length)


# %% right (fourth): windows of one ramp, a row further left for each query
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    ramp = torch.arange(-(query_length - 1), key_length)  # all distances that there are, (T + S - 1,)
    ramp = (ramp + max_distance).clamp(0, 2 * max_distance)
    return ramp.unfold(0, key_length, 1).flip(0)  # (T, S)


# %% right (fourth): numpy's outer difference and clip
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    k = int(max_distance)
    gaps = np.subtract.outer(np.arange(query_length), np.arange(key_length))
    return torch.from_numpy(k - np.clip(gaps, -k, k))


# %% right (fourth): counts how many of the boundaries from -K to K - 1 a distance is above
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    gap = torch.arange(key_length)[None, :, None] - torch.arange(query_length)[:, None, None]  # (T, S, 1)
    boundaries = torch.arange(-max_distance, max_distance)  # (2K,)
    return (gap > boundaries).sum(dim=-1)  # (T, S)


# %% wrong (fifth): the last query is lined up with the last key, as with a cache: wrong unless T = S
# true: from_the_last_query
def relative_positions(query_length: int, key_length: int, max_distance: int) -> Tensor:
    keys = torch.arange(key_length)
    queries = keys[-1] - torch.arange(query_length).flip(0)
    distance = keys[None, :] - queries[:, None]  # (T, S)
    return distance.clamp(-max_distance, max_distance) + max_distance
