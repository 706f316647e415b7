"""``work.release``: frozen, numbered releases of a run."""

from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import takes
from kbe_graph.release.freeze import Frozen, new_release
from kbe_graph.release.placing import ReleasePlan
from kbe_graph.release.verify import Verified, read_manifest, verify_folder
from kbe_graph.types import ReleaseRecord
from kbe_graph.workspace.verbs import ReleaseOptions


class Releases:
    """Releases of runs: ``new`` makes the next version of one, ``list`` names those that there are.

    >>> work.release.list()
    []
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def list(self) -> list[ReleaseRecord]:
        """List the versions of all releases by name and version."""
        return self._access.store.releases()

    @takes
    def new(self, name: str, *, options: ReleaseOptions) -> Frozen:
        """Make the next version of a release from the kept questions of a run, and write its folder.

        The run is chosen as in ``work.export``. ``forms`` is the number of parallel forms; ``held_back`` the share of
        questions that are kept private as the last of them, in a folder apart, and are left out of other exports.
        ``mini`` marks a tenth of the questions. Versions that exist never change. Raises InputError.

        >>> work.release.new("kitchen", run="demo", out=folder / "kitchen-1").id
        'kitchen@1'
        """
        run = self._access.choose_run(options.run, incomplete=options.incomplete)
        if run is None:
            raise InputError("there is no run to release; `evolve` makes one")
        plan = ReleasePlan(name, run, options.forms, options.held_back, options.mini, options.out)
        with self._access.reporter.waiting("freezing the questions"):
            return new_release(self._access, plan)

    def verify(self, place: Path | str, *, sha256: str = "") -> Verified:
        """Find each byte of a release's folder that was changed, is missing or was added, with the file and question.

        The folder may be foreign: nothing outside it is read. ``sha256`` is that of its ``release.json`` as its authors
        tell it; without it, the record in this graph counts, if there is one. Raises InputError.

        >>> work.release.verify(folder / "kitchen-1").faults
        ()
        """
        digests = {record.id: record.digest for record in self.list()}
        own = digests.get(read_manifest(Path(place)).id, "")
        return verify_folder(Path(place), sha256=sha256 or own)
