"""How fast the corpus is drawn: pairs a second of CPU time, one process, by split."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from itertools import islice

from course_lib.corpus import SPLITS, Pair, generate


def rate(pairs: Iterator[Pair], count: int) -> float:
    """Pairs a second of CPU time."""
    next(pairs)
    start = time.process_time()
    drawn = sum(1 for _ in islice(pairs, count))
    return drawn / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=50_000, help="how many to draw (default: %(default)s)")
    count = parser.parse_args().pairs
    for split in SPLITS:
        print(f"{split:24}{rate(generate(0, split), count if split == 'train' else count // 10):10,.0f} pairs/s")
    print(f"{'train, distinct':24}{rate(generate(0, distinct=True), count):10,.0f} pairs/s")
    print(f"{'train, synonyms':24}{rate(generate(0, synonyms=True), count):10,.0f} pairs/s")


if __name__ == "__main__":
    main()
