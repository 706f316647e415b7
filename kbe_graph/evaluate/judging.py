"""Has models' answers judged, by rules or by models, and saves the verdicts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import ConfigError, InputError
from kbe_graph.evaluate.responses import (
    JudgeChoice,
    ModelRole,
    Response,
    judge_name,
    model_verdicts,
    read_judge,
    rule_verdicts,
    verdicts_known,
    warn_of_shared_families,
    with_votes,
)
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.models.catalogue import own_family_of
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_budget, open_session
from kbe_graph.steps.tasks import ModelJudge
from kbe_graph.types import FORMS, Question, Sample, Vote, form_id


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of judging: the name of the judge, and the number of right, wrong and unjudged answers.

    ``shared_families`` names the generator, models and judges from the same family. ``awaits`` lists the files of calls
    that wait for replies.

    >>> judgement = work.answers.judge(["normalised"], run="demo")
    >>> judgement.judge, judgement.unjudged
    ('normalised', 0)
    """

    judge: str
    right: int = 0
    wrong: int = 0
    unjudged: int = 0
    shared_families: str = ""
    awaits: tuple[Path, ...] = ()


class _Judge(NamedTuple):
    name: str
    choice: JudgeChoice
    family: str = ""


def judge_answers(
    access: GraphAccess,
    pairs: Iterable[tuple[Sample, Question]],
    run: str | None,
    model: str | None,
    *,
    judges: Sequence[str],
    options: ModelOptions,
    strict: bool = False,
    budget: Budget | None = None,
) -> Judgement:
    """Have answers of a model, or of all, to questions judged, and save the verdicts beside those of other judges.

    Several judges vote. ``options`` say where judges are asked that are models; they spend of ``budget``, unless the
    options set another one, which is then that of all judges together. Raises InputError for a judge that is named
    twice, and ConfigError where ``strict`` and two of generator, model and judge are of one family; else a warning
    tells it.
    """
    if twice := {text for text in judges if judges.count(text) > 1}:
        raise InputError(f"judge {min(twice)!r} is named twice; name it once")
    chosen = [_judge(access, read_judge(text), options) for text in judges]
    responses = responses_of(access, pairs, run, model)
    parts = [ModelRole("judge", judge.name, judge.family) for judge in chosen if judge.family]
    shared_families = warn_of_shared_families([*_parts(access, run, responses), *parts], strict=strict)
    shared = None if options.bounds_calls else budget
    with nullcontext(shared) if shared else open_budget(access.folder, options) as held:
        asked = [_verdicts(access, judge, responses, options, held) for judge in chosen]
    name = judge_name([judge.name for judge in chosen])
    if awaits := tuple(file for _, files in asked for file in files):
        return Judgement(name, shared_families=shared_families, awaits=awaits)
    judged = []
    for prediction in (response.prediction for response in responses):
        given = [(judge.name, verdicts.get(prediction.id)) for judge, (verdicts, _) in zip(chosen, asked, strict=True)]
        votes = [Vote(each, "right" if right else "wrong") for each, right in given if right is not None]
        judged.append(with_votes(prediction, name, votes))
    access.store.save_predictions(
        [new for response, new in zip(responses, judged, strict=True) if response.prediction != new]
    )
    counts = Counter(prediction.verdict_of(name) for prediction in judged)
    return Judgement(name, counts["right"], counts["wrong"], counts[""], shared_families)


def responses_of(
    access: GraphAccess, pairs: Iterable[tuple[Sample, Question]], run: str | None, model: str | None
) -> list[Response]:
    """Read the answers of a model, or of all, to questions; those in a form that is no longer there are left out."""
    by_id = {question.id: (question, sample) for sample, question in pairs}
    predictions = [each for each in access.predictions(run, model) if each.question in by_id]
    forms = access.forms_by_id(run, (prediction.variant for prediction in predictions))
    responses = (
        Response(prediction, *by_id[prediction.question], forms.get(form_id(prediction.question, prediction.variant)))
        for prediction in predictions
    )
    return [response for response in responses if response.form or response.prediction.variant not in FORMS]


def _judge(access: GraphAccess, choice: JudgeChoice, options: ModelOptions) -> _Judge:
    if choice.rule:
        return _Judge(choice.rule, choice)
    with open_session(_options(choice, options), access) as session:
        settings = session.book.settings_for(_step(choice))
    if choice.model and settings.model != choice.model:
        raise ConfigError(
            f"judge {choice.model!r} is not the model of [models.judge] of kbe.toml ({settings.model!r}), "
            "and the base_url there is only for that model; change it there, or choose the judge 'model'"
        )
    return _Judge(f"paper: {settings.model}" if choice.as_paper else settings.model, choice, settings.own_family)


def _verdicts(
    access: GraphAccess, judge: _Judge, responses: Sequence[Response], options: ModelOptions, budget: Budget
) -> tuple[Mapping[str, bool], tuple[Path, ...]]:
    choice = judge.choice
    if choice.rule:
        return rule_verdicts(choice.rule, responses), ()
    before = verdicts_known(responses, judge.name)
    verdicts: dict[str, bool] = {}

    async def judge_all(asker: Asker) -> None:
        verdicts.update(await model_verdicts(ModelJudge(asker, choice.as_paper), responses, before))

    with open_session(_options(choice, options), access, budget) as session, access.reporter:
        return verdicts, session.do(judge_all, _step(choice))


def _step(choice: JudgeChoice) -> str:
    return "judge_paper" if choice.as_paper else "judge"


def _options(choice: JudgeChoice, options: ModelOptions) -> ModelOptions:
    return replace(options, name=choice.model or options.name)


def _parts(access: GraphAccess, run: str | None, responses: Sequence[Response]) -> list[ModelRole]:
    families = access.folder.read_manifest(run).get("families", {}) if run else {}
    makers = [ModelRole("generator", run or "", families["generator"])] if "generator" in families else []
    models = sorted({response.prediction.model for response in responses})
    return [*makers, *(ModelRole("model", model, own_family_of(model)) for model in models)]
