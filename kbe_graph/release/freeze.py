"""Making a version of a release: its questions in parallel forms, its folders, and its record in the graph."""

import uuid
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kbe_graph.brief import brief
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.export.release import Release, make_release
from kbe_graph.export.selection import without_held_back
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import aligned, content_of
from kbe_graph.release.packing import PackedItem, Row, head_of, row_of, write_version
from kbe_graph.release.placing import form_shares, place, shares_wrong
from kbe_graph.release.statuses import read_reviewed_run, released, withdrawn
from kbe_graph.review.state import read_options
from kbe_graph.text import check_name
from kbe_graph.types import ReleasedQuestion, ReleaseRecord


@brief()
@dataclass(frozen=True, slots=True)
class Frozen:
    """A version of a release that was made: its id, its folder, and the number of questions by status.

    ``held_back`` is the folder of the form that is kept private, if any. ``left_out`` counts the questions that are not
    in it, by reason. ``equate`` is why scores on its forms must be equated, empty if they need not be.
    """

    id: str
    folder: Path
    statuses: Mapping[str, int]
    left_out: Mapping[str, int]
    held_back: Path | None = None
    equate: str = ""


def new_release(
    access: GraphAccess,
    name: str,
    run: str,
    *,
    forms: int = 1,
    held_back: float = 0.0,
    mini: bool = False,
    out: Path | None = None,
) -> Frozen:
    """Make the next version of a release from the kept questions of a run; raises InputError.

    ``forms`` is the number of parallel forms, ``held_back`` the share of questions kept private, ``out`` the folder.
    Folders are whole before the graph records the version. Where the command was killed, the next one replaces them.
    """
    store = access.store
    if not name.strip() or set('@/\\"') & set(check_name("release", name)):
        raise InputError(f'release {name!r} is empty, or has one of @ / \\ and "; choose another name')
    earlier = [each for each in store.releases() if each.name == name]
    last = next((each for each in earlier[::-1] if not each.forgotten), None)
    before = {each.question: each for each in store.released(last)} if last else {}
    reviewed = read_reviewed_run(store, run)
    selection = without_held_back(reviewed.selection, store, keep=before.keys())
    exported = make_release(replace(selection, folders=access.folder.images()), "copy")
    asked = [item.question for item in exported.items]
    options = read_options(store, asked, selection.samples)
    rows = [row_of(item, options[item.id]) for item in exported.items]
    before = aligned(before, {row["id"]: content_of(row) for row in rows})
    held = [released(row["id"], content_of(row), reviewed, before) for row in rows]
    shares, wrong = form_shares(forms, held_back), shares_wrong(store, run)
    placed, equate = place(exported.items, held, before, wrong, shares=shares, held_back=held_back, with_mini=mini)
    of_placed = ((item, row) for item, row in zip(exported.items, rows, strict=True) if row["id"] in placed)
    items = [PackedItem(item, row, placed[row["id"]]) for item, row in of_placed]
    others = withdrawn(before, placed, reviewed)
    left_out = Counter(exported.left_out)
    left_out["its pictures or facts are in several forms"] += len(held) - len(placed)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    version, forms = earlier[-1].version + 1 if earlier else 1, last.forms if last else len(shares)
    made = ReleaseRecord(name, version, run, time, exported.canary, "", forms)
    folder = out or access.folder.path / "releases" / f"{name}-{version}"
    _warn_of_public(access, name, {id_ for id_, each in placed.items() if each.held_back})
    head = head_of(access, made) | {"left_out": dict(+left_out)}
    digest, apart = _write_parts(folder, head, exported, items, others)
    every = [*placed.values(), *others]
    if last and set(map(_held_as, every)) == set(map(_held_as, before.values())):
        warnings.warn(f"no question changed since {last.id}", KbeWarning, stacklevel=3)
    store.save_release(replace(made, digest=digest), every)
    return Frozen(made.id, folder, Counter(each.status for each in every), +left_out, apart, equate)


def _held_as(each: ReleasedQuestion) -> tuple[object, ...]:
    """Return what a version says of a question, apart from how it differs from the version before."""
    status = each.status if each.status in {"withdrawn", "uncertain"} else ""
    return each.question, each.hash, status, each.form, each.held_back, each.mini


def _warn_of_public(access: GraphAccess, name: str, private: AbstractSet[str]) -> None:
    """Warn of questions held back that another release has made public."""
    store = access.store
    others = [each for each in store.releases() if each.name != name]
    public = {each.id: {own.question for own in store.released(each) if not own.held_back} for each in others}
    if shown := [id_ for id_, ids in public.items() if ids & private]:
        warnings.warn(f"questions held back are public in {', '.join(shown)}", KbeWarning, stacklevel=4)


def _write_parts(
    folder: Path, head: Row, exported: Release, items: Sequence[PackedItem], others: Sequence[ReleasedQuestion]
) -> tuple[str, Path | None]:
    """Write the part held back, if any, and the public one; return the SHA-256 of this, and the folder of the first."""
    private, public = ([each for each in items if each.released.held_back == part] for part in (True, False))
    hidden, shown = ([each for each in others if each.held_back == part] for part in (True, False))
    apart = folder.with_name(f"{folder.name}-held-back") if private else None
    if apart:
        own = {"part": "held back", "canary": _canary(exported, f"{head['id']} held back")}
        digest = write_version(apart, head | own, private, hidden)
        head = head | {"held_back": {"questions": len(private), "sha256": digest}}
    return write_version(folder, head | {"canary": _canary(exported, f"{head['id']} public")}, public, shown), apart


def _canary(exported: Release, part: str) -> str:
    """Build the sentence with the GUID of a part of a version, which no other version has."""
    guid = uuid.uuid5(uuid.NAMESPACE_URL, f"{exported.canary} {part}")
    return replace(exported, canary=str(guid)).warning
