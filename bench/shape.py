"""How synthetic samples differ from real ones: the graphs of OK-VQA and of GQA's scenes beside those that are drawn.

    python bench/shape.py DATA [--samples 1000]

``DATA`` holds half of OK-VQA's validation questions with captions and labels, and scene graphs of GQA. Prints a line of
JSON for each: how many graphs; the 10th, 50th and 90th percentile of their entities, of their triplets, of those from
IMAGE, and of the edges of the longest simple path from IMAGE (of at most ten, over at most 20,000 ways); and of all
triplets the per cent that the ten commonest relations and the ten commonest objects make, and how many different ones
there are of each to a thousand triplets, counted over the first 10,000.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from synthetic import drawn

from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import Annotations, read_annotations
from kbe_graph.extract.sample_graph import extract_all
from kbe_graph.extract.scene import read_scene
from kbe_graph.types import IMAGE, SampleGraph, Triplet

LONGEST, WAYS = 10, 20_000
COMMONEST = 10
COUNTED = 10_000  # triplets: the more there are, the fewer are new

Graph = Sequence[Triplet]


def okvqa(data: Path, most: int) -> Iterator[Graph]:
    """Give the graphs that ``kbe extract`` makes of questions, captions and labels."""
    samples = read_benchmark(data / "okvqa" / "val_dev_half.jsonl.gz", benchmark="okvqa", split="val").samples
    chosen = list(islice(samples, most))
    keys = {sample.image_id for sample in chosen} | {sample.id.rsplit("/", 1)[-1] for sample in chosen}
    captions = data / "coco_captions_tags" / "VinVL_base_val2014.tsv.gz"
    labels = data / "s3vqa_okvqa" / "val_detections.json.gz"
    annotations = read_annotations(wanted=keys, captions=[captions], detections=[labels])
    for graph in extract_all(chosen, annotations):
        if isinstance(graph, SampleGraph):
            yield (*graph.visual, *graph.textual)


def gqa(data: Path, most: int) -> Iterator[Graph]:
    """Give what scene graphs show, as ``kbe extract`` reads them."""
    folder = data / "gqa_vg_scene_graphs"
    files = [folder / f"gqa_{split}_sceneGraphs_100.json.gz" for split in ("train", "val")]
    annotations: Annotations = read_annotations(scene_graphs=files)
    for views in islice(annotations.views.values(), most):
        yield read_scene(views).visual


def synthetic(_: Path, most: int) -> Iterator[Graph]:
    """Give the graphs that the benches draw."""
    return (each.graph.visual for each in drawn(most))


def longest(graph: Graph) -> int:
    """Return the edges of the longest simple path from IMAGE."""
    wide = nx.MultiDiGraph((triplet.subject.key, triplet.object.key) for triplet in graph)
    if IMAGE.key not in wide:
        return 0
    ends = set(wide) - {IMAGE.key}
    ways = islice(nx.all_simple_paths(wide, IMAGE.key, ends, cutoff=LONGEST), WAYS)
    return max((len(way) - 1 for way in ways), default=0)


def percentiles(values: Sequence[int]) -> list[int]:
    return [int(value) for value in np.percentile(values, (10, 50, 90))]


def shape(graphs: Sequence[Graph]) -> dict[str, Any]:
    """Return what the graphs are like."""
    triplets = [triplet for graph in graphs for triplet in graph][:COUNTED]
    counts = {
        "relations": Counter(triplet.relation for triplet in triplets),
        "objects": Counter(triplet.object.name.lower() for triplet in triplets),
    }
    figures: dict[str, Any] = {
        "graphs": len(graphs),
        "entities": percentiles(
            [len({end for each in graph for end in (each.subject, each.object)}) for graph in graphs]
        ),
        "triplets": percentiles([len(graph) for graph in graphs]),
        "from IMAGE": percentiles([sum(triplet.subject == IMAGE for triplet in graph) for graph in graphs]),
        "longest path": percentiles([longest(graph) for graph in graphs]),
    }
    for name, count in counts.items():
        share = sum(times for _, times in count.most_common(COMMONEST)) / len(triplets)
        figures[f"ten {name}, %"] = round(100 * share, 1)
        figures[f"{name} to 1,000"] = round(1000 * len(count) / len(triplets))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", type=int, default=1_000)
    arguments = parser.parse_args()
    for name, graphs in {"OK-VQA": okvqa, "GQA": gqa, "synthetic": synthetic}.items():
        print(json.dumps({"of": name} | shape(list(graphs(arguments.data, arguments.samples)))), flush=True)


if __name__ == "__main__":
    main()
