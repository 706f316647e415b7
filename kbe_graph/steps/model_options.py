"""Which model is asked, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from kbe_graph.errors import InputError
from kbe_graph.facts.grounding import Demand
from kbe_graph.options import Options, Runner, option

Mode = Literal["paper", "merged"]
"""What a model is asked for: the parts of a hop, or drafts of questions of all shapes."""
GATES = ("true", "one", "words", "answered", "chosen")
Blind = Literal["skip", "mark", "off"]
"""Handling of questions that a model answers without the image: not explored, only marked, or not tested."""


@dataclass(frozen=True, slots=True)
class ModelOptions(Options):
    """A model and how to call it. Fields that are None come from the environment or ``kbe.toml`` (``[models]``).

    ``mode`` is how much one call asks for: ``merged`` recognises what the picture shows, drafts questions of all shapes
    in one call, and asks the best of those that pass every gate; ``paper`` goes hop by hop, with separate calls for
    facts, their choice and the wording. ``ground`` is what happens to facts of the model that no known fact confirms:
    ``require`` refuses them, ``prefer`` refuses those that known facts contradict and draws confirmed ones first, and
    ``report`` only counts them.

    ``verify`` has the model of ``[models.verify]`` check each fact that a model proposes, and give seven verdicts on
    each question. ``independent`` refuses a generator, verifier and judge from the same family. ``blind`` is what
    happens to questions of the benchmark that a model answers without their pictures: ``skip`` does not explore from
    them, ``mark`` only marks them, and ``off`` skips the test. Unless it is off, new questions are dropped if a model
    answers them without the picture, or if their answer hardly depends on the picture. The test uses the model of
    ``[models.guess]``, if it is set.

    ``gates`` are the gates that drafts must pass in mode ``merged``, separated by commas: ``true``, ``one``, ``words``,
    ``answered`` and ``chosen``. Without ``chosen`` the first draft that passes the others is asked.

    ``images`` are further folders of pictures. ``language`` is the language of the texts of the model. ``budget`` is
    the maximum number of dollars, and ``max_calls`` the maximum number of calls. When either is reached, BudgetReached
    is raised; repeat the call to continue.

    ``runner`` is ``direct`` (over the network), ``file`` (writes files of requests; ``work.models.take_replies``
    imports the replies) or ``batch`` (the batch endpoint of the provider).

    >>> kbe.ModelOptions("gpt-5-mini", base_url="http://127.0.0.1:8000/v1", budget=2.5).mode
    'merged'
    """

    name: str | None = option(
        None, "Model name (KBE_MODEL, OPENAI_MODEL; per step: [models.<step>] in kbe.toml).", flag="model"
    )
    base_url: str | None = option(
        None,
        "Model endpoint (KBE_BASE_URL, OPENAI_BASE_URL; default: OpenAI). On this machine, calls to models that only "
        "their makers serve, such as gpt-4o, keep their list price for --budget; all others count as free.",
    )
    api_key: str | None = field(default=None, repr=False)
    mode: Mode = option(
        "merged",
        "How to ask the model: for drafts of questions of all shapes, of which the best is asked (merged), or hop by "
        "hop, in a separate call per part (paper).",
    )
    ground: Demand = option(
        "report",
        "What to do with a model's facts that known facts do not confirm: refuse them (require), refuse only "
        "contradicted ones and draw confirmed ones first (prefer), or only count them (report).",
    )
    verify: bool = option(
        False,
        "Have a second model ([models.verify]) check each proposed fact and give seven verdicts on each question.",
    )
    independent: bool = option(False, "Fail if generator, verifier and judge are models of the same family.")
    blind: Blind = option(
        "skip",
        "What to do with a raw question that a model ([models.guess]) answers without its picture: do not explore from "
        "it (skip), or only record it (mark). 'off' asks nothing without pictures.",
    )
    gates: str = option(
        ",".join(GATES), "The gates of mode 'merged', separated by commas: those that drafts of questions must pass."
    )
    images: Path | str | Sequence[Path | str] = ()
    language: str = option("English", "Language the model writes in.")
    budget: float | None = option(None, "Stop at this many dollars. Re-running the command resumes.", least=0)
    max_calls: int | None = option(None, "Stop at this many calls. Re-running the command resumes.", least=0)
    runner: Runner = option(
        "direct",
        "How to send the requests: over the network (direct), as files (file; import the replies with 'kbe calls "
        "take'), or through the provider's batch endpoint (batch).",
    )

    @property
    def bounds_calls(self) -> bool:
        """Whether there is a limit of dollars or calls."""
        return self.budget is not None or self.max_calls is not None


MODEL = ModelOptions()


def model_options(model: ModelOptions | str) -> ModelOptions:
    """Return the options; a name alone stands for the model of that name."""
    return ModelOptions(model) if isinstance(model, str) else model


def paths(value: Path | str | Sequence[Path | str]) -> tuple[Path, ...]:
    """Return a path or several as paths; raises InputError for anything else."""
    several = (value,) if isinstance(value, str | Path | Mapping) else tuple(value)
    if strange := [type(each).__name__ for each in several if not isinstance(each, str | Path)]:
        raise InputError(f"expected the path of a file, found {strange[0]!r}; write what it holds to a file")
    return tuple(map(Path, several))
