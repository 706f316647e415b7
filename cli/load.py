"""``kbe init``, ``load`` and ``forget``: a workspace, its benchmarks, and what is removed again."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from kbe_graph import Workspace
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import say_outcome
from kbe_graph.secret import bare_address
from kbe_graph.text import on_one_line
from kbe_graph.workspace.verbs import ForgetOptions, LoadOptions

if TYPE_CHECKING:
    from kbe_graph.workspace.benchmarks import Loaded

_MOST = 30  # columns that are listed
_LONGEST = 300  # characters of a question or an option


@command("kbe -w W init")
def init(folder: Path) -> None:
    """Create the workspace folder. An existing workspace is not changed."""
    place = Workspace(folder).folder
    line = f"workspace at {place.path}; settings in {place.config.file}"
    say_outcome({"workspace": place.path, "settings": place.config.file}, line)


@command(
    "kbe -w W load okvqa_val.jsonl.gz --name okvqa --split val",
    "kbe -w W load table.tsv --columns question=q --fetch --contact me@x.org",
)
def load(work: Workspace, file: Path, options: LoadOptions) -> None:
    """Load a benchmark FILE into the graph. Loading it again changes nothing.

    FILE can be a folder of shards, or a quoted pattern ('data/train-*.parquet').
    """
    loaded = work.load(file, **options)
    examples = [asdict(sample) for sample in loaded.examples]
    say_outcome({**loaded._asdict(), "examples": examples}, *_lines(loaded, file, options.images))


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
        yield f"{len(missing)} images are missing ({_few(missing, 3)}); only steps that need pixels require them"
    failed = [f"not downloaded: {bare_address(address)} {why}" for address, why in loaded.not_fetched.items()]
    yield from (*failed[:_MOST], *([f"and {len(failed) - _MOST} more"] if len(failed) > _MOST else []))
    yield from (f"{note}: {count}" for note, count in loaded.notes.items())
    if loaded.fields:
        read = (name if name == column else f"{name} from {column}" for name, column in loaded.fields.items())
        yield f"fields: {', '.join(read)}"
    if loaded.left_over:
        yield f"unused fields: {_few(loaded.left_over, _MOST)}"
    if loaded.answers:
        yield "answers: " + ", ".join(f"{count} by {how}" for how, count in loaded.answers.items())
    for sample in loaded.examples:
        options = " (" + on_one_line(" | ".join(sample.choices), _LONGEST) + ")" if sample.choices else ""
        yield f"asks: {on_one_line(sample.question, _LONGEST)}{options} -> {on_one_line(sample.answer, _LONGEST)}"
    if loaded.new:
        yield "next: 'kbe estimate --sample N' estimates what a model's graphs, questions and answers cost"


def _few(names: tuple[str, ...], most: int) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


@command("kbe -w W forget run NAME", "kbe -w W forget benchmark NAME --split val --evolved")
def forget(
    work: Workspace,
    kind: Literal["run", "benchmark", "sample"],
    names: Annotated[tuple[str, ...], "NAME..."],
    options: ForgetOptions,
) -> None:
    """Remove a run, a benchmark or samples by their ids, with everything made from them.

    Paid replies of models are kept.
    """
    if kind != "sample" and len(names) > 1:
        raise click.UsageError(f"name one {kind}")
    what: dict[str, Any] = {"samples": names} if kind == "sample" else {kind: names[0]}
    forgotten = work.forget(**what, **options)
    runs = f", and run {', '.join(map(repr, forgotten.runs))}" if forgotten.runs else ""
    say_outcome(forgotten._asdict(), f"removed {forgotten.samples} samples and {forgotten.questions} questions{runs}")
