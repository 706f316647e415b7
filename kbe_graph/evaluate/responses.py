"""Responses of models and the verdicts on them: by a rule, by a model, or by the majority of several judges."""

import warnings
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.evaluate.prompting import form_prompt, is_right
from kbe_graph.evaluate.reply_reading import UNREAD
from kbe_graph.evaluate.score_rules import SCORE_RULES, GroundTruth, ground_truth
from kbe_graph.execute.executor import batches
from kbe_graph.models.catalogue import in_one_family
from kbe_graph.models.loop import gather_all
from kbe_graph.steps.answerer import JUDGE_BATCH, Judgeable, ModelJudge
from kbe_graph.steps.reply_text import strip_thinking
from kbe_graph.text import check_name, fold
from kbe_graph.types import MAJORITY, Prediction, Question, QuestionForm, Sample, Verdict, Vote

MODEL, PAPER = "model", "paper"
RULES = ("exact", "normalised", "alias")  # score rules that say right or wrong, and nothing between
SURE = "alias"  # what this one calls right, no model is asked about


class JudgeChoice(NamedTuple):
    """A judge as it is asked for: a rule by its name, or a model; ``as_paper`` shows that neither question nor picture.

    A ``model`` without a name is that of [models.judge].
    """

    rule: str = ""
    model: str = ""
    as_paper: bool = False


class Response(NamedTuple):
    """A prediction with its question and its sample, and the form in which it was asked where that is not open."""

    prediction: Prediction
    question: Question
    sample: Sample
    form: QuestionForm | None = None

    @property
    def truth(self) -> GroundTruth:
        """The right answers, as the question was asked."""
        return ground_truth(self.question, self.sample, self.prediction.variant)

    @property
    def shown(self) -> str:
        """The answer as a model judges it: where no rule read one, the reply without its thoughts."""
        is_unread = self.prediction.read_by == UNREAD
        return self.prediction.text or (strip_thinking(self.prediction.whole_reply) if is_unread else "")

    @property
    def judgeable(self) -> Judgeable:
        """The response as a judge sees it."""
        if self.form:
            return Judgeable(form_prompt(self.form), self.form.answers[0], self.form.answers[1:], self.shown)
        asked = self.prediction.asked or self.question.text
        return Judgeable(asked, self.truth.answer, self.truth.aliases, self.shown)

    def is_right_by(self, rule: str) -> bool:
        """Return True if the answer is right by a rule that judges; a model that said nothing is wrong.

        An answer in a form is held against the form's gold answer.
        """
        text = self.prediction.text
        if self.form:
            return bool(text) and is_right(self.form, text, rule)
        return bool(text) and bool(SCORE_RULES.require(rule).score(text, self.truth))


def read_judge(text: str) -> JudgeChoice:
    """Return the judge that a text names: a rule, ``model``, ``paper``, a model's name, or ``paper:NAME``.

    Raises InputError for a name that is none.
    """
    check_name("judge", text)
    if text in RULES:
        return JudgeChoice(rule=text)
    first, _, name = text.partition(":")
    if first == PAPER:
        return JudgeChoice(model=name, as_paper=True)
    return JudgeChoice(model="" if text == MODEL else text)


def judge_name(votes: Sequence[str]) -> str:
    """Return the name that verdicts are saved under: of one judge, or of several."""
    return votes[0] if len(votes) == 1 else f"{MAJORITY}{', '.join(votes)}"


def with_votes(prediction: Prediction, judge: str, votes: Sequence[Vote]) -> Prediction:
    """Return a prediction with a judge's verdict: that of more than half of the votes, wrong where they are even.

    The verdicts of other judges stay. The judge has none where nobody voted.
    """
    if not votes:
        return prediction.with_verdict(judge, "")
    right = sum(vote.verdict == "right" for vote in votes)
    verdict: Verdict = "right" if 2 * right > len(votes) else "wrong"
    return prediction.with_verdict(judge, verdict, votes if len(votes) > 1 else ())


def rule_verdicts(rule: str, responses: Iterable[Response]) -> dict[str, bool]:
    """Return by prediction whether it is right by a rule."""
    return {response.prediction.id: response.is_right_by(rule) for response in responses}


async def model_verdicts(
    judge: ModelJudge, responses: Sequence[Response], before: Mapping[tuple[str, Judgeable], bool]
) -> dict[str, bool]:
    """Return by prediction whether a model calls it right; one is left out where no reply can be used.

    Answers to questions about one picture are judged together, the same answer to the same question once; ``before``
    are verdicts that were given before, by sample. A silent answer is wrong; one that names the right answer or an
    alias is right, and only the paper's judge is asked about it. Of a reply that no rule could read, the judge reads
    all. No judge is asked about choices, or true and false.
    """
    verdicts = dict(before)
    for response in responses:
        if response.form and response.form.form != "fill":
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
    """Return a judge's earlier verdicts, by sample and answer."""
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
    """Who takes part in an evaluation: as what, by which name, and of which family of models."""

    role: Literal["generator", "model", "judge"]
    name: str
    family: str


def shared_families(parts: Iterable[ModelRole]) -> str:
    """Return the roles that share a family of models, empty if none do.

    >>> shared_families([ModelRole("generator", "gpt-4o", "gpt"), ModelRole("judge", "gpt-5", "gpt")])
    'generator gpt-4o and judge gpt-5 are from one family (gpt)'
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
    """Return ``shared_families``, with a KbeWarning if there are any; raises ConfigError if ``strict``."""
    shared = shared_families(parts)
    if shared and strict:
        raise ConfigError(f"{shared}; choose a judge, or a model, of another family")
    if shared:
        warnings.warn(f"{shared}: one cannot judge the other independently", KbeWarning, stacklevel=3)
    return shared
