"""One seed per draw, so that no draw depends on the order of the work."""

import hashlib
import heapq
from collections.abc import Iterable


def seed_of(*parts: object) -> int:
    """Derive a seed in 0 ... 2**64 - 1 that depends only on the parts (run seed, sample, hop)."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")


def draw_ids(ids: Iterable[str], number: int, seed: int) -> list[str]:
    """Draw ``number`` of the ids, sorted, whatever their order; a larger number only adds to them.

    >>> draw_ids("abcdef", 2, 0), draw_ids("fedcba", 3, 0)
    (['a', 'c'], ['a', 'c', 'f'])
    """
    return sorted(heapq.nsmallest(number, ids, key=lambda id_: seed_of("sample", seed, id_)))
