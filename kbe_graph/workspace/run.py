"""A run of a workspace, and the output: counts, statistics (``work.stats``), exports and reports."""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.brief import readable
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.extras import has_extra, require_extra
from kbe_graph.files.whole import require_own
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.review.state import first_version
from kbe_graph.statistics import STATISTICS
from kbe_graph.store import Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.text import counted
from kbe_graph.types import Question, QuestionForm, RunRecord
from kbe_graph.workspace.answers import Answers
from kbe_graph.workspace.graph import QUESTION, Graph, Values
from kbe_graph.workspace.verbs import ExportOptions, ReportOptions, RunChoice, StatisticOptions

if TYPE_CHECKING:
    import pandas as pd

    from kbe_graph.export.selection import Selection
    from kbe_graph.figures.guess import BlindQuestion, Guesses
    from kbe_graph.figures.linked_releases import LinkTable
    from kbe_graph.models.call_store import Summary
    from kbe_graph.show.report_data import ReportData, ReportSource
    from kbe_graph.steps.model_options import ModelOptions


def read_costs(access: GraphAccess) -> "Summary":
    """Sum up the calls of a workspace, and the dollars a kept question."""
    from kbe_graph.models import summary
    from kbe_graph.steps.session import open_call_store

    with closing(open_call_store(access.folder)) as calls:
        costs = summary(calls)
        if not costs.lines:
            return costs
        kept = sum(access.store.status_counts(run.name).get("kept", 0) for run in access.store.runs())
        return summary(calls, questions=kept)


JSON_LINES = ("", ".jsonl", ".ndjson", ".json")


def export_questions(access: GraphAccess, file: Path, format_name: str, scope: ExportOptions) -> int:
    """Write the raw questions and those of a run, and return their number; raises as ``Workspace.export``."""
    from kbe_graph.export.demands import read_statements
    from kbe_graph.export.formats import EXPORTS
    from kbe_graph.export.selection import select
    from kbe_graph.forms.form_maker import make_run_forms

    export = EXPORTS.require(format_name)
    if format_name == "jsonl" and file.suffix.lower() not in JSON_LINES:
        raise InputError(f"the format jsonl writes lines of JSON and no {file.suffix}; name a file that ends in .jsonl")
    if scope.everything and export.is_folder:
        raise InputError(f"{format_name} contains only kept questions; the format jsonl has the dropped ones too")
    if scope.everything and scope.reviewed != "not-rejected":
        raise InputError("an export of all questions ignores what reviewers decided; leave out one of the two options")
    export.require_form(scope.form)
    if not export.is_folder:
        require_own(file, export.is_own, replace=scope.replace)
    name = access.choose_run(scope.run, incomplete=scope.incomplete)
    with access.reporter.waiting("reading the questions"):
        selection = _select(access, name, scope)
    made: Mapping[str, QuestionForm] = {}
    if scope.form != "open":
        pairs = select(access.store, run=name, loaded=True)
        made = make_run_forms(access, scope.form, name, pairs, saves=False).forms
    with access.reporter as reporter:
        selection = replace(
            selection,
            form=scope.form,
            forms=made,
            folders=access.folder.images(),
            images_as=scope.images_as,
            progress=reporter,
            statements=read_statements(access.folder.config, scope.benchmark or name or ""),
            replace=scope.replace,
        )
        if not export.is_folder:
            selection = _in_form(selection)
        count = export.write(file, selection)
    if selection.left_out and not export.is_folder:  # a folder says so itself
        warnings.warn(f"left out: {counted(selection.left_out)}", KbeWarning, stacklevel=4)
    access.store.save_forms(list(made.values()))
    return count


def _in_form(selection: "Selection") -> "Selection":
    """Leave out the questions without the form that was asked for. Raises InputError where no question is left."""
    own = [each for each in selection.questions if selection.form == "open" or each.id in selection.forms]
    left_out = {**selection.left_out, f"no form {selection.form!r}": len(selection.questions) - len(own)}
    left_out = {reason: count for reason, count in left_out.items() if count}
    if left_out and not own:
        raise InputError(f"no question to export: {counted(left_out)}")
    return replace(selection, questions=own, left_out=left_out)


