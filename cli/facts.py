"""``kbe facts`` and ``filters``: the facts that runs draw on, and the checks that questions must pass."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kbe_graph.cli.face import command
from kbe_graph.cli.printing import print_json, print_lines, print_table, say, wants_json
from kbe_graph.options import About

if TYPE_CHECKING:
    from kbe_graph.checks.check import Row

SHOWN = ("relation", "object", "source", "source_version", "source_date", "source_ref", "review", "evidence")


@command("kbe facts giraffe", "kbe facts Italy --json")
def facts(
    entity: str,
    *,
    pack: Annotated[Path | None, About("Folder of another pack (default: the packaged facts).")] = None,
) -> None:
    """Show the aliases and facts of ENTITY, a concept id or a name. Facts have source, version, evidence and review."""
    from kbe_graph import facts_about
    from kbe_graph.show.sample_story import concept_lines

    concepts = facts_about(entity, pack=pack)
    if wants_json():
        print_json([concept._asdict() | {"facts": [asdict(fact) for fact in concept.facts]} for concept in concepts])
        return
    for concept in concepts:
        if sys.stdout.isatty():
            print_lines(concept_lines(concept))
        else:
            say(f"{concept.concept}  {concept.label}  also: {', '.join(concept.aliases) or 'nothing'}")
            print_table(SHOWN, [[getattr(fact, column) for column in SHOWN] for fact in concept.facts])


@command("kbe filters", "kbe filters --json")
def filters() -> None:
    """Print the rule behind each reason by stage, with one case refused and one passed."""
    from kbe_graph.checks import explanations

    if wants_json():
        print_json([entry._asdict() for entry in explanations()])
        return
    rules = [
        (entry.stage, entry.name, entry.filters, entry.rule, _case(entry.refused), _case(entry.passed))
        for entry in explanations()
    ]
    print_table(("stage", "reason", "filters", "rule", "refused", "passed"), rules)


def _case(example: "Row") -> str:
    return "; ".join(f"{key}: {value}" for key, value in example._asdict().items() if value)
