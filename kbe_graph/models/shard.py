"""The part of a benchmark that a machine works on."""

import hashlib
from dataclasses import dataclass

from kbe_graph.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Shard:
    """Part ``index`` of ``count``, counted from 1."""

    index: int
    count: int

    def holds(self, sample: str) -> bool:
        """Whether the sample of this id belongs to the part."""
        return shard_index(sample, self.count) == self.index - 1


def shard_index(sample: str, count: int) -> int:
    """Return the part of a sample's id, 0 to count - 1: the same on every machine, whatever else the file holds."""
    return int.from_bytes(hashlib.sha256(sample.encode()).digest()[:8]) % count


def read_shard(text: str) -> Shard:
    """Parse the shard ``i/n``; raises ConfigError."""
    index, _, count = text.partition("/")
    if not (index.isdigit() and count.isdigit() and 1 <= int(index) <= int(count)):
        raise ConfigError(f"{text!r} is no shard; write i/n with i from 1 to n, such as 1/4")
    return Shard(int(index), int(count))
