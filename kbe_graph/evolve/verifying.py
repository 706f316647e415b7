"""Second opinions on triplets of many samples, text only, in batches; what was judged once is not asked again."""

from collections.abc import Callable, Iterator, Sequence

from kbe_graph.errors import NoCandidate
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.gathering import gathered
from kbe_graph.steps.verdicts import parse_verdicts, render_verify
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Decision

Said = tuple[str, str, str]
VERIFIED = Decision(keep=True, detail="verified")
NOT_VERIFIED = Decision(keep=False, reason="not verified")
BATCH = 15


class Verifier:
    """Asks a second opinion of triplets, ``batch`` in one call; ``known`` gives the verdicts from before a hop.

    Batches are cut from the triplets in their order, each triplet once, and verdicts are looked up anew at each hop, so that
    a run cut off and done again asks the same calls.
    """

    def __init__(self, asker: Asker, known: Callable[[int], dict[Said, bool]], *, batch: int = BATCH) -> None:
        self._asker, self._known, self._batch = asker, known, batch
        self._hop = -1
        self._verdicts: dict[Said, bool] = {}

    async def __call__(self, candidates: Sequence[Candidate]) -> Sequence[Decision]:
        """Return a decision on each candidate, all of one hop; a reply that cannot be used refuses those of its batch."""
        hop = candidates[0].question.hop + 1
        if hop != self._hop:
            self._hop, self._verdicts = hop, self._known(hop)
        first = {said_of(one): one for one in reversed(candidates)}
        todo = [first[said] for said in dict.fromkeys(map(said_of, candidates)) if said not in self._verdicts]
        failed: dict[Said, Decision] = {}
        for found in await gathered(self._judged(some) for some in _batches(todo, self._batch)):
            failed |= found
        return [failed.get(said_of(one)) or _decision(ok=self._verdicts[said_of(one)]) for one in candidates]

    async def _judged(self, some: Sequence[Candidate]) -> dict[Said, Decision]:
        """Ask one batch and keep its verdicts; return why there are none where the reply cannot be used."""
        ask = render_verify([one.fact.triplet(one.question.key[-1].object) for one in some])
        try:
            verdicts, _ = await self._asker.ask(ask, lambda one: parse_verdicts(one, len(some)))
        except NoCandidate as none:
            refusal = Decision(keep=False, reason=none.reason, detail=none.detail)
            return dict.fromkeys(map(said_of, some), refusal)
        self._verdicts.update(zip(map(said_of, some), verdicts, strict=True))
        return {}


def said_of(candidate: Candidate) -> Said:
    """Return what a candidate states, by folded names."""
    fact = candidate.fact
    return fold(fact.subject), fold(fact.relation), fold(fact.object)


def _decision(*, ok: bool) -> Decision:
    return VERIFIED if ok else NOT_VERIFIED


def _batches(items: Sequence[Candidate], size: int) -> Iterator[Sequence[Candidate]]:
    """Cut into batches of nearly one size, none larger than ``size``."""
    count = -(-len(items) // size)
    for number in range(count):
        yield items[number * len(items) // count : (number + 1) * len(items) // count]
