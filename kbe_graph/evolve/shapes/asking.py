"""Steps of the line by shapes: seeing, a second look, drafts, mending, solving and the choice of a draft."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, NamedTuple

from pydantic import Field

from kbe_graph.steps.asker import Step, chain_text, in_order, labelled_lines, triplet_text
from kbe_graph.steps.extractor import other_answers, seen_graph
from kbe_graph.steps.forms import (
    GraphForm,
    GuessForm,
    Id,
    Items,
    Name,
    Names,
    Relation,
    ReplyForm,
    Text,
    TripletForm,
    YesNo,
)
from kbe_graph.steps.prompt import Data, Examples
from kbe_graph.text import fold, on_one_line
from kbe_graph.types import Draft, Drop, Identity, Sample, SampleGraph, Triplet

OTHERS = "Other answers that people gave:"
RATIONALE = "The reason that a person gave"
MOST_RATIONALES = 5
NONE_GIVEN = "none yet"
SURE = 0.8
"""How sure both looks must be of an identity, for anything to be built on it; the prompts that ask for it say so."""
Share = Annotated[float, Field(ge=0, le=1)]
GivenId = Annotated[str, Field(pattern="^[VIFN][0-9]{1,2}$", max_length=3)]


class IdentityForm(ReplyForm, title="Identity"):
    """A thing, what it was recognised as, other names of that, the evidence, how sure the model is, and where it is."""

    s: Name
    r: Relation
    o: Name
    names: Names = Field(default_factory=list)
    e: Text = ""
    p: Share = 0.0
    box: Annotated[list[Share], Field(max_length=4)] = Field(default_factory=list)


class SeeForm(GraphForm, title="Seen"):
    """The reply of ``see``."""

    spare = "textual", "key"  # without a key, that ends at what the question is about
    q: Annotated[str, Field(max_length=300)] = ""
    a: Annotated[str, Field(max_length=80)] = ""
    about: Annotated[str, Field(max_length=3)] = ""
    identities: Annotated[list[IdentityForm], Items(6)] = Field(default_factory=list)


class AgainForm(ReplyForm, title="Again"):
    """What a numbered thing is at a second look; empty if it cannot be told."""

    n: Annotated[int, Field(ge=1, le=12)]
    o: Annotated[str, Field(max_length=80)] = ""
    p: Share = 0.0


class LookForm(ReplyForm, title="Looked"):
    """The reply of ``look``."""

    once = "seen"
    seen: Annotated[list[AgainForm], Items(12)]


class ShapedForm(ReplyForm, title="Shaped"):
    """A draft: its shape, the triplets that it uses and adds, rival facts, question, answer and other right answers."""

    shape: Annotated[str, Field(max_length=30)]
    use: Annotated[list[GivenId], Items(10)]
    new: Annotated[list[TripletForm], Items(4)] = Field(default_factory=list)
    others: Annotated[list[TripletForm], Items(6)] = Field(default_factory=list)
    q: Annotated[str, Field(min_length=1, max_length=300)]
    a: Name
    names: Names = Field(default_factory=list)


class DraftsForm(ReplyForm, title="Drafts"):
    """The reply of ``draft``: further identities, and drafts; none where the picture bears no harder question."""

    found: Annotated[list[IdentityForm], Items(6)] = Field(default_factory=list)
    drafts: Annotated[list[ShapedForm], Items(6)]


class MendedForm(ReplyForm, title="Mended draft"):
    """New words for a numbered draft, empty if it cannot be mended, and the seen conditions that they add."""

    n: Annotated[int, Field(ge=1, le=12)]
    q: Annotated[str, Field(max_length=300)] = ""
    add: Annotated[list[Id], Items(3)] = Field(default_factory=list)


class MendForm(ReplyForm, title="Mended"):
    """The reply of ``mend``; it is empty where no draft can be mended."""

    once = "mended"
    mended: Annotated[list[MendedForm], Items(6)]


class OpinionForm(ReplyForm, title="Opinion"):
    """Whether a numbered fact is true, and its object the only right one."""

    n: Annotated[int, Field(ge=1, le=40)]
    true: YesNo
    only: YesNo


class ConfirmForm(ReplyForm, title="Confirmed"):
    """The reply of ``confirm``."""

    once = "verdicts"
    verdicts: Annotated[list[OpinionForm], Items(40)]


class ChoiceForm(ReplyForm, title="Choice"):
    """Four verdicts on a numbered draft."""

    n: Annotated[int, Field(ge=1, le=12)]
    related: YesNo
    natural: YesNo
    single: YesNo
    worth: YesNo


class PickForm(ReplyForm, title="Picked"):
    """The reply of ``pick``; ``best`` is 0 where no draft should be published."""

    once = "verdicts"
    verdicts: Annotated[list[ChoiceForm], Items(12)]
    best: Annotated[int, Field(ge=0, le=12)]


class Seeing(NamedTuple):
    """The graph of a sample, or the reason to drop it, with the reply that also names identities."""

    graph: SampleGraph | Drop
    form: SeeForm


def see_step(sample: Sample, *, language: str, shown: Examples) -> Step[Seeing]:
    """Ask for the graph of a sample, with the identities of what it shows; of a photo alone, for a question as well."""

    def parse(form: SeeForm) -> Seeing:
        asked = sample if sample.question else _with_question(sample, form)
        graph = seen_graph(asked, form, about=form.about, language=language, shown=shown)
        if asked.made and isinstance(graph, SampleGraph):
            graph = replace(graph, question=asked.question, answer=graph.answer or asked.answer)
        return Seeing(graph, form)

    others = other_answers(sample)
    rationales = {
        f"{RATIONALE} ({number}):": text for number, text in enumerate(sample.rationales[:MOST_RATIONALES], 1)
    }
    values: dict[str, Data] = {
        "question": sample.question or NONE_GIVEN,
        "answer": sample.answer or NONE_GIVEN,
        "others": {OTHERS: "; ".join(others)} if others else "",
        "rationales": rationales,
        "language": language,
    }
    return Step("see", SeeForm, parse, values, 1500)


def _with_question(sample: Sample, form: SeeForm) -> Sample:
    question, answer = on_one_line(form.q).strip(), on_one_line(form.a).strip()
    if not question.endswith(("?", "？", "؟")) or not answer:
        raise ValueError("write a question as q, with ? at its end, and its answer as a")
    return sample.with_answer(answer, question)


class Again(NamedTuple):
    """What a second look named, and how sure it is."""

    name: str = ""
    sure: float = 0.0


def look_step(identities: Sequence[Identity], crops: Mapping[int, int]) -> Step[list[Again]]:
    """Ask what things are, without the names from the first look; ``crops`` maps an identity's number to its crop."""

    def parse(form: LookForm) -> list[Again]:
        looks = {each.n: Again(each.o.strip(), each.p) for each in reversed(form.seen)}
        return in_order(looks, len(identities), missing=Again())

    items = [
        {
            "thing": f"{each.triplet.subject.label} "
            + (f"(enlarged part {crops[each.number]})" if each.number in crops else "(in the whole picture)"),
            "asked": each.triplet.relation,
        }
        for each in identities
    ]
    return Step("look", LookForm, parse, {"things": labelled_lines(items)}, 40 + 40 * len(identities))


