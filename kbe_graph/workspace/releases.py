"""``work.release``: frozen, numbered releases of a run."""

from pathlib import Path
from typing import Any

from kbe_graph.brief import readable
from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.release.diff import ReleaseDiff, changes, read_edition, rescore
from kbe_graph.release.every_eval import write_results
from kbe_graph.release.freeze import Frozen, new_release
from kbe_graph.release.unpacking import read_manifest, release_folder
from kbe_graph.release.verify import Verified, verify_folder
from kbe_graph.review.errata import add_erratum, undo_erratum
from kbe_graph.types import Erratum, ReleaseRecord
from kbe_graph.workspace.verbs import ErratumOptions, ReleaseOptions


@readable
class Releases:
    """Releases of runs: frozen, numbered sets of questions.

    - ``new``, ``versions``, ``verify``: make the next version, list those that there are, verify a folder
    - ``diff``: what changed between two versions, and how models score in both
    - ``add_erratum``, ``undo_erratum``, ``errata``: correct a mistake in the next version, or take that back
    - ``results``: the answers and scores of models, in the format Every Eval Ever

    >>> work.release.versions()
    []
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def versions(self) -> list[ReleaseRecord]:
        """List the versions of all releases by name and version.

        >>> [version.id for version in work.release.versions()][:1]
        ['kitchen@1']
        """
        return self._access.store.releases()

    @takes
    def new(self, name: str, *, options: ReleaseOptions) -> Frozen:
        """Make the next version of a release from the kept questions of a run, and write its folder.

        The run is that of the version before, or the newest round that came of it; in version 1 it is chosen as in
        ``work.export``. ``forms`` is the number of parallel forms; ``held_back`` the share of questions that are kept
        private as the last of them, in a folder apart, and are left out of other exports. ``mini`` marks a tenth of the
        questions. Versions that exist never change. Raises InputError.

        >>> work.release.new("kitchen", run="demo", out=folder / "kitchen-1").id
        'kitchen@1'
        """
        earlier = (each.run for each in reversed(self.versions()) if each.name == name and not each.forgotten)
        before = next(earlier, None)
        rounds = self._access.store.rounds(before) if before else []
        newest = rounds[-1].makes or rounds[-1].asks if rounds else before
        if newest != before and not options.run:
            self._access.reporter.warn(f"releasing run {newest!r}, the newest round after {before!r}")
        run = self._access.choose_run(options.run or newest, incomplete=options.incomplete)
        if run is None:
            raise InputError("there is no run to release; `evolve` makes one")
        sizes: dict[str, Any] = {each: options[each] for each in ("forms", "held_back", "mini", "out")}
        with self._access.reporter.waiting("freezing the questions"):
            return new_release(self._access, name, run, **sizes)

    def verify(self, place: Path | str, *, sha256: str = "") -> Verified:
        """Find each byte of a release's folder that was changed, is missing or was added, with the file and question.

        The folder, named as itself or by its ``release.json``, may be foreign: nothing outside it is read. ``sha256``
        is that of ``release.json`` as its authors tell it; without it, the record in this graph counts, if there is
        one. Raises InputError.

        >>> work.release.verify(folder / "kitchen-1").faults
        ()
        """
        digests = {record.id: record.digest for record in self.versions()}
        place = release_folder(place)
        manifest = read_manifest(place)
        own = "" if manifest.part else digests.get(manifest.id, "")
        return verify_folder(place, sha256=sha256 or own)

    def diff(self, before: str, after: str) -> ReleaseDiff:
        """List the questions that changed between two versions with the reasons, and each model's scores in both.

        A version is the name of a release (its newest version), its id (``kitchen@1``), or a folder. Kept answers are
        scored anew by the rule ``alias``, without asking. Raises InputError.

        >>> work.release.new("shelf", run="demo").statuses["unchanged"] == len(work.questions(run="demo"))
        True
        >>> work.release.diff("shelf@1", "shelf").changes
        ()
        """
        old, new = (read_edition(self._access, place) for place in (before, after))
        return ReleaseDiff(old.id, new.id, tuple(changes(old, new)), tuple(rescore(self._access, old, new)))

    @takes
    def add_erratum(self, what: str, *, options: ErratumOptions) -> tuple[Erratum, list[str]]:
        """Record a mistake in a fact, a question or an answer, and return it with the questions that it concerns.

        ``what`` is a fact ("(ROME, river, TIBER)" or "ROME|river|TIBER"), the id of a question, or an answer. The next
        version, exports and evaluations withdraw these questions. With ``correct``, the right answer, or ``also``, a
        further one, they mend those that end in it. A later erratum about the same replaces it. Raises InputError.

        >>> work.release.add_erratum("no such fact", why="it is not true")
        Traceback (most recent call last):
        kbe_graph.errors.InputError: no kept question has the answer 'no such fact'; ...
        """
        return add_erratum(self._access.store, what, **options)

    def undo_erratum(self, id_: str, *, why: str) -> Erratum:
        """Take an erratum back: the next version treats its questions as if it had never been given.

        It stays on record, with the reason. Raises InputError.

        >>> work.release.undo_erratum("38ebf6b8", why="the first atlas is right")
        Traceback (most recent call last):
        kbe_graph.errors.InputError: say why (`why`) one of these errata is taken back: there is none
        """
        return undo_erratum(self._access.store, id_, why=why)

    def errata(self) -> list[Erratum]:
        """List the mistakes that were recorded, by time, those taken back among them.

        >>> work.release.errata()
        []
        """
        return self._access.store.errata()

    def results(self, name: str, out: Path | str) -> list[Path]:
        """Write the answers and scores of each model on a release to a folder, in the format Every Eval Ever.

        Answers are scored by the rule ``alias``. Raises InputError.

        >>> work.release.results("kitchen", folder / "results")
        []
        """
        return write_results(self._access, read_edition(self._access, name), Path(out))
