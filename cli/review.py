"""``kbe review`` and ``study``: have people decide on questions or rate them, in the browser or on sheets."""

import contextlib
import webbrowser
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from kbe_graph import Workspace
from kbe_graph.cli.command_settings import Group, epilog
from kbe_graph.cli.face import Output, call, command, group, params_of
from kbe_graph.cli.printing import (
    print_json,
    print_table,
    say,
    say_note,
    say_outcome,
    say_written,
    wants_json,
)
from kbe_graph.options import About
from kbe_graph.workspace.verbs import (
    OverlapOptions,
    ReviewChoice,
    ServeOptions,
    SheetOptions,
    StudyOptions,
    TakeOptions,
)

if TYPE_CHECKING:
    from kbe_graph.review.review_report import Findings

_MOST = 25  # rows of a table that are printed


def serve(
    work: Workspace,
    options: ServeOptions,
    *,
    no_browser: Annotated[bool, About("Print the addresses without a browser.")] = False,
) -> None:
    """Serve the pages until interrupted."""

    def tell(addresses: Mapping[str, str]) -> None:
        for name, address in addresses.items():
            say(f"{name}  {address}" if len(addresses) > 1 else address)
        say_note("press Ctrl+C to stop", err=True)
        if not no_browser:
            webbrowser.open(next(iter(addresses.values())))

    with contextlib.suppress(KeyboardInterrupt):
        work.review.serve(tell, **options)


@click.group(
    cls=Group,
    epilog=epilog("kbe -w W review", "kbe -w W review --run demo-0 --reviewer ann --reviewer bea --overlap 0.2"),
    invoke_without_command=True,
    params=params_of(serve),
)
@click.pass_context
def review(ctx: click.Context, /, **values: Any) -> None:
    """Have people approve, reject and revise questions in the browser, the most doubtful first.

    The questions are those of a run, or with --benchmark the benchmark's own. Each reviewer gets a separate address.
    Every decision is saved before the next question appears. Stop the server with Ctrl+C.
    """
    if not ctx.invoked_subcommand:
        call(serve, ctx, **values)


@command("kbe -w W review status", "kbe -w W review status --overlap 0.1 --json", of=review)
def status(work: Workspace, options: ReviewChoice, overlap: OverlapOptions) -> None:
    """Count the questions of a run by review outcome, and the decisions that are still missing.

    With --benchmark, count the benchmark's own questions.
    """
    states = work.review.state(**options, **overlap)
    counts = Counter(state.state for state in states.values())
    missing = sum(state.missing for state in states.values() if state.state != "revised")
    if wants_json():
        rows = {
            id_: {"state": state.state, "reviewers": list(state.reviewers), "missing": state.missing}
            for id_, state in states.items()
        }
        print_json({"questions": dict(counts), "missing": missing, "states": rows})
        return
    print_table(("state", "questions"), list(counts.items()))
    say_note(f"{missing} more decisions are needed; a 'revised' question has a new version, counted too", err=True)


@command(
    "kbe -w W review export sheet.csv --number 100",
    "kbe -w W review export tasks.json --format labelstudio",
    of=review,
)
def export(work: Workspace, file: Output, options: SheetOptions) -> None:
    """Write the questions of a run to FILE for people to review, or with --study the items of a study to rate.

    For labelstudio, the labelling configuration is written next to FILE (.xml). With --benchmark, export the
    benchmark's own questions.
    """
    count = work.review.export(file, **options)
    say_written({"questions": count}, "wrote {questions} questions to {file}", file)


@command("kbe -w W review take ann.csv", "kbe -w W review take tasks.json --reviewer ann", of=review)
def take(work: Workspace, file: Path, options: TakeOptions) -> None:
    """Import the decisions or ratings in FILE, a completed sheet. If one is invalid, none is imported."""
    taken = work.review.take(file, **options)
    say_outcome(taken._asdict(), f"imported {taken.taken} decisions; {taken.repeated} were already imported")


@command("kbe -w W review report", "kbe -w W review report --json", of=review)
def report(work: Workspace, options: ReviewChoice) -> None:
    """Summarise the decisions on a run: acceptance, opinions, agreement and time.

    With --benchmark, summarise those on the benchmark's own questions. Shares are in per cent, with the 95 % interval
    in brackets.
    """
    _print(work.review.report(**options))


def _print(findings: "Findings") -> None:
    if wants_json():
        print_json(findings.as_mapping())
        return
    figures = {name: f"{value:.3g}" for name, value in findings.counts.items() if value is not None}
    print_table(("figure", "value"), [(name.replace("_", " "), value) for name, value in figures.items()])
    for name, table in findings.tables().items():
        print_table(list(map(str, table)), table.head(_MOST).to_numpy().tolist(), name.capitalize())
        if len(table) > _MOST:
            say_note(f"only the first {_MOST} of {len(table)} rows are shown; --json has all", err=True)
    for note in findings.notes():
        say_note(note, err=True)


@group("kbe -w W study new", "kbe -w W study result NAME")
def study() -> None:
    """Have people rate questions or answers, and print the results."""


@command("kbe -w W study new", "kbe -w W study new --kind pairs --number 100", of=study)
def new(work: Workspace, options: StudyOptions) -> None:
    """Draw items for people to rate, and print the name of the study.

    Raters use 'kbe review --study NAME', or a sheet of 'kbe review export FILE --study NAME', which 'kbe review take'
    imports.
    """
    drawn = work.review.new_study(**options)
    outcome = {"study": drawn.name, "kind": drawn.kind.name, "run": drawn.run, "items": len(drawn.items)}
    lines = (
        f"{drawn.name}: {len(drawn.items)} items of run {drawn.run!r}",
        f"rate them with 'kbe review --study {drawn.name} --reviewer NAME'",
    )
    say_outcome(outcome, *lines)


@command("kbe -w W study result NAME", "kbe -w W study result NAME --json", of=study)
def result(work: Workspace, name: str) -> None:
    """Print the results of the study NAME: shares, and the agreement of raters, with 95 % intervals."""
    _print(work.review.study_result(name))
