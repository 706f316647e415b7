"""Drafts of a reply as key subgraphs: triplets in order, what the words fix of each, and what is wrong in form."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kbe_graph.checks.fact import Blocked
from kbe_graph.checks.question_text import instruction_in
from kbe_graph.english.reading import read
from kbe_graph.evolve.shapes.asking import GivenTriplets, ShapedForm
from kbe_graph.evolve.shapes.seeing import with_identities
from kbe_graph.steps.asker import ReplyOrigin
from kbe_graph.steps.extractor import way_to
from kbe_graph.steps.forms import TripletForm
from kbe_graph.steps.prompt import shapes
from kbe_graph.steps.reply_text import mentions
from kbe_graph.text import fold, on_one_line
from kbe_graph.types import IMAGE, Compares, Draft, DraftEdge, Entity, Fact, Identity, SampleGraph, Triplet

MOST_WORDS = 25
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?|\d*\.\d+")
UNKNOWN_SHAPE, LOOSE, NO_ANSWER, NOTHING_NEW = (
    "unknown shape",
    "an edge hangs on nothing",
    "no answer in key",
    "nothing new",
)
TOO_MANY, TOO_LONG, LEAK, NO_QUESTION, INSTRUCTION = "too many facts", "too long", "leak", "no question", "instruction"
PROTECTED = "protected"


class DraftFault(ValueError):
    """What is wrong in the form of a draft: ``reason`` is counted, ``detail`` tells the particulars."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class Material:
    """What the drafts of a sample are built of: its graph, the identities in it, and known facts of these.

    ``found`` is what the drafts' own reply recognises beyond that, and ``refused`` why a second look refuses it. No
    fact may have a relation that is ``blocked``. Where it ``needs_new``, a draft has a fact or an identity.
    """

    graph: SampleGraph
    identities: Sequence[Identity] = ()
    facts: Sequence[Fact] = ()
    blocked: Collection[str] = ()
    found: Sequence[Triplet] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    needs_new: bool = True

    def with_found(self, found: Sequence[Triplet], looked: Sequence[Identity]) -> "Material":
        """Add what the drafts' own reply recognises, after the second look at it."""
        confirmed = [each for each in looked if not each.reason]
        refused = {each.triplet.id: each.reason for each in looked if each.reason}
        graph, identities = with_identities(self.graph, looked), (*self.identities, *confirmed)
        judged = {each.id: each for each in graph.visual}
        own = [judged.get(each.id, each) for each in found]  # these tell who recognised it
        return replace(self, graph=graph, identities=identities, found=own, refused=refused)

    @property
    def given(self) -> GivenTriplets:
        """The triplets by their ids: V for what is seen, I for identities, F for known facts, N for what was found."""
        names = {identity.triplet.id: identity for identity in self.identities}
        plain = [triplet for triplet in self.graph.visual if triplet.id not in names]
        facts = {
            (triplet := fact.triplet(identity.triplet.object)).id: triplet
            for identity in self.identities
            for fact in self.facts
            if fold(fact.subject) == fold(identity.triplet.object.name)
        }
        return GivenTriplets(
            {f"V{number}": triplet for number, triplet in enumerate(plain, 1)}
            | {f"I{number}": each.triplet for number, each in enumerate(self.identities, 1)}
            | {f"F{number}": triplet for number, triplet in enumerate(facts.values(), 1)}
            | {f"N{number}": triplet for number, triplet in enumerate(self.found, 1)}
        )

    @property
    def recognised(self) -> frozenset[str]:
        """The ids of the triplets that name an identity."""
        return frozenset(identity.triplet.id for identity in self.identities)

    def draft(self, form: ShapedForm, number: int, *, run: str, hops: int, origin: ReplyOrigin) -> Draft:
        """Build a draft from its form. Raises DraftFault."""
        text, answer = on_one_line(form.q).strip(), form.a.strip()
        shape = fold(form.shape.replace("_", " "))
        if shape not in shapes():
            raise DraftFault(UNKNOWN_SHAPE, form.shape)
        key = self._key(form, f"model {origin.model}", origin.call)
        names = tuple(dict.fromkeys(name.strip() for name in form.names if fold(name) != fold(answer)))
        end = _end(key, (answer, *names))
        rivals = [_stated(each, key, f"model {origin.model}", origin.call) for each in form.others]
        compares = shapes()[shape].compares
        edges = _edges(key, self.recognised, text, end, has_numbers=compares)
        numbers = {edge.triplet.subject.key: edge.number for edge in edges if edge.number is not None}
        draft = Draft(
            self.graph.sample,
            run,
            number,
            shape,
            text,
            answer,
            (*edges, *(DraftEdge(rival, rival=True) for rival in rivals)),
            end,
            aliases=names,
            compares=_side(end, key, numbers) if compares else "",
            prompt=origin.prompt,
            calls=(origin.call,),
        )
        self.check(draft, hops)
        return draft

    def mended(self, draft: Draft, text: str, added: Sequence[Triplet], number: int, origin: ReplyOrigin) -> Draft:
        """Build a draft with other words and further seen conditions. Raises DraftFault."""
        facts = [triplet for triplet in draft.key if triplet.graph == "textual"]
        seen = [triplet for triplet in draft.key if triplet.graph == "visual"]
        present = {triplet.id for triplet in seen}
        key = _hanging([*seen, *(each for each in added if each.id not in present), *facts], self.graph)
        edges = _edges(key, self.recognised, text, draft.end, has_numbers=bool(draft.compares))
        rivals = [edge for edge in draft.edges if edge.rival and edge.triplet.graph == "textual"]
        fresh = replace(draft, status="passed", reason="", detail="", guess="", number=number, mends=draft.number)
        calls = (*draft.calls, origin.call)
        mended = replace(
            fresh, text=on_one_line(text).strip(), edges=(*edges, *rivals), prompt=origin.prompt, calls=calls
        )
        self.check(mended, len(facts))
        return mended

    def check(self, draft: Draft, hops: int) -> None:
        """Raise DraftFault for a draft whose words or size are wrong."""
        if not draft.text.endswith(("?", "？", "؟")):
            raise DraftFault(NO_QUESTION, draft.text)
        if len(draft.text.split()) > MOST_WORDS:
            raise DraftFault(TOO_LONG, f"{len(draft.text.split())} words")
        if len(draft.facts) > hops:
            raise DraftFault(TOO_MANY, f"{len(draft.facts)} of at most {hops}")
        if self.needs_new and not draft.facts and not any(triplet.id in self.recognised for triplet in draft.key):
            raise DraftFault(NOTHING_NEW)
        if words := instruction_in(draft.text):
            raise DraftFault(INSTRUCTION, words)
        relations = [triplet.relation for triplet in draft.facts]
        if blocked := next((each for each in relations if fold(each) in self.blocked), ""):
            raise DraftFault(Blocked.name, blocked)
        if words := next(filter(None, (read(each).protected for each in (draft.text, *relations))), ""):
            raise DraftFault(PROTECTED, words)
        if leak := next((name for name in _hidden(draft, self.recognised) if mentions(draft.text, name)), ""):
            raise DraftFault(LEAK, leak)

    def _key(self, form: ShapedForm, source: str, call: str) -> list[Triplet]:
        by_id = self.given.by_id
        if strangers := [id_ for id_ in form.use if id_ not in by_id]:
            raise DraftFault(LOOSE, f"{strangers[0]} is not among those given")
        used = [by_id[id_] for id_ in form.use]
        for triplet in used:
            if reason := self.refused.get(triplet.id):
                raise DraftFault(reason, triplet.id)
        key = _hanging(used, self.graph)
        for each in form.new:
            key.append(_stated(each, key, source, call))
        return _hanging(key, self.graph)


