"""How many relations the explored questions of two runs have: by the packaged facts, and by Wikidata's properties.

    python bench/open_relations.py DATA WORKSPACE [--filters paper]

DATA and WORKSPACE are as for ``guess.py``, which loads and extracts the development halves. Wikidata is here what DATA
has of it, the T-REx facts and fifteen whole entities, behind a SPARQL endpoint on this machine
(``tests/wikidata_files.py``). Each run is made once, so that the command can be given again. Prints for each hop the
questions and distinct relations of either run and of both together, and the relations that the packaged facts lack.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from guess import HOPS, prepare

from kbe_graph import Question, Workspace

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from sparql_server import serving
from wikidata_files import WikidataFiles


def relations_of(questions: Iterable[Question]) -> set[str]:
    """Return the last relations of the questions."""
    return {question.key[-1].relation for question in questions}


def by_hop(questions: Iterable[Question]) -> Mapping[int, list[Question]]:
    """Return the explored questions of each hop."""
    explored = [question for question in questions if question.kind == "explored"]
    return {hop: [question for question in explored if question.hop == hop] for hop in range(1, len(HOPS) + 1)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--filters", default="all")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.workspace)
    file = WikidataFiles(arguments.data).write(arguments.workspace / "wikidata.ttl")
    runs: dict[str, Mapping[int, list[Question]]] = {}
    with serving(file) as server, Workspace(arguments.workspace) as work:
        for name in ("pack", "wikidata"):
            endpoint = server.url if name == "wikidata" else None
            run = f"{name}-{arguments.filters}"
            evolved = work.evolve(hops=len(HOPS), run=run, filters=arguments.filters, knowledge=name, endpoint=endpoint)
            runs[name] = by_hop(evolved.questions())
        print(f"{len(server.asked)} queries")
    print("| hop | packaged facts | Wikidata | together | by Wikidata alone |\n| --- | --- | --- | --- | --- |")
    for hop in runs["pack"]:
        own, other = (runs[name][hop] for name in ("pack", "wikidata"))
        new = sorted(relations_of(other) - relations_of(own))
        cells = [f"{len(questions)} by {len(relations_of(questions))}" for questions in (own, other)]
        print(f"| {hop} | {' | '.join(cells)} | {len(relations_of(own)) + len(new)} | {', '.join(new)} |")


if __name__ == "__main__":
    main()
