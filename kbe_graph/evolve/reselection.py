"""Re-selection of another answer within the sample's own graph (KBE, section 3.2).

A sample whose answer is not a noun (Pos_F) is asked about the end of the longest simple path from IMAGE that ends in a
noun; if such a question can be worded, the sample joins Pos_T2.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import partial

from kbe_graph.checks.chain import first_sense
from kbe_graph.checks.guessable import DrawEntry, Shares, choose
from kbe_graph.checks.path import Asks, PathLeak, RelatedToOriginal, decide_path
from kbe_graph.english.names import as_written
from kbe_graph.english.reference import Wording
from kbe_graph.english.seen import Names, ask, sense_of
from kbe_graph.english.words import synset_of
from kbe_graph.evolve.by_model import ModelReselector
from kbe_graph.evolve.choice import Inspections
from kbe_graph.evolve.evolution import Evolution, Refuse
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.asker import is_technical
from kbe_graph.steps.verifier import Inspectable, is_verdict
from kbe_graph.store import Evolved
from kbe_graph.text import fold
from kbe_graph.types import (
    KEEP,
    RAW,
    Decision,
    Entity,
    Guess,
    Provenance,
    Question,
    Sample,
    SampleGraph,
    Triplet,
    question_id,
)

Path = Sequence[Triplet]
PathWording = Callable[[SampleGraph, Path, int], Wording | Decision]
_NEAR = 0.7
MOST_ASKED = 3  # paths per sample that a model is asked to word
NO_PATH = "no path to a noun"
TIMED_OUT = "path search timed out"


def word_path(graph: SampleGraph, path: Path, seed: int, asks: Asks = lambda _: True) -> Wording | Decision:
    """Word a question whose answer is the end of a path in the sample's graph, or reject the path."""
    names = Names(graph)
    decision = decide_path(names, path, asks)
    if not decision.keep:
        return decision
    proposed = ask(names, path)
    decision = PathLeak().decide(path, proposed.texts)
    text = random.Random(seed).choice(proposed.texts)
    return Wording(text, f"reselected {proposed.pattern}") if decision.keep else decision


async def reselection(
    sample: Sample,
    graph: SampleGraph,
    paths: Sequence[Path] | None,
    reselector: ModelReselector | None = None,
    *,
    run: str,
    seed: int,
    word: PathWording = word_path,
    refuse: Refuse = lambda _: KEEP,
    asks: Asks = lambda _: True,
) -> Question:
    """Build the question of the longest path that can be worded, or a dropped one with the most informative reason.

    A ``reselector`` asks a model to word the first few paths before rules word one. ``paths`` come longest first, and
    are None if the search timed out; ``refuse`` returns a second model's decision, and ``asks`` says which checks are
    enabled. If neither words a path, the reason is the model's: why its reply is not a question, else why it was not
    asked. If there is no path, it is the rules' reason.
    """
    to_question = partial(_to_question, sample, refuse=refuse, run=run, seed=seed)
    after, before = list[str](), list[str]()
    for path in _to_another_thing(sample, paths or ()):
        if reselector is None or len(after) == MOST_ASKED:
            break
        decision = reselector.decide(sample, graph, path)
        if not decision.keep:
            before.append(decision.reason)
            continue
        asked = to_question(path, await reselector.wording(sample, path))
        if isinstance(asked, Question):
            return asked
        after.append(asked.reason)
    reasons = [TIMED_OUT] if paths is None else []
    for path in _to_another_thing(sample, paths or ()):
        wording = word(graph, path, seed)
        if isinstance(wording, Wording) and asks(RelatedToOriginal.name):
            decision = RelatedToOriginal().decide(sample.question, path)
            wording = wording if decision.keep else decision
        question = to_question(path, wording)
        if isinstance(question, Question):
            return question if reselector else replace(question, shape="identify")
        reasons.append(question.reason)
    reason = _telling(reasons)
    if reselector:
        reason = _telling([*([reason] if is_verdict(reason) else []), *after, *before, reason])
    return _question(sample, run=run, reason=reason, provenance=Provenance("rule", seed))


def _telling(reasons: Sequence[str]) -> str:
    for is_telling in (is_technical, is_verdict):
        if reason := next(filter(is_telling, reasons), ""):
            return reason
    return reasons[0] if reasons else NO_PATH