def is_same_name(first: str, again: str, thing: str) -> bool:
    """Return True if a second look at a thing names what the first one did, no less precisely.

    >>> is_same_name("AIRBUS A380", "A380", "PLANE"), is_same_name("BEARDED COLLIE", "COLLIE", "DOG")
    (True, False)
    >>> is_same_name("WINDSOR CHAIR", "WINDSOR", "CHAIR")
    True
    """
    words, others = (set(fold(name).replace("-", " ").split()) for name in (first, again))
    telling = words - set(fold(thing).split()) or words
    figures = {word for word in words if any(map(str.isdigit, word))}
    less = bool(figures) and figures <= others <= words  # the maker's name is left out
    return telling <= others or less or "".join(fold(first).split()) == "".join(fold(again).split())


class GivenTriplets(NamedTuple):
    """What a draft may be built of: triplets by id, with the evidence of identities."""

    by_id: Mapping[str, Triplet]

    @property
    def seen(self) -> dict[str, str]:
        """The visual triplets and identities, for a prompt."""
        pairs = ((id_, each) for id_, each in self.by_id.items() if not id_.startswith("F"))
        return {
            id_: f"{triplet_text(each)} {each.evidence if id_.startswith('I') else ''}".strip() for id_, each in pairs
        }

    @property
    def known(self) -> dict[str, str]:
        """The known facts, for a prompt."""
        return {id_: triplet_text(each) for id_, each in self.by_id.items() if id_.startswith("F")}

    @property
    def shown(self) -> dict[str, str]:
        """The visual triplets alone."""
        return {id_: triplet_text(each) for id_, each in self.by_id.items() if id_.startswith("V")}


