"""Reply forms as pydantic models, and lenient reading of replies.

Every list and string of a form is bounded, so that no server can loop in it. A form stays strict, because the endpoint
receives its schema; a reply is coerced to it: excess is cut off, and broken items are dropped.
"""

import json
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import ErrorDetails

from kbe_graph.steps.reply_text import StepReply, TripletWords, on_lines, straighten_marks
from kbe_graph.types import VERDICTS

Name = Annotated[str, Field(min_length=1, max_length=80)]
Relation = Annotated[str, Field(min_length=1, max_length=60)]
Text = Annotated[str, Field(max_length=300)]
Id = Annotated[str, Field(pattern="^[VT][0-9]{1,2}$", max_length=3)]
Names = Annotated[list[Name], Field(max_length=6)]


class ReplyForm(BaseModel):
    """Base of all forms, which allows no additional fields.

    A form's ``title`` and docstring are part of its JSON schema, and so of a call's hash. Do not change them: stored
    replies would no longer be found. ``bare`` is the field that a reply without JSON is read as. ``once`` is the list
    that a reply may hold only once: a second one may be copied from what was judged.
    """

    model_config = ConfigDict(extra="forbid")
    bare: ClassVar[str] = ""
    once: ClassVar[str] = ""


class TripletForm(ReplyForm, title="Spo"):
    """A triplet."""

    s: Name
    r: Relation
    o: Name

    @property
    def words(self) -> TripletWords:
        """The triplet as words."""
        return TripletWords(self.s, self.r, self.o)


class ExtractForm(ReplyForm, title="Extracted"):
    """The reply of ``extract``."""

    visual: Annotated[list[TripletForm], Field(max_length=12)]
    textual: Annotated[list[TripletForm], Field(max_length=6)]


class KeyForm(ReplyForm, title="Keyed"):
    """The reply of ``key``; it is empty where the picture contradicts the answer."""

    key: Annotated[list[Id], Field(max_length=12)]


class GraphForm(ExtractForm, title="Graphed"):
    """The reply of ``graph``; the key is empty where the picture contradicts the answer."""

    key: Annotated[list[Id], Field(max_length=12)]
    instead: Annotated[str, Field(max_length=80)] = ""


class CandidateForm(ReplyForm, title="Proposed"):
    """A candidate: relation and object, the subject being the current answer."""

    r: Relation
    o: Name
    names: Names = []
    type: Annotated[str, Field(max_length=30)] = ""


class KnowledgeForm(ReplyForm, title="Known"):
    """The reply of ``knowledge``."""

    candidates: Annotated[list[CandidateForm], Field(max_length=8)]


class HopCandidateForm(CandidateForm, title="Drafted"):
    """A candidate with its verdict and, for the first four, a question."""

    ok: bool
    q: Text = ""


class HopForm(ReplyForm, title="Hopped"):
    """The reply of ``hop``."""

    candidates: Annotated[list[HopCandidateForm], Field(max_length=8)]


class ExpressForm(ReplyForm, title="Asked"):
    """The reply of ``express``."""

    bare = "question"
    question: Annotated[str, Field(min_length=1, max_length=300)]


class ParaphraseForm(ReplyForm, title="Rephrased"):
    """The reply of ``paraphrase``."""

    bare = "question"
    question: Annotated[str, Field(min_length=1, max_length=300)]


class ReselectForm(ReplyForm, title="Reselected"):
    """The reply of ``reselect``; the question is empty where none can be asked."""

    bare = "question"
    question: Text


class VerdictForm(ReplyForm, title="Verdict"):
    """A numbered verdict."""

    n: Annotated[int, Field(ge=1, le=40)]
    ok: bool


