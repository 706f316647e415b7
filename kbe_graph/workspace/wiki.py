"""``work.wiki``: a benchmark from pictures on pages of Wikipedia and the statements of Wikidata."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.workspace.checked import checked
from kbe_graph.workspace.graph_access import GraphAccess
from kbe_graph.workspace.model_options import ModelOptions, model_options
from kbe_graph.workspace.wiki_step import Wikimedia, WikiStep

if TYPE_CHECKING:
    from kbe_graph.wiki.tables import WikiTables


@checked
class Wiki:
    """A benchmark from nothing but pages (WikiVQABench), with the origin of each question.

    - ``corpus``, ``items``, ``statements``, ``triples``, ``questions``: the steps, in their order
    - ``build``: all of them
    - ``tables``: the tables and figures of a benchmark

    Each step goes on where it stopped. Every answer of Wikimedia is kept, so that a second run asks nothing.
    Wikimedia's operators want to know who asks: ``contact`` is a mail or web address (KBE_CONTACT). ``server`` is the
    base address of another server that answers in Wikimedia's place, ``language`` that of captions and labels;
    both may stand in ``kbe.toml``, in ``[wiki]``.

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
    ) -> WikiStep:
        """Read pictures and captions of pages into the graph.

        ``file`` is a file of WIT (TSV, gzip or not), or a list of pages or items (Q144), one a line. ``main_only``
        takes the main picture of each page alone, ``number`` the first so many. Raises DatasetError and InputError.
        """
        from kbe_graph.workspace.wiki_steps import language_of, read_pictures

        spoken = language_of(Wikimedia(language=language), self._access.folder.config)
        return read_pictures(self._access, Path(file), spoken, main_only=main_only, number=number)

    def items(
        self,
        *,
        sitelinks: bool = False,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
    ) -> WikiStep:
        """Find the item of Wikidata that each page is about, through redirects.

        Each Wikipedia is asked, or with ``sitelinks`` a SPARQL endpoint (``server``; Wikidata's by default), which
        knows no redirects. Raises SourceError and ConfigError.
        """
        from kbe_graph.workspace.wiki_steps import find_items

        return find_items(self._access, Wikimedia(contact, server, language, offline), sitelinks=sitelinks)

    def statements(
        self,
        *,
        hops: int = 1,
        dump: Path | str | None = None,
        contact: str | None = None,
        server: str | None = None,
        language: str | None = None,
        offline: bool = False,
    ) -> WikiStep:
        """Fetch the statements about the items, with the labels of all that they name.

        With two ``hops``, those about the items that kept statements lead to as well, so that questions can be
        evolved with ``knowledge="statements"``. ``dump`` is a file of entities that is read instead. Raises
        SourceError, DatasetError and ConfigError.
        """
        from kbe_graph.facts.wikidata.statement_filters import StatementFilters
        from kbe_graph.workspace.wiki_steps import fetch_statements

        return fetch_statements(
            self._access,
            Wikimedia(contact, server, language, offline),
            StatementFilters(),
            hops=hops,
            dump=None if dump is None else Path(dump),
        )

    def triples(self, *, paper_filters: bool = False, strict: bool = False, support: int | None = None) -> WikiStep:
        """Filter the statements that are there anew; each keeps the name of every filter that refuses it.

        ``paper_filters`` goes by the words of labels alone (WikiVQABench), ``strict`` refuses protected attributes of
        all items and not of people alone, ``support`` is the number of items that must have a property (default: 10
        with ``paper_filters`` or from 10,000 items on, else none).
        """
        from kbe_graph.workspace.wiki_steps import filter_triples

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
    ) -> WikiStep:
        """Make multiple-choice questions about the pictures, and load them as the benchmark ``name``.

        Rules write at most ``each`` of a picture, or a ``model`` does. ``guess`` is a model that sees no picture:
        what it answers all the same is left out; a writing model is asked for that too. ``fetch`` gets the pictures
        with author and licence, also from this machine with ``local_hosts``. The same call makes the same questions.
        Raises InputError, SourceError, ConfigError and BudgetReached.
        """
        from kbe_graph.workspace.wiki_benchmark import QuestionScope, make_questions
        from kbe_graph.workspace.wiki_tables import keep_step

        writer = None if model is None else model_options(model)
        guesser = writer if guess is None else model_options(guess)
        scope = QuestionScope(name, each, seed, fetch, local_hosts, writer, guesser)
        step = make_questions(self._access, Wikimedia(contact, server, language, offline), scope)
        if not step.awaits:
            keep_step(self._access.folder, name, step)
        return step

    def build(
        self,
        file: Path | str,
        name: str = "wiki",
        *,
        main_only: bool = False,
        number: int | None = None,
        sitelinks: bool = False,
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
    ) -> list[WikiStep]:
        """Do all steps, and return the outcome of each; the same call again goes on where it stopped.

        The arguments are those of the steps.
        """
        asked: dict[str, Any] = {"contact": contact, "server": server, "language": language, "offline": offline}
        return [
            self.corpus(file, language=language, main_only=main_only, number=number),
            self.items(sitelinks=sitelinks, **asked),
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
        """Make the tables and figures of WikiVQABench, of any benchmark: ``name``, and the questions of a ``run``.

        They tell first words, types and categories of answers, how many models fail each question, and of a benchmark
        of pages how much each step kept and which properties and values are frequent. Answers are those of one
        ``variant`` by one ``judge``, by default those of most judged answers. ``json`` and ``markdown`` are files,
        ``csv``, ``latex`` and ``figures`` folders to write them to. Raises InputError.
        """
        from kbe_graph.workspace.wiki_tables import make_tables

        wanted = {"json": json, "csv": csv, "latex": latex, "markdown": markdown, "figures": figures}
        places = {kind: Path(place) for kind, place in wanted.items() if place is not None}
        return make_tables(self._access, name, places, run=run, variant=variant, judge=judge)
