"""``kbe demo``: evolve the demo benchmark and show what came of it."""

from pathlib import Path

import click

from kbe_graph import Run, SampleStory, Workspace
from kbe_graph import demo as demo_files
from kbe_graph.cli.common import Steady
from kbe_graph.cli.printing import print_status, say

RUN = "demo"
LOCAL = "asking a model of 135 million parameters on this machine: this shows the machinery, not the quality of a model"


@click.command()
@click.option("--hops", default=3, show_default=True, type=click.IntRange(min=1), help="How many hops.")
@click.option("--seed", default=0, show_default=True, help="The seed of every draw.")
@click.option(
    "--model", type=click.Choice(["local"]), help="Ask a small model on this machine (needs the extra local)."
)
@click.option(
    "--limit", default=4, show_default=True, type=click.IntRange(min=1), help="How many samples, with --model."
)
@click.pass_obj
def demo(folder: Path, hops: int, seed: int, model: str | None, limit: int) -> None:
    """Load, extract and evolve the demo benchmark in the workspace, then print the funnel and three question chains.

    With --model local a very small model proposes facts and questions: that shows the machinery, not quality.
    """
    place = folder if folder != Path() else Path("kbe-demo")
    with Workspace(place, progress=Steady()) as work:
        if model:
            say(LOCAL)
        run = _evolve(work, hops, seed, limit if model else None)
        say("\nwhat became of the samples")
        print_status(run.status())
        say("\nthree chains")
        for sample in _furthest(work, run):
            for line in str(sample).splitlines():
                say(f"  {line}")
    say("\nwhat to try next")
    for command in (
        "query longest_chains",
        "stats",
        f"export jsonl demo.jsonl --run {run.name}",
        "query --cypher 'MATCH (s:Sample)<-[:OF]-(q:Question {hop: 2}) RETURN s.image, q.text, q.answer LIMIT 5'",
    ):
        say(f"  kbe -w {place} {command}")


def _evolve(work: Workspace, hops: int, seed: int, asked: int | None) -> Run:
    """Evolve the demo by rules, or ``asked`` samples of it by the local model."""
    files = demo_files()
    work.load(files.samples, name=RUN, split="demo")
    work.extract(scene_graphs=files.scene_graphs, benchmark=RUN)
    if not asked:
        return work.evolve(hops=hops, seed=seed, run=f"{RUN}-{seed}")
    from kbe_graph.testing.local.local_run import local_run

    return local_run(work, hops=hops, seed=seed, run=f"{RUN}-local-{seed}", limit=asked)


def _furthest(work: Workspace, run: Run) -> list[SampleStory]:
    """Return the three samples that went furthest, each of another image."""
    chosen: dict[str, SampleStory] = {}
    samples = {sample.id: sample for sample in work.samples(benchmark=RUN)}
    for question in sorted(run.questions(), key=lambda question: (-question.hop, question.sample)):
        image = samples[question.sample].image
        if image not in chosen and len(chosen) < 3:
            chosen[image] = work.sample(question.sample, run=run.name, status="kept")
    return list(chosen.values())
