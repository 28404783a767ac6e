"""The experiment of lesson 14 on what one more token costs, by how many heads of keys and values are kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from course_lib.experiments.costs import best_time, one_thread
from course_lib.experiments.series import Series

#: one layer that writes 16 texts at once, each with 1,024 tokens so far, as wide as the base model of the paper
TEXTS, LENGTH, HEADS, HEAD_WIDTH = 16, 1024, 8, 64
#: heads of keys and values: from multi-head to multi-query attention
KV_HEADS = (8, 4, 2, 1)

Attention = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


@torch.no_grad()
def time_of_a_token(attention: Attention, grouped: Attention, seed: int) -> Series:
    """Time one token's attention to the cache, relative to multi-head attention.

    Args:
        attention: like `scaled_dot_product_attention`.
        grouped: like `grouped_query_attention`.
        seed: that of the queries, keys and values.

    Returns:
        ``heads``: the heads of keys and values; ``megabytes`` of the cache; ``copied``: the time if each of these heads
        is first copied for every head of queries that shares it; and ``grouped``: the time of ``grouped``.
    """

    def with_copies(query: Tensor, key: Tensor, value: Tensor) -> None:
        copies = HEADS // key.size(1)
        attention(query, key.repeat_interleave(copies, dim=1), value.repeat_interleave(copies, dim=1))

    generator = torch.Generator().manual_seed(seed)
    query = torch.randn(TEXTS, HEADS, 1, HEAD_WIDTH, generator=generator)  # (B, H, 1, Dk)
    keys, values = torch.randn(2, TEXTS, HEADS, LENGTH, HEAD_WIDTH, generator=generator)  # (B, H, S, Dk) each
    series: Series = {"heads": [], "megabytes": [], "copied": [], "grouped": []}
    with one_thread():
        unit = best_time(partial(attention, query, keys, values))
        for heads in KV_HEADS:
            key, value = keys[:, :heads].contiguous(), values[:, :heads].contiguous()  # (B, G, S, Dk) each
            series["heads"].append(float(heads))
            series["megabytes"].append((key.nbytes + value.nbytes) / 2**20)
            series["copied"].append(best_time(partial(with_copies, query, key, value)) / unit)
            series["grouped"].append(best_time(partial(grouped, query, key, value)) / unit)
    return series
