"""A model's outcome at a question, over all its askings: a row a judge, model, variant and question."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kbe_graph.errors import InputError
from kbe_graph.evaluate.guessers import RESELECTED_ROW, row_of
from kbe_graph.perturb.methods import CONTROL
from kbe_graph.types import RAW, VARIANTS, Prediction, Question, Sample

if TYPE_CHECKING:
    import pandas as pd


CELL = ["benchmark", "model", "variant", "row"]
MODEL = ["benchmark", "model"]
JUDGED_CELL = ["benchmark", "model", "judge", "variant", "row"]
JUDGED_MODEL = ["benchmark", "model", "judge"]
IMAGE = "image"  # the variant that is asked as it stands
PARAPHRASE = "paraphrase"  # the variant in other words, which changes the surface alone


def with_rows(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Return the answers with a column ``row`` (raw, re-selected, hop 1 ...), those of rows in order.

    Raises InputError where the questions are of more than one evolution: a sample's hops would be no pair.
    """
    evolutions = sorted(set(answers["evolution"]) - {RAW})
    if len(evolutions) > 1:
        raise InputError(
            f"the answers are to questions of {len(evolutions)} runs: {', '.join(map(repr, evolutions))}; "
            "name the run to use"
        )
    rows = [row_of(kind, hop) for kind, hop in zip(answers["kind"], answers["hop"], strict=True)]
    order = ["benchmark", "model", "hop", "kind", "question", "variant", "run"]
    return answers.assign(row=rows).sort_values(order, ignore_index=True)


def operations_of(variants: Iterable[str]) -> list[str]:
    """List the operations by which questions were perturbed among variants, the control first.

    >>> operations_of(["image", "pad", "blind", "re-encode"])
    ['re-encode', 'pad']
    """
    return sorted(set(variants) - set(VARIANTS), key=lambda name: (name != CONTROL, name))


def judges_of(answers: "pd.DataFrame") -> list[str]:
    """List the judges of answers by name, from a frame as ``answers_frame`` makes it."""
    last = set(answers.loc[answers["right"].notna(), "judge"].fillna(""))
    return sorted(last | {vote.judge for votes in answers["other_verdicts"] for vote in votes})


def judged_by(answers: "pd.DataFrame", judge: str) -> "pd.DataFrame":
    """Return the answers with the verdicts of one judge alone; those that it did not judge have none."""
    is_last = answers["judge"].fillna("") == judge
    says = answers["other_verdicts"].map(lambda votes: dict(votes).get(judge, ""))
    verdict = answers["verdict"].where(is_last, says)
    right = answers["right"].where(is_last, (says == "right").astype("boolean").mask(says == ""))
    return answers.assign(verdict=verdict, right=right, judge=judge, other_verdicts=_no_others(answers))


def judged_as(answers: "pd.DataFrame", right: "pd.Series[Any]", judge: str) -> "pd.DataFrame":
    """Return the answers with other verdicts (True, False or NA) than those of judges, under a name."""
    return answers.assign(right=right.astype("boolean"), judge=judge, other_verdicts=_no_others(answers))


def _no_others(answers: "pd.DataFrame") -> "pd.Series[Any]":
    return answers["other_verdicts"].map(lambda _: ())


def one_judge(answers: "pd.DataFrame", judge: str | None = None) -> "pd.DataFrame":
    """Return the answers as one judge judged them: that of this name, else the one that judged most of them.

    Raises InputError for a judge that judged none.
    """
    judges = judges_of(answers)
    if judge is not None and judge not in judges:
        raise InputError(f"no answer was judged by {judge!r}; the judges are {', '.join(map(repr, judges)) or 'none'}")
    return judged_by(answers, leading_judge(answers) if judge is None else judge)


def leading_judge(answers: "pd.DataFrame") -> str:
    """Return the judge that judged most of the answers, of equals the first by name; empty where nobody judged."""
    counts = {judge: int(judged_by(answers, judge)["right"].count()) for judge in judges_of(answers)}
    return max(counts, key=lambda judge: counts[judge], default="")


def outcomes(answers: "pd.DataFrame") -> "pd.DataFrame":
    """Return a row a benchmark, model, judge, variant and question that was judged, from answers ``with_rows``.

    ``right`` is the mean over the askings, 0 to 1; ``runs`` how many these are. Other columns: row, hop, kind, sample,
    image, key_edges, relation, source. Answers that nobody judged are left out.
    """
    import pandas as pd

    by_judge = [judged_by(answers, judge) for judge in judges_of(answers)] or [answers]
    judged = pd.concat(by_judge).dropna(subset="right").assign(right=lambda frame: frame["right"].astype(float))
    table = judged.groupby([*JUDGED_MODEL, "variant", "question"], sort=False).agg(
        **{name: (name, "first") for name in ("row", "hop", "kind", "sample", "image")},
        **{name: (name, "first") for name in ("key_edges", "relation", "source")},
        right=("right", "mean"),
        runs=("right", "size"),
    )
    return table.reset_index()


