"""``kbe review``: people approve, reject and revise questions; what was decided, and sheets for other programs."""

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
    help="The share of questions that two reviewers look at.",
)
_seed_option = click.option("--seed", default=0, show_default=True, help="The seed of that share.")


_release_option = click.option(
    "--release",
    type=click.Path(path_type=Path),
    help="Take the questions that 'kbe export' wrote to this folder, or file of JSON lines.",
)


@examples("kbe -w W review", "kbe -w W review --run demo-0 --reviewer ann --reviewer bea --overlap 0.2")
@click.group(cls=Group, invoke_without_command=True)
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@click.option("--reviewer", "reviewers", multiple=True, help="A reviewer, who gets an address (default: yourself).")
@_overlap_option
@_seed_option
@click.option("--blind", is_flag=True, help="Let reviewers answer a question before they see its key.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to serve at.")
@click.option("--port", default=0, type=click.IntRange(0, 65535), help="The port (default: one that is free).")
@click.option("--public", default="", help="The address of a proxy with TLS before it, https://review.example.")
@click.option("--no-browser", is_flag=True, help="Print the addresses and open no browser.")
@click.pass_context
def review(ctx: click.Context, /, incomplete: bool, no_browser: bool, **options: Any) -> None:
    """Let people approve, reject and revise questions in the browser, the most doubtful first.

    The questions are those of a run, or with --benchmark the benchmark's own. Each reviewer gets an address of their
    own, which serves until Ctrl+C. A decision is on the disk before the next question is shown.
    """
    if ctx.invoked_subcommand:
        return
    require_extra("explore")
    from kbe_graph.review_pages.review_server import serve_review

    def tell(addresses: Mapping[str, str]) -> None:
        """Print the addresses, and open the first one unless that was refused."""
        for name, address in addresses.items():
            say(f"{name}  {address}" if len(addresses) > 1 else address)
        say_note("Ctrl+C ends it", err=True)
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
    """Count the questions of a run by what was decided of them, and those that still need a reviewer.

    With --benchmark, the benchmark's own questions.
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
    say_note(f"{missing} more decisions are needed; 'revised' ones have a new version, which is counted too", err=True)


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
    "--format", "format_", default="jsonl", show_default=True, type=click.Choice(_FORMATS), help="What to write."
)
@chosen_run_option
@incomplete_option
@benchmark_option
@_release_option
@click.option("--number", type=click.IntRange(min=1), help="The most questions, doubtful ones first (default: all).")
@click.option("--blind", is_flag=True, help="Let readers of an html sheet answer before they see the key.")
@json_option
@click.pass_obj
def export(folder: Path, /, file: Path, format_: str, as_json: bool, **options: Any) -> None:
    """Write the decisions of a run to FILE (jsonl), or its questions for people to fill in.

    A file with the pages (html) and a sheet (csv) need no connection; labelstudio and argilla get their
    settings in a file beside FILE. With --benchmark, the benchmark's own questions.
    """
    with open_work(folder) as work:
        count = work.review.export(file, format=format_, **options)
    what = "decisions" if format_ == "jsonl" else "questions"
    say_written({what: count, "format": format_}, f"wrote {{{what}}} {what} to {{file}}", file, as_json=as_json)


@examples("kbe -w W review take ann.csv", "kbe -w W review take tasks.json --reviewer ann")
@review.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--reviewer", default="", help="Whose decisions they are, where FILE does not tell.")
@click.option("--format", "format_", type=click.Choice(_FORMATS), help="The format of FILE (default: as it looks).")
@click.option("--insist", is_flag=True, help="Let new wordings stand that a check refuses.")
@json_option
@click.pass_obj
def take(folder: Path, file: Path, reviewer: str, format_: str | None, insist: bool, as_json: bool) -> None:
    """Take the decisions of FILE, that was filled in: all of them, or none where one makes no sense."""
    with open_work(folder) as work:
        taken = work.review.take(file, reviewer=reviewer, format=format_, insist=insist)
    line = f"{taken.taken} decisions taken; {taken.repeated} were there already"
    say_outcome(taken._asdict(), line, as_json=as_json)


@examples("kbe -w W review log", "kbe -w W review log --reviewer ann --json")
@review.command()
@click.option("--run", help="Of the questions of one run alone.")
@click.option("--reviewer", help="Of one reviewer alone.")
@json_option
@click.pass_obj
def log(folder: Path, run: str | None, reviewer: str | None, as_json: bool) -> None:
    """Print all decisions, by question and time; none was ever changed."""
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
@click.option("--reviewer", required=True, help="Who takes the fact for wrong.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
@click.pass_obj
def refute(folder: Path, question: str, triplet: str, reviewer: str, yes: bool, as_json: bool) -> None:
    """Take a fact for wrong: TRIPLET, by its id, of the key path of QUESTION. Later runs leave the fact out.

    All questions that rest on it, of all runs, are shown and, if you say yes, rejected. The verdict stands among those
    of 'kbe facts review'.
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
                raise InputError("nothing was changed; reject these questions with --yes")
            click.confirm("Reject them?", abort=True, err=True)
        refuted = work.review.refute(question, triplet, reviewer=reviewer)
    verdict = "the fact is wrong for later runs" if refuted.fact else "it is no fact of later runs"
    line = f"{len(refuted.questions)} questions rejected; {verdict}"
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
    help="Propose relations for a block list of which surely a smaller share is approved.",
)
@click.option(
    "--least", default=6, show_default=True, type=click.IntRange(min=1), help="The fewest questions to propose one by."
)
@click.option("--csv", metavar="DIR", type=click.Path(path_type=Path, file_okay=False), help="Write the tables as CSV.")
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
    """Tell what is learnt from the decisions on a run: acceptance, agreement, time, trust in models, proposals.

    With --benchmark, of the benchmark's own questions. Shares are in per cent; in brackets the 95 % interval.
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
        place = "kbe.toml" if len(lines) > 1 else "section [filters] of kbe.toml (it replaces a line of that name)"
        say_lines([("text", ""), ("heading", f"Proposal: the block list, to be pasted into {place}")])
        for line in lines:
            say(line)
