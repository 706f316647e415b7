"""``kbe calls`` and ``doctor``: the calls to models and their cost, and what works here."""

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click
from click.core import ParameterSource

from kbe_graph import ModelOptions, Workspace
from kbe_graph.cli.command_settings import options_in_force
from kbe_graph.cli.face import NAMED, command, dollar_line
from kbe_graph.cli.printing import print_json, print_rows, print_table, say_note, say_outcome, wants_json
from kbe_graph.config import Setting, read_config
from kbe_graph.options import About

if TYPE_CHECKING:
    from kbe_graph.models.call_store import Summary

_FROM = {ParameterSource.COMMANDLINE: "flag -w", ParameterSource.ENVIRONMENT: "environment KBE_WORKSPACE"}
COSTS = ("step", "model", "calls", "hits", "failures", "prompt", "cached", "output", "dollars")
FAILURES = ("at", "step", "model", "kind", "message", "reply", "call")


@command("kbe -w W calls failures --limit 5", "kbe -w W calls apply replies.jsonl")
def calls(
    work: Workspace,
    what: Annotated[Literal["costs", "failures", "apply"], "[failures|apply FILE]"] = "costs",
    file: Annotated[Path | None, ""] = None,
    *,
    model: Annotated[ModelOptions, NAMED],
    limit: Annotated[int, About("Maximum number of failed calls to show.", least=1)] = 50,
) -> None:
    """Print calls, cache hits, failures, tokens and dollars by step and model, and dollars per kept question.

    With 'failures', show the endpoint's response to each failed call, newest first. With 'apply', import the replies in
    FILE, the provider's unmodified output file.
    """
    if (what == "apply") != (file is not None):
        raise click.UsageError("'apply' takes a FILE, and nothing else does")
    if file is not None:
        applied = work.models.take_replies(file, model)
        line = f"imported {applied.done} replies; {applied.failed} failed, {applied.known} were already imported"
        say_outcome(applied._asdict(), line)
    elif what == "failures":
        print_rows(FAILURES, work.models.failed_calls(limit))
    else:
        _print_costs(work.models.costs())


def _print_costs(costs: "Summary") -> None:
    if wants_json():
        print_json(asdict(costs))
    elif not costs.lines:
        say_note("no calls to models in this workspace yet", err=True)
    else:
        print_table(COSTS, [[getattr(line, name) for name in COSTS] for line in costs.lines])
        unpriced = f"{costs.unpriced} calls without a known price" if costs.unpriced else ""
        say_note(dollar_line(costs.dollars, costs.dollars_a_question, "per kept question", unpriced))


@command("kbe -w W doctor", "kbe -w W doctor --model Qwen/Qwen2.5-VL-7B-Instruct")
def doctor(folder: Path, model: Annotated[ModelOptions, NAMED]) -> None:
    """Check the parser, graph and any configured models, and print every setting that was made, with its origin.

    Failures come first. Each model is asked one very short question. The exit code is 1 if a check fails.
    """
    from kbe_graph.workspace.diagnosis import diagnose

    findings = diagnose(folder, model, _settings(click.get_current_context().find_root(), folder))
    if wants_json():
        print_json([finding._asdict() for finding in findings])
    else:
        print_table(("what", "value", "origin"), [finding[:3] for finding in findings])
    if not all(finding.works for finding in findings):
        raise click.exceptions.Exit(1)


def _settings(root: click.Context, folder: Path) -> Iterator[Setting]:
    origin = root.get_parameter_source("workspace") or ParameterSource.DEFAULT
    yield Setting("workspace", str(folder.absolute()), _FROM.get(origin, "default, the current folder"))
    if isinstance(root.command, click.Group):
        yield from options_in_force(read_config(folder), os.environ, root.command, root)
