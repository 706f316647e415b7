"""Responses of models and the verdicts on them: rule-based, by a model, or by a majority of judges."""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.evaluate.prompting import form_prompt, is_right
from kbe_graph.evaluate.reply_reading import UNREAD
from kbe_graph.evaluate.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.models.catalogue import in_one_family
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.steps.reply_text import strip_thinking
from kbe_graph.steps.tasks import JUDGE_BATCH, Judgeable, ModelJudge
from kbe_graph.text import check_name, fold
from kbe_graph.types import MAJORITY, Prediction, Question, QuestionForm, Sample, Verdict, Vote

MODEL, PAPER = "model", "paper"
RULES = ("exact", "normalised", "alias")  # score rules without intermediate scores
SURE = "alias"  # answers right by this rule are not sent to a model


class JudgeChoice(NamedTuple):
    """A requested judge: a rule by name, or a model; with ``as_paper`` the model sees neither question nor picture.

    An empty ``model`` means the one of [models.judge].
    """

    rule: str = ""
    model: str = ""
    as_paper: bool = False


class Response(NamedTuple):
    """A prediction with its question and sample, and the form in which it was asked if not open-ended."""

    prediction: Prediction
    question: Question
    sample: Sample
    form: QuestionForm | None = None

    @property
    def truth(self) -> GroundTruth:
        """The right answers to the question as asked."""
        return ground_truth(self.question, self.sample, self.prediction.variant)

    @property
    def shown(self) -> str:
        """The answer shown to a model judge; for an unread reply, the reply without its thinking."""
        is_unread = self.prediction.read_by == UNREAD
        return self.prediction.text or (strip_thinking(self.prediction.whole_reply) if is_unread else "")

    @property
    def judgeable(self) -> Judgeable:
        """The response in the form that a judge sees."""
        if self.form:
            return Judgeable(form_prompt(self.form), self.form.answers[0], self.form.answers[1:], self.shown)
        asked = self.prediction.asked or self.question.text
        return Judgeable(asked, self.truth.answer, self.truth.aliases, self.shown)

    def is_right_by(self, rule: str) -> bool:
        """Return True if the answer is right by a score rule; an empty answer is wrong.

        An answer in a form is compared with the form's gold answer.
        """
        text = self.prediction.text
        if self.form:
            return bool(text) and is_right(self.form, text, rule)
        return bool(text) and bool(SCORE_RULES.require(rule).score(text, self.truth))


def read_judge(text: str) -> JudgeChoice:
    """Parse the name of a judge: a rule, ``model``, ``paper``, a model's name, or ``paper:NAME``.

    Raises InputError for an invalid name.
    """
    check_name("judge", text)
    if text in RULES:
        return JudgeChoice(rule=text)
    first, _, name = text.partition(":")
    if first == PAPER:
        return JudgeChoice(model=name, as_paper=True)
    return JudgeChoice(model="" if text == MODEL else text)


def judge_name(votes: Sequence[str]) -> str:
    """Return the name under which the verdicts of one or several judges are saved."""
    return votes[0] if len(votes) == 1 else f"{MAJORITY}{', '.join(votes)}"


def with_votes(prediction: Prediction, judge: str, votes: Sequence[Vote]) -> Prediction:
    """Add a judge's majority verdict to a prediction; a tie is wrong.

    The verdicts of other judges stay. Without votes the judge has no verdict.
    """
    if not votes:
        return prediction.with_verdict(judge, "")
    right = sum(vote.verdict == "right" for vote in votes)
    verdict: Verdict = "right" if 2 * right > len(votes) else "wrong"
    return prediction.with_verdict(judge, verdict, votes if len(votes) > 1 else ())


def rule_verdicts(rule: str, responses: Iterable[Response]) -> dict[str, bool]:
    """Judge responses by a rule; returns the verdicts by prediction id."""
    return {response.prediction.id: response.is_right_by(rule) for response in responses}


async def model_verdicts(
    judge: ModelJudge, responses: Sequence[Response], before: Mapping[tuple[str, Judgeable], bool]
) -> dict[str, bool]:
    """Judge responses by a model; returns the verdicts by prediction id, without those whose reply was unusable.

    Answers to questions about one picture are judged together, and equal answers to the same question once; ``before``
    holds earlier verdicts by sample and answer. An empty answer is wrong; an answer that names the right answer or an
    alias is right, and only the paper's judge is asked about it. For an unread reply the judge sees all of it. Choices
    and true-false answers that were read are not sent to a judge.
    """
    verdicts = dict(before)
    for response in responses:
        if response.form and response.form.form != "fill" and response.prediction.text:
            verdicts[_place(response)] = response.is_right_by(SURE)
        elif not response.shown or (not judge.as_paper and response.is_right_by(SURE)):
            verdicts[_place(response)] = bool(response.prediction.text)
    open_answers: dict[str, dict[Judgeable, Judgeable]] = defaultdict(dict)
    samples = {response.sample.id: response.sample for response in responses}
    for response in responses:
        sample, answer = _place(response)
        if (sample, answer) not in verdicts:
            open_answers[sample].setdefault(answer, response.judgeable)
    asked = [
        (id_, batch) for id_, answers in open_answers.items() for _, batch in batches([*answers.items()], JUDGE_BATCH)
    ]
    replies = await gather_all(judge(samples[id_], [shown for _, shown in batch]) for id_, batch in asked)
    for (id_, batch), reply in zip(asked, replies, strict=True):
        if reply is not None:
            verdicts |= {(id_, answer): right for (answer, _), right in zip(batch, reply, strict=True)}
    return {
        response.prediction.id: verdicts[_place(response)] for response in responses if _place(response) in verdicts
    }


def verdicts_known(responses: Iterable[Response], judge: str) -> dict[tuple[str, Judgeable], bool]:
    """Collect a judge's earlier verdicts by sample and answer."""
    return {
        _place(response): vote.verdict == "right"
        for response in responses
        for vote in (*response.prediction.votes, *response.prediction.verdicts)
        if vote.judge == judge
    }


def _place(response: Response) -> tuple[str, Judgeable]:
    judgeable = response.judgeable
    return response.sample.id, judgeable._replace(answer=fold(judgeable.answer))


class ModelRole(NamedTuple):
    """A participant in an evaluation: its role, name, and model family."""

    role: Literal["generator", "model", "judge"]
    name: str
    family: str


def shared_families(parts: Iterable[ModelRole]) -> str:
    """Describe which roles share a model family; empty if none do.

    >>> shared_families([ModelRole("generator", "gpt-4o", "gpt"), ModelRole("judge", "gpt-5", "gpt")])
    'generator gpt-4o and judge gpt-5 are of one family (gpt)'
    """
    families: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for part in parts:
        families[part.family][part.role].add(part.name)
    return in_one_family(
        {
            family: [f"{role} {', '.join(sorted(names))}" for role, names in roles.items()]
            for family, roles in families.items()
        }
    )


def warn_of_shared_families(parts: Iterable[ModelRole], *, strict: bool) -> str:
    """Return ``shared_families``, with a KbeWarning if there are any; raise ConfigError instead if ``strict``."""
    shared = shared_families(parts)
    if shared and strict:
        raise ConfigError(f"{shared}; choose a judge, or a model, of another family")
    if shared:
        warnings.warn(f"{shared}: one cannot judge the other independently", KbeWarning, stacklevel=3)
    return shared
