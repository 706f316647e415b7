"""Memory or ability: whether a model does better on published raw questions than its paraphrase results predict."""

from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.evaluate.item_table import response_frame
from kbe_graph.evaluate.outcomes import judged_by, judges_of
from kbe_graph.evaluate.results import plain_row
from kbe_graph.statistics.memory import LEAST_PAIRS, MemoryFinding, few_pairs, memory_findings

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
    judge: str = ""

    def as_mapping(self) -> dict[str, Any]:
        """Return the row as plain values for JSON and for a table."""
        return {"model": self.model, "judge": self.judge, **plain_row(self.finding)}


def memory_table(answers: "pd.DataFrame", *, seed: int = 0) -> tuple[MemoryRow, ...]:
    """Compare each model's accuracy on raw questions as published and as paraphrases, by judge (hop 0 and 0').

    ``answers`` has the form of ``answers_frame``. The comparison covers the models that were asked at least 100
    questions in both wordings, on the questions that all of them were asked.
    """
    raw = answers[(answers["kind"] == "raw") & (answers["hop"] == 0) & answers["variant"].isin(WORDINGS)]
    judged = {judge: judged_by(raw, judge) for judge in judges_of(raw)} or {"": raw}
    return tuple(
        MemoryRow(model, finding, judge)
        for judge, own in judged.items()
        for model, finding in sorted(_findings(own, seed).items())
    )


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
