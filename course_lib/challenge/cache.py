"""Greedy decoding with a student's cache, if it is written and gives the same output as without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_lib.components import recurrent_greedy

#: ``(model, source (B, S), bos_id, eos_id, max_length)`` to ids (B, T), like `greedy_decode`
Decode = Callable[[Any, Tensor, int, int, int], Tensor]

COMPARED = 8  #: sentences of each batch to decode without the cache as well

#: messages about the caches since the last rehearsal began
SAID: list[str] = []


def with_cache(greedy_decode: Decode, cached_decoder: Callable[..., Any]) -> Decode:
    """Return a `greedy_decode` that is several times as fast: it uses a `CachedDecoder` while it can be trusted.

    A few sentences of each batch are also decoded without the cache. If one of them differs, or the cache is not
    written or fails, the batch is decoded without it, and a rehearsal says so.

    Args:
        greedy_decode: decodes without a cache.
        cached_decoder: the class `CachedDecoder`.

    Returns:
        A replacement for ``greedy_decode`` that returns the same.
    """
    same, name = [0], getattr(cached_decoder, "__name__", "the cache")

    def decode(model: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int) -> Tensor:
        some = source[:: -(-len(source) // COMPARED)]  # (B', S), spread over the batch
        slowly = greedy_decode(model, some, bos_id, eos_id, max_length)  # (B', T')
        try:
            found = _cached(cached_decoder, model, source, bos_id, eos_id, max_length)  # (B, T)
            again = found[:: -(-len(source) // COMPARED)].tolist()
            equal = sum(_until(eos_id, a) == _until(eos_id, b) for a, b in zip(again, slowly.tolist(), strict=True))
        except NotImplementedError:
            why = f"{name}, or a part of it, is not written yet"
        except Exception as error:
            why = f"{name} stops with {type(error).__name__}: {error}"
        else:
            if equal == len(some):
                same[0] += equal
                _say(f"Decoded with {name}: ", f"{same[0]} of {same[0]} sentences compared are the same without it.")
                return found
            why = f"with {name}, {len(some) - equal} of {len(some)} sentences come out otherwise than without it"
        _say("Decoded without a cache", f", which takes several times as long: {why}.")
        return greedy_decode(model, source, bos_id, eos_id, max_length)

    return decode


@torch.no_grad()
def _cached(
    cached_decoder: Callable[..., Any], model: Any, source: Tensor, bos_id: int, eos_id: int, max_length: int
) -> Tensor:
    decoder = cached_decoder(model, *model.encode(source))

    def step(words: Tensor, state: None) -> tuple[Tensor, None]:
        return decoder.step(words[:, 0]).unsqueeze(1), state  # (B, 1, V)

    found = recurrent_greedy(step, None, len(source), bos_id, eos_id, max_length)  # (B, T)
    is_end = found == eos_id  # (B, T)
    return found.masked_fill(is_end.cumsum(dim=1) > is_end.long(), model.pad_id)  # as greedy_decode pads


def _until(end: int, ids: list[int]) -> list[int]:
    return ids[: ids.index(end)] if end in ids else ids


def _say(head: str, rest: str) -> None:
    """Replace an earlier message with the same head, because a rehearsal decodes several batches."""
    SAID[:] = [*(text for text in SAID if not text.startswith(head)), head + rest]
