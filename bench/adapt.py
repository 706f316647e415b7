"""The loop that follows models, on models of known skill: whether it arrives, and whether its scores are right.

A question's chance to be answered right is logistic in the model's skill minus the question's difficulty. Each hop is
harder than the one before. Answers are drawn anew whenever a question is asked, over HTTP. In some first questions the
key is wrong: models that know answer something else. Three generations of three models follow each other. Run it as
`python bench/adapt.py --questions 600`.
"""

import argparse
import math
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import kbe_graph as kbe
from kbe_graph.adapt.adapting import Adapted
from kbe_graph.adapt.choosing import to_grow
from kbe_graph.statistics.intervals import Floats
from kbe_graph.statistics.splits import held_out_scores
from kbe_graph.store import Address, Evolved
from kbe_graph.types import IMAGE, RAW, Entity, Question, Round, RunRecord, Sample, SampleGraph, Triplet, question_id

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

HOPS, STEP = 5, 1.2  # hops of each sample, and how much harder each makes its question
GENERATIONS = ({"a1": 0.0, "a2": 0.6, "a3": 1.2}, {"b1": 1.2, "b2": 1.8, "b3": 2.4}, {"c1": 2.4, "c2": 3.0, "c3": 3.6})
SKILLS = {name: skill for generation in GENERATIONS for name, skill in generation.items()}
BAND = (0.3, 0.6)
OTHERS = 6  # wrong answers to a question, of which a model that does not know draws one
Bools = NDArray[np.bool_]
_TEXT = re.compile(r"fact (\d+) of thing (\d+)\?")


def difficulty(number: int, hop: int) -> float:
    """Return how hard a question is, in logits."""
    return random.Random(f"difficulty {number}").gauss(-1.5, 1.0) + STEP * (hop - 1)


def chance(model: str, number: int, hop: int) -> float:
    """Return how likely a model answers a question right."""
    return 1 / (1 + math.exp(difficulty(number, hop) - SKILLS[model]))


class Subjects:
    """The models under test; ``asked`` counts how often each was asked each question."""

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, int, int]] = Counter()

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        model, (hop, number) = request.json["model"], map(int, _TEXT.findall(request.text)[-1])
        self.asked[model, number, hop] += 1
        draw = random.Random(f"{model} {number} {hop} {self.asked[model, number, hop]}")
        knows = draw.random() < chance(model, number, hop)
        return reply_with(f"value {number} {hop}" if knows else f"other {draw.randrange(OTHERS)} {number}", output=3)