def _to_another_thing(sample: Sample, paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if fold(path[-1].object.name) != fold(sample.answer) and path[-1].object.number == 1:
            yield path


def _to_question(
    sample: Sample, path: Path, wording: Wording | Decision, *, refuse: Refuse, run: str, seed: int
) -> Question | Decision:
    if isinstance(wording, Decision):
        return wording
    provenance = Provenance(wording.maker, seed, wording.pattern, wording.prompt, wording.calls)
    question = _question(sample, run=run, text=wording.text, path=path, provenance=provenance)
    decision = refuse(question)
    return question if decision.keep else decision


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
        id=question_id(sample.id, run, 0),
        sample=sample.id,
        run=run,
        hop=0,
        kind="reselected",
        text=text,
        answer=as_written(path[-1].object.name) if path else "",
        key=tuple(path),
        aliases=_aliases(path[-1].object) if path else (),
        concept=path[-1].object.concept if path else "",
        parent=question_id(sample.id, RAW, 0),
        provenance=provenance,
        status="dropped" if reason else "kept",
        reason=reason,
    )


def share_out(questions: Sequence[Question], shares: Shares) -> list[Question]:
    """Mark questions as dropped whose answer is too common among them, because guessing it would pay off."""
    choices = {
        question.sample: (DrawEntry(sense_of(question.key[-1].object) or fold(question.answer)),)
        for question in questions
        if question.status == "kept"
    }
    refused = {sample: each.reason for sample, each in choose(choices, shares).items() if isinstance(each, Decision)}
    return [
        replace(question, status="dropped", reason=refused[question.sample]) if question.sample in refused else question
        for question in questions
    ]


def _aliases(end: Entity) -> tuple[str, ...]:
    """List the other names of an entity: a cell phone is a mobile phone, and a phone.

    The names come from its sense: those that primarily mean it, or are spelling variants of its own name. A bat is
    rarely called lumber, but a donut is a doughnut, and a sail boat a sailboat.
    """
    own, synset = end.name.lower(), synset_of(sense_of(end))
    names = (lemma.replace("_", " ").lower() for lemma in synset.lemmas) if synset else ()
    usual = [name for name in names if synset and (first_sense(name) == synset.id or _is_spelling(name, own))]
    return tuple(name for name in dict.fromkeys((*usual, own.rpartition(" ")[2])) if name != own)


def _is_spelling(name: str, own: str) -> bool:
    return SequenceMatcher(None, name.replace(" ", ""), own.replace(" ", "")).ratio() > _NEAR


async def reselect_batch(evolution: Evolution, ids: Sequence[str], *, inspections: Inspections) -> list[Evolved]:
    """Build the questions of samples to re-select, excluding those that a second model rejects; raises ReplyAwaited."""
    store, plan, asks = evolution.store, evolution.plan, evolution.plan.choice.asks
    graphs = await asyncio.to_thread(store.graphs, ids)
    length, timeout = plan.options.max_length, plan.options.timeout
    search = partial(store.reselect, graphs, seed=plan.run.seed, max_length=length, timeout=timeout)
    paths = await asyncio.to_thread(search)
    samples = {sample.id: sample for sample in store.samples(ids=ids)}
    questions: dict[str, Question] = {}
    again = list(samples)
    while again:
        made = await gather_all(
            reselection(
                samples[id_],
                graphs[id_],
                paths.get(id_),
                evolution.reselector,
                run=evolution.run,
                seed=plan.run.seed,
                word=partial(word_path, asks=asks),
                refuse=inspections.refusal,
                asks=asks,
            )
            for id_ in again
        )
        questions |= {question.sample: question for question in made}
        kept = [Inspectable(samples[question.sample], question) for question in made if question.status == "kept"]
        refused = await inspections.inspect(kept)
        again = [id_ for id_ in again if id_ in refused]
    guesses: dict[str, tuple[Guess, ...]] = {}
    if test := evolution.blind_test:
        pictures = {sample.id: sample.picture_key for sample in samples.values()}
        kept_ones = [question for question in questions.values() if question.status == "kept"]
        guesses = {question.id: made for question, made in await test.guesses(kept_ones, pictures)}
    return [
        Evolved(question, inspections=inspections.of(question.id), guesses=guesses.get(question.id, ()))
        for question in questions.values()
    ]
