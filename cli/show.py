"""``kbe status``, ``show``, ``explore``, ``export``, ``report``, ``facts`` and ``filters``: what people look at."""

import contextlib
import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import Output, command
from kbe_graph.cli.printing import (
    print_json,
    print_lines,
    print_mapping,
    print_table,
    say,
    say_note,
    say_outcome,
    say_written,
    wants_json,
)
from kbe_graph.export.formats import EXPORTS
from kbe_graph.export.release import left_out
from kbe_graph.options import About
from kbe_graph.workspace.verbs import PORT, ExportOptions, ReportOptions

if TYPE_CHECKING:
    from kbe_graph.checks.check import Row
    from kbe_graph.facts.walk import EntityFacts
    from kbe_graph.show.terminal import Line

RUN = "Run name (default: all runs)."


@command("kbe -w W status", "kbe -w W status --all --json")
def status(
    work: Workspace,
    *,
    everything: Annotated[bool, About("Print all counts by stage, hop and reason.", flag="all")] = False,
    run: Annotated[str | None, About(RUN)] = None,
) -> None:
    """Show how many samples reached each stage of a run, and why the others were dropped."""
    print_status(work.status(run), everything=everything)


def print_status(counts: dict[str, Any], *, everything: bool = False) -> None:
    """Print the status screen, all counts, or these as JSON."""
    from kbe_graph.show.status import screen

    if wants_json():
        print_json(counts)
    elif everything:
        print_mapping(counts)
    else:
        print_lines(screen(counts))


@command("kbe -w W show okvqa/val/2971475")
def show(work: Workspace, name: Annotated[str, "ID"], *, run: Annotated[str | None, About(RUN)] = None) -> None:
    """Print the image, question chain, key paths and sources of one sample. ID is a sample id or a question id."""
    sample = work.sample(name, run=run)
    if wants_json():
        print_json(sample.records())
    else:
        print_lines(sample.lines(brief=False))


@command("kbe -w W explore", "kbe -w W explore --port 8100 --no-browser", json=False)
def explore(
    work: Workspace,
    *,
    port: Annotated[int, About(PORT, least=0, most=65_535)] = 0,
    no_browser: Annotated[bool, About("Print the address without opening a browser.")] = False,
) -> None:
    """Browse the workspace: samples, entities, relations, runs, and a Cypher console.

    The pages are read-only, and served on this machine only. Stop the server with Ctrl+C.
    """
    from kbe_graph.explorer.explorer_pages import serve

    def tell(address: str) -> None:
        say(address)
        say_note("press Ctrl+C to stop", err=True)
        if not no_browser:
            webbrowser.open(address)

    with contextlib.suppress(KeyboardInterrupt):
        serve(work, port=port, ready=tell)


FORMATS = "\n".join(f"  {name:<12}  {row.about}" for name, row in EXPORTS.items())


@command(
    "kbe -w W export jsonl evolved.jsonl",
    "kbe -w W export vlmevalkit out --hops 1-2 --images-as none",
    about=f"Export the questions to OUT, a file or folder that other programs read.\n\n\b\nFormats:\n{FORMATS}",
)
def export(
    work: Workspace,
    format_: Annotated[str, click.Choice(list(EXPORTS)), "FORMAT"],
    out: Output,
    options: ExportOptions,
) -> None:
    """Write the questions, and print their number and why others were left out."""
    count = work.export(out, format=format_, **options)
    summary = {"questions": count, "format": format_}
    if not EXPORTS.require(format_).is_folder:
        say_written(summary, "wrote {questions} questions to {file}", out)
        return
    reasons = left_out(out)
    line = f"wrote {count} questions to {out}; its README.md explains how to use them"
    others = (f"left out {count}: {reason}" for reason, count in reasons.items())
    say_outcome(summary | {"left_out": reasons}, line, *others)


@command("kbe -w W report report.html", "kbe -w W report report.html --json figures.json --latex tables", json=False)
def report(work: Workspace, file: Annotated[Output, "OUT.html"], options: ReportOptions) -> None:
    """Write the results of a run to one HTML page: funnel, tables, charts, cost, and every question."""
    data = work.report(file, **options)
    questions = sum(len(item.questions) for item in data.items)
    say_written({"questions": questions}, "wrote a report of {questions} questions to {file}", file)


SHOWN = ("relation", "object", "source", "source_version", "source_date", "source_ref", "review", "evidence")


@command("kbe facts giraffe", "kbe facts Italy --json")
def facts(entity: str) -> None:
    """Show the aliases and facts of ENTITY, a concept id or a name. Facts have source, version, evidence and review."""
    from kbe_graph import facts_about

    concepts = facts_about(entity)
    if wants_json():
        print_json([concept._asdict() | {"facts": [asdict(fact) for fact in concept.facts]} for concept in concepts])
        return
    for concept in concepts:
        if sys.stdout.isatty():
            print_lines(_concept_lines(concept))
        else:
            say(f"{concept.concept}  {concept.label}  also: {', '.join(concept.aliases) or 'nothing'}")
            print_table(SHOWN, [[getattr(fact, column) for column in SHOWN] for fact in concept.facts])


def _concept_lines(concept: "EntityFacts") -> "Iterator[Line]":
    from kbe_graph.show.terminal import Line

    yield Line("sample", f"{concept.label} ({concept.concept})")
    if concept.aliases:
        yield Line("text", f"also: {', '.join(concept.aliases)}", ("",))
    for fact in concept.facts:
        of = "" if fact.subject_id == concept.concept else f" (from its kind, {fact.subject})"
        yield Line("question", f"{fact.relation}: {fact.object}{of}", ("",))
        if fact.evidence:
            yield Line("text", fact.evidence, ("",))
        date = f" of {fact.source_date}" if fact.source_date else ", undated"
        review = "not reviewed" if fact.review == "auto" else fact.review
        version = f"{fact.source} {fact.source_version}".rstrip()
        yield Line("fact", ", ".join(filter(None, (version + date, fact.source_ref, review))), ("",))
    yield Line("text", "")


@command("kbe filters", "kbe filters 'no concept'")
def filters(name: Annotated[str, "REASON"] = "") -> None:
    """Print the rule behind each reason, or REASON, by stage, with one case refused and one passed."""
    from kbe_graph.checks import explanations
    from kbe_graph.checks.registry import full_name

    only = name and full_name(name, [entry.name for entry in explanations()])
    chosen = [entry for entry in explanations() if only in ("", entry.name)]
    if wants_json():
        print_json([entry._asdict() for entry in chosen])
        return
    rules = [
        (entry.stage, entry.name, entry.filters, entry.rule, _case(entry.refused), _case(entry.passed))
        for entry in chosen
    ]
    print_table(("stage", "reason", "filters", "rule", "refused", "passed"), rules)


def _case(example: "Row") -> str:
    return "; ".join(f"{key}: {value}" for key, value in example._asdict().items() if value)
