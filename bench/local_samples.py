"""What the small model of this machine makes of the demo's samples: graphs, re-selected questions and hops.

    nice python bench/local_samples.py FOLDER [--samples 57] [--graphs model|annotations] [--hops 1] [--filters all]

Needs the extra ``local`` (``kbe_graph.testing.local``). The model of 135 million parameters proposes graphs (or they
come from the packaged annotations), re-selects, proposes facts and words questions, in mode ``merged``; it sees icons
and no photos, so this measures the machinery and no quality. The folder keeps what was done: stopped, the same command
goes on, and ``--tell`` tells what there is by now. Prints a row for each length of the path that a re-selected question
goes, then what was dropped and why, and fails where a kept answer is no noun.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from kbe_graph import KbeError, ModelOptions, Question, Workspace
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.senses.noun import is_noun
from kbe_graph.testing.local import local_server

RUN = "local"
SETTINGS = "[models]\nin_flight = 2\ntimeout = 600\npatience = 1200\nmax_tokens = 600\n"


def evolve(work: Workspace, *, samples: int, hops: int, graphs: str, filters: str) -> None:
    """Extract and evolve so many samples; what was done before is not done again."""
    files = demo_files()
    photos = files.samples.parent
    work.load(files.samples, name="demo", split="demo", images=photos)
    with local_server(work.folder.hidden / "local") as server:
        model = ModelOptions(server.model, base_url=server.url, images=photos)
        if graphs == "model":
            work.extract(model=model, sample=samples)
        else:
            work.extract(scene_graphs=files.scene_graphs, benchmark="demo")
        work.evolve(model=model, hops=hops, run=RUN, sample=samples, filters=filters)


def told(questions: Sequence[Question]) -> Iterator[str]:
    """Give the lines of the table, by the edges of the path that is asked for."""
    kept = [question for question in questions if question.status == "kept"]
    yield "edges of the path  kept  by the model  no nouns"
    for edges in sorted({len(question.key) for question in kept}):
        those = [question for question in kept if len(question.key) == edges]
        by_model = sum(question.provenance.maker.startswith("model") for question in those)
        yield f"{edges:17}  {len(those):4}  {by_model:12}  {sum(map(is_other_than_noun, those)):8}"
    dropped = Counter(question.reason for question in questions if question.status != "kept")
    yield f"dropped: {', '.join(f'{count} {reason}' for reason, count in dropped.most_common()) or 'none'}"


def is_other_than_noun(question: Question) -> bool:
    return not is_noun("", question.answer).keep


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--samples", type=int, default=57)
    parser.add_argument("--hops", type=int, default=1)
    parser.add_argument("--graphs", choices=("model", "annotations"), default="model")
    parser.add_argument("--filters", default="all")
    parser.add_argument("--tell", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "kbe.toml").write_text(SETTINGS, encoding="utf-8")
    with Workspace(arguments.folder, progress=False) as work:
        if not arguments.tell:
            try:
                chosen = {"graphs": arguments.graphs, "filters": arguments.filters}
                evolve(work, samples=arguments.samples, hops=arguments.hops, **chosen)
            except KbeError as error:
                print(f"stops: {error}")
        print(work.graph.query("samples_by_status").to_string(index=False))
        if RUN not in {run.name for run in work.runs(incomplete=True)}:
            raise SystemExit("no run")
        questions = list(work.questions(run=RUN, status=None))
    print("\n".join(told([question for question in questions if question.kind == "reselected"])))
    hops = Counter(question.hop for question in questions if question.hop and question.status == "kept")
    print("kept by hop:", dict(sorted(hops.items())) or "none")
    if wrong := [
        question.answer for question in questions if question.status == "kept" and is_other_than_noun(question)
    ]:
        raise SystemExit(f"no nouns: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
