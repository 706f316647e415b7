"""``kbe wiki``: build a benchmark from pictures on Wikipedia pages and Wikidata statements."""

from pathlib import Path
from typing import Annotated

from kbe_graph import ModelOptions, Workspace
from kbe_graph.cli import endpoint
from kbe_graph.cli.face import command, group
from kbe_graph.cli.printing import print_json, print_table, say, wants_json
from kbe_graph.options import About
from kbe_graph.wiki.page_steps import WikiOptions
from kbe_graph.workspace.verbs import WikiTableOptions


@group("kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org", "kbe -w W wiki tables")
def wiki() -> None:
    """Build a benchmark from the pictures of Wikipedia pages and Wikidata statements."""


@command(
    "kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org",
    "kbe -w W wiki build pages.txt --by model --model qwen3-vl",
    of=wiki,
)
def build(
    work: Workspace,
    file: Path,
    *,
    by: Annotated[
        str,
        About(
            "How to write the questions: by rules, or with the model, which then guesses each without the picture.",
            choices=endpoint.RULE_OR_MODEL,
        ),
    ] = "rule",
    model: Annotated[ModelOptions, endpoint.SENT],
    options: WikiOptions,
) -> None:
    """Make multiple-choice questions about the pictures of pages, and load them as a benchmark.

    FILE is WIT (TSV, optionally gzip), or a list of pages or items, one per line. Re-running the command resumes an
    interrupted build.
    """
    steps = work.wiki.build(file, model=model if by == "model" else None, **options)
    if wants_json():
        print_json([step.as_mapping() for step in steps])
        return
    for step in steps:
        say(f"{step.name}: {step.kept} {step.things}, {step.new} of them new")
        for line in endpoint.awaited_lines(step.awaits):
            say(line)
    reasons = [(step.name, reason, count) for step in steps for reason, count in step.left_out.items()]
    if reasons:
        print_table(("step", "reason left out", "number"), reasons)


@command("kbe -w W wiki tables", "kbe -w W wiki tables --csv tables", of=wiki)
def tables(work: Workspace, options: WikiTableOptions) -> None:
    """Print the WikiVQABench tables: question words, types and categories of answers, accuracy by these, difficulty."""
    made = work.wiki.tables(**options)
    if wants_json():
        print_json({name: table.to_dict("records") for name, table in made.items()})
        return
    for table in made.values():
        print_table(list(table.columns), table.round(4).to_numpy(dtype=object).tolist())
