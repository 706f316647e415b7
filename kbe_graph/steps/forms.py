"""Reply forms as pydantic models, and lenient reading of replies.

Every list and string of a form is bounded, so that no server can loop in it. The endpoint receives the schema of a
form, which is strict; a reply is read leniently: what is too much is cut off, and broken items are left out.
"""

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from kbe_graph.steps.reply_text import StepReply, TripletWords, on_lines, straighten_marks
from kbe_graph.types import VERDICTS

LONG_NAMES = {"s": "subject", "r": "relation", "o": "object", "n": "number", "a": "answer"}
_TAGS = re.compile(r"<(question|correct|wrong)(?:[ _-]?answers?)?[ _-]?\d*>([^<\n]*)", re.IGNORECASE)
YES_OR_NO = {"ok", *VERDICTS}  # fields that become False if missing or invalid


@dataclass(frozen=True)
class Items:
    """Bound of a list in a form: of more than ``most`` items the rest is cut off.

    Broken items are left out, or replaced by ``instead`` if items are known by their place. A list of broken items
    alone is refused, unless the form can do without it (``is_spare``).
    """

    most: int
    instead: Any = None
    is_spare: bool = False

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Wrap the schema of the list."""
        schema: Any = handler(source)
        schema["max_length"] = self.most
        return core_schema.no_info_wrap_validator_function(self._read, schema)

    def _read(self, value: Any, read: ValidatorFunctionWrapHandler) -> Any:
        items = value[: self.most] if isinstance(value, list) else []
        spare = [] if self.instead is None else [self.instead]
        kept = [item for each in items for item in _read_or(spare, [each], read)]
        is_lost = value != [] and all(item is self.instead for item in kept)
        return read(value) if is_lost and not self.is_spare else kept


def _read_or(spare: Any, value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Read a value, or give the spare one for a broken one."""
    try:
        return read(value)
    except ValidationError:
        return spare


Name = Annotated[str, Field(min_length=1, max_length=80)]
Relation = Annotated[str, Field(min_length=1, max_length=60)]
Text = Annotated[str, Field(max_length=300)]
Id = Annotated[str, Field(pattern="^[VT][0-9]{1,2}$", max_length=3)]
Names = Annotated[list[Name], Items(6, is_spare=True)]
YesNo = Annotated[bool, WrapValidator(partial(_read_or, False))]


class ReplyForm(BaseModel):
    """Base of all forms, which allows no additional fields.

    A form's ``title`` and docstring are part of its JSON schema, and so of a call's hash. Do not change them: stored
    replies would no longer be found. ``bare`` is the field that a reply without JSON is read as. ``once`` is the list
    that a reply may hold only once: a second one may be copied from what was judged. ``spare`` are lists that are empty
    if missing.
    """

    model_config = ConfigDict(extra="forbid")
    bare: ClassVar[str] = ""
    once: ClassVar[str] = ""
    spare: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of_tags(cls, text: str) -> Self | None:
        """Read a reply in tags instead of JSON; None if the form knows no tags, or the text has none."""
        del text
        return None

    @model_validator(mode="before")
    @classmethod
    def _take_fields(cls, value: Any) -> Any:
        """Leave out further fields, and read fields by their long names; a missing verdict is a no."""
        if not isinstance(value, dict):
            return value
        missing: dict[str, Any] = dict.fromkeys(YES_OR_NO, False) | {name: [] for name in cls.spare}
        long = {short: value[name] for short, name in LONG_NAMES.items() if name in value}
        return {name: part for name, part in (missing | long | value).items() if name in cls.model_fields}


class TripletForm(ReplyForm, title="Spo"):
    """A triplet."""

    s: Name
    r: Relation
    o: Name

    @property
    def words(self) -> TripletWords:
        """The triplet as words."""
        return TripletWords(self.s, self.r, self.o)


NOTHING = TripletForm(s="...", r="...", o="...")


class ExtractForm(ReplyForm, title="Extracted"):
    """The reply of ``extract``."""

    visual: Annotated[list[TripletForm], Items(12, NOTHING)]
    textual: Annotated[list[TripletForm], Items(6, NOTHING)]


class KeyForm(ReplyForm, title="Keyed"):
    """The reply of ``key``; it is empty where the picture contradicts the answer."""

    key: Annotated[list[Id], Field(max_length=12)]


class GraphForm(ExtractForm, title="Graphed"):
    """Triplets and a key; the key is empty where the picture contradicts the answer."""

    key: Annotated[list[Id], Field(max_length=12)]
    instead: Annotated[str, Field(max_length=80)] = ""


class CandidateForm(ReplyForm, title="Proposed"):
    """A candidate: relation and object, the subject being the current answer."""

    r: Relation
    o: Name
    names: Names = []
    type: Annotated[str, Field(max_length=30), WrapValidator(partial(_read_or, ""))] = ""


class KnowledgeForm(ReplyForm, title="Known"):
    """The reply of ``knowledge``."""

    candidates: Annotated[list[CandidateForm], Items(8)]


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
    ok: YesNo


