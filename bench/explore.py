"""How long the pages of ``kbe explore`` take, on made-up samples and the embedded engine.

    python bench/explore.py [--samples 50000] [--asked 100]

Prints one line of JSON: seconds to read the graph, and the 50th and 95th percentile in milliseconds of the sample page,
the search and the entity page, each asked for so many different things, HTML included.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from load import load
from synthetic import NAMES

from kbe_graph import Workspace
from kbe_graph.explorer.explorer import Explorer
from kbe_graph.explorer.explorer_pages import web_app
from kbe_graph.web.pages import page_link


def percentiles(ask: Callable[[str], int], addresses: list[str]) -> dict[str, float]:
    """Return the percentiles of the milliseconds that the addresses take; the first one warms up and is left out."""
    taken = []
    for address in addresses:
        begin = time.perf_counter()
        if ask(address) == 200:
            taken.append(1_000 * (time.perf_counter() - begin))
    taken = sorted(taken[1:])
    return {"pages": len(taken), **{f"p{part}": round(taken[len(taken) * part // 100], 1) for part in (50, 95)}}


def main() -> None:
    from starlette.testclient import TestClient

    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=50_000)
    parser.add_argument("--asked", type=int, default=100)
    arguments = parser.parse_args()
    draw = random.Random(0)
    ids = [f"drawn/bench/{draw.randrange(arguments.samples):06}" for _ in range(arguments.asked)]
    names = [f"thing {int(NAMES * draw.random() ** 3)}" for _ in range(arguments.asked)]
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder), progress=False) as work:
        load(work.store, arguments.samples)
        begin = time.perf_counter()
        client = TestClient(web_app(Explorer(work)))
        figures = {"samples": arguments.samples, "read_seconds": round(time.perf_counter() - begin, 1)}
        pages = {
            "sample": [page_link("sample", id=id_) for id_ in ids],
            "search": [page_link("samples", q=name) for name in [*names, *ids]],
            "entity": [page_link("entity", name=name) for name in names],
        }
        measured = {
            page: percentiles(lambda address: client.get(address).status_code, addresses)
            for page, addresses in pages.items()
        }
    print(json.dumps({**figures, **measured}))


if __name__ == "__main__":
    main()
