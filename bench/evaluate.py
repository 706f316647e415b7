"""Questions asked, judged and reckoned a second, against a scripted endpoint; a rerun asks nothing.

    python bench/evaluate.py [--samples 3000] [--models 2]

Makes a benchmark of so many questions on small JPEGs, gives each a graph by the scripted endpoint (``scripted.py``),
and evaluates models on the raw questions: ``kbe evaluate`` by rule (asking), again with a model as the judge (judging:
each answer in a call of its own, as each is about another sample), and once more (a rerun). Then the answers are read
and their figures reckoned, bootstraps and all. Prints a line of JSON a part: seconds by the clock, seconds of kbe's own
processor time, and how many a second of either. Fails where a rerun asks anything.
"""

import argparse
import json
import re
import tempfile
import time
from pathlib import Path

from merged import benchmark, measured, processors
from scripted import Script, engine, kbe, serving

import kbe_graph
from kbe_graph.testing import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

_NUMBERED = re.compile(r"^(\d+) answer: ", re.MULTILINE)


def reply(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a question at random, each model otherwise; judge each answer right that has an even number."""
    if "response_format" not in request.json:
        draw = len(request.text) + len(request.json["model"])
        return reply_with("dog" if draw % 3 else "a small cat", output=3)
    verdicts = [{"n": int(number), "right": int(number) % 2 == 0} for number in _NUMBERED.findall(request.text)]
    return reply_with(json.dumps({"verdicts": verdicts}), output=20)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=3_000)
    parser.add_argument("--models", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kbe(folder, "init")
        file = benchmark(folder, arguments.samples)
        with engine(folder):
            kbe(folder, "load", file, "--split", "bench", "--images", folder)
            with serving(Script()) as server:
                by_model = ("--by", "model", "--base-url", server.url, "--model", "scripted")
                kbe(folder, "extract", *by_model, "--images", folder)
            with LoopbackServer(otherwise=reply, record=False) as server:
                judge = ("--judge", "arbiter", "--judge-base-url", server.url, "--judge-api-key", "x")
                for number in range(arguments.models):
                    model = ("--base-url", server.url, "--model", "x" * (number + 1), "--images", folder)
                    for part, more in (("asking", ()), ("judging", judge), ("rerun", judge)):
                        calls = evaluated(folder, server, part, *model, *more)
                        if part == "rerun" and calls:
                            raise SystemExit(f"a rerun asked {calls} calls")
            with kbe_graph.Workspace(folder, progress=False) as work:
                reckoned(work)


def evaluated(folder: Path, server: LoopbackServer, part: str, *options: object) -> int:
    """Evaluate a model, print the figures, and return the calls."""
    cpu = processors(folder)["kbe"]
    figures = measured(folder, server, "evaluate", *options)
    tell(part, figures["calls"], figures["seconds"], processors(folder)["kbe"] - cpu)
    return int(figures["calls"])


def reckoned(work: kbe_graph.Workspace) -> None:
    """Read the answers, reckon what is made of them, and print the figures."""
    work.runs()  # opens the graph
    begin, cpu = time.perf_counter(), time.process_time()
    evaluation = work.answers.evaluation()
    answers = len(evaluation.answers)
    tell("reading", answers, time.perf_counter() - begin, time.process_time() - cpu)
    for part, reckon in (
        ("results", evaluation.results),
        ("items", evaluation.items),
        ("memory", evaluation.memory),
        ("scores", evaluation.scores),
    ):
        begin, cpu = time.perf_counter(), time.process_time()
        reckon()
        tell(part, answers, time.perf_counter() - begin, time.process_time() - cpu)


def tell(part: str, count: int, seconds: float, cpu: float) -> None:
    """Print the figures of a part."""
    rates = {"a second": round(count / seconds), "a CPU second": round(count / max(cpu, 1e-3))}
    print(
        json.dumps({"part": part, "of": count, "seconds": round(seconds, 2), "CPU": round(cpu, 2)} | rates), flush=True
    )


if __name__ == "__main__":
    main()
