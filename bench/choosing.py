"""What the one client that decides for all samples of a hop needs: seconds and memory, by the number of samples.

    python bench/choosing.py 5000 20000

Samples have one to six questions to choose from, of 60 relations and 3,000 answers, drawn as unevenly as in runs.
Prints a line of JSON for each number: processor seconds of the choice, MB of what it is chosen from, and at the most.
"""

import json
import random
import resource
import sys
import time

from kbe_graph.checks.guessable import DrawEntry, Shares, choose


def entry(draw: random.Random) -> DrawEntry:
    relation = f"relation {int(60 * draw.random() ** 2)}"
    return DrawEntry(f"answer {int(3000 * draw.random() ** 2)}", (relation,), draw.randrange(3), draw.random() < 0.4)


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Print a line for each number of samples."""
    for count in map(int, sys.argv[1:]):
        draw, before = random.Random(0), peak()
        entries = {f"drawn/bench/{n:07}": tuple(entry(draw) for _ in range(draw.randrange(1, 7))) for n in range(count)}
        held, begin = peak(), time.process_time()
        choose(entries, Shares(0.1, 0.1))
        seconds = round(time.process_time() - begin, 2)
        print(json.dumps({"samples": count, "cpu s": seconds, "MB": held - before, "peak MB": peak() - before}))


if __name__ == "__main__":
    main()
