"""One seed a draw, so that no draw depends on the order of the work."""

import hashlib


def seed_of(*parts: object) -> int:
    """Return a seed in 0 ... 2**64 - 1 that depends on the parts alone (run seed, sample, hop)."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")