class VerdictsForm(ReplyForm, title="Judged"):
    """The reply of ``representative``, ``verify`` and ``judge``."""

    once = "verdicts"
    verdicts: Annotated[list[VerdictForm], Items(40)]

    @field_validator("verdicts", mode="before")
    @classmethod
    def _number_bare_list(cls, value: Any) -> Any:
        """Assign numbers to the verdicts of a plain yes-or-no list by position."""
        bare = isinstance(value, list) and all(isinstance(verdict, bool | str) for verdict in value)
        return [{"n": number, "ok": verdict} for number, verdict in enumerate(value, 1)] if bare else value


class InspectionForm(ReplyForm, title="Inspection"):
    """The seven verdicts on a numbered question."""

    n: Annotated[int, Field(ge=1, le=40)]
    fact: YesNo
    grammar: YesNo
    no_leak: YesNo
    path: YesNo
    one_answer: YesNo
    image_needed: YesNo
    publish: YesNo

    @property
    def yes(self) -> set[str]:
        """The names of the verdicts that are yes."""
        return {verdict for verdict in VERDICTS if getattr(self, verdict)}


class InspectForm(ReplyForm, title="Inspected"):
    """The reply of ``inspect``."""

    once = "questions"
    questions: Annotated[list[InspectionForm], Items(40)]


class AnswerForm(ReplyForm, title="Answer"):
    """The answers to a numbered question, the most likely first."""

    n: Annotated[int, Field(ge=1, le=40)]
    a: Annotated[list[Annotated[str, Field(max_length=80)]], Items(3)]

    @field_validator("a", mode="before")
    @classmethod
    def _list_bare_answer(cls, value: Any) -> Any:
        """Wrap a bare answer in a list."""
        return [value] if isinstance(value, str) else value


class GuessForm(ReplyForm, title="Guessed"):
    """The reply of ``guess``."""

    answers: Annotated[list[AnswerForm], Items(40)]


class OtherThingForm(ReplyForm, title="Other thing"):
    """Another thing that a picture could show, with the answer that the question has then."""

    thing: Name
    answer: Annotated[str, Field(max_length=80)] = ""


class OtherThingsForm(ReplyForm, title="Other things"):
    """The other things under a numbered question."""

    n: Annotated[int, Field(ge=1, le=40)]
    others: Annotated[list[OtherThingForm], Items(4)]


class AlternativesForm(ReplyForm, title="Alternatives"):
    """The reply of ``alternatives``."""

    once = "questions"
    questions: Annotated[list[OtherThingsForm], Items(40)]


class ChoicesForm(ReplyForm, title="Choices"):
    """The reply of ``choices``."""

    options: Annotated[list[Name], Items(12)]


class AlsoRightForm(ReplyForm, title="Also right"):
    """The reply of ``also_right``."""

    answers: Names


class StatementForm(ReplyForm, title="Statement"):
    """The reply of ``statement``; it is empty where the question allows none."""

    statement: Text


class WikiQuestionForm(ReplyForm, title="Wiki question"):
    """A question from the statement of a number, with its right answer and three wrong ones."""

    n: Annotated[int, Field(ge=1, le=60)]
    question: Annotated[str, Field(min_length=1, max_length=300)]
    correct_answer: Name
    wrong_answers: Annotated[list[Name], Items(3)]


class WikiQuestionsForm(ReplyForm, title="Wiki questions"):
    """The reply of ``wiki_questions``; it is empty where no statement is worth a question."""

    questions: Annotated[list[WikiQuestionForm], Items(6)]

    @classmethod
    def of_tags(cls, text: str) -> Self | None:
        """Read the tags of WikiVQABench (Listing 1); its answer, and no number, names the statement of a question."""
        questions: list[WikiQuestionForm] = []
        for tag, words in _TAGS.findall(text):
            if tag.lower() == "question":
                blank: dict[str, Any] = {"n": 0, "correct_answer": "", "wrong_answers": []}
                questions.append(WikiQuestionForm.model_construct(question=words.strip(), **blank))
            elif questions and tag.lower() == "correct":
                questions[-1].correct_answer = words.strip()
            elif questions:
                questions[-1].wrong_answers.append(words.strip())
        return cls.model_construct(questions=questions) if questions else None


class JudgedForm(ReplyForm, title="Judged"):
    """The verdict on a numbered answer."""

    n: Annotated[int, Field(ge=1, le=40)]
    right: bool


class JudgeForm(ReplyForm, title="Judgement"):
    """The reply of ``judge`` and ``judge_paper``."""

    once = "verdicts"
    verdicts: Annotated[list[JudgedForm], Items(40)]


class ExtractedForm(JudgedForm, title="Extracted"):
    """The answer extracted from a numbered reply, and the verdict on it."""

    extracted: Text
    right: bool


class ExtractedJudgeForm(JudgeForm, title="Extraction"):
    """The reply of ``judge_mdk12``: extract, then judge."""

    verdicts: Annotated[list[ExtractedForm], Items(40)]  # type: ignore[assignment]


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
    if start < 0 and (tagged := form.of_tags(text)):
        return tagged
    if start < 0:
        raise reply.error("no JSON object in the reply")
    value = on_lines(_first_object(text[start:], reply))
    try:
        return form.model_validate(value)
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
