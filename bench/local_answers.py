"""The demo, and pictures of icons, answered live by the small local model, with the picture and without.

    python bench/local_answers.py [--hops 0-2]

Needs the extra ``local``. The model has 135 million parameters, and no eyes for photographs: its projector knows 24
icons. So the demo shows that everything works, and what such a model guesses, and the icons ("What is in the
picture?") that a picture reaches it. Prints by row the share right by the judge ``alias`` and the score ``mention``,
and five replies to either. Fails where a rerun asks anything.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import kbe_graph as kbe
from kbe_graph.testing.local.icons import write_mosaics
from kbe_graph.testing.local.server import LocalServer, local_server

SHOWN = 5


def answer(work: kbe.Workspace, server: LocalServer, name: str, run: str | None, hops: str) -> None:
    """Have the model answer, and print what came of it."""
    model, variants = kbe.ModelOptions(server.model, base_url=server.url), ("image", "blind")
    begin = time.perf_counter()
    evaluated = work.evaluate(model, run=run, hops=hops, variants=variants)
    seconds = time.perf_counter() - begin
    if again := work.evaluate(model, run=run, hops=hops, variants=variants).new:
        raise SystemExit(f"a rerun asked {again} questions")
    print(f"{name}: {evaluated.asked} asked, {evaluated.unanswered} unanswered, {seconds:.0f} s")
    evaluation = work.answers.evaluation(run=run)
    mentions = {(row.variant, row.row): row.score for row in evaluation.scores(["mention"])}
    for row in evaluation.results().accuracy:
        if row.samples == "all":
            mention = mentions[row.variant, row.row]
            print(f"  {row.variant} {row.row}: {row.questions}, right {row.accuracy:.3f}, mentioned {mention:.3f}")
    raw = [
        reply
        for reply in work.answers.predictions(run=run)
        if reply.variant == "image" and reply.question.endswith("raw/0")
    ]
    for reply in raw[:: max(1, len(raw) // SHOWN)][:SHOWN]:
        question = evaluation.questions[reply.question]
        print(f"  {question.text} ({question.answer}): {reply.text!r}")


def scene_graphs(work: kbe.Workspace, file: Path) -> Path:
    """Write scene graphs that name the icon of each sample, and return the file."""
    box = {"x": 0, "y": 0, "w": 32, "h": 32, "attributes": [], "relations": []}
    graphs = {
        sample.image_id: {"width": 160, "height": 160, "objects": {"1": {"name": sample.answer, **box}}}
        for sample in work.samples()
    }
    file.write_text(json.dumps(graphs))
    return file


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--hops", default="0-2")
    arguments = parser.parse_args()
    demo = kbe.demo()
    with tempfile.TemporaryDirectory() as name, local_server(Path(name) / "local") as server:
        folder = Path(name)
        with kbe.Workspace(folder / "icons", progress=False) as work:
            icons = write_mosaics(folder, count=24)
            work.load(icons, name="icons", split="all", images=folder)
            work.extract(scene_graphs=scene_graphs(work, folder / "scenes.json"))
            answer(work, server, "icons", None, "0")
        with kbe.Workspace(folder / "demo", progress=False) as work:
            work.load(demo.samples, name="demo", split="demo", images=demo.images)
            work.extract(scene_graphs=demo.scene_graphs)
            work.evolve(hops=2, seed=0, run="demo")
            answer(work, server, "demo", "demo", arguments.hops)


if __name__ == "__main__":
    main()
