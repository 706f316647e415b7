"""``work.review``: what people decide of questions and how they rate them, and the sheets for it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kbe_graph.brief import readable
from kbe_graph.export.selection import select
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.options import takes
from kbe_graph.review.doubt import Doubt, FormChain, doubtful_first, doubts
from kbe_graph.review.exchange import (
    REVIEW_COLUMNS,
    SheetFormat,
    SheetRow,
    TakenReviews,
    review_rows,
    study_columns,
    study_in,
    study_rows,
    take_sheet,
    write_sheet_file,
)
from kbe_graph.review.review_desk import ReviewDesk, new_review
from kbe_graph.review.review_report import Findings, review_report
from kbe_graph.review.state import (
    QuestionState,
    ReviewedItem,
    current_items,
    first_version,
    question_states,
    read_items,
)
from kbe_graph.review.study import Study, draw_study, read_study, save_study, study_result
from kbe_graph.show.question_story import question_stories
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question, Review, ReviewVerdict
from kbe_graph.workspace.verbs import (
    OverlapOptions,
    ReviewChoice,
    ServeOptions,
    SheetOptions,
    StudyOptions,
    TakeOptions,
)

PICTURE = 640, 75  # longest side and JPEG quality of a picture on a sheet


@readable
class Reviews:
    """The review of questions by people: each is approved, rejected or revised, or rated in a study.

    - ``questions``, ``state``, ``reviews``, ``doubts``: what there is to review, what is decided, and what comes first
    - ``decide``, ``resting_on``: record a decision, find the questions on a fact
    - ``serve``, ``export``, ``take``: have people decide in the browser, on sheets or in Label Studio
    - ``report``, ``new_study``, ``study_result``: what the decisions show; studies with raters

    Decisions are never changed. Each is stored in the graph, in one transaction with all that it causes.

    >>> work.review.reviews(reviewer="nobody")
    []
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @property
    def desk(self) -> ReviewDesk:
        """The desk that takes decisions."""
        return ReviewDesk(self._access.store, self._access.folder.review)

    @takes
    def questions(self, *, options: ReviewChoice) -> list[ReviewedItem]:
        """List the questions of a run in their last version and with options; those of a ``benchmark`` are raw.

        The run is chosen as in ``work.export``. Raises InputError for an unknown run or benchmark.

        >>> len(work.review.questions(run="demo")) == len(work.questions(run="demo"))
        True
        """
        items, states, _ = self._read(options)
        return current_items(items, states)

    @takes
    def state(self, *, options: ReviewChoice, overlap: OverlapOptions) -> dict[str, QuestionState]:
        """Return the review state of each question by id: open, approved, rejected and so on.

        The questions are chosen as in ``questions``. ``overlap`` is the share of questions that need two reviewers,
        drawn with ``seed``. Raises InputError.

        >>> {state.state for state in work.review.state(run="demo").values()}
        {'open'}
        """
        return self._read(options, overlap.overlap, overlap.seed)[1]

    def _read(
        self, options: ReviewChoice, overlap: float = 0, seed: int = 0
    ) -> tuple[list[ReviewedItem], dict[str, QuestionState], str | None]:
        store, run = self._access.store, self._choose_run(options)
        items = read_items(store, run=run, benchmark=options.benchmark)
        states = question_states(items, store.reviews(run=run or RAW), overlap, seed)
        return items, states, run

    def _choose_run(self, options: ReviewChoice) -> str | None:
        if options.benchmark is None:
            return self._access.choose_run(options.run, incomplete=options.incomplete)
        self._access.store.require_run(options.run)
        return options.run

    def reviews(
        self, questions: Sequence[str] | None = None, *, run: str | None = None, reviewer: str | None = None
    ) -> list[Review]:
        """List decisions by question, time and number, for the given question ids or a whole run.

        >>> work.review.reviews(run="demo", reviewer="nobody")
        []
        """
        return self._access.store.reviews(questions, run=run, reviewer=reviewer)

    def decide(
        self,
        question: str,
        verdict: ReviewVerdict,
        *,
        reviewer: str,
        criteria: Mapping[str, str] | None = None,
        reason: str = "",
        options: Mapping[str, str] | None = None,
        wrong_facts: Sequence[str] = (),
        seconds: float = 0.0,
        revision: Mapping[str, object] | None = None,
        version: str = "",
        insist: bool = False,
    ) -> Review:
        """Record the decision of a reviewer on a question, and return it.

        The verdict is approve, reject, revise or undo. ``revision`` holds the changed fields (text, answer, aliases,
        options). A wording that fails a check is accepted only with ``insist``. ``version`` is the version that the
        reviewer saw. ``wrong_facts`` are ids of key triplets: later runs leave the facts out, and the reviewer rejects
        each question that ``resting_on`` lists, in the same transaction. Raises InputError.

        >>> question = work.questions(run="demo")[0].id
        >>> work.review.decide(question, "reject", reviewer="Ana", reason="silly").verdict
        'reject'
        >>> work.review.decide(question, "undo", reviewer="Ana").verdict
        'undo'
        """
        opinions = {"criteria": tuple((criteria or {}).items()), "options": tuple((options or {}).items())}
        seen = {"version": version, "seconds": seconds, "reason": reason, "wrong_facts": tuple(wrong_facts)}
        given = new_review(question, verdict, reviewer, **opinions, **seen)
        return self.desk.decide(given, revision, insist=insist)[0]

    def resting_on(self, question: str, triplet: str) -> list[str]:
        """List the questions of all samples and runs that rest on a fact: a triplet in the key of a question.

        >>> question = work.questions(run="demo", hop=1)[0]
        >>> question.id in work.review.resting_on(question.id, question.key[-1].id)
        True
        """
        return self.desk.resting_on(question, triplet)

    @takes
    def doubts(self, *, options: ReviewChoice) -> list[Doubt]:
        """List the questions by how doubtful they are, the most doubtful first.

        The questions are chosen as in ``questions``. Each has a score and the signs that make it doubtful
        (``kbe_graph.review.doubt``). Raises InputError.

        >>> len(work.review.doubts(run="demo")) == len(work.questions(run="demo"))
        True
        """
        with self._access.reporter.waiting("ranking the questions by doubt"):
            items, states, run = self._read(options)
            return doubts(self._access.store, items, states, run)

    @takes
    def serve(self, ready: Callable[[Mapping[str, str]], None], *, options: ServeOptions) -> None:
        """Serve the pages of a review, or of a ``study``, until interrupted.

        ``ready`` receives the address of each reviewer, by name. The questions are chosen as in ``questions``.
        Raises ConfigError if the port is not available, and InputError if there is nothing to review.

        >>> work.review.serve(print, run="demo", reviewers=["Ana"])  # doctest: +SKIP
        """
        from kbe_graph.review.review_pages import review_app, user_name
        from kbe_graph.review.review_queue import ItemQueue, ReviewQueue, ReviewScope, StudyQueue
        from kbe_graph.web.access import serve_pages

        drawn = self._study(options.study) if options.study else None
        name = None if drawn else self._choose_run(options)
        title = drawn.name if drawn else f"run {name}" if name else "raw questions"
        names = options.reviewers or (user_name(),)
        scope = ReviewScope(title, name or RAW, options.benchmark or "", names, options.overlap, options.seed)

        def make_queue() -> ItemQueue:
            images = self._access.folder.images()
            if drawn:
                return StudyQueue(self.desk, scope, images, drawn)
            return ReviewQueue(self.desk, scope, images, question_chain)

        serve_pages(lambda: review_app(make_queue()), names, ready, port=options.port)

    @takes
    def export(self, file: Path | str, *, options: SheetOptions) -> int:
        """Write questions to a file for people to complete (``csv`` or ``labelstudio``), and return their number.

        Those that need a reviewer come first, the most doubtful ones at the top, at most ``number``. The questions are
        those of a run (chosen as in ``work.export``), raw ones with ``benchmark``, or the items of a ``study``. Raises
        InputError.

        >>> work.review.export(folder / "sheet.csv", run="demo") == len(work.questions(run="demo"))
        True
        """
        columns = REVIEW_COLUMNS
        if options.study:
            drawn = self._study(options.study)
            columns, rows = study_columns(drawn), study_rows(drawn)
        else:
            items, states, run = self._read(options)
            ranked = doubts(self._access.store, items, states, run)
            rows = review_rows(doubtful_first(current_items(items, states), states, ranked))
        rows = rows[: options.number]
        rows = self._with_pictures(rows, options.format)
        return write_sheet_file(Path(file), rows, columns, options.format, replace=options.replace)

    def _with_pictures(self, rows: Sequence[SheetRow], format_: SheetFormat) -> list[SheetRow]:
        import base64

        folders = self._access.folder.images()
        samples = self._access.store.samples(ids=sorted({row.sample for row in rows}))
        files = {sample.id: folders.of(sample)[:1] for sample in samples}
        if format_ == "csv":
            return [row._replace(picture=str(next(iter(files[row.sample]), ""))) for row in rows]
        with self._access.reporter.waiting("reading the pictures"):
            urls = {
                id_: f"data:image/jpeg;base64,{base64.b64encode(encode_jpeg(file, Encoding(*PICTURE))).decode()}"
                for id_, own in files.items()
                for file in own
            }
        return [row._replace(picture=urls.get(row.sample, "")) for row in rows]

    @takes
    def take(self, file: Path | str, *, options: TakeOptions) -> TakenReviews:
        """Import the decisions or ratings of a completed file, all or none; those imported before are skipped.

        ``reviewer`` is the name of the reviewer, if the file does not have it. With ``insist``, new wordings that fail
        a check are accepted. Raises DatasetError with the place of the first invalid decision.

        >>> work.review.take("filled.csv", reviewer="Ana")  # doctest: +SKIP
        TakenReviews(taken=20, repeated=0)
        """
        study = study_in(Path(file))
        with self._access.reporter.waiting("importing the decisions"):
            drawn = self._study(study) if study else None
            return take_sheet(self.desk, Path(file), options.reviewer, study=drawn, insist=options.insist)

    @takes
    def report(self, *, options: ReviewChoice) -> Findings:
        """Summarise the decisions on the questions of a run, or on the raw questions of a ``benchmark``.

        The report has acceptance by hop, relation, source and maker, opinions, agreement and time. The questions are
        chosen as in ``export``. Raises InputError.

        >>> work.review.report(run="demo").counts["questions"]
        0
        """
        items, states, _ = self._read(options)
        return review_report(items, states)

    @takes
    def new_study(self, *, options: StudyOptions) -> Study:
        """Draw a study of the questions of a run, which is chosen as in ``export``.

        In ``quality``, raters answer five questions on each item (KBE, Table 3); in ``pairs``, they say which of two
        questions is harder (appendix G); in ``answers``, whether a judged answer is right. ``reselected`` includes
        re-selected questions. The same seed draws the same items. Raises InputError.

        >>> len(work.review.new_study(number=4, run="demo").items)
        4
        """
        name, kind = self._access.choose_run(options.run, incomplete=options.incomplete), options.kind
        selection = select(self._access.store, run=name, loaded=kind == "answers")
        study = draw_study(
            kind,
            selection.questions,
            self._access.predictions(name) if kind == "answers" else (),
            run=name or RAW,
            number=options.number,
            seed=options.seed,
            reselected=options.reselected,
        )
        save_study(self._studies, study)
        return study

    def study_result(self, study: str, *, seed: int = 0) -> Findings:
        """Compute the results of a study: shares, and agreement of raters, also with judges. Raises InputError.

        >>> work.review.study_result("quality-0123456789").tables()  # doctest: +SKIP
        """
        drawn = self._study(study)
        return study_result(drawn, self._access.store.reviews(drawn.rated), seed=seed)

    def _study(self, name: str) -> Study:
        return read_study(self._studies, name, self._access.store)

    @property
    def _studies(self) -> Path:
        return self._access.folder.hidden / "studies"


def question_chain(store: Store, question: Question) -> FormChain:
    """Collect the questions before ``question``, its new parts, and models' statements on its first version."""
    asked = store.questions(samples=[question.sample])
    earlier = [each for each in asked if each.run in {RAW, question.run} and each.hop < question.hop]
    if question.run != RAW and not question.hop:
        earlier = [each for each in asked if each.run == RAW]
    chain = [*sorted(earlier, key=lambda each: (each.run != RAW, each.hop)), question]
    first = first_version(question.id)
    *before, last = question_stories(chain)
    story = replace(
        last,
        inspections=tuple(each for each in store.inspections(sample=question.sample) if each.question == first),
        guesses=tuple(each for each in store.guesses(samples=[question.sample]) if each.question == first),
        alternatives=store.alternatives([first]).get(first, ()),
    )
    new = frozenset(triplet.id for triplet in story.new) if before else frozenset()
    shown = [(each.row, each.question.text, each.question.answer) for each in before]
    return FormChain(story.words, new, shown, story.notes)
