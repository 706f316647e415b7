"""The forms of the replies, as pydantic models; every list and string has a bound, so that no server can loop in it."""

import json
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from kbe_graph.steps.answered import Answered
from kbe_graph.steps.reply import Words, straight

Name = Annotated[str, Field(min_length=1, max_length=80)]
Relation = Annotated[str, Field(min_length=1, max_length=60)]
Text = Annotated[str, Field(max_length=300)]
Id = Annotated[str, Field(pattern="^[VT][0-9]{1,2}$", max_length=3)]
Names = Annotated[list[Name], Field(max_length=6)]


class Form(BaseModel):
    """What all forms share: nothing beside the fields that are asked for."""

    model_config = ConfigDict(extra="forbid")


class Spo(Form):
    """A triplet."""

    s: Name
    r: Relation
    o: Name

    @property
    def words(self) -> Words:
        """The triplet as words."""
        return Words(self.s, self.r, self.o)


class Extracted(Form):
    """The reply of ``extract``."""

    visual: Annotated[list[Spo], Field(max_length=12)]
    textual: Annotated[list[Spo], Field(max_length=6)]


class Keyed(Form):
    """The reply of ``key``."""

    key: Annotated[list[Id], Field(min_length=1, max_length=12)]


class Graphed(Extracted):
    """The reply of ``graph``."""

    key: Annotated[list[Id], Field(min_length=1, max_length=12)]


class Proposed(Form):
    """A candidate: relation and object, the subject being the current answer."""

    r: Relation
    o: Name
    names: Names = []
    type: Annotated[str, Field(max_length=30)] = ""


class Known(Form):
    """The reply of ``knowledge``."""

    candidates: Annotated[list[Proposed], Field(max_length=8)]


class Stated(Spo):
    """A candidate where the model repeats the subject, and says whatever else."""

    model_config = ConfigDict(extra="ignore")


class Repeated(Form):
    """The reply of ``knowledge`` where the model repeats the subject."""

    candidates: Annotated[list[Stated], Field(max_length=8)]


class Drafted(Proposed):
    """A candidate with its verdict and, for the first four, a question."""

    ok: bool
    q: Text = ""


class Hopped(Form):
    """The reply of ``hop``."""

    candidates: Annotated[list[Drafted], Field(max_length=8)]


class Link(Proposed):
    """A hop of ``chain`` with its question."""

    q: Text


class Chained(Form):
    """The reply of ``chain``."""

    hops: Annotated[list[Link], Field(max_length=6)]


class Asked(Form):
    """The reply of ``express``."""

    question: Annotated[str, Field(min_length=1, max_length=300)]


class Verdict(Form):
    """A numbered verdict."""

    n: Annotated[int, Field(ge=1, le=40)]
    ok: bool


class Judged(Form):
    """The reply of ``representative``, ``verify`` and ``judge``."""

    verdicts: Annotated[list[Verdict], Field(max_length=40)]

    @field_validator("verdicts", mode="before")
    @classmethod
    def _numbered(cls, value: Any) -> Any:
        """Take a bare list of yes and no by its places."""
        bare = isinstance(value, list) and all(isinstance(one, bool | str) for one in value)
        return [{"n": number, "ok": one} for number, one in enumerate(value, 1)] if bare else value


Some = TypeVar("Some", bound=Form)


def read_form(form: type[Some], answered: Answered) -> Some | None:
    """Return the reply as the form, mended where only its JSON is broken; None where it is no JSON object at all.

    Raises ReplyError where it is JSON of another form, and where it was cut.
    """
    text = answered.read()
    start = text.find("{")
    if start < 0:
        return None
    value = _first_object(text[start:], answered)
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise answered.fault(f"not the form asked for: {place}: {first['msg']}") from None


def _first_object(text: str, answered: Answered) -> Any:
    """Return the first JSON object; json-repair mends one that ends as an object does, as it would close a cut one too."""
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError:
        if answered.finish == "length" or not text.endswith(("}", "]")):
            raise answered.fault("the JSON of the reply was cut", kind="cut") from None
    from json_repair import repair_json

    return repair_json(straight(text), return_objects=True)
