"""Write ``docs/what-okvqa-knows.md`` and its plots from a workspace that holds FVQA and OK-VQA with two runs.

    D=$KBE_DATA
    kbe -w W init
    kbe -w W load $D/fvqa/questions_with_facts_dev.json.gz --name fvqa --split dev
    kbe -w W load $D/okvqa/val_dev_half.jsonl.gz --name okvqa --split dev
    kbe -w W extract --captions $D/coco_captions_tags/VinVL_base_val2014.tsv.gz \
        --detections $D/s3vqa_okvqa/val_detections.json.gz
    kbe -w W evolve --hops 3 --seed 0 --run first
    kbe -w W evolve --hops 3 --seed 1 --run second
    python scripts/what_okvqa_knows.py W

The figures are those of the graph; what is said of them stands in ``scripts/what_okvqa_knows.toml``, by query and
statistic, and is written by people who read them.
"""

import argparse
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from kbe_graph import Workspace
from kbe_graph.statistics.edge_frame import edge_frame
from kbe_graph.statistics.plots import draw_statistic
from kbe_graph.statistics.statistic_tables import OF_TRIPLETS
from kbe_graph.store.statements import Statement, queries

DOCS = Path(__file__).parents[1] / "docs"
COMMENTS = Path(__file__).with_suffix(".toml")
GENERATED = (
    "<!-- Written by scripts/what_okvqa_knows.py; change the graph, the script or its comments, then run it. -->"
)
RUN = "first"
ROWS = 5
LONGEST = 90
DRAWN = ("relations", "growth", "chains", "types")
VALUES = {
    "entity": "dog",
    "other": "animal",
    "relation": "used for",
    "run": RUN,
}
OWN_VALUES: Mapping[str, Mapping[str, str]] = {
    "run_differences": {"other": "second"},
    "paths_across_samples": {"entity": "man", "other": "ocean"},
}


def page(work: Workspace, comments: Mapping[str, str]) -> Iterator[str]:
    """Give the lines of the page."""
    yield from ("# What OK-VQA and FVQA know", "", GENERATED, "", comments["begin"].strip(), "")
    yield from ("## Relations across samples", "")
    yield from _statistics(work, comments)
    yield from ("## What each query finds", "", comments["queries"].strip(), "")
    chosen = work.store.query("longest_chains", {}, limit=1).rows[0][0]
    for about, group in groupby(queries(), key=lambda statement: statement.about):
        yield from (f"### {about.capitalize()}", "")
        for statement in group:
            yield from _answer(work, statement, {**VALUES, "id": chosen}, comments)


def _statistics(work: Workspace, comments: Mapping[str, str]) -> Iterator[str]:
    begun = time.perf_counter()
    edges = edge_frame(work.store, RUN)
    print(f"{len(edges)} triplets read in {time.perf_counter() - begun:.1f} s")
    frames = {name: make(edges) for name, make in OF_TRIPLETS.items()}
    print(f"statistics made in {time.perf_counter() - begun:.1f} s")
    comparison = work.compare("fvqa", "okvqa")
    tables = {
        "table2": work.statistics(RUN, what="table2"),
        **frames,
        "compare fvqa okvqa": comparison.figures,
        "compare fvqa okvqa, by relation": comparison.relations,
    }
    for name, frame in tables.items():
        yield from (f"### `kbe stats {name}`", "")
        if words := comments.get(name):
            yield from (words.strip(), "")
        yield from _frame_table(frame)
        if name in DRAWN:
            file = draw_statistic(name, frame, DOCS / "images" / "what-okvqa-knows")
            yield from (f"![{name}]({file.relative_to(DOCS).as_posix()})", "")


def _answer(
    work: Workspace, statement: Statement, values: Mapping[str, str], comments: Mapping[str, str]
) -> Iterator[str]:
    wanted = {each.name for each in statement.parameters if each.required}
    given = {name: value for name, value in {**values, **OWN_VALUES.get(statement.name, {})}.items() if name in wanted}
    begun = time.perf_counter()
    table = work.store.query(statement.name, given, limit=ROWS, timeout=600)
    seconds = time.perf_counter() - begun
    print(f"{statement.name}: {len(table.rows)} rows, {seconds:.2f} s")
    of = f" ({', '.join(f'{name}: {value}' for name, value in given.items())})" if given else ""
    yield from (f"**{statement.name}**{of}. {statement.meaning}", "")
    if words := comments.get(statement.name):
        yield from (words.strip(), "")
    yield from _table(table.columns, table.rows) if table.rows else ("It finds nothing.", "")


def _frame_table(frame: pd.DataFrame) -> Iterator[str]:
    rows = frame.head(ROWS if len(frame) > 3 * ROWS else len(frame)).to_numpy().tolist()
    yield from _table(list(frame.columns), rows)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)
    yield ""


def _cell(value: object) -> str:
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if value < 1e4 else f"{value:.0f}"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", type=Path)
    comments = tomllib.loads(COMMENTS.read_text(encoding="utf-8"))
    with Workspace(parser.parse_args().workspace, create=False, progress=False) as work:
        text = "\n".join(page(work, comments)).rstrip() + "\n"
    (DOCS / "what-okvqa-knows.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
