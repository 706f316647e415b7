"""Has models' answers judged, by rules, by a model or by a majority of judges, and saves the verdicts."""

import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kbe_graph.brief import brief
from kbe_graph.errors import ConfigError, InputError, KbeWarning
from kbe_graph.evaluate.prompting import form_prompt, is_right
from kbe_graph.forms.links import links_of
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.models.catalogue import family_of, in_one_family, own_family_of
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.scoring.reply_reading import UNREAD
from kbe_graph.scoring.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.reply_text import strip_thinking
from kbe_graph.steps.session import ModelSession, open_budget, open_session
from kbe_graph.steps.tasks import JUDGE_BATCH, Judgeable, JudgeStepName, judge_batch
from kbe_graph.text import check_name, fold
from kbe_graph.types import FORMS, LINKS, MAJORITY, Prediction, Question, QuestionForm, Sample, Verdict, Vote, form_id

MODEL = "model"
JUDGE_STEP: JudgeStepName = "judge"
METHODS: Mapping[str, JudgeStepName] = {"paper": "judge_paper", "mdk12": "judge_mdk12"}
"""The ways to judge of published methods, and the step of each."""
RULES = ("exact", "normalised", "alias", "relaxed")  # score rules without intermediate scores
JUDGES = (*RULES, MODEL, *METHODS)
SURE = "alias"  # answers right by this rule are not sent to a model


def read_judge(text: str) -> tuple[str, JudgeStepName]:
    """Parse the name of a judge: a rule, ``model``, a model's name, or a method with or without one, ``paper:NAME``.

    Returns the rule or model, empty for the one of [models.judge], and the step that a model is asked; ``model:NAME``
    is always a model. Raises InputError for an invalid name.
    """
    check_name("judge", text)
    first, _, name = text.partition(":")
    ways = {**METHODS, MODEL: JUDGE_STEP}
    return (name, ways[first]) if first in ways else (text, JUDGE_STEP)


class Response(NamedTuple):
    """A prediction with its question and sample, and the form in which it was asked if not open-ended."""

    prediction: Prediction
    question: Question
    sample: Sample
    form: QuestionForm | None = None

    @property
    def truth(self) -> GroundTruth:
        """The right answers to the question as asked."""
        if self.prediction.variant == LINKS:
            answer, *aliases = links_of(self.question, self.sample)[self.prediction.run - 1].answers
            return GroundTruth(answer, tuple(aliases))
        return ground_truth(self.question, self.sample, self.prediction.variant)

    @property
    def shown(self) -> str:
        """The answer shown to a model judge; for an unread reply, the reply without its thinking."""
        is_unread = self.prediction.read_by == UNREAD
        return self.prediction.text or (strip_thinking(self.prediction.whole_reply) if is_unread else "")

    def judgeable(self, step: JudgeStepName) -> Judgeable:
        """Return the response in the form that a judge sees; MDK12's judge extracts the answer from the whole reply."""
        shown = strip_thinking(self.prediction.whole_reply) if step == METHODS["mdk12"] else self.shown
        if self.form:
            return Judgeable(form_prompt(self.form), self.form.answers[0], self.form.answers[1:], shown)
        asked = self.prediction.asked or self.question.text
        return Judgeable(asked, self.truth.answer, self.truth.aliases, shown)

    @property
    def mentions(self) -> bool:
        """Whether the answer to an open question, not one that is read as an option, contains a right one."""
        return not self.form and self.prediction.read_by not in {"letter", "text"} and self.is_right_by("mention")

    def is_right_by(self, rule: str) -> bool:
        """Return True if the answer is right by a score rule; an empty answer is wrong.

        An answer in a form is compared with the form's gold answer.
        """
        text = self.prediction.text
        if self.form:
            return bool(text) and is_right(self.form, text, rule)
        return bool(text) and bool(SCORE_RULES.require(rule).score(text, self.truth))


@brief()
@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of judging: the name of the judge, and the number of right, wrong and unjudged answers.

    ``mentioned`` counts the wrong answers to open questions that contain a right one: a sentence, or several answers.
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
    mentioned: int = 0


