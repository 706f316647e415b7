"""``kbe extract``: make a graph of each loaded sample."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kbe_graph.cli.common import OpenGraph, Steady, open_graph
from kbe_graph.cli.model import ModelFlags, forecast, model_options, run_work
from kbe_graph.evolve.extraction import extract_by_asking, extract_samples
from kbe_graph.extract import read_annotations
from kbe_graph.store import Store

if TYPE_CHECKING:
    from kbe_graph.steps.asking import Asker
    from kbe_graph.types import Sample

_FILES = click.Path(path_type=Path)


@click.command()
@click.option("--scene-graphs", type=_FILES, multiple=True, help="GQA or Visual Genome scene graphs.")
@click.option("--instances", type=_FILES, multiple=True, help="COCO instances.")
@click.option("--captions", type=_FILES, multiple=True, help="COCO captions, or a TSV with one caption an image.")
@click.option("--detections", type=_FILES, multiple=True, help="Detected labels, by image or question id.")
@click.option("--actions", type=_FILES, multiple=True, help="Human-object actions (V-COCO).")
@click.option("--benchmark", default=None, help="Only the samples of this benchmark.")
@click.option("--by", default="annotations", show_default=True, type=click.Choice(["annotations", "model"]))
@click.option("--mode", default="merged", show_default=True, type=click.Choice(["paper", "merged", "chain"]))
@model_options
@click.pass_obj
def extract(
    folder: Path,
    scene_graphs: tuple[Path, ...],
    instances: tuple[Path, ...],
    captions: tuple[Path, ...],
    detections: tuple[Path, ...],
    actions: tuple[Path, ...],
    benchmark: str | None,
    by: str,
    mode: str,
    flags: ModelFlags,
) -> None:
    """Make the visual, textual and key triplets of each loaded sample, from annotations or by asking a model.

    A model is asked twice a sample in mode paper, once in the others.
    """
    if by != "model":
        flags.refuse_dry_run("--by model")
    with open_graph(folder) as graph:
        part = flags.part
        samples = [one for one in graph.store.samples(benchmark=benchmark) if part is None or part.holds(one.id)]
        if by == "model":
            outcomes = by_model(graph, samples, flags, two_calls=mode == "paper")
        else:
            wanted = {sample.image_id for sample in samples} | {sample.id.rsplit("/", 1)[-1] for sample in samples}
            annotations = read_annotations(
                scene_graphs=scene_graphs,
                instances=instances,
                captions=captions,
                detections=detections,
                actions=actions,
                wanted=wanted,
            )
            outcomes = extract_samples(graph.store, samples, annotations, progress=Steady())
    if outcomes is not None:
        report(outcomes, len(samples))


def by_model(
    graph: OpenGraph, samples: "Sequence[Sample]", flags: ModelFlags, *, two_calls: bool
) -> Counter[str] | None:
    """Ask a model, or say what it would cost; return the counts, None where the extraction is not at its end."""
    from kbe_graph.evolve.forecast import extract_requests

    outcomes: Counter[str] = Counter()
    with flags.desk(graph.workspace) as desk:
        requests = partial(extract_requests, samples, desk.renderer, two_calls=two_calls)
        if flags.dry_run:
            forecast(desk, flags, requests())
            return None
        work = partial(_asked, graph.store, samples, outcomes, two_calls)
        steps = ("extract", "key") if two_calls else ("graph",)
        return outcomes if run_work(desk, flags, work, steps, requests) else None


async def _asked(
    store: Store, samples: "Sequence[Sample]", outcomes: Counter[str], two_calls: bool, asker: "Asker"
) -> None:
    """Extract by asking, and add what came of it to the outcomes."""
    from kbe_graph.steps.extraction import ModelExtractor

    extractor = ModelExtractor(asker, two_calls)
    outcomes.update(await extract_by_asking(store, samples, extractor.extract, progress=Steady()))


def report(outcomes: Counter[str], total: int) -> None:
    """Print what came of the samples."""
    kept = outcomes.pop("kept", 0)
    click.echo(f"extracted {kept} of {total} samples")
    for reason, count in outcomes.most_common():
        click.echo(f"dropped {count}: {reason}")
