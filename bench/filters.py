"""What all filters of facts together cost a candidate, beside spaCy's parse of the questions.

    python bench/filters.py DATA [--most 1500]

DATA holds ``okvqa/val_dev_half.jsonl.gz``; the candidates are the packaged facts about the majority answers of its
questions. Prints one line of JSON: milliseconds a candidate, and their ratio. Each question is parsed once, whatever
the number of its candidates: that is what checks of one's own on the question cost before they look at anything, and
a ratio of 1 means that all filters together cost as much. Filters and parse take the candidates in turn, batch by
batch, each once, as a run does. ``kept`` is the share that passes.
"""

import argparse
import gzip
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from synthetic import batches

from kbe_graph.checks import build_checks
from kbe_graph.checks.check import Row
from kbe_graph.english.parse import load_spacy_model
from kbe_graph.facts.pack import pack
from kbe_graph.facts.walk import Walk
from kbe_graph.types import Candidate

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from filter_cases import candidate

WARM = 100
BATCH = 50


def candidates(folder: Path) -> Iterator[Candidate]:
    """Return the facts about each question's majority answer, as candidates for its first hop."""
    walk = Walk(pack())
    with gzip.open(folder / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as stream:
        for question in map(json.loads, stream):
            answer = Counter(question["answers"]).most_common(1)[0][0]
            concept = candidate(Row(question["question"], answer, answer), walk).question.concept
            for fact in walk.pack.facts_about(concept):
                yield candidate(Row(question["question"], answer, answer, fact.relation, fact.object), walk)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--most", type=int, default=1_500)
    arguments = parser.parse_args()
    drawn = list(islice(candidates(arguments.data), WARM + arguments.most))
    checks = build_checks(pack())
    parser_of_english = load_spacy_model()
    if parser_of_english is None:
        raise SystemExit("spaCy's English model is not installed; see the README")
    ours = theirs = 0.0
    kept = 0
    for number, batch in enumerate(batches(drawn, BATCH)):
        begin = time.perf_counter()
        good = sum(checks.decide("fact", each).keep for each in batch)
        middle = time.perf_counter()
        for text in {drawn.question.text for drawn in batch}:
            parser_of_english(text)
        if number * BATCH >= WARM:
            ours, theirs, kept = ours + middle - begin, theirs + time.perf_counter() - middle, kept + good
    count = len(drawn) - WARM
    figures = {"candidates": count, "kept": round(kept / count, 3), "filters ms": round(1000 * ours / count, 3)}
    print(json.dumps(figures | {"parse ms": round(1000 * theirs / count, 3), "ratio": round(ours / theirs, 2)}))


if __name__ == "__main__":
    main()
