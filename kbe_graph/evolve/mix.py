"""Division of a run's work between facts, rules and models, and the model families involved."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.facts.grounding import Demand
from kbe_graph.models.catalogue import in_one_family
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.steps.model_options import Blind, Mode

RuleOrModel = Literal["rule", "model"]
_PROPOSING: Mapping[Mode, tuple[str, ...]] = {
    "paper": ("knowledge", "representative"),
    "merged": ("hop",),
}


@dataclass(frozen=True, slots=True)
class Mix:
    """Choice of a run's fact source, question wording, model mode, and demand on a model's facts.

    ``knowledge`` is a name in ``SOURCES``; ``verify`` has a second model judge each triplet that a model proposes and
    each question; ``ground`` sets how unconfirmed facts are treated; ``blind`` sets whether a model is asked without
    the images, and how benchmark questions that it answers are treated.
    """

    mode: Mode = "merged"
    knowledge: str = "model"
    wording: RuleOrModel = "model"
    ground: Demand = "report"
    verify: bool = False
    language: str = "English"
    blind: Blind = "off"

    def __post_init__(self) -> None:
        if self.language != "English" and self.wording == "rule":
            raise ConfigError(f"rules can word questions only in English, not in {self.language!r}; let a model do it")

    @property
    def asks(self) -> bool:
        """Whether any step calls a model."""
        return bool(self.steps)

    @property
    def generating(self) -> tuple[str, ...]:
        """The steps in which a model provides facts and wordings."""
        proposing = _PROPOSING[self.mode] if self.knowledge == "model" else ()
        return (*proposing, *(("express", "reselect") if self.wording == "model" else ()))

    @property
    def guessing(self) -> tuple[str, ...]:
        """The blind steps, which require that a model writes the questions."""
        return ("guess", "alternatives") if self.generating and self.blind != "off" else ()

    @property
    def verifying(self) -> tuple[str, ...]:
        """The steps of the second model."""
        facts = ("verify",) if self.knowledge == "model" else ()
        return (*facts, "inspect") if self.verify else ()

    @property
    def steps(self) -> tuple[str, ...]:
        """All steps that call a model."""
        return (*self.generating, *self.guessing, *self.verifying)

    @property
    def settings(self) -> dict[str, str]:
        """The settings that affect a run's outcome."""
        named = {"mode": self.mode, "knowledge": self.knowledge, "wording": self.wording, "language": self.language}
        if self.knowledge == "model":
            named |= {"ground": self.ground, "verify": str(self.verify)}
        if self.generating:
            named |= {"blind": self.blind}
        return named | ({"verify": " and ".join(self.verifying)} if self.verify else {})


GUESSER = "guesser"


class Role(NamedTuple):
    """Role of a model in a run (generator, verifier, guesser or judge), with its settings."""

    name: str
    model: ModelSettings

    @property
    def family(self) -> str:
        """The model family; a model of unknown family is its own family."""
        return self.model.own_family


def roles(mix: Mix, book: ModelBook) -> list[Role]:
    """Determine the model of each role in a run; the generator verifies itself if no separate call does.

    A judge is included if a model is configured for it. Raises ConfigError if another role has no model.
    """
    if not mix.asks:
        return []
    steps = {"generator": mix.generating[0]} if mix.generating else {}
    if mix.verify:
        steps["verifier"] = "verify"
    elif mix.knowledge == "model":
        steps["verifier"] = _PROPOSING[mix.mode][-1]
    if mix.guessing:
        steps[GUESSER] = "guess"
    roles = [Role(name, book.settings_for(step)) for name, step in steps.items()]
    try:
        return [*roles, Role("judge", book.settings_for("judge"))]
    except ConfigError:
        return roles


def families_of(roles: Sequence[Role]) -> dict[str, str]:
    """List the model family of each role, and the families that roles share."""
    return {role.name: role.family for role in roles} | {"shared": roles_in_one_family(roles) or "none"}


def roles_in_one_family(roles: Sequence[Role]) -> str:
    """Describe which roles share a family, empty if all are independent.

    The guesser is ignored, as it judges nothing: it may belong to the generator's family, which the manifest records.
    """
    families: dict[str, list[str]] = {}
    for role in roles:
        if role.name != GUESSER:
            families.setdefault(role.family, []).append(role.name)
    return in_one_family(families)


def warn_of_one_family(roles: Sequence[Role]) -> None:
    """Warn (KbeWarning) if generator and verifier share a family, because the verification is then not independent."""
    if shared := roles_in_one_family([role for role in roles if role.name != "judge"]):
        way_out = (
            "set [models.verify] to a model of another family, and the model of the other steps in "
            "[models], because `model` applies to every step"
        )
        warnings.warn(f"{shared}; {way_out}", KbeWarning, stacklevel=3)


def require_independence(roles: Sequence[Role]) -> None:
    """Raise ConfigError if two roles share a family."""
    if shared := roles_in_one_family(roles):
        raise ConfigError(f"{shared}; set [models.verify] and [models.judge] to models of other families, and `verify`")
