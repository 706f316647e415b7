"""``kbe review``: have people approve, reject and revise questions, and exchange sheets with other programs."""

import contextlib
import sys
import webbrowser
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import (
    FiniteFloat,
    OutputFile,
    benchmark_option,
    chosen_run_option,
    incomplete_option,
    json_option,
    open_work,
)
from kbe_graph.cli.printing import (
    print_json,
    print_rows,
    print_table,
    say,
    say_lines,
    say_note,
    say_outcome,
    say_written,
)
from kbe_graph.errors import InputError
from kbe_graph.extras import require_extra

if TYPE_CHECKING:
    from kbe_graph.review.state import QuestionState

_FORMATS = ("jsonl", "html", "csv", "labelstudio", "argilla")
_MOST = 25  # rows of a table that are printed
_COLUMNS = ("question", "reviewer", "time", "seconds", "verdict", "reason")


_overlap_option = click.option(
    "--overlap",
    default=0.0,
    show_default=True,
    type=FiniteFloat(min=0, max=1),
    help="Share of questions assigned to two reviewers.",
)
_seed_option = click.option("--seed", default=0, show_default=True, help="Seed for drawing that share.")


_release_option = click.option(
    "--release",
    type=click.Path(path_type=Path),
    help="Review the questions in this export: a folder or JSON lines file of 'kbe export'.",
)


