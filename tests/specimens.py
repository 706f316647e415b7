"""Small samples with graphs, questions and candidates, for tests of the graph."""

import json
from typing import Any

from kbe_graph.store import CandidateRow, Evolved, Store
from kbe_graph.types import (
    IMAGE,
    RAW,
    VERDICTS,
    Alternative,
    Entity,
    Extraction,
    Fact,
    Guess,
    Inspection,
    Provenance,
    Question,
    RunRecord,
    Sample,
    SampleGraph,
    Triplet,
    question_id,
)

GIRAFFE = Entity("GIRAFFE", concept="wn30:02439033-n")
TREE, SECOND_TREE = Entity("TREE"), Entity("TREE", 2)
BIRD = Entity("BIRD")
BROWN = Entity("brown", noun=False)
SAMPLE = Sample(
    "okvqa/val/1",
    "okvqa",
    "val",
    "What is it?",
    "giraffe",
    ("giraffe", "giraffe", "Giraffe ‘tall’"),
    "val2014/1.jpg",
    "1",
    ("giraffe", "zebra"),
    ("it has a long neck",),
    ("giraffe", "IsA", "animal"),
)
COLOUR = Sample("okvqa/val/2", "okvqa", "val", "What colour is it?", "brown", ("brown",))
EXTRACTION = Extraction("annotations", "en_core_web_sm 3.8.0", "0.1", (("captions.tsv", "a1"), ("Größe.json", "b2")))
RUN = RunRecord("first", 3, (("hops", "3"), ("share", "0.03")))

DEPICTS = Triplet(IMAGE, "depicts", GIRAFFE, source="detection", source_ref="box 3", evidence="giraffe")
NEAR = Triplet(GIRAFFE, "standing near", SECOND_TREE, source="caption", evidence="a giraffe standing near a tree")
BESIDE = Triplet(SECOND_TREE, "beside", TREE, source="scene graph")
HOLDS = Triplet(TREE, "holds", BIRD, source="scene graph")
COLOURED = Triplet(GIRAFFE, "colour", BROWN, "textual", source="question")


def giraffe_graph() -> SampleGraph:
    """Build a sample whose answer is a noun: IMAGE depicts GIRAFFE."""
    return SampleGraph(SAMPLE.id, (DEPICTS, NEAR, BESIDE, HOLDS), (COLOURED,), (DEPICTS,))


def colour_graph() -> SampleGraph:
    """Build a sample whose answer is not a noun: IMAGE depicts GIRAFFE, whose colour is brown."""
    return SampleGraph(COLOUR.id, (DEPICTS, NEAR, BESIDE), (COLOURED,), (DEPICTS, COLOURED))


def raw(sample: Sample, graph: SampleGraph) -> Question:
    """Build the benchmark's question."""
    return Question(question_id(sample.id, RAW, 0), sample.id, RAW, 0, "raw", sample.question, sample.answer, graph.key)


def family(run: str = "first", name: str = "Giraffidae") -> Evolved:
    """Build a hop on the giraffe, with a candidate kept and one dropped, and models' verdicts and guesses."""
    fact = Fact(
        "wn30:02439033-n", "giraffe", "taxonomic family", "wn30:1", name, "pack", source_ref="7", evidence="said"
    )
    question = Question(
        question_id(SAMPLE.id, run, 1),
        SAMPLE.id,
        run,
        1,
        "explored",
        "What is the taxonomic family of it?",
        name,
        (DEPICTS, fact.triplet(GIRAFFE)),
        ("giraffids",),
        "wn30:1",
        f"{SAMPLE.id}@raw/0",
        Provenance("rule", 2**64 - 1, "nested", calls=("a", "b")),
    )
    kept = CandidateRow("taxonomic family", name, "wn30:1", "kept", source="pack", source_ref="7")
    dropped = CandidateRow("part", "neck", "wn30:2", "dropped", "generic", "too broad")
    inspection = Inspection(question.text, name, VERDICTS[:-1], "m", "inspect:1", "c")
    guesses = (
        Guess(question.text, name, "bovidae", right=False, model="m", prompt="guess:1", call="d"),
        Guess("Which family?", name, name, right=True),
    )
    alternatives = (Alternative("OKAPI", name), Alternative("HORSE", "Equidae"), Alternative("TABLE", ""))
    return Evolved(question, (kept, dropped), (inspection,), guesses, alternatives)


def load(store: Store) -> None:
    """Load and extract the two samples, and record the run."""
    store.save_samples([SAMPLE, COLOUR])
    graphs = [giraffe_graph(), colour_graph()]
    store.save_graphs(graphs, [raw(SAMPLE, graphs[0]), raw(COLOUR, graphs[1])], {SAMPLE.id: EXTRACTION})
    store.save_run(RUN)


def dump(store: Store) -> list[str]:
    """Return the whole content of the graph, in a stable order."""
    rows: list[dict[str, Any]] = [*store.connection.read("all_nodes"), *store.connection.read("all_edges")]
    return sorted(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows)
