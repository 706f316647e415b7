"""Re-selection: another answer within the sample's own graph (KBE, section 3.2).

A sample whose answer is no noun (Pos_F) is asked about the end of the longest simple path from IMAGE that ends in a noun;
if one can be worded, the sample joins Pos_T2.
"""

from collections.abc import Callable, Iterable, Sequence

from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.seeds import seed_of
from kbe_graph.store import RAW
from kbe_graph.text import fold
from kbe_graph.types import Provenance, Question, Sample, SampleGraph, Triplet

Path = Sequence[Triplet]
NO_PATH = "no path to a noun"
TIMED_OUT = "path search timed out"


def noun_answer(question: Question) -> bool:
    """Return whether the answer is a noun: the sample is in Pos_T1, else in Pos_F."""
    return question.key[-1].object.noun


def reselected(
    sample: Sample,
    graph: SampleGraph,
    paths: Iterable[Path] | None,
    *,
    run: str,
    seed: int,
    word: Callable[[Sample, SampleGraph, Path, int], tuple[str, str]],
) -> Question:
    """Return the question of the longest path that can be worded, or a dropped one with the reason of the first refusal.

    ``paths`` come longest first, None where their search took too long; ``word`` gives text and pattern, or raises
    NoCandidate.
    """
    draw = seed_of(seed, sample.id, 0)
    reasons = [TIMED_OUT] if paths is None else []
    for path in paths or ():
        if fold(path[-1].object.name) == fold(sample.answer) or path[-1].object.number > 1:
            continue  # of several things of one name the first is asked for
        try:
            text, pattern = word(sample, graph, path, draw)
        except NoCandidate as none:
            reasons.append(none.reason)
            continue
        return _question(sample, run=run, text=text, path=path, provenance=Provenance("rule", draw, pattern))
    return _question(sample, run=run, reason=reasons[0] if reasons else NO_PATH, provenance=Provenance("rule", draw))


def _question(
    sample: Sample,
    *,
    run: str,
    provenance: Provenance,
    text: str = "",
    path: Path = (),
    reason: str = "",
) -> Question:
    return Question(
        id=f"{sample.id}@{run}/0",
        sample=sample.id,
        run=run,
        hop=0,
        kind="reselected",
        text=text,
        answer=path[-1].object.name.lower() if path else "",
        key=tuple(path),
        concept=path[-1].object.concept if path else "",
        parent=f"{sample.id}@{RAW}/0",
        provenance=provenance,
        status="dropped" if reason else "kept",
        reason=reason,
    )