def _hanging(triplets: Sequence[Triplet], graph: SampleGraph) -> list[Triplet]:
    """Order triplets so that each hangs on IMAGE or an earlier one, the seen first; add the way to what is shown.

    Raises DraftFault if one hangs on nothing.
    """
    waiting = {triplet.id: triplet for triplet in sorted(triplets, key=lambda triplet: triplet.graph != "visual")}
    for triplet in list(waiting.values()):
        if triplet.graph == "visual" and not _is_reached(triplet, waiting.values()):
            waiting = {each.id: each for each in way_to(graph.visual, triplet.subject)} | waiting
    key: list[Triplet] = []
    ends = {IMAGE.key}
    while waiting:
        next_ = next((each for each in waiting.values() if each.subject.key in ends), None)
        if next_ is None:
            raise DraftFault(LOOSE, next(iter(waiting.values())).id)
        key.append(waiting.pop(next_.id))
        ends.add(next_.object.key)
    return sorted(key, key=lambda triplet: triplet.graph != "visual")


def _is_reached(triplet: Triplet, triplets: Collection[Triplet]) -> bool:
    return triplet.subject == IMAGE or any(other.object == triplet.subject for other in triplets)


def _stated(form: TripletForm, key: Sequence[Triplet], source: str, call: str) -> Triplet:
    """Build a fact whose ends are those of the key that it names."""
    ends = {fold(end.label): end for triplet in key for end in (triplet.subject, triplet.object)}
    subject, object_ = (ends.get(fold(name)) or Entity(on_one_line(name).strip().upper()) for name in (form.s, form.o))
    return Triplet(subject, on_one_line(form.r).strip().lower(), object_, "textual", source, call)


