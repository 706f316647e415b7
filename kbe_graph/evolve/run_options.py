"""Options of a run: those of ``kbe evolve``, the keyword arguments in Python, and the settings in a manifest."""

from dataclasses import dataclass, fields, replace
from typing import Literal, Self

from kbe_graph.errors import InputError
from kbe_graph.options import Options, RuleOrModel, about_of, option
from kbe_graph.text import check_name
from kbe_graph.types import RAW, RunRecord

Reselect = Literal["needed", "all"]


@dataclass(frozen=True, slots=True)
class RunOptions(Options):
    """Options of a run, whatever provides its facts and wordings. Raises InputError.

    ``run`` names the run. ``limit`` uses the first samples by ID; ``sample`` uses that many, drawn with the ``seed``.
    ``max_length`` is the longest path, in edges, that re-selection follows, and ``timeout`` the time limit of its
    search in seconds. ``filters`` chooses the checks: ``all``, ``paper`` (only the conditions of the paper), or names
    (``noun,cycle``). ``reselect`` chooses the samples that are asked about another object: those whose answer is not a
    noun (``needed``), as in the paper, or ``all``; new hops start only from those in ``needed``. ``unsourced`` allows
    facts that no opened source confirms.

    ``knowledge`` is the source of facts: ``pack`` (the packaged facts), ``wikidata``, ``statements``, ``model``, or the
    source of a plug-in; ``wording`` is ``rule`` or ``model``. With a model, both default to it. ``contact``,
    ``endpoint`` and ``offline`` configure a source on the network. ``ray`` is the address of a Ray cluster that
    explores, or ``local``.

    >>> kbe.RunOptions(hops=2, seed=1, sample=100).name
    'seed-1-sample-100'
    """

    run: str | None = option(None, "Run name (default: made from the seed, limit and sample).")
    seed: int = option(0, "Random seed.")
    hops: int = option(3, "Number of hops; there is no upper limit.", least=0)
    limit: int | None = option(
        None, "Use only this many samples, the first by id.", least=1, setting="limit", always=True
    )
    sample: int | None = option(None, "Use only this many samples, drawn with the seed.", least=1, setting="sample")
    max_length: int = option(
        10, "Longest path that re-selection follows, in edges.", least=1, most=12, setting="max length", always=True
    )
    timeout: float = option(60.0, "Time limit for each path search, in seconds.", above=0, most=1e8)
    filters: str = option(
        "all",
        "Which checks to apply: 'paper' (only those of the paper), 'all', or a comma-separated list; 'kbe filters' "
        "lists them. Safety checks always apply.",
        metavar="paper|all|NAME,...",
        setting="checks",
    )
    unsourced: bool = option(False, "Also use facts that no opened source confirms.", setting="unsourced")
    reselect: Reselect = option(
        "needed",
        "Which samples to re-select: those whose answer is not a noun (needed), as in the paper, or all. The extra "
        "questions of 'all' get no further hops.",
        setting="reselect",
    )
    knowledge: str | None = option(
        None,
        "Knowledge source: pack (the packaged facts), wikidata, statements, model, or that of a plug-in (default: "
        "pack; model if a model is given).",
    )
    wording: RuleOrModel | None = option(None, "How to word the questions (default: rule; model if a model is given).")
    contact: str | None = option(None, "Your email or web address, for the operators of Wikidata (KBE_CONTACT).")
    endpoint: str | None = option(None, "SPARQL endpoint to use instead of Wikidata's (KBE_ENDPOINT).")
    offline: bool = option(False, "Do not contact Wikidata; use the cached answers.")
    ray: str | None = option(
        None,
        "Explore on a Ray cluster, or on 'local' processors; for rules and packaged facts.",
        metavar="ADDRESS",
    )

    def __post_init__(self) -> None:
        Options.__post_init__(self)
        if self.limit is not None and self.sample is not None:
            raise InputError(
                f"limit {self.limit} and sample {self.sample} both set the number of samples; give only one of them"
            )
        if self.run == RAW:
            raise InputError(f"run {RAW!r} means the benchmark's own questions; choose another name")
        if self.run is not None and (not self.run.strip() or "@" in self.run):
            raise InputError(f"run {self.run!r} cannot be part of a question's id; use a word without '@'")
        check_name("run", self.run or "")

    @classmethod
    def of_run(cls, record: RunRecord, hops: int) -> Self:
        """Read the options by which a run was made from its settings, with this number of hops."""
        names = {about_of(each).setting or each.name: each.name for each in fields(cls)}
        written = {"None": None, "on": True}
        texts = {names[name]: text for name, text in record.settings if name in names}
        values = {name: written.get(text, int(text) if text.isdigit() else text) for name, text in texts.items()}
        return cls.of({**values, "run": record.name, "seed": record.seed, "hops": hops})

    @property
    def name(self) -> str:
        """The name of the run: as given, or built from its seed and number of samples."""
        few = (f"-{name}-{number}" for name, number in (("limit", self.limit), ("sample", self.sample)) if number)
        return self.run or "".join((f"seed-{self.seed}", *few))

    def settled(self, *, by_model: bool) -> Self:
        """Choose who gives the facts and the words where the options do not say: a model, or the package and rules."""
        knowledge = "model" if by_model else "pack"
        wording: RuleOrModel = "model" if by_model else "rule"
        return replace(self, knowledge=self.knowledge or knowledge, wording=self.wording or wording)

    @property
    def asks(self) -> bool:
        """Whether a model gives facts or words."""
        return "model" in (self.knowledge, self.wording)

    def settings(self, *, always: bool) -> dict[str, object]:
        """List the settings that affect the outcome: those always recorded, or those that are not the default."""
        noted = [(each, about_of(each), getattr(self, each.name)) for each in fields(self)]
        return {
            option.setting: {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
            for each, option, value in noted
            if option.setting and option.always is always and (always or value != each.default)
        }