class VerdictsForm(ReplyForm, title="Judged"):
    """The reply of ``representative``, ``verify`` and ``judge``."""

    once = "verdicts"
    verdicts: Annotated[list[VerdictForm], Field(max_length=40)]

    @field_validator("verdicts", mode="before")
    @classmethod
    def _number_bare_list(cls, value: Any) -> Any:
        """Assign numbers to the verdicts of a plain yes-or-no list by position."""
        bare = isinstance(value, list) and all(isinstance(verdict, bool | str) for verdict in value)
        return [{"n": number, "ok": verdict} for number, verdict in enumerate(value, 1)] if bare else value


class InspectionForm(ReplyForm, title="Inspection"):
    """The seven verdicts on a numbered question."""

    n: Annotated[int, Field(ge=1, le=40)]
    fact: bool
    grammar: bool
    no_leak: bool
    path: bool
    one_answer: bool
    image_needed: bool
    publish: bool

    @property
    def yes(self) -> set[str]:
        """The names of the verdicts that are yes."""
        return {verdict for verdict in VERDICTS if getattr(self, verdict)}


class InspectForm(ReplyForm, title="Inspected"):
    """The reply of ``inspect``."""

    once = "questions"
    questions: Annotated[list[InspectionForm], Field(max_length=40)]


class AnswerForm(ReplyForm, title="Answer"):
    """The answers to a numbered question, the most likely first."""

    n: Annotated[int, Field(ge=1, le=40)]
    a: Annotated[list[Annotated[str, Field(max_length=80)]], Field(max_length=3)]

    @field_validator("a", mode="before")
    @classmethod
    def _list_bare_answer(cls, value: Any) -> Any:
        """Wrap a bare answer in a list."""
        return [value] if isinstance(value, str) else value


class GuessForm(ReplyForm, title="Guessed"):
    """The reply of ``guess``."""

    answers: Annotated[list[AnswerForm], Field(max_length=40)]


class OtherThingForm(ReplyForm, title="Other thing"):
    """Another thing that a picture could show, with the answer that the question has then."""

    thing: Name
    answer: Annotated[str, Field(max_length=80)] = ""


class OtherThingsForm(ReplyForm, title="Other things"):
    """The other things under a numbered question."""

    n: Annotated[int, Field(ge=1, le=40)]
    others: Annotated[list[OtherThingForm], Field(max_length=4)]


class AlternativesForm(ReplyForm, title="Alternatives"):
    """The reply of ``alternatives``."""

    once = "questions"
    questions: Annotated[list[OtherThingsForm], Field(max_length=40)]


class ChoicesForm(ReplyForm, title="Choices"):
    """The reply of ``choices``."""

    options: Annotated[list[Name], Field(max_length=12)]


class AlsoRightForm(ReplyForm, title="Also right"):
    """The reply of ``also_right``."""

    answers: Names


class StatementForm(ReplyForm, title="Statement"):
    """The reply of ``statement``; it is empty where the question allows none."""

    statement: Text


class VariantForm(ReplyForm, title="Variant"):
    """The reply of ``judge_variant``."""

    answer: bool
    english: bool


class WikiQuestionForm(ReplyForm, title="Wiki question"):
    """A question from the statement of a number, with its right answer and three wrong ones."""

    n: Annotated[int, Field(ge=1, le=60)]
    question: Annotated[str, Field(min_length=1, max_length=300)]
    correct_answer: Name
    wrong_answers: Annotated[list[Name], Field(max_length=3)]


class WikiQuestionsForm(ReplyForm, title="Wiki questions"):
    """The reply of ``wiki_questions``; it is empty where no statement is worth a question."""

    questions: Annotated[list[WikiQuestionForm], Field(max_length=6)]


class JudgedForm(ReplyForm, title="Judged"):
    """The verdict on a numbered answer."""

    n: Annotated[int, Field(ge=1, le=40)]
    right: bool


class JudgeForm(ReplyForm, title="Judgement"):
    """The reply of ``judge`` and ``judge_paper``."""

    once = "verdicts"
    verdicts: Annotated[list[JudgedForm], Field(max_length=40)]


SomeForm = TypeVar("SomeForm", bound=ReplyForm)