def build(folder: Path, count: int, wrong: int = 0, address: Address | None = None) -> kbe.Workspace:
    """Make a workspace with a run ``R`` of this many samples, two on a picture; the first keys of some are wrong."""
    pictures = folder / "pictures"
    pictures.mkdir(parents=True)
    for number in range(0, count, 2):
        Image.new("RGB", (16, 16), (number % 251, number // 251, 9)).save(pictures / f"{number}.png")
    work = kbe.Workspace(folder / "W", address=address, progress=False)
    rows = [
        {
            "question_id": f"{n:05}",
            "image": f"{n - n % 2}.png",
            "question": f"What is thing {n}?",
            "answer": f"thing {n}",
        }
        for n in range(count)
    ]
    work.load(rows, name="loop", split="all", images=pictures)
    samples = work.store.samples()
    graphs = [_graph(sample, number) for number, sample in enumerate(samples)]
    raw = [
        Question(question_id(each.id, RAW, 0), each.id, RAW, 0, "raw", each.question, each.answer, graph.key)
        for each, graph in zip(samples, graphs, strict=True)
    ]
    work.store.save_graphs(graphs, raw)
    work.store.save_run(RunRecord("R", 0, (("knowledge", "given"), ("wording", "rule"))))
    made = [
        _question(graph, number, hop, number < wrong)
        for number, graph in enumerate(graphs)
        for hop in range(1, HOPS + 1)
    ]
    work.store.save_questions([Evolved(question) for question in made])
    return work


def _graph(sample: Sample, number: int) -> SampleGraph:
    key = (Triplet(IMAGE, "depicts", Entity(f"THING {number}"), source="drawn"),)
    return SampleGraph(sample.id, key, (), key)


def _question(graph: SampleGraph, number: int, hop: int, is_wrong: bool) -> Question:
    answer = f"mistake {number}" if is_wrong and hop == 1 else f"value {number} {hop}"
    ends = [graph.key[0].object, *(Entity(f"VALUE {number} {each}") for each in range(1, hop)), Entity(answer.upper())]
    facts = [Triplet(ends[at], f"fact {at + 1}", ends[at + 1], "textual", "drawn") for at in range(hop)]
    parent = question_id(graph.sample, *(("R", hop - 1) if hop > 1 else (RAW, 0)))
    text = f"What is fact {hop} of thing {number}?"
    id_ = question_id(graph.sample, "R", hop)
    return Question(id_, graph.sample, "R", hop, "explored", text, answer, (*graph.key, *facts), parent=parent)


def follow(work: kbe.Workspace, url: str, models: Mapping[str, float], **options: Any) -> Adapted:
    """Let run R follow models."""
    asked = [kbe.ModelOptions(name, base_url=url) for name in models]
    return work.adapt(asked, run="R", target="{}-{}".format(*BAND), **options)


def errors(work: kbe.Workspace, rounds: tuple[Round, ...]) -> tuple[list[float], list[float]]:
    """Return how far off scores are, in points: of each round and model, and had the answers that chose been kept."""
    fresh, naive = [], []
    before: dict[tuple[str, str], float] = {}
    for each in rounds:
        out = {dispute.question for earlier in rounds for dispute in earlier.disputes if earlier.number < each.number}
        right: dict[tuple[str, str], float] = {}
        for answer in work.store.predictions(run=each.asks):
            if answer.model in each.models and answer.question not in out:
                right[answer.model, answer.question] = float(answer.verdict == "right")
        texts = {question.id: question.text for question in work.store.questions(run=each.asks)}
        for model in each.models:
            own = [(texts[id_], value) for (name, id_), value in right.items() if name == model]
            truth = fmean(chance(model, *_place(text)) for text, _ in own)
            fresh.append(100 * (fmean(value for _, value in own) - truth))
            if any((model, text) in before for text, _ in own):
                naive.append(100 * (fmean(before.get((model, text), value) for text, value in own) - truth))
        before = {(model, texts[id_]): value for (model, id_), value in right.items()}
    return fresh, naive


def _place(text: str) -> tuple[int, int]:
    hop, number = map(int, _TEXT.findall(text)[0])
    return number, hop


def split_bias(count: int, draws: int) -> tuple[float, float]:
    """Return the error of a score on what stays, in points: by the answers that chose, and by repeated splits."""
    models = [name for name in GENERATIONS[0] for _ in range(2)]
    chances = np.array([[chance(model, number, 1) for number in range(count)] for model in models])
    off = []
    for seed in range(draws):
        right = (np.random.default_rng(seed).random(chances.shape) < chances).astype(float)
        truths: list[float] = []

        def stay(rows: Floats, gap: float = right.mean() - sum(BAND) / 2, truths: list[float] = truths) -> Bools:
            stays = ~to_grow(rows, np.ones(count, dtype=bool), gap)
            truths.append(chances[:, stays].mean())
            return stays

        held = held_out_scores(right, stay, models=models, seed=seed)
        scores = fmean(each.value for each in held.naive), fmean(each.value for each in held.held_out)
        off.append(np.array(scores) - fmean(truths))
    naive, split = 100 * np.array(off).mean(axis=0)
    return float(naive), float(split)


def main() -> None:
    """Run the bench and print its figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=600)
    parser.add_argument("--wrong", type=int, default=20)
    parser.add_argument("--draws", type=int, default=100)
    options = parser.parse_args()
    folder, start = Path(tempfile.mkdtemp(prefix="kbe-adapt-")), time.monotonic()
    with LoopbackServer(otherwise=(subjects := Subjects()), record=False) as server:
        work = build(folder, options.questions, options.wrong)
        for models in GENERATIONS:
            adapted = follow(work, server.url, models, rounds=8)
            last = adapted.rounds[-1]
            shares = {each.model: each.accuracy for each in last.figures}
            ranked = sorted(models, key=lambda name: shares[name])
            first = next(each for each in adapted.rounds if each.models == tuple(models))
            print(
                f"{', '.join(models)}: {first.figures[0].accuracy:.3f} in round {first.number}, "
                f"{last.figures[0].accuracy:.3f} ({last.figures[0].low:.3f}-{last.figures[0].high:.3f}) in round "
                f"{last.number}; {adapted.stopped}; order of skill {'right' if ranked == list(models) else 'wrong'}"
            )
        rounds = tuple(work.rounds("R"))
    disputed = {dispute.question.partition("@")[0] for each in rounds for dispute in each.disputes}
    planted = {sample.id for sample in work.store.samples()[: options.wrong]}
    print(f"wrong keys sent to review: {len(disputed & planted)} of {len(planted)}; others: {len(disputed - planted)}")
    fresh, naive = errors(work, rounds)
    for name, off in (("scores of rounds", fresh), ("had the answers that chose been kept", naive)):
        error = 1.96 * stdev(off) / math.sqrt(len(off))
        print(f"{name}: off by {fmean(off):+.2f} points (± {error:.2f}), {len(off)} cells")
    by_choice, split = split_bias(options.questions, options.draws)
    print(
        f"what stays, {options.draws} draws: {by_choice:+.2f} points by the answers that chose, {split:+.2f} by splits"
    )
    calls = subjects.asked.total()
    print(f"{options.questions} questions, {len(rounds)} rounds, {calls} calls, {time.monotonic() - start:.0f} s")
    work.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