@examples("kbe -w W review", "kbe -w W review --run demo-0 --reviewer ann --reviewer bea --overlap 0.2")
@click.group(cls=Group, invoke_without_command=True)
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@click.option(
    "--reviewer",
    "reviewers",
    multiple=True,
    help="Name of a reviewer, who gets a separate address; repeatable (default: you).",
)
@_overlap_option
@_seed_option
@click.option("--blind", is_flag=True, help="Have reviewers answer each question before they see its key.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="Port to serve on (default: a free one).")
@click.option(
    "--public", default="", help="Public address of a TLS proxy in front of the server, such as https://review.example."
)
@click.option("--no-browser", is_flag=True, help="Print the addresses without opening a browser.")
@click.pass_context
def review(ctx: click.Context, /, incomplete: bool, no_browser: bool, **options: Any) -> None:
    """Have people approve, reject and revise questions in the browser, the most doubtful first.

    The questions are those of a run, or with --benchmark the benchmark's own. Each reviewer gets a separate address.
    Every decision is saved before the next question appears. Stop the server with Ctrl+C.
    """
    if ctx.invoked_subcommand:
        return
    require_extra("explore")
    from kbe_graph.review_pages.review_server import serve_review

    def tell(addresses: Mapping[str, str]) -> None:
        for name, address in addresses.items():
            say(f"{name}  {address}" if len(addresses) > 1 else address)
        say_note("press Ctrl+C to stop", err=True)
        if not no_browser:
            webbrowser.open(next(iter(addresses.values())))

    with open_work(ctx.obj) as work, contextlib.suppress(KeyboardInterrupt):
        serve_review(work, ready=tell, incomplete=incomplete, **options)


@examples("kbe -w W review status", "kbe -w W review status --overlap 0.1 --json")
@review.command()
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@_overlap_option
@_seed_option
@json_option
@click.pass_obj
def status(
    folder: Path,
    run: str | None,
    incomplete: bool,
    benchmark: str | None,
    release: Path | None,
    overlap: float,
    seed: int,
    as_json: bool,
) -> None:
    """Count the questions of a run by review outcome, and the decisions that are still missing.

    With --benchmark, count the benchmark's own questions.
    """
    with open_work(folder) as work:
        name = work.review.choose_run(run, incomplete=incomplete, benchmark=benchmark, release=release)
        states = work.review.state(run=name, benchmark=benchmark, release=release, overlap=overlap, seed=seed)
    counts = Counter(state.state for state in states.values())
    missing = sum(state.missing for state in states.values() if state.state != "revised")
    if as_json:
        print_json({"run": name, "questions": dict(counts), "missing": missing, "states": _rows(states)})
        return
    print_table(("state", "questions"), list(counts.items()))
    say_note(
        f"{missing} more decisions are needed; each 'revised' question has a new version, which is counted separately",
        err=True,
    )


def _rows(states: "dict[str, QuestionState]") -> dict[str, object]:
    return {
        id_: {"state": state.state, "reviewers": list(state.reviewers), "missing": state.missing}
        for id_, state in states.items()
    }


@examples(
    "kbe -w W review export sheet.html --format html --number 100",
    "kbe -w W review export tasks.json --format labelstudio",
)
@review.command()
@click.argument("file", type=OutputFile())
@click.option(
    "--format", "format_", default="jsonl", show_default=True, type=click.Choice(_FORMATS), help="Output format."
)
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@click.option(
    "--number", type=click.IntRange(min=1), help="Maximum number of questions, the most doubtful first (default: all)."
)
@click.option("--blind", is_flag=True, help="In an html sheet, have reviewers answer before they see the key.")
@json_option
@click.pass_obj
def export(folder: Path, /, file: Path, format_: str, as_json: bool, **options: Any) -> None:
    """Export the decisions on a run (jsonl), or its questions for people to review (all other formats), to FILE.

    html and csv work offline. For labelstudio and argilla, the project settings are written to a second file next to
    FILE. With --benchmark, export the benchmark's own questions.
    """
    with open_work(folder) as work:
        count = work.review.export(file, format=format_, **options)
    what = "decisions" if format_ == "jsonl" else "questions"
    say_written({what: count, "format": format_}, f"wrote {{{what}}} {what} to {{file}}", file, as_json=as_json)


@examples("kbe -w W review take ann.csv", "kbe -w W review take tasks.json --reviewer ann")
@review.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--reviewer", default="", help="Reviewer of the decisions, if FILE does not name one.")
@click.option("--format", "format_", type=click.Choice(_FORMATS), help="Format of FILE (default: detected).")
@click.option("--insist", is_flag=True, help="Accept revised wordings that a check refuses.")
@json_option
@click.pass_obj
def take(folder: Path, file: Path, reviewer: str, format_: str | None, insist: bool, as_json: bool) -> None:
    """Import the decisions in FILE, a completed sheet. If one decision is invalid, none is imported."""
    with open_work(folder) as work:
        taken = work.review.take(file, reviewer=reviewer, format=format_, insist=insist)
    line = f"imported {taken.taken} decisions; {taken.repeated} were already imported"
    say_outcome(taken._asdict(), line, as_json=as_json)


@examples("kbe -w W review log", "kbe -w W review log --reviewer ann --json")
@review.command()
@click.option("--run", help="Show only decisions on the questions of this run.")
@click.option("--reviewer", help="Show only decisions of this reviewer.")
@json_option
@click.pass_obj
def log(folder: Path, run: str | None, reviewer: str | None, as_json: bool) -> None:
    """Print all decisions by question and time. The log is append-only."""
    from kbe_graph.review.review_record import review_fields

    with open_work(folder) as work:
        reviews = work.review.reviews(run=run, reviewer=reviewer)
    if as_json:
        print_json([review_fields(each) for each in reviews])
        return
    print_rows(_COLUMNS, [tuple(getattr(each, column) for column in _COLUMNS) for each in reviews], as_json=False)


@examples("kbe -w W review refute QUESTION TRIPLET --reviewer ann")
@review.command()
@click.argument("question")
@click.argument("triplet")
@click.option("--reviewer", required=True, help="Name of the reviewer who refutes the fact.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@click.pass_obj
def refute(folder: Path, question: str, triplet: str, reviewer: str, yes: bool, as_json: bool) -> None:
    """Mark a fact as wrong: TRIPLET is its id in the key path of QUESTION. Later runs do not use the fact.

    The command lists all questions of all runs that rest on the fact and rejects them after confirmation. The verdict
    is stored with those of 'kbe facts review'.
    """
    with open_work(folder) as work:
        resting = work.review.resting_on(question, triplet)
        if not yes:
            say(f"{len(resting)} questions rest on {triplet!r}:", err=True)
            for id_ in resting[:_MOST]:
                say(f"  {id_}", err=True)
            if len(resting) > _MOST:
                say(f"  and {len(resting) - _MOST} more", err=True)
            if not sys.stdin.isatty():
                raise InputError("nothing was changed; add --yes to reject these questions")
            click.confirm("Reject them?", abort=True, err=True)
        refuted = work.review.refute(question, triplet, reviewer=reviewer)
    verdict = (
        "later runs do not use the fact" if refuted.fact else "the triplet is not a fact that later runs could use"
    )
    line = f"rejected {len(refuted.questions)} questions; {verdict}"
    say_outcome({"fact": refuted.fact, "questions": refuted.questions}, line, as_json=as_json)


@examples("kbe -w W review report", "kbe -w W review report --csv tables")
@review.command()
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@click.option(
    "--limit",
    default=0.5,
    show_default=True,
    type=FiniteFloat(min=0, min_open=True, max=1),
    help="Propose to block relations whose share of approved questions is significantly below this.",
)
@click.option(
    "--least",
    default=6,
    show_default=True,
    type=click.IntRange(min=1),
    help="Minimum number of questions for such a proposal.",
)
@click.option(
    "--csv", metavar="DIR", type=click.Path(path_type=Path, file_okay=False), help="Write the tables as CSV files."
)
@json_option
@click.pass_obj
def report(
    folder: Path,
    run: str | None,
    incomplete: bool,
    benchmark: str | None,
    release: Path | None,
    limit: float,
    least: int,
    csv: Path | None,
    as_json: bool,
) -> None:
    """Summarise the decisions on a run: acceptance, agreement, time, trust in models, and proposals.

    With --benchmark, summarise those on the benchmark's own questions. Shares are in per cent, with the 95 % interval
    in brackets.
    """
    with open_work(folder) as work:
        learnt = work.review.report(
            run=run, incomplete=incomplete, benchmark=benchmark, release=release, limit=limit, least=least, csv=csv
        )
    if as_json:
        print_json(learnt.as_mapping())
        return
    for line in learnt.lines():
        say(line)
    for table in learnt.tables():
        say_lines([("text", ""), ("heading", table.title)])
        print_table(table.columns, table.text_rows()[:_MOST])
        if len(table.rows) > _MOST:
            say_note(f"only the first {_MOST} of {len(table.rows)} rows are shown; --csv DIR writes all", err=True)
        for note in table.notes:
            say_note(note, err=True)
    if lines := learnt.block_list_lines():
        place = "kbe.toml" if len(lines) > 1 else "section [filters] of kbe.toml, replacing the line of that name"
        say_lines([("text", ""), ("heading", f"Proposal: a block list to paste into {place}")])
        for line in lines:
            say(line)