def _select(access: GraphAccess, run: str | None, scope: ExportOptions) -> "Selection":
    from kbe_graph.evaluate.prompting import read_hops
    from kbe_graph.export.selection import select, with_guesses, with_origins, with_variants, without_held_back

    store, hops = access.store, read_hops(scope.hops) if scope.hops else None
    chosen: dict[str, Any] = {"benchmark": scope.benchmark, "hops": hops, "reviewed": scope.reviewed}
    selection = select(store, run=run, everything=scope.everything, loaded=True, **chosen)
    selection = with_guesses(without_held_back(selection, store), store, run)
    if scope.variants:
        if scope.form != "open":
            raise InputError("variants are written as open questions; leave out the form")
        kept = [variant for variant in access.variants(run) if variant.status == "kept"]
        selection = with_variants(selection, kept)
    return with_origins(selection, store)


def report_run(access: GraphAccess, page: Path, scope: ReportOptions) -> "ReportData":
    """Write the report of a run as a page, its figures to the places that are given, and return them.

    Raises InputError for a file that cannot be written and for a judge that judged nothing, and ResourceError.
    """
    from kbe_graph.show.page import is_report
    from kbe_graph.show.report_data import report_data

    if page.suffix.casefold() not in {"", ".html", ".htm"}:
        raise InputError(f"the report is a page; give a name in '.html' instead of {page.name!r} (`csv` writes tables)")
    require_own(page, is_report, replace=scope.replace)
    figures = {name: Path(scope[name]) for name in ("json", "csv", "latex", "figures") if scope[name]}
    if "figures" in figures:
        require_extra("figures")
    source = _read_source(access, scope)
    with access.reporter.waiting("writing the report"):
        data = report_data(replace(source, judge=scope.judge))
        _write_report(data, page, figures, scope)
    return data


def _read_source(access: GraphAccess, scope: ReportOptions) -> "ReportSource":
    from kbe_graph.export.selection import select, with_guesses
    from kbe_graph.figures.outcomes import answers_frame
    from kbe_graph.show.report_data import ReportSource

    name = access.choose_run(scope.run, incomplete=scope.incomplete)
    access.store.require_samples()
    with access.reporter.waiting("reading the questions"):
        selection = with_guesses(select(access.store, run=name, loaded=True), access.store, name)
    questions = {question.id: question for question in selection.questions}
    folders = access.folder.images()
    return ReportSource(
        run=name,
        samples=selection.samples,
        questions=selection.questions,
        answers=answers_frame(access.predictions(name), questions, selection.samples),
        status=access.store.status(name),
        guesses=Stats(access).guess(name, incomplete=scope.incomplete)
        if scope.guess and questions and has_extra("guess")
        else None,
        costs=read_costs(access),
        pictures={sample.id: folders.of(sample) for sample in selection.samples.values()},
        named=selection.guesses,
        alternatives=selection.alternatives,
        left_out=selection.left_out,
        rounds=access.store.rounds(name) if name else [],
        shapes=access.store.connection.read("drafts_by_shape", run=name) if name else [],
    )


def _write_report(data: "ReportData", page: Path, figures: Mapping[str, Path], scope: ReportOptions) -> None:
    from kbe_graph.show.charts import charts
    from kbe_graph.show.page import write_page
    from kbe_graph.show.report_tables import write_figures

    drawn = charts(data)
    write_page(data, drawn, page, pictures=scope.pictures)
    for name, place in figures.items():
        write_figures(name, data, drawn, place, replace=scope.replace)


