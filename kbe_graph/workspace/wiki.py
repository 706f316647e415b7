"""``work.wiki``: a benchmark from pictures on pages of Wikipedia and the statements of Wikidata."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.graph_access import GraphAccess
from kbe_graph.workspace.checked import checked
from kbe_graph.workspace.model_options import ModelOptions, open_sessions

if TYPE_CHECKING:
    from kbe_graph.wiki.tables import WikiTables
    from kbe_graph.wiki.wiki_steps import WikiStep


@checked
class Wiki:
    """A benchmark made from Wikipedia pages (WikiVQABench), with the origin of each question.

    - ``corpus``, ``items``, ``statements``, ``triples``, ``questions``: the steps, in this order
    - ``build``: all steps
    - ``tables``: the tables and figures of a benchmark

    Repeating a step resumes it. Every answer of Wikimedia is stored, so that a second run sends no requests. Wikimedia
    requires a ``contact``, an e-mail or web address (KBE_CONTACT). ``server`` is the base address of another server to
    use in place of Wikimedia, and ``language`` the language of captions and labels. Both can be set in ``[wiki]`` of
    ``kbe.toml``.

    >>> pages = folder / "pages.txt"
    >>> pages.write_text("https://en.wikipedia.org/wiki/Forth_Bridge")
    42
    >>> work.wiki.corpus(pages).kept
    1
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def corpus(
        self, file: Path | str, *, language: str | None = None, main_only: bool = False, number: int | None = None
    ) -> "WikiStep":
        """Read the pictures and captions of pages into the graph.

        ``file`` is a WIT file (TSV, optionally gzip), or a list of pages or items (Q144), one per line. ``main_only``
        takes only the main picture of each page. ``number`` takes only the first pictures. Raises DatasetError and
        InputError.
        """
        from kbe_graph.wiki.wiki_steps import Wikimedia, read_pictures

        spoken = Wikimedia(language=language).spoken(self._access.folder.config)
        return read_pictures(self._access, Path(file), spoken, main_only=main_only, number=number)

    def items(
        self,
        *,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
    ) -> "WikiStep":
        """Find the Wikidata item of each page, following redirects.

        Raises SourceError and ConfigError.
        """
        from kbe_graph.wiki.wiki_steps import Wikimedia, find_items

        return find_items(self._access, Wikimedia(contact, server, language, offline))

    def statements(
        self,
        *,
        hops: int = 1,
        dump: Path | str | None = None,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
    ) -> "WikiStep":
        """Fetch the statements about the items, with the labels of everything that they name.

        With two ``hops``, also fetch the statements about the items that kept statements lead to; ``evolve`` with
        ``knowledge="statements"`` needs them. ``dump`` is a file of entities to read instead. Raises SourceError,
        DatasetError and ConfigError.
        """
        from kbe_graph.wiki.wiki_steps import Wikimedia, fetch_statements

        wikimedia = Wikimedia(contact, server, language, offline)
        return fetch_statements(self._access, wikimedia, hops=hops, dump=None if dump is None else Path(dump))

    def triples(self, *, paper_filters: bool = False, strict: bool = False, support: int | None = None) -> "WikiStep":
        """Filter the fetched statements again. Each statement records the name of every filter that refuses it.

        ``paper_filters`` uses only the words of labels (WikiVQABench). ``strict`` refuses protected attributes of all
        items, not only of people. ``support`` is the number of items that must have a property (default: 10 with
        ``paper_filters`` or from 10,000 items on, else no minimum).
        """
        from kbe_graph.wiki.wiki_steps import filter_triples

        return filter_triples(self._access, paper_filters=paper_filters, strict=strict, support=support)

    def questions(
        self,
        name: str = "wiki",
        *,
        each: int = 3,
        seed: int = 0,
        model: ModelOptions | str | None = None,
        guess: ModelOptions | str | None = None,
        fetch: bool = False,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
        local_hosts: bool = False,
    ) -> "WikiStep":
        """Make multiple-choice questions about the pictures, and load them as the benchmark ``name``.

        Rules, or a ``model``, write at most ``each`` questions per picture. ``guess`` is a model that does not see the
        picture; questions that it answers anyway are left out. If a model writes the questions, it also guesses unless
        ``guess`` is given. ``fetch`` downloads the pictures with author and licence; ``local_hosts`` allows downloads
        from this machine. The same call makes the same questions. Raises InputError, SourceError, ConfigError and
        BudgetReached.
        """
        from kbe_graph.wiki.wiki_benchmark import QuestionScope, make_questions
        from kbe_graph.wiki.wiki_steps import Wikimedia

        scope = QuestionScope(name, each, seed, fetch, local_hosts)
        with open_sessions(self._access, model, guess) as (writer, other):
            wikimedia = Wikimedia(contact, server, language, offline)
            return make_questions(self._access, wikimedia, scope, writer, other or writer)

    def build(
        self,
        file: Path | str,
        name: str = "wiki",
        *,
        main_only: bool = False,
        number: int | None = None,
        hops: int = 1,
        dump: Path | str | None = None,
        paper_filters: bool = False,
        strict: bool = False,
        support: int | None = None,
        each: int = 3,
        seed: int = 0,
        model: ModelOptions | str | None = None,
        guess: ModelOptions | str | None = None,
        fetch: bool = False,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
        local_hosts: bool = False,
    ) -> "list[WikiStep]":
        """Run all steps, and return the outcome of each. Repeating the call resumes an interrupted run.

        The arguments are those of the steps.
        """
        asked: dict[str, Any] = {"contact": contact, "server": server, "language": language, "offline": offline}
        return [
            self.corpus(file, language=language, main_only=main_only, number=number),
            self.items(**asked),
            self.statements(hops=hops, dump=dump, **asked),
            self.triples(paper_filters=paper_filters, strict=strict, support=support),
            self.questions(
                name, each=each, seed=seed, model=model, guess=guess, fetch=fetch, local_hosts=local_hosts, **asked
            ),
        ]

    def tables(
        self,
        name: str = "wiki",
        *,
        run: str | None = None,
        variant: str | None = None,
        judge: str | None = None,
        json: Path | str | None = None,
        csv: Path | str | None = None,
        latex: Path | str | None = None,
        markdown: Path | str | None = None,
        figures: Path | str | None = None,
    ) -> "WikiTables":
        """Make the tables and figures of WikiVQABench for any benchmark ``name`` and the questions of a ``run``.

        They show first words, types and categories of answers, and how many models fail each question. For a benchmark
        made from pages, they also show how much each step kept, and which properties and values are frequent. The
        answers are those of one ``variant`` and one ``judge``, by default those with the most judged answers. ``json``
        and ``markdown`` are files to write to, ``csv``, ``latex`` and ``figures`` folders. Raises InputError.
        """
        from kbe_graph.wiki.wiki_tables import make_tables

        wanted = {"json": json, "csv": csv, "latex": latex, "markdown": markdown, "figures": figures}
        places = {kind: Path(place) for kind, place in wanted.items() if place is not None}
        return make_tables(self._access, name, places, run=run, variant=variant, judge=judge)
