"""``kbe study``: have people rate questions: write forms and sheets, and read the completed ones."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.options import chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.printing import print_json, print_table, say, say_note, say_outcome

if TYPE_CHECKING:
    from kbe_graph.study.study_result import StudyResult

_FILE = click.Path(path_type=Path, dir_okay=False)


@examples("kbe -w W study new sheets", "kbe -w W study import ann.json bea.json")
@click.group(cls=Group)
def study() -> None:
    """Have people rate questions, and print the results."""


@examples("kbe -w W study new sheets", "kbe -w W study new pairs --pairwise --number 100")
@study.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@chosen_run_option
@incomplete_option
@click.option("--number", default=150, show_default=True, type=click.IntRange(min=1), help="Number of items.")
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("--pairwise", is_flag=True, help="Ask which of two questions of the same sample is harder.")
@click.option("--reselected", is_flag=True, help="Include re-selected questions.")
@json_option
@click.pass_obj
def new(
    folder: Path,
    out: Path,
    run: str | None,
    incomplete: bool,
    number: int,
    seed: int,
    pairwise: bool,
    reselected: bool,
    as_json: bool,
) -> None:
    """Draw questions for people to rate, and write the forms to the folder OUT.

    Raters complete either the browser form (study.html) or the sheet (study.csv). Import their answers with
    'kbe study import'.
    """
    with open_work(folder) as work:
        drawn = work.people.new_study(
            out,
            run=run,
            incomplete=incomplete,
            number=number,
            seed=seed,
            pairs=pairwise,
            reselected=reselected,
        )
    lines = [f"{drawn.study}: {drawn.items} items of run {drawn.run!r} in {drawn.form} and {drawn.sheet}"]
    if drawn.missing_pictures:
        lines.append(f"{drawn.missing_pictures} pictures are missing; load the benchmark with --images")
    say_outcome(drawn._asdict(), *lines, as_json=as_json)


@examples("kbe -w W study import ann.json bea.json", "kbe -w W study import *.csv --disputed third.csv")
@study.command("import")
@click.argument("files", nargs=-1, required=True, type=_FILE, metavar="FILE...")
@click.option("--disputed", type=_FILE, help="Write the items that raters disagree on to a sheet for a third rater.")
@json_option
@click.pass_obj
def import_(folder: Path, files: tuple[Path, ...], disputed: Path | None, as_json: bool) -> None:
    """Print the results of a study from the completed files of its raters, one FILE each.

    For each column, the results are the share of yes and the agreement of raters, with 95 % intervals.
    """
    result = open_work(folder).people.import_study(files, disputed=disputed)
    if as_json:
        print_json(result.as_mapping())
        return
    _print(result)
    if disputed:
        say(f"{len(result.disputed)} items to settle in {disputed}", err=True)


def _print(result: "StudyResult") -> None:
    share = "yes" if result.study.kind.name == "quality" else "more key edges harder"
    measures = [measurement.measure for measurement in result.rows[0].agreement]
    rows = [
        (row.asked, row.group, row.items, row.share.in_words(), *(each.in_words() for each in row.agreement))
        for row in result.rows
    ]
    print_table(("asked", "of", "items", share, *measures), rows)
    say_note(
        f"{len(result.raters)} raters: {', '.join(result.raters)}; they disagree on {len(result.disputed)} of "
        f"{len(result.study.items)} items; 95 % intervals in brackets",
        err=True,
    )
    if result.seconds is not None:
        say_note(f"{result.seconds:.0f} seconds per item (median)", err=True)
    for note in dict.fromkeys(
        f"{each.measure}: {each.note}" for row in result.rows for each in (row.share, *row.agreement) if each.note
    ):
        say_note(note, err=True)
