"""``kbe wiki``: build a benchmark from pictures on Wikipedia pages and Wikidata statements."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from kbe_graph.cli.group import Group, examples
from kbe_graph.cli.model import ModelFlags, awaited_lines, writer_options
from kbe_graph.cli.options import OptionGroup, OutputFile, json_option, open_work, run_option
from kbe_graph.cli.printing import print_json, print_table, say
from kbe_graph.wiki.wiki_steps import WikiStep

_FILE, _FOLDER = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path, file_okay=False)


class WikimediaFlags(NamedTuple):
    """The flags for access to Wikimedia; None if a flag was not given."""

    contact: str | None
    server: str | None
    language: str | None
    offline: bool


wikimedia_options = OptionGroup(
    "wikimedia",
    WikimediaFlags,
    (
        click.option("--contact", help="Your email or web address, for the server's operators (KBE_CONTACT)."),
        click.option("--server", help="Base address of a server to use instead of Wikimedia's (server in [wiki])."),
        click.option("--language", help="Language of captions and labels (default: en; language in [wiki])."),
        click.option("--offline", is_flag=True, help="Do not contact Wikimedia; use the cached answers."),
    ),
)


class CorpusFlags(NamedTuple):
    """The flags that select pictures from a corpus."""

    main_only: bool
    number: int | None


class FilterFlags(NamedTuple):
    """The flags that select filters of statements."""

    paper_filters: bool
    strict: bool
    support: int | None


class QuestionFlags(NamedTuple):
    """The flags that control which questions are generated."""

    name: str
    each: int
    seed: int
    fetch: bool
    local_hosts: bool
    by: str


_CORPUS = (
    click.option("--main-only", is_flag=True, help="Use only the main picture of each page."),
    click.option("--number", type=click.IntRange(min=1), help="Use only this many pictures, the first in FILE."),
)
_FILTERS = (
    click.option("--paper-filters", is_flag=True, help="Filter only by the words of labels, as in the paper."),
    click.option("--strict", is_flag=True, help="Refuse protected attributes of all items, not only of people."),
    click.option(
        "--support",
        type=click.IntRange(min=1),
        help="Minimum number of items with the same property (default: 10 with --paper-filters or from 10,000 items, "
        "else 1).",
    ),
)
_QUESTIONS = (
    click.option("--name", default="wiki", show_default=True, help="Benchmark name."),
    click.option(
        "--each", default=3, show_default=True, type=click.IntRange(min=1), help="Number of questions per picture."
    ),
    click.option("--seed", default=0, show_default=True, help="Random seed."),
    click.option("--fetch", is_flag=True, help="Download the pictures, with author and licence."),
    click.option("--local-hosts", is_flag=True, help="Also download from this machine and private networks."),
    click.option(
        "--by",
        default="rule",
        show_default=True,
        type=click.Choice(["rule", "model"]),
        help="How to write the questions: by rules, or with the model, which then guesses each without the picture.",
    ),
)
_DUMP = click.option("--dump", type=_FILE, help="Read statements from a Wikidata entity dump (JSON, gz or bz2).")
_HOPS = click.option(
    "--hops",
    default=1,
    show_default=True,
    type=click.IntRange(min=1, max=5),
    help="Fetch statements of the pages' items (1), and of the items they lead to (2 or more).",
)
corpus_options = OptionGroup("corpus_flags", CorpusFlags, _CORPUS)
filter_options = OptionGroup("filters", FilterFlags, _FILTERS)
question_options = OptionGroup("question_flags", QuestionFlags, _QUESTIONS)


@examples("kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org", "kbe -w W wiki tables")
@click.group(cls=Group)
def wiki() -> None:
    """Build a benchmark from the pictures of Wikipedia pages and Wikidata statements."""


@examples("kbe -w W wiki corpus wit_v1.train.tsv.gz --main-only", "kbe -w W wiki corpus pages.txt")
@wiki.command()
@click.argument("file", type=_FILE)
@corpus_options
@click.option("--language", help="Language of the captions (default: en; language in [wiki]).")
@json_option
@click.pass_obj
def corpus(folder: Path, file: Path, corpus_flags: CorpusFlags, language: str | None, as_json: bool) -> None:
    """Read pictures and captions from FILE.

    FILE is WIT (TSV, optionally gzip), or a list of pages or items, one per line.
    """
    with open_work(folder) as work:
        _print([work.wiki.corpus(file, language=language, **corpus_flags._asdict())], as_json=as_json)


@examples("kbe -w W wiki items --contact me@example.org")
@wiki.command()
@wikimedia_options
@json_option
@click.pass_obj
def items(folder: Path, wikimedia: WikimediaFlags, as_json: bool) -> None:
    """Find the Wikidata item of each page, following redirects."""
    with open_work(folder) as work:
        _print([work.wiki.items(**wikimedia._asdict())], as_json=as_json)


@examples("kbe -w W wiki statements --hops 2", "kbe -w W wiki statements --dump latest-all.json.bz2")
@wiki.command()
@_HOPS
@_DUMP
@wikimedia_options
@json_option
@click.pass_obj
def statements(folder: Path, hops: int, dump: Path | None, wikimedia: WikimediaFlags, as_json: bool) -> None:
    """Fetch the statements about each item, with the labels of the entities in them."""
    with open_work(folder) as work:
        _print([work.wiki.statements(hops=hops, dump=dump, **wikimedia._asdict())], as_json=as_json)


@examples("kbe -w W wiki triples", "kbe -w W wiki triples --paper-filters")
@wiki.command()
@filter_options
@json_option
@click.pass_obj
def triples(folder: Path, filters: FilterFlags, as_json: bool) -> None:
    """Filter the statements, and record every filter that refuses each of them. Nothing is fetched."""
    with open_work(folder) as work:
        _print([work.wiki.triples(**filters._asdict())], as_json=as_json)


@examples("kbe -w W wiki questions --fetch", "kbe -w W wiki questions --by model --model qwen3-vl")
@wiki.command()
@question_options
@wikimedia_options
@writer_options
@json_option
@click.pass_obj
def questions(
    folder: Path, question_flags: QuestionFlags, wikimedia: WikimediaFlags, flags: ModelFlags, as_json: bool
) -> None:
    """Write multiple-choice questions, and load them as a benchmark."""
    with open_work(folder) as work:
        step = work.wiki.questions(**_makers(question_flags, flags), **wikimedia._asdict())
    _print([step], as_json=as_json)


@examples("kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org", "kbe -w W wiki build pages.txt")
@wiki.command()
@click.argument("file", type=_FILE)
@corpus_options
@_HOPS
@_DUMP
@filter_options
@question_options
@wikimedia_options
@writer_options
@json_option
@click.pass_obj
def build(
    folder: Path,
    file: Path,
    *,
    corpus_flags: CorpusFlags,
    hops: int,
    dump: Path | None,
    filters: FilterFlags,
    question_flags: QuestionFlags,
    wikimedia: WikimediaFlags,
    flags: ModelFlags,
    as_json: bool,
) -> None:
    """Run all steps from FILE to a benchmark. Re-running the command resumes an interrupted build."""
    with open_work(folder) as work:
        steps = work.wiki.build(
            file,
            hops=hops,
            dump=dump,
            **corpus_flags._asdict(),
            **filters._asdict(),
            **_makers(question_flags, flags),
            **wikimedia._asdict(),
        )
    _print(steps, as_json=as_json)


@examples("kbe -w W wiki tables", "kbe -w W wiki tables --csv tables --figures figures")
@wiki.command()
@click.option("--name", default="wiki", show_default=True, help="Benchmark name.")
@run_option
@click.option("--variant", help="Variant of the answers (default: the one with the most judged answers).")
@click.option("--judge", help="Judge of the answers (default: the one with the most judged answers).")
@click.option("--csv", type=_FOLDER, help="Write the tables as CSV files to this folder.")
@click.option("--latex", type=_FOLDER, help="Write the tables as LaTeX files to this folder.")
@click.option("--markdown", type=OutputFile(), help="Write the tables to a Markdown file.")
@click.option("--figures", type=_FOLDER, help="Write the figures as SVG and PNG files to this folder.")
@json_option
@click.pass_obj
def tables(
    folder: Path,
    /,
    name: str,
    run: str | None,
    variant: str | None,
    judge: str | None,
    *,
    as_json: bool,
    **places: Path,
) -> None:
    """Print the WikiVQABench tables: question words, answers, difficulty, counts by step, frequencies."""
    with open_work(folder) as work:
        made = work.wiki.tables(name, run=run, variant=variant, judge=judge, **places)
    if as_json:
        print_json(made.as_mapping())
    else:
        say(made.markdown())


def _makers(question_flags: QuestionFlags, flags: ModelFlags) -> dict[str, Any]:
    values = question_flags._asdict()
    return values | {"model": flags.options() if values.pop("by") == "model" else None}


def _print(steps: Sequence[WikiStep], *, as_json: bool) -> None:
    if as_json:
        print_json([step.as_mapping() for step in steps])
        return
    for step in steps:
        say(f"{step.name}: {step.kept} {step.things}" + (f", {step.new} of them new" if step.new is not None else ""))
        for file in awaited_lines(step.awaits):
            say(file)
    reasons = [(step.name, reason, count) for step in steps for reason, count in step.left_out.items()]
    if reasons:
        print_table(("step", "reason left out", "number"), reasons)
