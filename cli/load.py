"""``kbe load``: load a benchmark file."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.options import json_option, open_work, split_pairs
from kbe_graph.cli.printing import say_outcome
from kbe_graph.datasets import FORMATS
from kbe_graph.secret import bare_address
from kbe_graph.text import on_one_line

if TYPE_CHECKING:
    from kbe_graph.workspace.loading import Loaded

_MOST = 30  # columns that are listed
_LONGEST = 300  # characters of a question or an option


@examples(
    "kbe -w W load okvqa_val.jsonl.gz --name okvqa --split val",
    "kbe -w W load table.tsv --columns question=q --fetch --contact me@x.org",
)
@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--name", help="Benchmark name, the first part of each sample id (default: the file name without its suffix)."
)
@click.option("--split", default="", help="Split name (default: the split of each sample, else 'all').")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), help="Format of the file (default: detected).")
@click.option("--columns", "columns", metavar="FIELD=COLUMN,...", help="Column of the table for each field.")
@click.option(
    "--annotations",
    type=click.Path(path_type=Path),
    help="Annotations file, if questions and annotations are separate files.",
)
@click.option("--images", type=click.Path(path_type=Path, file_okay=False), help="Folder of the pictures.")
@click.option("--fetch", is_flag=True, help="Download pictures given as web addresses, and keep them.")
@click.option("--contact", help="Your email or web address, for the server's operators (KBE_CONTACT).")
@click.option("--local-hosts", is_flag=True, help="Also download from this machine and private networks.")
@json_option
@click.pass_obj
def load(
    folder: Path,
    file: Path,
    name: str | None,
    split: str,
    format_: str | None,
    columns: str | None,
    annotations: Path | None,
    images: Path | None,
    fetch: bool,
    contact: str | None,
    local_hosts: bool,
    as_json: bool,
) -> None:
    """Load a benchmark FILE into the graph. Loading it again changes nothing.

    FILE can be a folder of shards, or a quoted pattern ('data/train-*.parquet').
    """
    pairs = split_pairs(columns, "--columns")
    with open_work(folder) as work:
        loaded = work.load(
            file,
            name=name,
            split=split,
            format=format_,
            columns=pairs,
            annotations=annotations,
            images=images,
            fetch=fetch,
            contact=contact,
            local_hosts=local_hosts,
        )
    examples = [asdict(sample) for sample in loaded.examples]
    say_outcome({**loaded._asdict(), "examples": examples}, *_lines(loaded, file, images), as_json=as_json)


def _lines(loaded: "Loaded", file: Path, images: Path | None) -> Iterator[str]:
    old = loaded.samples - loaded.new
    already = f"; {old} of them were already loaded" if old and loaded.new else ""
    if loaded.new:
        yield f"loaded {loaded.samples} samples from {file.name} ({loaded.format}){already}"
    else:
        yield f"nothing new: all {loaded.samples} samples of {file.name} ({loaded.format}) are already loaded"
    if outside := loaded.outside_images:
        beside = file if file.is_dir() else file.parent
        yield (
            f"{len(outside)} images are outside the folder {str(images or beside)!r} (for example {outside[0]}); "
            "they are never read; set their folder with --images"
        )
    if missing := loaded.missing_images:
        shown = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        yield f"{len(missing)} images are missing ({shown}); only steps that need pixels require them"
    failed = [f"not downloaded: {bare_address(address)} {why}" for address, why in loaded.not_fetched.items()]
    yield from (*failed[:_MOST], *([f"and {len(failed) - _MOST} more"] if len(failed) > _MOST else []))
    yield from _understood(loaded)
    if loaded.new:
        yield "next: 'kbe estimate --sample N' estimates what a model's graphs, questions and answers cost"


def _understood(loaded: "Loaded") -> Iterator[str]:
    yield from (f"{note}: {count}" for note, count in loaded.notes.items())
    if loaded.fields:
        yield "fields: " + ", ".join(
            name if name == column else f"{name} from {column}" for name, column in loaded.fields.items()
        )
    if loaded.left_over:
        yield f"unused fields: {', '.join(loaded.left_over[:_MOST])}" + (
            ", ..." if len(loaded.left_over) > _MOST else ""
        )
    if loaded.answers:
        yield "answers: " + ", ".join(f"{count} by {how}" for how, count in loaded.answers.items())
    for sample in loaded.examples:
        options = " (" + on_one_line(" | ".join(sample.choices), _LONGEST) + ")" if sample.choices else ""
        yield f"asks: {on_one_line(sample.question, _LONGEST)}{options} -> {on_one_line(sample.answer, _LONGEST)}"
