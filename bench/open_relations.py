"""How many relations the explored questions of two runs have: by the packaged facts, and with Wikidata's beside them.

    python bench/open_relations.py DATA WORKSPACE [--filters paper]

DATA and WORKSPACE are as for ``guess.py``, which loads and extracts the development halves. Wikidata is here what DATA
has of it, the T-REx facts and fifteen whole entities, behind a SPARQL endpoint on this machine
(``tests/wikidata_files.py``). Each run is made once, so that the command can be given again. Prints how many relations
with one value the endpoint tells of the entities and of 20 subjects of each of T-REx's properties; and for each hop the
questions and distinct relations of either run and of both together, and the relations that the packaged facts lack.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from guess import HOPS, prepare

from kbe_graph import Question, Workspace
from kbe_graph.facts.wikidata.closure import wikidata_pack
from kbe_graph.facts.wikidata.rules import properties
from kbe_graph.facts.wikidata.sparql import SparqlEndpoint, WikidataSettings
from kbe_graph.facts.wikidata.wikidata import Archive, Wikidata

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


def told(files: WikidataFiles, endpoint: str, folder: Path) -> set[str]:
    """Return the relations with one value of the entities and of some subjects of each property of T-REx."""
    items = dict.fromkeys([*files.subjects(20), *files.whole], ())
    with Archive(folder / "told.sqlite") as archive:
        wikidata = Wikidata(archive, SparqlEndpoint(WikidataSettings(endpoint=endpoint)))
        facts = wikidata_pack(wikidata, items, hops=1).facts
    values = Counter((fact.subject_id, fact.relation) for fact in facts)
    return {relation for (_, relation), count in values.items() if count == 1}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--filters", default="all")
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.workspace)
    files = WikidataFiles(arguments.data)
    file = files.write(arguments.workspace / "wikidata.ttl")
    runs: dict[str, Mapping[int, list[Question]]] = {}
    with serving(file) as server, Workspace(arguments.workspace) as work:
        relations = told(files, server.url, arguments.workspace)
        named = {relation.name for relation in properties().values()}
        print(f"{len(relations)} relations with one value, {len(relations & named)} of them in the packaged table")
        server.asked.clear()
        for name in ("pack", "wikidata"):
            run = f"{name}-{arguments.filters}"
            if run not in {made.name for made in work.runs()}:
                work.evolve(hops=len(HOPS), run=run, filters=arguments.filters, knowledge=name, endpoint=server.url)
                print(f"{run}: {len(server.asked)} queries")
            runs[name] = by_hop(work.questions(run=run))
    print("| hop | packaged facts | with Wikidata | together | with Wikidata alone |\n| --- | --- | --- | --- | --- |")
    for hop in runs["pack"]:
        own, other = (runs[name][hop] for name in ("pack", "wikidata"))
        new = sorted(relations_of(other) - relations_of(own))
        cells = [f"{len(questions)} by {len(relations_of(questions))}" for questions in (own, other)]
        print(f"| {hop} | {' | '.join(cells)} | {len(relations_of(own)) + len(new)} | {', '.join(new)} |")


if __name__ == "__main__":
    main()
