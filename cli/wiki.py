"""``kbe wiki``: build a benchmark from pictures on Wikipedia pages and Wikidata statements."""

from dataclasses import fields
from pathlib import Path

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.model import ModelFlags, awaited_lines, writer_options
from kbe_graph.cli.options import OptionGroup, click_option, json_option, open_work, run_option
from kbe_graph.cli.printing import print_json, print_table, say
from kbe_graph.wiki.page_steps import WikiOptions

_FILE, _FOLDER = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)
wiki_options = OptionGroup("options", WikiOptions, [click_option(field) for field in fields(WikiOptions)])


@examples("kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org", "kbe -w W wiki tables")
@click.group(cls=Group)
def wiki() -> None:
    """Build a benchmark from the pictures of Wikipedia pages and Wikidata statements."""


@examples(
    "kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org",
    "kbe -w W wiki build pages.txt --by model --model qwen3-vl",
)
@wiki.command()
@click.argument("file", type=_FILE)
@wiki_options
@click.option(
    "--by",
    default="rule",
    show_default=True,
    type=click.Choice(["rule", "model"]),
    help="How to write the questions: by rules, or with the model, which then guesses each without the picture.",
)
@writer_options
@json_option
@click.pass_obj
def build(folder: Path, file: Path, *, options: WikiOptions, by: str, flags: ModelFlags, as_json: bool) -> None:
    """Make multiple-choice questions about the pictures of pages, and load them as a benchmark.

    FILE is WIT (TSV, optionally gzip), or a list of pages or items, one per line. Re-running the command resumes an
    interrupted build.
    """
    with open_work(folder) as work:
        steps = work.wiki.build(file, model=flags.options() if by == "model" else None, **options)
    if as_json:
        print_json([step.as_mapping() for step in steps])
        return
    for step in steps:
        say(f"{step.name}: {step.kept} {step.things}, {step.new} of them new")
        for line in awaited_lines(step.awaits):
            say(line)
    reasons = [(step.name, reason, count) for step in steps for reason, count in step.left_out.items()]
    if reasons:
        print_table(("step", "reason left out", "number"), reasons)


@examples("kbe -w W wiki tables", "kbe -w W wiki tables --csv tables")
@wiki.command()
@click.option("--name", default="wiki", show_default=True, help="Benchmark name.")
@run_option
@click.option("--variant", help="Variant of the answers (default: the one with the most judged answers).")
@click.option("--judge", help="Judge of the answers (default: the one with the most judged answers).")
@click.option("--csv", type=_FOLDER, help="Write the tables as CSV files to this folder.")
@json_option
@click.pass_obj
def tables(
    folder: Path,
    /,
    name: str,
    run: str | None,
    variant: str | None,
    judge: str | None,
    csv: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print the WikiVQABench tables: question words, types and categories of answers, accuracy by these, difficulty."""
    with open_work(folder) as work:
        made = work.wiki.tables(name, run=run, variant=variant, judge=judge, csv=csv)
    if as_json:
        print_json({name: table.to_dict("records") for name, table in made.items()})
        return
    for table in made.values():
        print_table(list(table.columns), table.round(4).to_numpy(dtype=object).tolist())