def _end(key: Sequence[Triplet], names: Sequence[str]) -> Entity:
    wanted = set(map(fold, names))
    ends = [end for triplet in reversed(key) for end in (triplet.object, triplet.subject)]
    end = next((end for end in ends if {fold(end.name), fold(end.label)} & wanted), None)
    if end is None or end == IMAGE:
        raise DraftFault(NO_ANSWER, names[0])
    return end


def _edges(
    key: Sequence[Triplet], recognised: Collection[str], text: str, end: Entity, *, has_numbers: bool
) -> list[DraftEdge]:
    """Tell of each triplet what the words fix: the kind of a thing that they point at, and the value of a condition."""
    subjects = {triplet.subject.key for triplet in key}
    facts = {each.object.key for each in key if each.graph == "textual" or each.id in recognised}
    edges = []
    for triplet in key:
        object_, is_fact = triplet.object, triplet.graph == "textual" or triplet.id in recognised
        is_leaf = object_.key not in subjects
        is_open = object_ == end or (is_fact and not is_leaf) or (not is_fact and object_.key in facts)
        number = number_in(object_.name) if has_numbers and is_fact and is_leaf and object_ != end else None
        word = "" if is_open or number is not None else _word(object_, text)
        edges.append(DraftEdge(triplet, word, is_seen=not is_fact, number=number))
    return edges


def _word(entity: Entity, text: str) -> str:
    """Return the name by which an object must go: the whole if the words tell it, otherwise its last word."""
    name = fold(entity.name)
    return name if mentions(text, entity.name) or not name else name.split()[-1]


def number_in(name: str) -> float | None:
    """Read the first number of a name.

    >>> number_in("1,300 KM"), number_in("BLUE")
    (1300.0, None)
    """
    match = _NUMBER.search(name)
    return float(match[0].replace(",", "")) if match else None


def _side(end: Entity, key: Sequence[Triplet], numbers: Mapping[str, float]) -> Compares:
    """Tell whether the answer is first among the most or the least."""
    owner = {triplet.object.key: triplet.subject.key for triplet in key}
    own = next((number for subject, number in numbers.items() if end.key in {subject, owner.get(subject)}), None)
    if own is None or len(numbers) < 2:
        raise DraftFault(NO_ANSWER, "nothing to compare the answer with")
    return "most" if own >= max(numbers.values()) else "least"


def _hidden(draft: Draft, recognised: Collection[str]) -> list[str]:
    """List the names that the words must not tell: the answer, and what is recognised or known on the way to it."""
    leads_on = {triplet.subject.key for triplet in draft.key}
    on_way = (
        triplet.object.name
        for triplet in draft.key
        if (triplet.id in recognised or triplet.graph == "textual") and triplet.object.key in leads_on
    )
    return list(dict.fromkeys((draft.answer, *draft.aliases, *on_way)))
