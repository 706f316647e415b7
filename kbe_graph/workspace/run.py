"""A run of a workspace."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import Question, RunRecord
from kbe_graph.workspace.graph import QUESTION, Graph, Values
from kbe_graph.workspace.reporting import Stats, export_questions
from kbe_graph.workspace.verbs import ExportOptions

if TYPE_CHECKING:
    import pandas as pd


class Run:
    """A run of a workspace: its settings and its questions. ``work.evolve`` and ``work.run`` return it.

    ``state`` is complete, running (call ``evolve`` again to resume it) or failed. ``awaits`` lists the files of calls
    that wait for replies, and is empty for a complete run. ``grown`` is True if ``evolve`` has just added questions.

    >>> run = work.run("demo")
    >>> run.seed, run.settings["wording"]
    (0, 'rule')
    >>> {question.hop for question in run.questions(hop=2)}
    {2}
    """

    def __init__(
        self,
        access: GraphAccess,
        record: RunRecord,
        *,
        awaits: tuple[Path, ...] = (),
        grown: bool = False,
    ) -> None:
        self._access = access
        self.name = record.name
        self.seed = record.seed
        self.settings = dict(record.settings)
        self.state = record.state
        self.awaits = awaits
        self.grown = grown

    def questions(self, hop: int | None = None, status: str | None = "kept") -> Values[Question]:
        """List the questions of the run, of one hop or all. ``status`` is kept or dropped; None lists both.

        >>> run.questions(hop=1)[0].run
        'demo'
        """
        return Values(self._access.store.questions(run=self.name, hop=hop, status=status), QUESTION)

    def candidates(self, hop: int | None = None, status: str | None = None) -> Values[CandidateRow]:
        """List the candidates. ``status`` is kept, not drawn or dropped (then with a reason); None lists all.

        >>> run.candidates(status="dropped").frame().groupby("reason").size().idxmax() != ""
        True
        """
        return Graph(self._access).candidates(run=self.name, hop=hop, status=status)

    def statistics(self, *, balanced: bool = False) -> "pd.DataFrame":
        """Compute lengths, key edges and relations by benchmark and hop, with the raw questions (KBE, Table 2).

        ``balanced`` keeps only the samples that have a question at every hop of the run.

        >>> list(run.statistics().columns)[:4]
        ['benchmark', 'hop', 'kind', 'questions']
        """
        return Stats(self._access).table(self.name, balanced=balanced)

    def status(self) -> dict[str, Any]:
        """Count samples, questions and candidates by stage, hop and reason.

        >>> run.status()["runs"]["demo"]["questions"]["hop 1"]["kept"] == len(run.questions(hop=1))
        True
        """
        return self._access.store.status(self.name)

    @takes
    def export(
        self,
        file: Path | str,
        *,
        format: str = "jsonl",  # noqa: A002 - the option's name
        options: ExportOptions,
    ) -> int:
        """Write the raw questions and those of the run, as ``work.export`` does, and return their number.

        >>> run.export(folder / "evolved.jsonl") > len(run.questions())
        True
        """
        return export_questions(self._access, Path(file), format, replace(options, run=self.name))

    def __repr__(self) -> str:
        state = "" if self.state == "complete" else f", {self.state}"
        return f"<Run {self.name!r}, seed {self.seed}{state}>"
