"""The questions that a call is about: of a run, of some hops, of a benchmark, of so many samples."""

from kbe_graph.evaluate.prompting import read_hops
from kbe_graph.export.selection import select
from kbe_graph.graph_access import GraphAccess
from kbe_graph.seeds import draw_ids
from kbe_graph.types import Question, Sample


def asked_questions(
    access: GraphAccess,
    run: str | None,
    *,
    benchmark: str | None = None,
    hops: str | None = None,
    sample: int | None = None,
) -> list[tuple[Sample, Question]]:
    """Read the raw questions and those of a run; ``sample`` is how many samples are drawn. Raises InputError."""
    wanted = read_hops(hops) if hops else None
    with access.reporter.waiting("reading the questions"):
        pairs = [
            (sample, question)
            for sample, question in select(access.store, run=run, benchmark=benchmark, loaded=True)
            if wanted is None or question.hop in wanted
        ]
    if sample is None:
        return pairs
    drawn = set(draw_ids({each.id for each, _ in pairs}, sample, 0))
    return [(each, question) for each, question in pairs if each.id in drawn]
