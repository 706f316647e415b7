"""The line by shapes: drafts of all kinds for each sample, the gates that they pass, and the choice of the best.

Every sample is asked about in fixed waves, and only the outcomes that are missing are saved, so an interrupted run
repeats its requests and ends in the same graph.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kbe_graph.checks.registry import GUESSED
from kbe_graph.english.inflect import head
from kbe_graph.english.names import same_answer
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.blind_test import BlindDraft, BlindTest
from kbe_graph.evolve.by_model import name_id
from kbe_graph.evolve.plan import GUESSER, Plan, done_samples, sample_ids
from kbe_graph.evolve.shapes.asking import (
    FactOpinion,
    confirm_step,
    draft_step,
    mend_step,
    pick_step,
    solve_step,
    stated,
)
from kbe_graph.evolve.shapes.drafting import DraftFault, Material
from kbe_graph.evolve.shapes.seeing import identity_triplet, look_again, recognised
from kbe_graph.facts.grounding import Grounding, ProposedFact
from kbe_graph.facts.pack import Pack
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.asker import Asker, is_technical
from kbe_graph.steps.tasks import answer_question, guess_answers
from kbe_graph.steps.verifier import VERIFY_BATCH
from kbe_graph.store import Evolved, Store
from kbe_graph.text import fold
from kbe_graph.types import (
    IMAGE,
    KEEP,
    RAW,
    WHOLE_KEY,
    AnswerSets,
    Draft,
    DraftEdge,
    Entity,
    Fact,
    Guess,
    Identity,
    Progress,
    Provenance,
    Question,
    Sample,
    Triplet,
    question_id,
    seed_of,
)

MOST_FACTS = 12  # known facts shown per identity
Words = tuple[str, str, str]
SOMETHING_ELSE = "SOMETHING ELSE"
NO_DRAFT = "no draft"
NOT_TRUE, CONTRADICTED, UNSUPPORTED = "not verified", "contradicted", "unsupported"
SEVERAL, NO_ANSWER_FITS, NOT_NEEDED = "several answers fit", "no answer fits", "edge not needed"
NOT_SOLVED, NOT_PICKED, NOT_BEST = "not solved", "not picked", "not the best"
GATES = (
    NO_DRAFT,
    UNSUPPORTED,
    NOT_TRUE,
    CONTRADICTED,
    SEVERAL,
    NO_ANSWER_FITS,
    NOT_NEEDED,
    GUESSED,
    NOT_SOLVED,
    NOT_PICKED,
)
"""The reasons in the order of the gates: what was refused last came furthest."""


@dataclass(frozen=True, slots=True)
class SampleCase:
    """A sample with what its drafts are built of; ``found`` is what these recognise, and what a second look says."""

    sample: Sample
    material: Material
    raw: Question
    found: Sequence[Identity] = ()


@dataclass(frozen=True, slots=True)
class ShapeLine:
    """The stages of a run by shapes: they share the graph, the plan, the model and the known facts."""

    store: Store
    plan: Plan
    asker: Asker
    pack: Pack
    grounding: Grounding
    crops: Path
    progress: Progress = lambda *_: None

    async def evolve(self) -> None:
        """Run or resume the plan."""
        only, ids = self.plan.only, sample_ids(self.store, self.plan.options)
        ids = [each for each in ids if not only or each in only]
        done = await asyncio.to_thread(self._done)
        for _, wave in batches(ids, self.plan.batch):
            if missing := set(wave) - done:
                await self._wave(wave, missing)

    def _done(self) -> set[str]:
        hops = range(1, max(1, self.plan.options.hops) + 1)
        return {sample for hop in hops for sample in done_samples(self.store, self.plan, hop)}

    async def _wave(self, ids: Sequence[str], missing: set[str]) -> None:
        cases = await asyncio.to_thread(self._cases, ids)
        cases, drafts = await self._drafted(cases)
        gates = self.plan.gates
        if "true" in gates:
            drafts = await self._true(drafts)
        if "one" in gates:
            drafts = await asyncio.to_thread(self._one, drafts)
        drafts = await self._from_words(cases, drafts)
        drafts += await self._mended(cases, drafts)
        if "answered" in gates:
            drafts = await self._solved(cases, drafts)
        drafts = await self._picked(cases, drafts) if "chosen" in gates else first_passed(drafts)
        drafts = await self._unaided(cases, drafts)
        await asyncio.to_thread(self._save, cases, drafts, missing)

    def _cases(self, ids: Sequence[str]) -> dict[str, SampleCase]:
        graphs = self.store.graphs(ids)
        identities: dict[str, list[Identity]] = defaultdict(list)
        for each in self.store.identities(ids):
            if not each.reason and not each.run:
                identities[each.sample].append(each)
        raw = {each.sample: each for each in self.store.questions(run=RAW, samples=ids)}
        blocked = frozenset(map(fold, self.plan.filters.blocked_relations))
        cases = {}
        for sample in self.store.samples(ids=ids):
            if sample.id not in graphs or sample.id not in raw:
                continue
            own = identities[sample.id]
            facts = [fact for each in own for fact in self._facts_about(each)]
            cases[sample.id] = SampleCase(sample, Material(graphs[sample.id], own, facts, blocked), raw[sample.id])
        return cases

    def _facts_about(self, identity: Identity) -> Sequence[Fact]:
        """List known facts of what a thing is; what it looks like or says may go by the name of something else."""
        thing, name = head(identity.triplet.subject.name), identity.triplet.object.name
        if not words("looks").isdisjoint(fold(identity.triplet.relation).split()[-1:]):
            return ()
        return self.grounding.facts_of(name, thing, identity.names)[:MOST_FACTS]

    async def _drafted(self, cases: Mapping[str, SampleCase]) -> tuple[dict[str, SampleCase], list[Draft]]:
        self.progress("drafts", 0, len(cases))
        drafted = await gather_all(map(self._drafts_of, cases.values()))
        self.progress("drafts", len(cases), len(cases))
        now = {case.sample.id: case for case, _ in drafted}
        return now, self._by_gate(draft for _, drafts in drafted for draft in drafts)

    async def _drafts_of(self, case: SampleCase) -> tuple[SampleCase, list[Draft]]:
        run, hops = self.plan.run.name, self.plan.options.hops
        step = draft_step(case.sample, case.material.given, hops=hops, language=self.asker.language)
        try:
            form, origin = await self.asker.ask(step, case.sample)
        except NoCandidate as none:
            return case, [_nothing(case.sample, run, none.reason, none.detail)]
        found = [identity_triplet(case.material.graph, each) for each in form.found]
        named = recognised(case.material.graph, form.found, run=run)
        looked = await look_again(self.asker, self.crops, case.sample, named)
        case = replace(case, material=case.material.with_found(found, looked), found=looked)
        drafts = []
        for number, each in enumerate(form.drafts, 1):
            try:
                drafts.append(case.material.draft(each, number, run=run, hops=hops, origin=origin))
            except DraftFault as fault:
                empty = _nothing(case.sample, run, fault.reason, fault.detail)
                shape = fold(each.shape)
                drafts.append(
                    replace(empty, number=number, shape=shape, text=each.q, answer=each.a, calls=(origin.call,))
                )
        return case, drafts or [_nothing(case.sample, run, NO_DRAFT)]

    async def _true(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Refuse drafts that state what known facts contradict or a second opinion doubts; drop doubtful rivals."""
        by_pack = {_words(fact): self._by_pack(fact) for draft in _open(drafts) for fact in stated(draft)}
        ways: dict[Words, tuple[Triplet, ...]] = {}
        for draft in _open(drafts):
            for fact in stated(draft):
                if by_pack[_words(fact)] is None:
                    way = tuple(each for each in draft.key if each.id != fact.id)
                    ways.setdefault(_words(fact), (*way, fact))
        opinions = {words: opinion for words, opinion in by_pack.items() if opinion} | await self._opinions(ways)
        return [draft if draft.status == "refused" else with_opinions(draft, opinions) for draft in drafts]

    def _by_pack(self, fact: Triplet) -> FactOpinion | None:
        """Judge a fact by the known ones; None if they say nothing about it."""
        subject, name = fact.subject, fact.object.name
        concept = subject.concept or name_id(subject.name)
        proposed = ProposedFact(concept, subject.name, fact.relation, name_id(name), name, fact.source)
        label, same = self.grounding.look(proposed)
        if label == "unsupported":
            is_refused = self.plan.model.ground == "require"
            return FactOpinion(is_true=False, is_only=False, reason=UNSUPPORTED) if is_refused else None
        if same is None:
            return FactOpinion(is_true=False, is_only=False, reason=CONTRADICTED)
        return FactOpinion(is_true=True, is_only=len(self.pack.ask(same.subject_id, same.relation)) == 1)

    async def _opinions(self, ways: Mapping[Words, tuple[Triplet, ...]]) -> dict[Words, FactOpinion]:
        async def ask(batch: Sequence[Words]) -> list[FactOpinion]:
            try:
                return (await self.asker.ask(confirm_step([ways[words] for words in batch])))[0]
            except NoCandidate as none:
                return [FactOpinion(is_true=False, is_only=False, reason=none.reason)] * len(batch)

        parts = [batch for _, batch in batches(list(ways), VERIFY_BATCH)]
        opinions = await gather_all(map(ask, parts))
        return {
            words: opinion
            for batch, part in zip(parts, opinions, strict=True)
            for words, opinion in zip(batch, part, strict=True)
        }

    def _one(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Refuse drafts that several answers fit, or that do not need each of their facts."""
        self.store.save_drafts(_open(drafts))
        return [draft if draft.status == "refused" else self._needed(draft) for draft in drafts]

    def _needed(self, draft: Draft) -> Draft:
        """Decide on a saved draft by its answer sets; what is only seen leaves the key where it is not needed."""
        decided = decide(draft, self.store.answer_sets(draft))
        if decided.reason != NOT_NEEDED:
            return decided
        less = without(draft, decided.detail)
        if less.facts != draft.facts:
            return decided
        self.store.save_drafts([less])
        return self._needed(less)

    async def _from_words(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft]) -> list[Draft]:
        """Refuse drafts whose answer a model names without the picture."""
        if not self.plan.guessing:
            return list(drafts)
        waiting = _open(drafts)
        test = BlindTest(partial(guess_answers, self.asker, tries=self.plan.filters.guess_tries))
        looks = await test.guess(
            [
                BlindDraft(question_of(each, cases[each.sample].raw), cases[each.sample].sample.picture_key)
                for each in waiting
            ]
        )
        judged = {}
        for draft, look in zip(waiting, looks, strict=True):
            with_guess = replace(draft, guess=look.guess.guess if look.guess else "")
            judged[draft.id] = (
                with_guess
                if look.decision == KEEP
                else _refused(with_guess, look.decision.reason, look.decision.detail)
            )
        return [judged.get(draft.id, draft) for draft in drafts]

    async def _mended(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft]) -> list[Draft]:
        """Have guessed drafts mended, once per sample, and test what comes back."""
        guessed: dict[str, list[Draft]] = defaultdict(list)
        for draft in drafts:
            if draft.reason == GUESSED:
                guessed[draft.sample].append(draft)
        numbers = {sample: max(each.number for each in drafts if each.sample == sample) for sample in guessed}
        mended = await gather_all(
            self._mended_of(cases[sample], each, numbers[sample]) for sample, each in guessed.items()
        )
        new = self._by_gate([draft for each in mended for draft in each])
        new = await asyncio.to_thread(self._one, new) if "one" in self.plan.gates else new
        return await self._from_words(cases, new)

    async def _mended_of(self, case: SampleCase, drafts: Sequence[Draft], last: int) -> list[Draft]:
        given = case.material.given
        try:
            step = mend_step(given, drafts, language=self.asker.language)
            form, origin = await self.asker.ask(step, case.sample)
        except NoCandidate:
            return []  # the drafts stay refused as guessed
        mended = []
        for each in {each.n: each for each in reversed(form.mended)}.values():
            if each.n > len(drafts) or not each.q.strip():
                continue
            added = [given.by_id[id_] for id_ in each.add if id_ in given.by_id]
            draft = drafts[each.n - 1]
            try:
                mended.append(case.material.mended(draft, each.q, added, last + each.n, origin))
            except DraftFault as fault:
                text = replace(draft, text=each.q, number=last + each.n, mends=draft.number, guess="")
                mended.append(_refused(text, fault.reason, fault.detail))
        return sorted(mended, key=lambda draft: draft.number)

    async def _solved(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft]) -> list[Draft]:
        """Refuse drafts that a model cannot answer with the picture and the facts: people should look at those."""

        async def solve(sample: str, own: Sequence[Draft]) -> list[Draft]:
            solved: list[Draft] = []
            # apart, as the facts that one draft states tell what another asks to recognise
            parts = [draft for draft in own if not stated(draft)], [draft for draft in own if stated(draft)]
            for part in filter(None, parts):
                try:
                    step = solve_step(part, language=self.asker.language)
                    answers, _ = await self.asker.ask(step, cases[sample].sample)
                    solved += [_solved(draft, each) for draft, each in zip(part, answers, strict=True)]
                except NoCandidate as none:
                    solved += [_refused(draft, none.reason, none.detail) for draft in part]
            return solved

        return await self._by_sample(drafts, solve)

    async def _picked(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft]) -> list[Draft]:
        """Have a model choose the draft that is asked, and rank the others that passed."""

        async def pick(sample: str, own: Sequence[Draft]) -> list[Draft]:
            try:
                picked, _ = await self.asker.ask(pick_step(cases[sample].sample, own), cases[sample].sample)
            except NoCandidate as none:
                return [_refused(draft, none.reason, none.detail) for draft in own]
            order = sorted(range(len(own)), key=lambda place: (place != picked.best, place not in picked.fit, place))
            ranks = {place: rank for rank, place in enumerate((each for each in order if each in picked.fit), 1)}
            chosen = []
            for place, draft in enumerate(own):
                if place not in picked.fit:
                    chosen.append(_refused(draft, NOT_PICKED, f"no to {', '.join(picked.no[place])}"))
                else:
                    chosen.append(_ranked(draft, ranks[place], is_best=place == picked.best))
            return chosen

        return await self._by_sample(drafts, pick)

    async def _unaided(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft]) -> list[Draft]:
        """Ask the chosen drafts with the picture and without the facts; this is kept beside them and refuses none."""

        async def answer(draft: Draft) -> Draft:
            said = await answer_question(self.asker, draft.text, cases[draft.sample].sample)
            if said is None:
                return draft
            return replace(draft, unaided=said.text, is_unaided_right=is_answer(said.text, draft))

        chosen = [draft for draft in drafts if draft.status == "chosen"]
        answered = {draft.id: draft for draft in await gather_all(map(answer, chosen))}
        return [answered.get(draft.id, draft) for draft in drafts]

    async def _by_sample(
        self, drafts: Sequence[Draft], ask: Callable[[str, Sequence[Draft]], Awaitable[list[Draft]]]
    ) -> list[Draft]:
        waiting: dict[str, list[Draft]] = defaultdict(list)
        for draft in _open(drafts):
            waiting[draft.sample].append(draft)
        judged = await gather_all(ask(sample, own) for sample, own in waiting.items())
        by_id = {draft.id: draft for each in judged for draft in each}
        return [by_id.get(draft.id, draft) for draft in drafts]

    def _save(self, cases: Mapping[str, SampleCase], drafts: Sequence[Draft], missing: set[str]) -> None:
        by_sample: dict[str, list[Draft]] = defaultdict(list)
        for draft in drafts:
            by_sample[draft.sample].append(draft)
        kept = [draft for draft in drafts if draft.sample in missing]
        self.store.save_drafts(kept)
        self.store.save_identities([each for sample in sorted(missing & set(cases)) for each in cases[sample].found])
        outcomes = [self._outcome(cases[sample], by_sample[sample]) for sample in cases if sample in missing]
        self.store.forget_outcomes(self.plan.run.name, sorted(missing))
        self.store.save_questions(outcomes)

    def _outcome(self, case: SampleCase, drafts: Sequence[Draft]) -> Evolved:
        chosen = next((draft for draft in drafts if draft.status == "chosen"), None)
        if chosen is None:
            return Evolved(self._dropped(case, _telling([draft.reason for draft in drafts])))
        question = question_of(chosen, case.raw, self.plan.run.seed)
        guesser = dict(self.plan.run.settings).get(GUESSER, "").rpartition(" (")[0]  # the family stands in brackets
        guess = Guess(question.text, question.answer, chosen.guess, right=False, model=guesser)
        return Evolved(question, guesses=(guess,) if chosen.guess else ())

    def _dropped(self, case: SampleCase, reason: str) -> Question:
        run, sample = self.plan.run, case.sample.id
        return Question(
            id=question_id(sample, run.name, 1),
            sample=sample,
            run=run.name,
            hop=1,
            kind="explored",
            text="",
            answer="",
            key=(),
            parent=case.raw.id,
            provenance=Provenance("model", seed_of(run.seed, sample, 1)),
            status="dropped",
            reason=reason,
        )

    def _by_gate(self, drafts: Iterable[Draft]) -> list[Draft]:
        return sorted(drafts, key=lambda draft: (draft.sample, draft.number))


def with_opinions(draft: Draft, opinions: Mapping[Words, FactOpinion]) -> Draft:
    """Refuse a draft one of whose facts is not true, and drop rivals that are not.

    Where another object is right too, something else stands as a rival, although nobody has named it.
    """
    of_fact = {
        edge.triplet.id: opinions[_words(edge.triplet)] for edge in draft.edges if edge.triplet.graph == "textual"
    }
    false = next((fact for fact in draft.facts if not of_fact[fact.id].is_true), None)
    if false is not None:
        return _refused(draft, of_fact[false.id].reason or NOT_TRUE, false.id)
    kept = [edge for edge in draft.edges if not edge.rival or of_fact[edge.triplet.id].is_true]
    others = [
        replace(fact, object=Entity(SOMETHING_ELSE, number))  # not the same one for two facts
        for number, fact in enumerate(draft.facts, 1)
        if not of_fact[fact.id].is_only
    ]
    return replace(draft, edges=(*kept, *(DraftEdge(other, rival=True) for other in others)))


def decide(draft: Draft, answers: AnswerSets) -> Draft:
    """Decide by its answer set: exactly one answer with all edges, and not that one alone without any of them."""
    own = frozenset({f"{draft.sample}|{draft.end.key}"})
    names = ", ".join(sorted(each.rsplit("|", 1)[1] for each in answers[WHOLE_KEY]))
    if not answers[WHOLE_KEY]:
        return _refused(draft, NO_ANSWER_FITS)
    if answers[WHOLE_KEY] != own:
        return _refused(draft, SEVERAL, names)
    needless = next((place for place in range(draft.depth) if answers[place] == own), None)
    return draft if needless is None else _refused(draft, NOT_NEEDED, draft.key[needless].id)


def without(draft: Draft, needless: str) -> Draft:
    """Take an edge (triplet id) and what hung on it alone out of the key; they stay with the draft."""
    reached, edges = {IMAGE.key}, []
    for edge in draft.edges:
        hangs = edge.triplet.subject.key in reached and edge.triplet.id != needless and not edge.rival
        reached |= {edge.triplet.object.key} if hangs else set()
        edges.append(replace(edge, rival=not hangs))
    return replace(draft, edges=tuple(edges))


def first_passed(drafts: Sequence[Draft]) -> list[Draft]:
    """Choose each sample's first draft that was not refused, and rank the others in their order."""
    passed: dict[str, list[str]] = defaultdict(list)
    for draft in _open(drafts):
        passed[draft.sample].append(draft.id)
    ranks = {id_: rank for ids in passed.values() for rank, id_ in enumerate(ids, 1)}
    return [
        _ranked(draft, ranks[draft.id], is_best=ranks[draft.id] == 1) if draft.id in ranks else draft
        for draft in drafts
    ]


def _ranked(draft: Draft, rank: int, *, is_best: bool) -> Draft:
    return replace(draft, rank=rank, status="chosen") if is_best else replace(draft, rank=rank, reason=NOT_BEST)


def question_of(draft: Draft, raw: Question, seed: int = 0) -> Question:
    """Build the question that a draft is asked as."""
    hop = draft.hop
    return Question(
        id=question_id(draft.sample, draft.run, hop),
        sample=draft.sample,
        run=draft.run,
        hop=hop,
        kind="explored",
        text=draft.text,
        answer=draft.answer,
        key=draft.key,
        aliases=draft.aliases,
        concept=draft.end.concept or name_id(draft.answer),
        parent=raw.id,
        provenance=Provenance("model", seed_of(seed, draft.sample, hop), draft.shape, draft.prompt, draft.calls),
        shape=draft.shape,
    )


def _open(drafts: Iterable[Draft]) -> list[Draft]:
    return [draft for draft in drafts if draft.status != "refused"]


def _refused(draft: Draft, reason: str, detail: str = "") -> Draft:
    return replace(draft, status="refused", reason=reason, detail=detail)


def _nothing(sample: Sample, run: str, reason: str, detail: str = "") -> Draft:
    empty = Draft(sample.id, run, 0, "", "", "", (), Entity("IMAGE", noun=False))
    return _refused(empty, reason, detail)


def _solved(draft: Draft, answers: Sequence[str]) -> Draft:
    said = "; ".join(answers)
    right = len(answers) > 0 and is_answer(answers[0], draft)
    return replace(draft, solved=said) if right else _refused(replace(draft, solved=said), NOT_SOLVED, said)


def is_answer(text: str, draft: Draft) -> bool:
    """Return True if a text is the answer of a draft, or another name of it."""
    return any(same_answer(text, name) for name in (draft.answer, *draft.aliases))


def _words(fact: Triplet) -> Words:
    return fold(fact.subject.name), fold(fact.relation), fold(fact.object.name)


def _telling(reasons: Sequence[str]) -> str:
    """Return the reason of the draft that came furthest; an unusable reply, which may be better next time, is first."""
    technical = next(filter(is_technical, reasons), "")
    ranked = sorted(reasons, key=lambda reason: GATES.index(reason) if reason in GATES else -1)
    return technical or (ranked[-1] if ranked else NO_DRAFT)
