"""``kbe extract``: make a graph of each loaded sample."""

from collections import Counter
from pathlib import Path

import click

from kbe_graph.cli.common import Steady, open_graph
from kbe_graph.evolve.extraction import extract_samples
from kbe_graph.extract import read_annotations

_FILES = click.Path(path_type=Path)


@click.command()
@click.option("--scene-graphs", type=_FILES, multiple=True, help="GQA or Visual Genome scene graphs.")
@click.option("--instances", type=_FILES, multiple=True, help="COCO instances.")
@click.option("--captions", type=_FILES, multiple=True, help="COCO captions, or a TSV with one caption an image.")
@click.option("--detections", type=_FILES, multiple=True, help="Detected labels, by image or question id.")
@click.option("--actions", type=_FILES, multiple=True, help="Human-object actions (V-COCO).")
@click.option("--benchmark", default=None, help="Only the samples of this benchmark.")
@click.pass_obj
def extract(
    folder: Path,
    scene_graphs: tuple[Path, ...],
    instances: tuple[Path, ...],
    captions: tuple[Path, ...],
    detections: tuple[Path, ...],
    actions: tuple[Path, ...],
    benchmark: str | None,
) -> None:
    """Make the visual, textual and key triplets of each loaded sample from annotations, without a model."""
    with open_graph(folder) as graph:
        samples = graph.store.samples(benchmark=benchmark)
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
    kept = outcomes.pop("kept", 0)
    click.echo(f"extracted {kept} of {len(samples)} samples")
    for reason, count in Counter(outcomes).most_common():
        click.echo(f"dropped {count}: {reason}")
