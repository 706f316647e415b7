"""What a run keeps of replies that readers wrote who looked at the photos (tests/data/played), and why not the rest.

    KBE_DATA=folder python bench/played.py [--blind skip|mark|off] [--filters paper]

Prints one line of JSON: samples by hop, reasons, calls by step and a kept question, the share named without the
picture, and how many requests nobody had answered (they get an empty reply). Compare ``--blind off`` and ``--filters
paper`` in one sitting: what differs is what a draft was never written for, so later hops are a lower bound.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from loopback_server import LoopbackServer
from played_model import PlayedModel
from played_run import evolve_played

import kbe_graph as kbe


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blind", default="skip", choices=("skip", "mark", "off"))
    parser.add_argument("--filters", default="all")
    given = parser.parse_args()
    played = PlayedModel()
    with (
        tempfile.TemporaryDirectory() as folder,
        LoopbackServer(otherwise=played, record=False) as server,
        kbe.Workspace(Path(folder) / "W", progress=False) as work,
    ):
        (photos := Path(folder) / "photos").mkdir()
        run = evolve_played(
            work, Path(os.environ["KBE_DATA"]), photos, server.url, blind=given.blind, run={"filters": given.filters}
        )
        counts = run.status()["runs"][run.name]
        kept = [len(run.questions(hop=hop)) for hop in (1, 2, 3)]
        calls = played.asked.total()
        print(
            json.dumps(
                {
                    "samples": len(work.samples()),
                    "kept by hop": kept,
                    "questions": counts["questions"],
                    "named without the picture": counts.get("named without the picture"),
                    "calls": dict(played.asked),
                    "calls a kept question": round(calls / max(1, sum(kept)), 2),
                    "not played": dict(played.unplayed),
                }
            )
        )


if __name__ == "__main__":
    main()
