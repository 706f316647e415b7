"""``kbe status``: counts by stage, hop and reason."""

from pathlib import Path
from typing import Any

import click

from kbe_graph.cli.common import json_option, open_graph, print_json, print_mapping, require_run, run_option
from kbe_graph.store import Store


@click.command()
@run_option
@json_option
@click.pass_obj
def status(folder: Path, run: str | None, as_json: bool) -> None:
    """Print how many samples and questions there are at each stage, why the others were dropped, and what filters are worth."""
    with open_graph(folder) as graph:
        require_run(graph.store, run)
        counts = with_worth(graph.store, run)
    if as_json:
        print_json(counts)
    else:
        print_mapping(counts)


def with_worth(store: Store, run: str | None) -> dict[str, Any]:
    """Return the counts of the store, and for each run what each filter does to the share of faulty candidates."""
    from kbe_graph.evolve.checks import worth
    from kbe_graph.filters import catalogue

    counts = store.status(run)
    order = [entry.reason for entry in catalogue()]
    for name, of_run in counts["runs"].items():
        rows = store.query("faulty_by_reason", {"run": name}).rows
        candidates = [(reason, place < faulty) for _, reason, count, faulty in rows for place in range(count)]
        of_run["faulty share"] = {
            one.filter: f"{_percent(one.faulty_before, one.before)} before, {_percent(one.faulty_after, one.after)} after"
            for one in worth(candidates, order)
            if one.before != one.after
        }
    return counts


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
