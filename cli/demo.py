"""``kbe demo``: evolve the demo benchmark and show what came of it."""

from pathlib import Path

import click

from kbe_graph.cli.common import OpenGraph, Steady, open_graph, print_mapping
from kbe_graph.evolve.story import story
from kbe_graph.types import Sample
from kbe_graph.workspace import create_workspace

RUN = "demo"
LOCAL = "asking a model of 135 million parameters on this machine: this shows the machinery, not the quality of a model"


@click.command()
@click.option("--hops", default=3, show_default=True, type=click.IntRange(min=1), help="How many hops.")
@click.option("--seed", default=0, show_default=True, help="The seed of every draw.")
@click.option("--model", type=click.Choice(["local"]), help="Ask a small model on this machine (the extra local).")
@click.option(
    "--limit", default=4, show_default=True, type=click.IntRange(min=1), help="How many samples, with --model."
)
@click.pass_obj
def demo(folder: Path, hops: int, seed: int, model: str | None, limit: int) -> None:
    """Load, extract and evolve the demo benchmark in the workspace, then print the funnel and three question chains.

    With --model local a very small model proposes facts and questions: that shows the machinery, not quality.
    """
    place = folder if folder != Path() else Path("kbe-demo")
    create_workspace(place)
    with open_graph(place) as graph:
        run = _name(seed, model)
        if model:
            click.echo(LOCAL)
        _evolve(graph, hops, seed, limit if model else None)
        click.echo("\nthe funnel")
        print_mapping(graph.store.status(run), indent=2)
        click.echo("\nthree chains")
        _chains(graph, run)
    click.echo("\nwhat to try next")
    for command in (
        "query longest_chains",
        "stats",
        f"export jsonl demo.jsonl --run {run}",
        "query --cypher 'MATCH (s:Sample)<-[:OF]-(q:Question {hop: 2}) RETURN s.image, q.text, q.answer LIMIT 5'",
    ):
        click.echo(f"  kbe -w {place} {command}")


def _name(seed: int, model: str | None = None) -> str:
    return f"{RUN}-{model}-{seed}" if model else f"{RUN}-{seed}"


def _evolve(graph: OpenGraph, hops: int, seed: int, asked: int | None) -> None:
    """Evolve the demo by rules, or ``asked`` samples of it by the local model."""
    from kbe_graph.datasets import demo as files
    from kbe_graph.datasets import read
    from kbe_graph.evolve.extraction import extract_samples
    from kbe_graph.evolve.offline import offline_run
    from kbe_graph.evolve.plan import Scope
    from kbe_graph.extract import read_annotations

    place = files.demo()
    benchmark = read(place.samples, benchmark=files.NAME, split="demo")
    graph.store.save_samples(benchmark.samples)
    annotations = read_annotations(scene_graphs=[place.scene_graphs])
    samples = graph.store.samples(benchmark=files.NAME)
    extract_samples(graph.store, samples, annotations, progress=Steady())
    if not asked:
        offline_run(graph.workspace, graph.store, Scope(_name(seed), seed, hops), progress=Steady())
        return
    from kbe_graph.local.run import local_run

    scope = Scope(_name(seed, "local"), seed, hops, asked)
    local_run(graph.workspace, graph.store, scope, images=place.samples.parent, progress=Steady())


def _chains(graph: OpenGraph, run: str) -> None:
    """Print the three samples that went furthest, each of another image."""
    questions = graph.store.questions(run=run)
    furthest = sorted(questions, key=lambda one: (-one.hop, one.sample))
    samples = {sample.id: sample for sample in graph.store.samples(ids=[one.sample for one in furthest])}
    chosen: dict[str, Sample] = {}
    for question in furthest:
        chosen.setdefault(samples[question.sample].image, samples[question.sample])
    for sample in list(chosen.values())[:3]:
        chain = [one for one in graph.store.questions(samples=[sample.id]) if one.run in {"raw", run}]
        for line in story(sample, sorted(chain, key=lambda one: (one.run != "raw", one.hop))):
            click.echo(f"  {line}")
