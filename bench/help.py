"""Start-up of ``kbe --help``, beside a bare Python: seconds, median of ten, and their ratio."""

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

KBE = Path(sys.executable).with_name("kbe")


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    pairs = [(seconds([str(KBE), "--help"]), seconds([sys.executable, "-c", "pass"])) for _ in range(10)]
    ours, bare = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(
        json.dumps({"kbe --help s": round(ours, 3), "python -c pass s": round(bare, 3), "ratio": round(ours / bare, 1)})
    )


if __name__ == "__main__":
    main()
