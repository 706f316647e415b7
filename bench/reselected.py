"""What a careful model's re-selection gives, by the length of the longest path; no answer may be other than a noun.

    python bench/reselected.py [--samples 20]

Takes samples of the packaged demo whose answer is no noun, and after them others whose answer is asked about ("Is the
dog large?"), through ``kbe extract --by model`` and ``kbe evolve`` on the embedded engine against the scripted endpoint
(``scripted.py``). Each graph is a chain of one to six things that begins at the last thing that the question names,
drawn by the question. The model words what it is shown, and asks for no path of more than four edges: then the next
shorter path has its turn. Prints a table, a row for each length of the longest path, and fails where nothing is asked
at one of them, or an answer is no noun.
"""

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from scripted import Script, drawn, drawn_ways, named, nouns, reply, serving, spo
from scripted import question as asking

from kbe_graph import ModelOptions, Question, Workspace
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.english.inflect import lemmas
from kbe_graph.senses.noun import is_noun

Answer = Callable[[str, str], dict[str, Any]]
MOST_THINGS, MOST_ASKED = 6, 4
COLUMNS = ("longest path", "samples", "asked", "by the model", "edges", "no nouns")


def careful_reply(step: str, text: str) -> dict[str, Any]:
    """Return what the careful model says to the last turn of a step."""
    if step == "graph":
        return chain(text)
    if step == "reselect":
        path = re.findall(r"is seen (\w+) with", named(text, "Path"))
        asked = asking(path) if path else "What does this image show?"
        return {"question": asked if len(path) < MOST_ASKED else ""}
    return reply(step, text)


def chain(text: str) -> dict[str, Any]:
    """Return a graph that leads from thing to thing; the answer hangs on the first."""
    question, answer = named(text, "Question"), named(text, "Answer")
    first, seed = named_thing(question), f"{question} {answer}"
    count = random.Random(seed).randint(1, MOST_THINGS)
    things = [first.upper(), *drawn(seed, count - 1, without=f"{answer} {first}")]
    ways = drawn_ways(seed, len(things) - 1)
    visual = [spo("IMAGE", "depicts", things[0])]
    visual += [spo(one, f"is seen {way} with", other) for (one, other), way in zip(pairwise(things), ways, strict=True)]
    return {"visual": visual, "textual": [spo(things[0], "goes with", answer)], "key": ["V1", "T1"]}


def named_thing(question: str) -> str:
    """Return the last thing that a question names by a word, the empty string where it names none."""
    words = reversed([lemma for word in question.split() for lemma in lemmas(word)])
    return next((word for word in words if word in nouns()), "")


def chosen(count: int) -> list[str]:
    """Return lines of samples whose answer is no noun: those of the demo, then others about its answers."""
    samples = [json.loads(line) for line in demo_files().samples.read_text(encoding="utf-8").splitlines()]
    own = [sample for sample in samples if not is_noun(sample["question"], sample["answer"]).keep]
    others = [
        sample | {"question": f"Is the {sample['answer']} large?", "answer": "yes", "answers": ["yes"]}
        for sample in samples
        if sample not in own
    ]
    named_ones = [sample for sample in (*own, *others) if named_thing(sample["question"])]
    return [json.dumps(sample) for sample in named_ones[:count]]


def reselected(folder: Path, lines: Sequence[str], answer: Answer = careful_reply) -> dict[int, list[Question]]:
    """Return the re-selected questions, kept or dropped, of each length of the longest path."""
    photos = demo_files().samples.parent
    (folder / "demo.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with serving(Script(answer=answer)) as server, Workspace(folder, progress=False) as work:
        model = ModelOptions("scripted", base_url=server.url, images=photos)
        work.load(folder / "demo.jsonl", name="demo", split="demo", images=photos)
        work.extract(model=model)
        run = work.evolve(model=model, hops=1, run="r")
        graphs = work.store.graphs([sample.id for sample in work.samples()])
        questions = [question for question in run.questions(0, None) if question.kind == "reselected"]
    longest = {id_: len(graph.visual) for id_, graph in graphs.items()}  # each is a chain
    return {
        length: [question for question in questions if longest[question.sample] == length]
        for length in range(2, MOST_THINGS + 1)
    }


def rows(questions: Mapping[int, Sequence[Question]]) -> Iterator[tuple[object, ...]]:
    """Give a row of the table for each length of the longest path."""
    for longest, those in questions.items():
        kept = [question for question in those if question.status == "kept"]
        by_model = sum(question.provenance.maker.startswith("model") for question in kept)
        edges = ", ".join(map(str, sorted({len(question.key) for question in kept})))
        yield longest, len(those), len(kept), by_model, edges, sum(map(is_other_than_noun, kept))


def is_other_than_noun(question: Question) -> bool:
    return not is_noun("", question.answer).keep


def problems(questions: Mapping[int, Sequence[Question]]) -> list[str]:
    """Return what is wrong: lengths at which a model words nothing, with the reasons, and answers that are no noun."""
    return [
        f"longest path of {longest}: {by_model} asked by the model, {not_nouns} no nouns; dropped: {reasons(those)}"
        for (longest, those), (*_, by_model, _, not_nouns) in zip(questions.items(), rows(questions), strict=True)
        if not by_model or not_nouns
    ]


def reasons(questions: Sequence[Question]) -> str:
    """Return the reasons of what was dropped, each with its number."""
    counts = Counter(question.reason for question in questions if question.reason)
    return ", ".join(f"{count} {reason}" for reason, count in counts.items()) or "none"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=20)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        questions = reselected(Path(folder), chosen(arguments.samples))
    for row in (COLUMNS, *rows(questions)):
        print("  ".join(str(cell).rjust(len(column)) for cell, column in zip(row, COLUMNS, strict=True)))
    print("dropped:", reasons([question for those in questions.values() for question in those]))
    if wrong := problems(questions):
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