def draft_step(sample: Sample, given: GivenTriplets, *, hops: int, language: str) -> Step[DraftsForm]:
    """Ask for up to six drafts of different shapes and depths, in one call."""
    values: dict[str, Data] = {
        "question": sample.question,
        "answer": sample.answer,
        "seen": given.seen,
        "known": given.known,
        "hops": str(hops),
        "language": language,
    }
    return Step("draft", DraftsForm, lambda form: form, values, 2600)


class FactOpinion(NamedTuple):
    """An opinion on a fact: whether it is true, and its object the only right one; ``reason`` if there is none."""

    is_true: bool
    is_only: bool
    reason: str = ""


def confirm_step(chains: Sequence[Sequence[Triplet]]) -> Step[list[FactOpinion]]:
    """Ask for a second opinion on the last triplet of each chain, text only; the chains may come from many samples."""

    def parse(form: ConfirmForm) -> list[FactOpinion]:
        by_number = {each.n: FactOpinion(each.true, each.only) for each in reversed(form.verdicts)}
        return in_order(by_number, len(chains), missing=FactOpinion(is_true=False, is_only=False))

    items: list[dict[str, str | Sequence[str]]] = [
        {"statement": triplet_text(last), "chain": chain_text(before)} for *before, last in chains
    ]
    values = {"triplets": labelled_lines(items)}
    return Step("confirm", ConfirmForm, parse, values, 20 + 24 * len(chains), sees_image=False)


def mend_step(given: GivenTriplets, drafts: Sequence[Draft], *, language: str) -> Step[MendForm]:
    """Ask for other words for drafts that were answered without the picture, told with the guesses."""
    items = [{"question": each.text, "answer": each.answer, "guess": each.guess} for each in drafts]
    values: dict[str, Data] = {"seen": given.shown, "drafts": labelled_lines(items), "language": language}
    return Step("mend", MendForm, lambda form: form, values, 40 + 90 * len(drafts))


def solve_step(drafts: Sequence[Draft], *, language: str) -> Step[list[tuple[str, ...]]]:
    """Ask for the answers to drafts of one sample, with the picture and the facts that were stated with any of them."""

    def parse(form: GuessForm) -> list[tuple[str, ...]]:
        answers = {answer.n: tuple(filter(None, answer.a)) for answer in reversed(form.answers)}
        return in_order(answers, len(drafts), missing=())

    facts = {triplet_text(fact) for each in drafts for fact in stated(each)}
    values = labelled_lines([{"question": each.text} for each in drafts])
    asked: dict[str, Data] = {"questions": values, "facts": tuple(sorted(facts)), "language": language}
    return Step("solve", GuessForm, parse, asked, 20 + 40 * len(drafts))


def stated(draft: Draft) -> list[Triplet]:
    """List the facts that a draft states: those of its key, and the rivals."""
    return [edge.triplet for edge in draft.edges if edge.triplet.graph == "textual"]


class Picked(NamedTuple):
    """The choice among drafts: the place of the best, None if there is none, and of those with all four verdicts."""

    best: int | None
    fit: frozenset[int]
    no: Mapping[int, tuple[str, ...]]


VERDICTS = ("related", "natural", "single", "worth")


def pick_step(sample: Sample, drafts: Sequence[Draft]) -> Step[Picked]:
    """Ask which draft a careful editor would print and a maker of benchmarks would want."""

    def parse(form: PickForm) -> Picked:
        by_number = {each.n: tuple(name for name in VERDICTS if not getattr(each, name)) for each in form.verdicts}
        no = dict(enumerate(in_order(by_number, len(drafts), missing=VERDICTS)))
        fit = frozenset(place for place, names in no.items() if not names)
        return Picked(form.best - 1 if form.best - 1 in fit else None, fit, no)

    items: list[dict[str, str | Sequence[str]]] = [
        {"question": each.text, "answer": each.answer, "path": chain_text(each.key)} for each in drafts
    ]
    values: dict[str, Data] = {"question": sample.question, "answer": sample.answer, "drafts": labelled_lines(items)}
    return Step("pick", PickForm, parse, values, 40 + 40 * len(drafts))
