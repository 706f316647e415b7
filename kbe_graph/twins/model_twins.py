"""Twins by a model: it looks at both pictures, and a second request shows the other picture alone."""

from dataclasses import dataclass, replace
from pathlib import Path

from kbe_graph.english.inflect import head, singular
from kbe_graph.evolve.shapes.asking import DraftsForm, GivenTriplets, confirm_step, solve_step
from kbe_graph.evolve.shapes.drafting import DraftFault, Material
from kbe_graph.evolve.shapes.line import NOT_TRUE, is_answer
from kbe_graph.evolve.shapes.seeing import identity_triplet, look_again, recognised, with_identities
from kbe_graph.facts.grounding import say_same
from kbe_graph.steps.asker import NO_PICTURE, Asker, Step, chain_text
from kbe_graph.steps.prompt import Data
from kbe_graph.text import fold
from kbe_graph.twins.rule_twins import NO_FIT, SAME, Pictured, Unfit, may_answer, may_be_same
from kbe_graph.types import IMAGE, Draft, Entity, Question, twin_id

NOT_CONFIRMED = "not confirmed"


def twin_step(question: Question, given: GivenTriplets, *, language: str) -> Step[DraftsForm]:
    """Ask for the key and the answer of the same words on a second picture, or none where they have no other answer."""
    values: dict[str, Data] = {
        "shape": question.shape or "identify",
        "question": question.text,
        "answer": question.answer,
        "key": chain_text(question.key),
        "seen": given.seen,
        "language": language,
    }
    return Step("twin", DraftsForm, lambda form: form, values, 1000)


def names_told(question: Question, own: Pictured, other: Pictured) -> list[bool]:
    """Tell of each name that is listed for what the words ask of another picture, whether it may be that of the key.

    Empty if nothing is listed for it there.
    """
    used = {question.end, *(each.subject for each in question.key if each.graph == "textual")}
    like = next((each for each in question.key if each.graph == "visual" and each.object in used), None)
    if like is None or like.subject == IMAGE:
        return []
    names = {each.triplet.object.key: each.names for each in own.identities}
    mine = (like.object.name, *names.get(like.object.key, ()))
    thing = _head_of(like.subject)
    listed = {each.triplet.id: each.triplet for each in other.identities}
    edges = ({each.id: each for each in other.graph.visual} | listed).values()
    alike = [each for each in edges if _head_of(each.subject) == thing and say_same(each.relation, like.relation)]
    return [any(may_be_same(name, each.object.name) for name in mine) for each in alike]


def _head_of(thing: Entity) -> str:
    return singular(head(fold(thing.name)))


@dataclass(frozen=True, slots=True)
class ModelTwins:
    """Asks a model for twins, one request a picture."""

    asker: Asker
    crops: Path

    async def draft(self, question: Question, own: Pictured, other: Pictured) -> Draft:
        """Draft the twin of a question on another picture, and confirm it. Raises Unfit."""
        graph = with_identities(other.graph, [each for each in other.identities if each.run])
        material = Material(graph, other.identities, needs_new=question.hop > 0)
        pictures = (*self.asker.find(own.sample)[:1], *self.asker.find(other.sample)[:1])
        if len(pictures) < 2:
            raise Unfit(NO_PICTURE)
        step = twin_step(question, material.given, language=self.asker.language)
        form, origin = await self.asker.ask(step, pictures=pictures)
        if not form.drafts:
            raise Unfit(NO_FIT)
        named = [identity_triplet(graph, each) for each in form.found]
        new = recognised(graph, form.found, run=question.run)
        material = material.with_found(named, await look_again(self.asker, self.crops, other.sample, new))
        shaped = form.drafts[0].model_copy(update={"q": question.text, "shape": question.shape or "identify"})
        try:
            draft = material.draft(shaped, 0, run=question.run, hops=question.hop, origin=origin)
        except DraftFault as fault:
            raise Unfit(fault.reason) from None
        if may_answer(question, draft.answer, *draft.aliases):
            raise Unfit(SAME)
        draft = replace(draft, twin=twin_id(other.sample.id, question))
        await self._confirm(draft, other)
        return draft

    async def _confirm(self, draft: Draft, other: Pictured) -> None:
        """Have the facts judged without the pictures, and the words answered with the other picture alone."""
        way = [each for each in draft.key if each.graph == "visual"]
        if draft.facts:
            opinions, _ = await self.asker.ask(confirm_step([(*way, fact) for fact in draft.facts]))
            if not all(each.is_true for each in opinions):
                raise Unfit(NOT_TRUE)
        answers, _ = await self.asker.ask(solve_step([draft], language=self.asker.language), other.sample)
        if not (answers[0] and is_answer(answers[0][0], draft)):
            raise Unfit(NOT_CONFIRMED)
