"""``kbe init``, ``load``, ``wiki``, ``forget`` and ``demo``: a workspace, its benchmarks, and what is removed again."""

import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from kbe_graph import ModelOptions, Run, Workspace
from kbe_graph import demo as demo_files
from kbe_graph.cli.command_settings import with_flags
from kbe_graph.cli.face import SENT, awaited_lines, command, group
from kbe_graph.cli.printing import (
    print_json,
    print_lines,
    print_table,
    reporter,
    say,
    say_note,
    say_outcome,
    wants_json,
)
from kbe_graph.datasets.benchmark import PHOTOS
from kbe_graph.options import About, RuleOrModel
from kbe_graph.secret import bare_address
from kbe_graph.text import on_one_line
from kbe_graph.wiki.page_steps import WikiOptions
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
    "kbe -w W load mine.csv --name mine --images photos",
    "kbe -w W load table.tsv --columns question=q --fetch --contact me@x.org",
)
def load(work: Workspace, file: Path, options: LoadOptions) -> None:
    """Load a benchmark FILE into the graph. Loading it again changes nothing.

    FILE can be a folder of shards, a quoted pattern ('data/train-*.parquet'), or a folder of photos, without questions.
    """
    loaded = work.load(file, **options)
    examples = [asdict(sample) for sample in loaded.examples]
    say_outcome({**loaded._asdict(), "examples": examples}, *_lines(loaded, file))


def _read_line(loaded: "Loaded", file: Path) -> str:
    old = loaded.samples - loaded.new
    read = _few(tuple(each.name for each in loaded.files), 3) or file.name
    if old and not loaded.new and not loaded.replaced:
        return f"nothing new: all {loaded.samples} samples of {read} ({loaded.format}) are already loaded"
    already = f"; {old} of them were already loaded" if old else ""
    return f"loaded {loaded.samples} samples from {read} ({loaded.format}){already}"


def _lines(loaded: "Loaded", file: Path) -> Iterator[str]:
    yield _read_line(loaded, file)
    failed = [f"not downloaded: {bare_address(address)} {why}" for address, why in loaded.not_fetched.items()]
    yield from (*failed[:_MOST], *([f"and {len(failed) - _MOST} more"] if len(failed) > _MOST else []))
    yield from (with_flags(f"{note}: {count}", click.get_current_context()) for note, count in loaded.notes.items())
    if loaded.fields and loaded.fields.keys().isdisjoint({"image", "images", "image_id", "address"}):
        yield "no column of pictures was found; name the one with their names or bytes: --columns image=COLUMN"
    if loaded.fields:
        read = (name if name == column else f"{name} from {column}" for name, column in loaded.fields.items())
        yield f"fields: {', '.join(read)}"
    if loaded.left_over:
        yield f"unused fields: {_few(loaded.left_over, _MOST)}"
    if loaded.answers:
        yield "answers: " + ", ".join(f"{count} by {how}" for how, count in loaded.answers.items())
    for sample in filter(lambda sample: sample.question, loaded.examples):
        options = f" ({on_one_line(' | '.join(sample.choices), _LONGEST)})" if sample.choices else ""
        right = f"; with options{options}: {on_one_line(sample.choice, _LONGEST)}" if sample.choice else ""
        asks = f"{on_one_line(sample.question, _LONGEST)}{'' if right else options}"
        yield f"asks: {asks} -> {on_one_line(sample.answer, _LONGEST)}{right}"
    if loaded.format == PHOTOS:
        yield "next: 'kbe extract --by model --model M' writes a question for each photo"
    elif loaded.new:
        yield (
            "next: 'kbe extract' makes graphs from a FILE of --captions, --detections, --scene-graphs or --instances, "
            "or --by model ('kbe estimate': the cost); 'kbe evaluate', 'perturb' and 'export' need no graphs"
        )


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
    if kind == "run" and sys.stdin.isatty():
        answered = work.answers.predictions(run=names[0], incomplete=True)
        answers = sum(f"@{names[0]}/" in answer.question for answer in answered)
        also = f" and its {answers} answers, imported ones too" if answers else ""
        if not click.confirm(f"remove run {names[0]!r} with its questions and reviews{also}?", err=True):
            say("nothing removed", err=True)
            return
    what: dict[str, Any] = {"samples": names} if kind == "sample" else {kind: names[0]}
    forgotten = work.forget(**what, **options)
    runs = f", and run {', '.join(map(repr, forgotten.runs))}" if forgotten.runs else ""
    say_outcome(forgotten._asdict(), f"removed {forgotten.samples} samples and {forgotten.questions} questions{runs}")


@group("kbe -w W wiki build wit.tsv.gz --fetch --contact me@example.org")
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
        RuleOrModel,
        About(
            "How to write the questions: by rules, or with the model, which then guesses each without the picture.",
        ),
    ] = "rule",
    model: Annotated[ModelOptions, SENT],
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
        for line in awaited_lines(step.awaits):
            say(line)
    reasons = [(step.name, reason, count) for step in steps for reason, count in step.left_out.items()]
    if reasons:
        print_table(("step", "reason left out", "number"), reasons)


RUN = "demo"
CYPHER = (
    'MATCH (s:Sample)<-[:OF]-(q:Question {hop: 2, status: "kept"}) RETURN s.image AS image, q.text AS question LIMIT 5'
)


@command("kbe demo", "kbe demo --hops 2 --seed 1", json=False)
def demo(
    folder: Path,
    *,
    hops: Annotated[int, About("Number of hops.", least=1)] = 3,
    seed: Annotated[int, About("Random seed.")] = 0,
) -> None:
    """Load, extract and evolve the demo benchmark, then print the counts and three question chains.

    The default workspace is kbe-demo.
    """
    place = folder if folder != Path() else Path("kbe-demo")
    with Workspace(place, progress=reporter()) as work:
        run = _evolve(work, hops, seed)
        say("")
        say_note(_outcome(work, run))
        say("")
        for name in _with_long_chains(work, run):
            print_lines(work.sample(name, run=run.name, status="kept").lines(brief=True))
            say("")
    say("next steps")
    for words in (
        "status",
        f"show {RUN}/{RUN}/183709-country",
        "query longest_chains",
        f"export jsonl demo.jsonl --run {run.name}",
        f"query --cypher {CYPHER!r}",
    ):
        say(f"  kbe -w {shlex.quote(str(place))} {words}")


def _evolve(work: Workspace, hops: int, seed: int) -> Run:
    files = demo_files()
    work.load(files.samples, name=RUN, split="demo")
    work.extract(scene_graphs=files.scene_graphs, benchmark=RUN)
    return work.evolve(hops=hops, seed=seed, run=f"{RUN}-{seed}")


def _outcome(work: Workspace, run: Run) -> str:
    hops = Counter(question.hop for question in run.questions() if question.hop)
    told = ", ".join(f"{count} at hop {hop}" for hop, count in sorted(hops.items()))
    return f"{len(work.samples(benchmark=RUN))} samples -> new questions: {told or 'none'}; three examples:"


def _with_long_chains(work: Workspace, run: Run) -> list[str]:
    """Choose three samples with the most hops, each of a different image."""
    images = {sample.id: sample.image for sample in work.samples(benchmark=RUN)}
    last = {images[question.sample]: question for question in sorted(run.questions(), key=lambda each: each.hop)}
    return [question.sample for question in sorted(last.values(), key=lambda each: -each.hop)[:3]]