class _Judge(NamedTuple):
    """A judge: a rule, or a model with the options it is asked by; ``step`` is the step whose prompt it gets."""

    name: str
    options: ModelOptions
    rule: str = ""
    family: str = ""
    step: JudgeStepName = JUDGE_STEP


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

    Several judges vote; a tie is wrong. ``options`` say where judges are asked that are models; they spend of
    ``budget``, unless the options set another one, which is then that of all judges together. Raises InputError for a
    judge that is named twice, and ConfigError where ``strict`` and two of generator, model and judge are of one family;
    else a warning tells it.
    """
    chosen = choose_judges(access, judges, options, model)
    responses = responses_of(access, pairs, run, model)
    shared_families = _warn_of_families(access, run, responses, chosen, strict=strict)
    shared = None if options.bounds_calls else budget
    with nullcontext(shared) if shared else open_budget(access.folder, options) as held:
        asked = [_verdicts(access, judge, responses, held) for judge in chosen]
    name = chosen[0].name if len(chosen) == 1 else f"{MAJORITY}{', '.join(judge.name for judge in chosen)}"
    if awaits := tuple(file for _, files in asked for file in files):
        return Judgement(name, shared_families=shared_families, awaits=awaits)
    judged = []
    for prediction in (response.prediction for response in responses):
        given = [(judge.name, verdicts.get(prediction.id)) for judge, (verdicts, _) in zip(chosen, asked, strict=True)]
        votes = [Vote(each, "right" if right else "wrong") for each, right in given if right is not None]
        judged.append(_with_votes(prediction, name, votes))
    access.store.save_predictions(
        [new for response, new in zip(responses, judged, strict=True) if response.prediction != new]
    )
    counts = Counter(prediction.verdict_of(name) for prediction in judged)
    wrong = (each for each, new in zip(responses, judged, strict=True) if new.verdict_of(name) == "wrong")
    mentioned = sum(each.mentions for each in wrong)
    return Judgement(name, counts["right"], counts["wrong"], counts[""], shared_families, mentioned=mentioned)


def _with_votes(prediction: Prediction, judge: str, votes: Sequence[Vote]) -> Prediction:
    if not votes:
        return prediction.with_verdict(judge, "")
    right = sum(vote.verdict == "right" for vote in votes)
    verdict: Verdict = "right" if 2 * right > len(votes) else "wrong"
    return prediction.with_verdict(judge, verdict, votes if len(votes) > 1 else ())


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


def choose_judges(
    access: GraphAccess, judges: Sequence[str], options: ModelOptions, model: str | None = None
) -> list[_Judge]:
    """Choose the judges of these names; ``model`` is the one that answers.

    Raises InputError for a judge that is named twice, or is neither a rule nor, as far as is known here, a model.
    """
    if twice := {text for text in judges if judges.count(text) > 1}:
        raise InputError(f"judge {min(twice)!r} is named twice; name it once")
    return [_judge(access, text, options, model) for text in judges]


def _judge(access: GraphAccess, text: str, options: ModelOptions, model: str | None) -> _Judge:
    name, step = read_judge(text)
    if text in RULES:
        return _Judge(text, options, rule=text)
    options = replace(options, name=name or options.name)
    with open_session(options, access) as session:
        if name == text != model:
            _refuse_unknown(session, name, has_place=options.base_url is not None)
        settings = session.book.settings_for(step)
    if name and settings.model != name:
        raise ConfigError(
            f"judge {name!r} is not the model of [models.judge] of kbe.toml ({settings.model!r}), "
            "and the base_url there is only for that model; change it there, or choose the judge 'model'"
        )
    method = next((f"{method}: " for method, own in METHODS.items() if own == step), "")
    shown = f"{method}{settings.model}"
    return _Judge(shown, options, family=settings.own_family, step=step)


def _refuse_unknown(session: ModelSession, name: str, *, has_place: bool) -> None:
    near = get_close_matches(name.casefold(), JUDGES, 1, cutoff=0.75)
    seems_model = has_place or family_of(name) != "unknown" or session.calls.has_asked(name)
    if name not in session.book.names and (near or not seems_model):
        hint = f"; did you mean {near[0]!r}?" if near else "; it is a score (`score`)." if name in SCORE_RULES else "."
        every = ", ".join(JUDGES)
        raise InputError(f"no judge {name!r}{hint} The judges are {every}; a model of that name is 'model:{name}'")


def _warn_of_families(
    access: GraphAccess, run: str | None, responses: Sequence[Response], judges: Sequence[_Judge], *, strict: bool
) -> str:
    made_by = access.folder.read_manifest(run).get("families", {}) if run else {}
    models = sorted({response.prediction.model for response in responses})
    members = [(made_by["generator"], "generator", run or "")] if "generator" in made_by else []
    members += [(own_family_of(model), "model", model) for model in models]
    members += [(judge.family, "judge", judge.name) for judge in judges if judge.family]
    families: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for family, role, name in members:
        families[family][role].append(name)
    shared = in_one_family(
        {family: [f"{role} {', '.join(names)}" for role, names in roles.items()] for family, roles in families.items()}
    )
    if shared and strict:
        raise ConfigError(f"{shared}; choose a judge, or a model, of another family")
    if shared:
        warnings.warn(f"{shared}: one cannot judge the other independently", KbeWarning, stacklevel=4)
    return shared


def _verdicts(
    access: GraphAccess, judge: _Judge, responses: Sequence[Response], budget: Budget
) -> tuple[Mapping[str, bool], tuple[Path, ...]]:
    if judge.rule:
        return {response.prediction.id: response.is_right_by(judge.rule) for response in responses}, ()
    verdicts = {
        _place(response, judge.step): vote.verdict == "right"
        for response in responses
        for vote in (*response.prediction.votes, *response.prediction.verdicts)
        if vote.judge == judge.name
    }
    with open_session(judge.options, access, budget) as session, access.reporter:
        awaits = session.do(partial(_ask_judge, responses=responses, verdicts=verdicts, step=judge.step), judge.step)
    given = {response.prediction.id: verdicts.get(_place(response, judge.step)) for response in responses}
    return {id_: verdict for id_, verdict in given.items() if verdict is not None}, awaits


async def _ask_judge(
    asker: Asker, responses: Sequence[Response], verdicts: dict[tuple[str, Judgeable], bool], *, step: JudgeStepName
) -> None:
    """Add a model's verdicts on responses to the earlier ones; an unusable reply gives none.

    Answers to questions about one picture are judged together, and equal answers to the same question once. An empty
    answer is wrong; an answer that names the right answer or an alias is right, and only judges of a published method
    are asked about it. Choices and true-false answers that were read are sent to MDK12's judge alone.
    """
    for response in responses:
        is_read = response.form and response.form.form != "fill" and response.prediction.text
        if is_read and step != METHODS["mdk12"]:
            verdicts[_place(response, step)] = response.is_right_by(SURE)
        elif not response.judgeable(step).answer or (step == JUDGE_STEP and response.is_right_by(SURE)):
            verdicts[_place(response, step)] = bool(response.prediction.text)
    waiting: dict[str, dict[Judgeable, Judgeable]] = defaultdict(dict)
    samples = {response.sample.id: response.sample for response in responses}
    for response in responses:
        sample, answer = _place(response, step)
        if (sample, answer) not in verdicts:
            waiting[sample].setdefault(answer, response.judgeable(step))
    asked = [(id_, batch) for id_, answers in waiting.items() for _, batch in batches([*answers.items()], JUDGE_BATCH)]
    replies = await gather_all(
        judge_batch(asker, samples[id_], [shown for _, shown in batch], step=step) for id_, batch in asked
    )
    for (id_, batch), reply in zip(asked, replies, strict=True):
        if reply is not None:
            verdicts |= {(id_, answer): right for (answer, _), right in zip(batch, reply, strict=True)}


def _place(response: Response, step: JudgeStepName) -> tuple[str, Judgeable]:
    judgeable = response.judgeable(step)
    return response.sample.id, judgeable._replace(answer=fold(judgeable.answer))