def read_form(form: type[SomeForm], reply: StepReply) -> SomeForm:
    """Parse the reply as the form, repairing broken JSON and removing parts that do not fit.

    Raises ReplyError for a missing, mismatched, repeated or truncated JSON object.
    """
    text = reply.bare_text()
    if form.once and text.count(f'"{form.once}"') > 1:
        raise reply.error(f"several lists of {form.once}: one may be copied from what was judged")
    start = text.find("{")
    if start < 0 and form.bare:
        values: dict[str, Any] = {form.bare: straighten_marks(text)}
        return form.model_construct(**values)
    if start < 0:
        raise reply.error("no JSON object in the reply")
    value = on_lines(_first_object(text[start:], reply))
    try:
        return _coerced(form, value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise reply.error(f"not the form asked for: {place}: {first['msg']}") from None


def _first_object(text: str, reply: StepReply) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError:
        if reply.finish == "length" or not text.endswith(("}", "]")):
            raise reply.error("the JSON of the reply was cut", kind="cut") from None
    from json_repair import repair_json  # it would also close a truncated object

    return repair_json(straighten_marks(text), return_objects=True)


Place = tuple[int | str, ...]
PASSES = 12  # a list is shortened first, then its items are fixed, then their parts
LONG_NAMES = {"s": "subject", "r": "relation", "o": "object", "n": "number", "q": "question", "a": "answer"}
SPARE = {"names", "type", "q"}  # optional fields of an item
YES_OR_NO = {"ok", *VERDICTS}  # boolean fields that become False if missing or invalid
# how a broken item is handled: dropped, or replaced by an empty one where items are identified by their number
LEFT_OUT = {"candidates", "verdicts", "questions", "answers", "names", "others"}
EMPTIED = {"visual", "textual"}
NOTHING = dict.fromkeys(("s", "r", "o"), "...")


def _coerced(form: type[SomeForm], value: Any) -> SomeForm:
    for _ in range(PASSES):
        try:
            return form.model_validate(value)
        except ValidationError as error:
            broken: dict[Place, set[int]] = {}
            found = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "missing")
            if not (all(_is_mended(value, fault, broken) for fault in found) and _is_left_out(value, broken)):
                raise
    return form.model_validate(value)


def _is_mended(value: Any, error: ErrorDetails, broken: dict[Place, set[int]]) -> bool:
    """Repair a fault in place, or note the item of a list that it breaks; False if that would lose the reply."""
    *path, last = error["loc"] or ("",)
    owner = _at(value, path)
    match error["type"]:
        case "extra_forbidden" if isinstance(owner, dict):
            owner.pop(last, None)
        case "missing" if isinstance(owner, dict) and LONG_NAMES.get(str(last), "") in owner:
            owner[last] = owner.pop(LONG_NAMES[str(last)])
        case "too_long" if isinstance(items := _at(value, error["loc"]), list):
            del items[error["ctx"]["max_length"] :]
        case _ if last in YES_OR_NO and isinstance(owner, dict):
            owner[last] = False
        case kind if last in SPARE and kind != "missing" and isinstance(owner, dict):
            owner.pop(last, None)
        case _:
            place = error["loc"]
            ends = [end for end in range(1, len(place)) if isinstance(place[end], int)]
            if not ends or place[ends[-1] - 1] not in LEFT_OUT | EMPTIED:
                return False
            broken.setdefault(place[: ends[-1]], set()).add(int(place[ends[-1]]))
    return True


def _is_left_out(value: Any, broken: dict[Place, set[int]]) -> bool:
    for place, indexes in broken.items():
        items, name = _at(value, place), place[-1]
        if not isinstance(items, list) or (len(indexes) >= len(items) and name not in SPARE):
            return False
        if name in EMPTIED:
            items[:] = [dict(NOTHING) if index in indexes else item for index, item in enumerate(items)]
        else:
            items[:] = [item for index, item in enumerate(items) if index not in indexes]
    return True


def _at(value: Any, place: Sequence[int | str]) -> Any:
    for step in place:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value
