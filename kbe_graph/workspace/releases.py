"""``work.release``: frozen, numbered releases of a run."""

from pathlib import Path

from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.freeze import Frozen, new_release
from kbe_graph.types import ReleaseRecord


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

    def new(self, name: str, run: str | None = None, *, out: Path | str | None = None) -> Frozen:
        """Make the next version of a release from the kept questions of a run, and write its folder.

        The run is chosen as in ``work.export``. ``out`` is the folder (default: ``releases/NAME-VERSION`` in the
        workspace). Raises InputError.
        """
        return new_release(self._access, name, run, out=None if out is None else Path(out))
