"""``work.wiki``: a benchmark from pictures on pages of Wikipedia and the statements of Wikidata."""

from pathlib import Path

from kbe_graph.datasets.benchmark import check_names
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_sessions
from kbe_graph.wiki.page_steps import WikiOptions, WikiStep, fetch_statements, find_items, read_pictures
from kbe_graph.wiki.question_step import make_questions
from kbe_graph.wiki.wiki_sample import SPLIT


class Wiki:
    """A benchmark made from Wikipedia pages (WikiVQABench), with the origin of each question.

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
