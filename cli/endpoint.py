"""The options of commands that may ask a model, and the formatting of costs."""

from collections.abc import Sequence
from pathlib import Path

import click

from kbe_graph import Estimate, ModelOptions
from kbe_graph.cli.face import open_work

RULE_OR_MODEL = ("rule", "model")
NAMED = "name base_url"
LIMITED = f"{NAMED} budget max_calls"
SENT = f"{LIMITED} runner"


def names_model(model: ModelOptions) -> bool:
    """Whether the command line names a model or its address, which makes the model do the command's work."""
    return bool(model.name or model.base_url)


def unpriced_words(estimate: Estimate) -> str:
    """Name the models without a known price; empty if all have one."""
    return f"no price known for {', '.join(estimate.unpriced)}" if estimate.unpriced else ""


def dollar_line(dollars: float, each: float | None, of_what: str, unpriced: str, bound: str = "") -> str:
    """Format dollars, those of each question, and the models without a price; with no price, dollars are unknown."""
    total = "unknown" if unpriced and not dollars else f"{bound}{dollars:.4f}"
    part = "" if each is None else f", {each:.5f} {of_what}"
    return f"dollars: {total}{part}" + (f" ({unpriced}; set it in [models.price] of kbe.toml)" if unpriced else "")


def awaited_lines(files: Sequence[Path]) -> list[str]:
    """State the next step for each file of requests that waits for replies, with request counts by step."""
    if not files:
        return []
    waiting = open_work(click.get_current_context().obj).models.waiting_calls()
    counts = {name: ", ".join(f"{step} {count}" for step, count in by.items()) for name, by in waiting.items()}
    return [
        f"wrote {file} (requests: {counts.get(file.name, '')}); import the replies with 'kbe calls apply FILE', then "
        "re-run this command"
        for file in files
    ]
