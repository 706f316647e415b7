"""Statistics of questions by hop, intervals, paired tests and agreement.

Light, so that help and tables need no numpy: the names of the statistics, and a share's interval.
"""

from collections.abc import Mapping
from math import sqrt

STATISTICS: Mapping[str, str] = {
    "questions": "words, key edges and distinct relations, by benchmark and hop",
    "variety": "numbers of relations, chains and answers of explored questions",
}
FEWEST = 6  # with fewer pairs, the exact test's p is always above 0.05, and an interval is uninformative
ONE_PICTURE = "no interval: one picture"
Z95 = 1.959963984540054  # standard deviations of a 95 % interval


def wilson(part: float, whole: float) -> tuple[float, float]:
    """Return the 95 % interval of a share, 0 to 1 if ``whole`` is 0 (Wilson 1927).

    ``part`` and ``whole`` may be fractional: a question asked twice may be half right, and answers about the same image
    may count as fewer than they are.
    """
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, Z95 * Z95
    middle = share + square / (2 * whole)
    spread = Z95 * sqrt(max(share * (1 - share), 0.0) / whole + square / (4 * whole * whole))
    low, high = ((middle + sign * spread) / (1 + square / whole) for sign in (-1, 1))
    # rounding must not exclude the share itself
    return max(0.0, min(low, share)), min(1.0, max(high, share))
