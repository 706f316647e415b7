"""The part of a workspace that extracts graphs, evolves questions, and gives them other forms."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kbe_graph.evolve.run_options import RunOptions, takes_run_options
from kbe_graph.workspace.evaluator import Evaluator
from kbe_graph.workspace.model_options import MODEL, ModelOptions, model_options, paths
from kbe_graph.workspace.run import Run

if TYPE_CHECKING:
    from kbe_graph.evolve.mix import RuleOrModel
    from kbe_graph.models.estimate import Estimate
    from kbe_graph.question_forms.form_maker import MadeForms
    from kbe_graph.steps.session import Runner
    from kbe_graph.types import Form
    from kbe_graph.workspace.extracting import Extracted

Files = Path | str | Sequence[Path | str]


class Evolver(Evaluator):
    """The part of a workspace that makes graphs, questions and their forms, with a model or without."""

    def extract(
        self,
        *,
        benchmark: str | None = None,
        model: ModelOptions | str | None = None,
        sample: int | None = None,
        seed: int = 0,
        shard: str | None = None,
        replace: bool = False,
        workers: int | None = 1,
        runner: "Runner" = "direct",
        **annotations: Files,
    ) -> "Extracted":
        """Make the visual, textual and key triplets of each loaded sample, from annotations or by asking a model.

        Annotations are files, one or several, by their format: ``scene_graphs`` (GQA, Visual Genome), ``instances``
        (COCO), ``captions`` (COCO, or a TSV with one caption an image), ``detections`` (labels by image or question),
        ``actions`` (V-COCO), and what plug-ins read. With ``model`` a model is asked about the pictures instead.

        ``benchmark`` takes the samples of one benchmark alone, ``sample`` so many that the ``seed`` draws (of these,
        ``evolve`` with the same seed draws first), and ``shard`` ("1/4") a part of them.
        ``replace`` says that graphs of other files may be replaced. ``workers`` processes read annotations at once,
        None for one a core; a script that wants several must start with ``if __name__ == "__main__":``. The graphs are
        the same whatever their number. ``runner`` "ray" has the workers of a cluster read them. Raises DatasetError,
        InputError and ResourceError.

        >>> work.extract(scene_graphs=kbe.demo().scene_graphs).kept == len(work.samples(status="extracted"))
        True
        """
        from kbe_graph.workspace.extracting import extract_annotated, refuse_replacing, samples_of

        asked = ModelOptions(runner=runner) if model is None else model_options(model)
        if asked.starts_cluster:
            from kbe_graph.workspace.cluster import on_cluster

            places = {name: [path.absolute() for path in paths(value)] for name, value in annotations.items()}
            chosen = {"benchmark": benchmark, "sample": sample, "seed": seed, "shard": shard, "replace": replace}
            own = {"model": None} if model is None else {}
            return cast("Extracted", on_cluster(self, "extract", asked, {**chosen, **own, **places}))
        samples = samples_of(self.store, benchmark, shard, number=sample, seed=seed)
        files = {name: paths(value) for name, value in annotations.items()}
        self._make_ready_for(len(samples))
        refuse_replacing(self.store, () if replace else samples, files if model is None else None)
        with self.reporter as reporter:
            if model is not None:
                from kbe_graph.workspace.asking import open_extraction

                with open_extraction(self, model, samples) as extraction:
                    return extraction.extract(reporter)
            return extract_annotated(self.store, samples, files, reporter, workers=workers)

    def forecast_extract(
        self,
        model: ModelOptions | str = MODEL,
        *,
        benchmark: str | None = None,
        sample: int | None = None,
        seed: int = 0,
        shard: str | None = None,
    ) -> "Estimate":
        """Return what it would cost to extract by asking a model; nothing is asked.

        >>> work.forecast_extract(kbe.ModelOptions("llava", base_url="http://127.0.0.1:8000/v1")).dollars
        0.0
        """
        from kbe_graph.workspace.asking import open_extraction
        from kbe_graph.workspace.extracting import samples_of

        samples = samples_of(self.store, benchmark, shard, number=sample, seed=seed)
        with open_extraction(self, model, samples) as extraction:
            return extraction.forecast()

    @takes_run_options
    def evolve(
        self,
        *,
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        model: ModelOptions | str | None = None,
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        shard: str | None = None,
        workers: int | None = 1,
        **options: Any,
    ) -> Run:
        """Re-select and explore, hop by hop; the same call again goes on where it stopped, and does nothing at the end.

        ``options`` are the fields of ``RunOptions``, such as ``hops``, ``seed``, ``run``, ``sample`` and ``filters``.

        Facts come from ``knowledge``: "pack" (the packaged facts), "wikidata", "model", or a plug-in's source;
        ``contact``, ``endpoint`` and ``offline`` say how one on the network is asked. ``unsourced=False`` refuses facts
        that were told without opening a source (``Fact.unsourced``). ``wording`` is by "rule" or
        "model". Where ``model`` is given, both are the model's unless said otherwise; with ``verify`` it is asked for a
        second look at each question, whoever made it. ``workers`` processes explore, over the packaged facts or what a
        model says, None for one a core; a script that wants several must start with ``if __name__ == "__main__":``. The
        questions are the same whatever their number. A source on the network and ``verify`` have one process.

        Where the graph is on a server, the same call on several machines shares the work. ``shard`` ("1/4") takes a
        part of the samples; what depends on all of them is done once all shards are in one graph, and ``Run.shards``
        names those that are not.

        Raises ConfigError where the run was made with other settings, and BudgetReached, after which the same call goes
        on.

        >>> run = work.evolve(hops=2, seed=0, run="demo")
        >>> run.questions(hop=2)[0].kind
        'explored'
        """
        if model is not None and model_options(model).starts_cluster:
            from kbe_graph.workspace.cluster import on_cluster

            facts = {"knowledge": knowledge, "contact": contact, "endpoint": endpoint, "offline": offline}
            given = {**facts, "wording": wording, "shard": shard, **options}
            return cast("Run", on_cluster(self, "evolve", model, given))
        from kbe_graph.evolve.sources import Access
        from kbe_graph.workspace.evolving import choose_makers, evolve_run

        scope = RunOptions.of(options)
        makers, access = choose_makers(knowledge, wording, model, shard), Access(contact, endpoint, offline)
        self._make_ready_for(self.store.count_samples())
        return evolve_run(self, scope, makers, access, model=model, workers=workers)

    @takes_run_options
    def forecast_evolve(
        self,
        model: ModelOptions | str = MODEL,
        *,
        knowledge: str | None = None,
        wording: "RuleOrModel | None" = None,
        shard: str | None = None,
        **options: Any,
    ) -> "Estimate":
        """Return what a run that asks a model would cost, or what is left of one; nothing is asked.

        What it is asked for is said as ``evolve`` takes it.

        >>> work.forecast_evolve(kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1"), run="dry").calls > 0
        True
        """
        from kbe_graph.workspace.asking import open_run
        from kbe_graph.workspace.evolving import choose_makers

        makers = choose_makers(knowledge, wording, model, shard)
        with open_run(self, model, RunOptions.of(options), **makers._asdict()) as asked:
            return asked.forecast()

    @takes_run_options
    def fetch(
        self,
        *,
        contact: str | None = None,
        endpoint: str | None = None,
        offline: bool = False,
        pack: Path | str | None = None,
        **options: Any,
    ) -> Mapping[str, object]:
        """Re-select as ``evolve`` does, ask Wikidata about all answers and keep what it says.

        ``evolve(offline=True)`` then goes on from there. ``pack`` is a folder that the facts are written into as well.
        Returns notes on what was found. Raises SourceError.
        """
        from kbe_graph.evolve.sources import Access
        from kbe_graph.workspace.evolving import fetch_facts

        access = Access(contact, endpoint, offline)
        return fetch_facts(self, RunOptions.of(options), access, None if pack is None else Path(pack))

    def make_forms(
        self,
        form: "Form",
        *,
        run: str | None = None,
        model: ModelOptions | str | None = None,
        replace: bool = False,
        incomplete: bool = False,
    ) -> "MadeForms":
        """Give the raw questions and those of a run another form, and keep it in the graph (MDK12, question types).

        ``form`` is "choice" (one right of four options), "several" (all right ones), "fill" (a gap) or "true-false".
        The run is chosen as ``export`` does. Forms that are there stay, unless ``replace`` is set. Wrong options come
        from the graph, or from a ``model``; both pass the same checks. Raises InputError, ConfigError and
        BudgetReached.

        >>> work.make_forms("fill", run="demo").form
        'fill'
        """
        from kbe_graph.workspace.forming import make_run_forms

        return make_run_forms(self, form, run, model=model, replace=replace, incomplete=incomplete)