def groups(frame: "pd.DataFrame", columns: Sequence[str]) -> "Iterator[tuple[tuple[str, ...], pd.DataFrame]]":
    """Give the rows of each combination of names in these columns, in the order that they first stand in."""
    for names, group in frame.groupby(list(columns), sort=False):
        yield tuple(map(str, names)), group


def balanced(outcomes: "pd.DataFrame") -> "pd.DataFrame":
    """Return the outcomes of the samples that a model has, asked unchanged, at raw and at every hop of its own.

    A sample counts by the verdicts of each judge apart.

    This makes hops comparable: they then differ in nothing but the questions. Re-selected questions are left to those
    of these samples that have one.
    """
    own = outcomes[outcomes["variant"] == IMAGE]
    needed = own[own["row"] != RESELECTED_ROW]
    reached = needed.groupby([*JUDGED_MODEL, "sample"])["row"].transform("nunique")
    every = needed.groupby(JUDGED_MODEL)["row"].transform("nunique")
    whole = needed.loc[reached == every, [*JUDGED_MODEL, "sample"]].drop_duplicates()
    return own.merge(whole, on=[*JUDGED_MODEL, "sample"])


def earlier(outcomes: "pd.DataFrame") -> "pd.DataFrame":
    """Return each hop's outcome beside that of the question which it grew from.

    Columns: those of outcomes, and ``earlier_right``, ``earlier_row``. A hop 1 grew from the re-selected question where
    its sample has one, else from the raw one.
    """
    own = outcomes[outcomes["variant"] == IMAGE]
    place = [*JUDGED_MODEL, "sample", "hop"]
    chain = own.sort_values(["hop", "kind"], kind="stable").drop_duplicates(place, keep="last")
    before = chain.assign(hop=chain["hop"] + 1)[[*place, "right", "row"]]
    before = before.rename(columns={"right": "earlier_right", "row": "earlier_row"})
    return own[own["hop"] > 0].merge(before, on=place)


COLUMNS = (
    "model",
    "question",
    "sample",
    "image",
    "benchmark",
    "evolution",
    "hop",
    "kind",
    "run",
    "variant",
    "text",
    "verdict",
    "right",
    "judge",
    "read_by",
    "tokens",
    "key_edges",
    "relation",
    "source",
    "other_verdicts",
    "options",
    "asked",
)


def answers_frame(
    predictions: Iterable[Prediction], questions: Mapping[str, Question], samples: Mapping[str, Sample]
) -> "pd.DataFrame":
    """Return a frame with a row a prediction whose question is there, by model, hop, question, variant and run.

    ``questions`` and ``samples`` are by id. Columns: model, question, sample and image (ids; all questions of an image
    are one cluster), benchmark, evolution (the run that made the question), hop, kind, run (the number of the asking),
    variant, text, verdict (right, wrong, or empty), right (True, False, or NA where nobody judged), judge (who judged
    last), read_by (the rule that read the answer, or empty, unread, refused), tokens, key_edges (the difficulty |E_K|),
    relation and source (of the last explored triplet, else empty), other_verdicts (``Vote`` of the other judges),
    options (how many choices the sample has), asked (the words that were asked, where they are not the question's own).
    ``judged_by`` puts the verdicts of one judge in place of those.
    """
    import pandas as pd

    rows = [
        _row(prediction, questions[prediction.question], samples)
        for prediction in predictions
        if prediction.question in questions
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    frame = frame.astype({"right": "boolean", "tokens": "Int64"})
    return frame.sort_values(["model", "hop", "question", "variant", "run"], ignore_index=True)


def _row(prediction: Prediction, question: Question, samples: Mapping[str, Sample]) -> tuple[object, ...]:
    sample = samples[question.sample]
    last = question.explored[-1] if question.hop else None
    return (
        prediction.model,
        question.id,
        sample.id,
        sample.picture_key,
        sample.benchmark,
        question.run,
        question.hop,
        question.kind,
        prediction.run,
        prediction.variant,
        prediction.text,
        prediction.verdict,
        prediction.verdict == "right" if prediction.verdict else None,
        prediction.judge,
        prediction.read_by,
        prediction.tokens,
        question.difficulty,
        last.relation if last else "",
        last.source if last else "",
        prediction.other_verdicts,
        len(sample.choices),
        prediction.asked,
    )