@readable
class Stats:
    """Statistics: ``table`` of one kind, ``link`` releases, check the ``mini`` set, ``guess`` answers without pictures.

    >>> work.stats.table("demo")["hop"].max() >= 2
    np.True_
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def table(self, *, what: str = "questions", options: StatisticOptions) -> "pd.DataFrame":
        """Compute lengths, key edges and relations of the questions by benchmark and hop (KBE, Table 2).

        The questions are the raw ones and those of a run, chosen as in ``export``. ``balanced`` keeps only the samples
        that have a question at every hop of the run, so that all rows describe the same samples.

        ``what`` "variety" counts relations, chains and answers instead. Raises InputError for an unknown statistic.

        >>> work.stats.table("demo", what="variety")["relations"][0] > 1
        np.True_
        """
        from kbe_graph.export.selection import select
        from kbe_graph.statistics.question_statistics import OF_QUESTIONS, balanced_set

        if what not in STATISTICS:
            raise InputError(f"no statistic {what!r}; take one of {', '.join(STATISTICS)}")
        store, name = self._access.store, self._access.choose_run(options.run, incomplete=options.incomplete)
        questions = select(store, run=name).questions
        return OF_QUESTIONS[what](balanced_set(questions) if options.balanced else questions)

    def link(self, *names: str, judge: str | None = None) -> "LinkTable":
        """Put the models that were asked two or more releases or runs on one scale, by the questions in common.

        ``names`` are those of releases or runs, in order; the first one sets the scale. ``judge`` is the name of the
        judge whose verdicts count, by default the one with most. Needs the extra ``figures``. Raises InputError and
        ResourceError.

        >>> work.stats.link("demo", "demo")
        Traceback (most recent call last):
            ...
        kbe_graph.errors.InputError: name two or more different releases or runs
        """
        require_extra("figures", "'stats link'")
        from kbe_graph.figures.linked_releases import link_releases

        if len(names) < 2 or len(set(names)) < len(names):
            raise InputError("name two or more different releases or runs")
        return link_releases(*self._answers_to(names), judge)

    def mini(self, name: str, *, judge: str | None = None) -> "pd.DataFrame":
        """Compare the accuracies of models on the mini set of a release with those on the whole.

        The first row is Spearman's rank correlation of the models, the others each model's difference, all with 95 %
        intervals. Raises InputError for a release without a mini set, or without answers.

        >>> work.stats.mini("nothing")
        Traceback (most recent call last):
            ...
        kbe_graph.errors.InputError: no release 'nothing'...
        """
        from kbe_graph.figures.linked_releases import mini_table

        store = self._access.store
        chosen = [each.question for each in store.released(store.release(name)) if each.mini]
        if not chosen:
            raise InputError(f"release {name!r} has no mini set; `release new --mini` chooses one")
        answers, questions = self._answers_to([name])
        whole = [question.id for question in questions[name]]
        return mini_table(answers, whole, [id_ for id_ in whole if first_version(id_) in chosen], judge)

    def _answers_to(self, names: Sequence[str]) -> "tuple[pd.DataFrame, dict[str, list[Question]]]":
        """Read the answers to the questions of releases or runs, and the questions by name.

        Left out are questions of a release that read otherwise now, as answers are judged by the text and key of now.
        """
        import pandas as pd

        from kbe_graph.release.contents import release_questions

        store = self._access.store
        versions = {name for record in store.releases() for name in (record.id, record.name)}
        runs = {name: store.release(name).run if name in versions else name for name in names}
        frozen = {runs[name] for name in versions & runs.keys()}
        answers_of = Answers(self._access).evaluation
        read = {run: answers_of(run=run, incomplete=run in frozen) for run in dict.fromkeys(runs.values())}
        answers = pd.concat([each.answers for each in read.values()])
        questions = {name: [*read[run].questions.values()] for name, run in runs.items()}
        for name in versions & questions.keys():
            held = {(each.id, each.text, each.answer) for each in release_questions(self._access, name)}
            now = {(first_version(each.id), each.text, each.answer): each for each in questions[name]}
            questions[name] = [question for words, question in now.items() if words in held]
            if gone := len(held) - len(questions[name]):
                out = f"left out {gone} of {len(held)} questions of {name}: changed since, or withdrawn"
                warnings.warn(out, KbeWarning, stacklevel=3)
        return answers.drop_duplicates(["model", "question", "variant", "run"]), questions

    @takes
    def guess(self, *, model: "ModelOptions | str | None" = None, options: RunChoice) -> "Guesses":
        """Measure how often the raw questions, and those of a run hop by hop, are answered without their pictures.

        The run is chosen as in ``export``. Guessers that use only words learn from the other questions of the same row.
        A ``model`` sees only the questions; repeating the call asks nothing twice. Raises InputError, BudgetReached and
        ResourceError.

        >>> [row.row for row in work.stats.guess("demo").rows][-1]
        'hop 2'
        """
        require_extra("guess", "'guess'")
        from kbe_graph.figures.guess import ask_guesses, guess, guess_options
        from kbe_graph.steps.session import open_sessions

        name = self._access.choose_run(options.run, incomplete=options.incomplete)
        with self._access.reporter.waiting("reading the questions"):
            blind_questions = run_blind_questions(self._access.store, name)
        with self._access.reporter, open_sessions(self._access, model) as (session,):
            replies, awaits = ask_guesses(session, blind_questions) if session else ({}, ())
        with self._access.reporter.waiting("guessing"):
            guesses = guess(blind_questions, replies=replies)
        return replace(guesses, options=guess_options(self._access.forms(name)), awaits=awaits)


def run_blind_questions(store: Store, run: str | None) -> "list[BlindQuestion]":
    """Read the raw questions and those kept of a run, as questions."""
    from kbe_graph.export.selection import select
    from kbe_graph.figures.guess import blind_question_of

    return [blind_question_of(sample, question) for sample, question in select(store, run=run)]


@readable
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
        return Stats(self._access).table(self.name, balanced=balanced, incomplete=True)

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
