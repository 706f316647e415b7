"""Memory or ability: whether a model does better on published raw questions than its paraphrase results predict."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.item_table import response_frame
from kbe_graph.evaluate.outcomes import judged_by, judges_of
from kbe_graph.statistics.memory import LEAST_PAIRS, CapAlarm, MemoryFinding, cap_alarm, few_pairs, memory_findings
from kbe_graph.text import fold
from kbe_graph.types import Question, Sample

if TYPE_CHECKING:
    import pandas as pd

WORDINGS = ("image", "paraphrase")  # the variants compared: as published, and reworded


class MemoryRow(NamedTuple):
    """Whether a model has memorised the raw questions, by the verdicts of one judge.

    >>> all(row.finding.pairs < 100 for row in work.answers.evaluation(run="demo").memory())
    True
    """

    model: str
    finding: MemoryFinding
    cap: CapAlarm
    judge: str = ""

    def as_mapping(self) -> dict[str, Any]:
        """Return the row as plain values for JSON."""
        finding = self.finding._asdict()
        for name in ("odds", "logistic"):
            finding[name] = finding[name] and finding[name]._asdict()
        return {"model": self.model, "judge": self.judge, **finding, "cap": self.cap._asdict()}


def memory_table(
    answers: "pd.DataFrame", questions: Mapping[str, Question], samples: Mapping[str, Sample], *, seed: int = 0
) -> tuple[MemoryRow, ...]:
    """Compare each model's accuracy on raw questions as published and as paraphrases, by judge (hop 0 and 0').

    ``answers`` has the form of ``answers_frame``; ``questions`` and ``samples`` are keyed by id. The comparison covers
    the models that were asked at least 100 questions in both wordings, on the questions that all of them were asked.
    The cap alarm uses the published wording only, and questions with several right names: the annotators' answers, or
    else the answer and its aliases.
    """
    raw = answers[(answers["kind"] == "raw") & (answers["hop"] == 0) & answers["variant"].isin(WORDINGS)]
    names = {id_: right_names(questions[id_], samples[questions[id_].sample]) for id_ in set(raw["question"])}
    caps = _caps(raw, questions, names)
    judged = {judge: judged_by(raw, judge) for judge in judges_of(raw)} or {"": raw}
    findings = {judge: _findings(answers, seed) for judge, answers in judged.items()}
    return tuple(
        MemoryRow(model, finding, caps[model], judge)
        for judge, by_model in findings.items()
        for model, finding in sorted(by_model.items())
    )


def right_names(question: Question, sample: Sample) -> dict[str, float]:
    """Return the folded right names of a raw question, each with its probability of being drawn as the key.

    The probability is a name's share of the annotators' answers; without several of these, the answer and its aliases
    are equally likely.
    """
    answers = [fold(answer) for answer in sample.answers]
    names = answers if len(answers) > 1 else sorted({fold(name) for name in (question.answer, *question.aliases)})
    return {name: names.count(name) / len(names) for name in names}


def _findings(raw: "pd.DataFrame", seed: int) -> dict[str, MemoryFinding]:
    original, paraphrase = (response_frame(raw, variant) for variant in WORDINGS)
    shared = original.columns.intersection(paraphrase.columns)
    models = sorted(set(raw["model"]))
    both = [frame.reindex(index=models, columns=shared) for frame in (original, paraphrase)]
    counts = (both[0].notna() & both[1].notna()).sum(axis=1)
    enough = [model for model in models if counts[model] >= LEAST_PAIRS]
    original, paraphrase = (frame.loc[enough] for frame in both)
    complete = original.notna().all() & paraphrase.notna().all()
    images = raw.drop_duplicates("question").set_index("question")["image"]
    reckoned = memory_findings(
        original.loc[:, complete].to_numpy(),
        paraphrase.loc[:, complete].to_numpy(),
        images.reindex(shared[complete]).tolist(),
        seed=seed,
    )
    return {model: few_pairs(int(counts[model])) for model in models} | dict(zip(enough, reckoned, strict=True))


class _Hits(NamedTuple):
    """Whether each right answer to a question with several names was the key, and the key's probability."""

    hits: tuple[bool, ...]
    chances: tuple[float, ...]


def _caps(
    answers: "pd.DataFrame", questions: Mapping[str, Question], names: Mapping[str, Mapping[str, float]]
) -> dict[str, CapAlarm]:
    keys = {id_: fold(questions[id_].answer) for id_ in names}
    published = answers[answers["variant"] == WORDINGS[0]]
    first = published.sort_values("run", kind="stable").drop_duplicates(["model", "question"])
    hits = {model: _hits(first[first["model"] == model], keys, names) for model in sorted(set(answers["model"]))}
    return {model: _cap(model, hits) for model in hits}


def _hits(rows: "pd.DataFrame", keys: Mapping[str, str], names: Mapping[str, Mapping[str, float]]) -> _Hits:
    right = [
        (name == keys[id_], names[id_][keys[id_]])
        for id_, name in zip(rows["question"], rows["text"].map(fold), strict=True)
        if len(names[id_]) > 1 and {name, keys[id_]} <= names[id_].keys()
    ]
    return _Hits(tuple(hit for hit, _ in right), tuple(chance for _, chance in right))


def _cap(model: str, hits: Mapping[str, _Hits]) -> CapAlarm:
    others = [hit for name, each in hits.items() if name != model for hit in each.hits]
    own = hits[model]
    return cap_alarm(sum(own.hits), own.chances, sum(others), len(others), models=len(hits))
