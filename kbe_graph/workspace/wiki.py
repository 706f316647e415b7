"""``work.wiki``: a benchmark from pictures on pages of Wikipedia and the statements of Wikidata."""

from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.datasets.benchmark import check_names
from kbe_graph.errors import InputError
from kbe_graph.export.selection import select
from kbe_graph.figures.outcomes import answers_frame, one_judge, outcomes, with_rows
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.show.report_tables import write_csv
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_sessions
from kbe_graph.wiki.page_steps import WikiOptions, WikiStep, fetch_statements, find_items, read_pictures
from kbe_graph.wiki.question_step import make_questions
from kbe_graph.wiki.tables import answer_sources, wiki_tables
from kbe_graph.wiki.wiki_sample import SPLIT
from kbe_graph.workspace.verbs import WikiTableOptions

if TYPE_CHECKING:
    import pandas as pd


class Wiki:
    """A benchmark made from Wikipedia pages (WikiVQABench), with the origin of each question.

    - ``build``: make the benchmark
    - ``tables``: the tables of a benchmark

    >>> pages = folder / "pages.txt"
    >>> pages.write_text("https://en.wikipedia.org/wiki/Forth_Bridge")
    42
    >>> [step.name for step in work.wiki.build(pages, offline=True)]
    Traceback (most recent call last):
    kbe_graph.errors.SourceError: 1 subjects of 'items' were never looked up ('Forth Bridge'); run it without `offline`
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def build(
        self,
        file: Path | str,
        *,
        model: ModelOptions | str | None = None,
        guess: ModelOptions | str | None = None,
        chosen: WikiOptions,
    ) -> list[WikiStep]:
        """Make multiple-choice questions about the pictures of pages, and load them as the benchmark ``name``.

        ``file`` is a WIT file (TSV, optionally gzip), or a list of pages or items (Q144), one per line. The steps read
        the pictures and captions, find the Wikidata item of each page, fetch and filter its statements (or read them
        from a ``dump``), and make the questions; the outcome of each is returned. Repeating the call resumes an
        interrupted one. Every answer of Wikimedia is stored, so that nothing is requested twice. Wikimedia requires a
        ``contact``, an e-mail or web address. With two ``hops``, ``evolve`` can continue from the statements.

        Rules, or a ``model``, write at most ``each`` questions per picture. ``guess`` is a model that does not see the
        picture; questions that it answers anyway are left out. If a model writes the questions, it also guesses unless
        ``guess`` is given. ``fetch`` downloads the pictures with author and licence. Raises InputError, DatasetError,
        SourceError, ConfigError and BudgetReached.
        """
        access = self._access
        check_names(chosen.name, SPLIT)
        steps = [
            read_pictures(access, Path(file), chosen),
            find_items(access, chosen),
            fetch_statements(access, chosen),
        ]

        with open_sessions(access, model, guess) as (writer, guesser):
            return [*steps, make_questions(access, chosen, writer, guesser or writer)]

    @takes
    def tables(self, *, options: WikiTableOptions) -> "dict[str, pd.DataFrame]":
        """Make the tables of WikiVQABench for any benchmark ``name`` and the questions of a ``run``.

        They show first words, types and categories of answers, the accuracy of models by these, and how many models
        fail a question. The answers are those of one ``variant`` and one ``judge``, by default those with the most
        judged answers. ``csv`` is a folder to write the tables to. Raises InputError.
        """
        access, run = self._access, options.run
        access.store.require_run(run)
        selection = select(access.store, run=run, benchmark=options.name, loaded=True)
        kept = {question.id: question for question in selection.questions if question.status != "dropped"}
        answers = one_judge(answers_frame(access.predictions(run), kept, selection.samples), options.judge)
        answers = answers[answers["right"].notna()]
        counts = answers["variant"].value_counts()
        if options.variant is not None and options.variant not in counts:
            variants = ", ".join(map(repr, counts.index)) or "none"
            raise InputError(f"no judged answer has the variant {options.variant!r}; choose from {variants}")
        chosen = options.variant or next(iter(counts.index), None)
        if not answers.empty:
            answers = outcomes(with_rows(answers[answers["variant"] == chosen]))
        sources = answer_sources(access, {question.sample for question in kept.values()})
        tables = wiki_tables(kept.values(), answers, sources)
        if options.csv is not None:
            write_csv(
                {name.replace(" ", "-"): table.astype(object) for name, table in tables.items()}, Path(options.csv)
            )
        return tables
