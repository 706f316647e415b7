"""``kbe demo``: evolve the demo benchmark and show the results."""

import shlex
from collections import Counter
from pathlib import Path
from typing import Annotated

from kbe_graph import Run, Workspace
from kbe_graph import demo as demo_files
from kbe_graph.cli.face import command
from kbe_graph.cli.printing import print_lines, reporter, say, say_note
from kbe_graph.options import About

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
