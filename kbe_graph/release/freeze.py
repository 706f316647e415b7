"""Making a version of a release: its questions in parallel forms, its folders, and its record in the graph."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.export.release import Release, make_release
from kbe_graph.export.selection import without_held_back
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import content_of
from kbe_graph.release.packing import PackedItem, head_of, row_of, write_version
from kbe_graph.release.placing import ReleasePlan, place
from kbe_graph.release.statuses import read_reviewed_run, released, withdrawn
from kbe_graph.review.state import read_options
from kbe_graph.text import check_name
from kbe_graph.types import ReleaseRecord


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


def new_release(access: GraphAccess, plan: ReleasePlan) -> Frozen:
    """Make the next version of a release from the kept questions of a run; raises InputError.

    Folders are whole before the graph records the version. Where the command was killed, the next one replaces them.
    """
    store = access.store
    if {"@", "/"} & set(check_name("release", plan.name)):
        raise InputError(f"release {plan.name!r} has an @ or a /; choose another name")
    earlier = [each for each in store.releases() if each.name == plan.name]
    before = {each.question: each for each in store.released(earlier[-1])} if earlier else {}
    reviewed = read_reviewed_run(store, plan.run)
    selection = without_held_back(reviewed.selection, store, keep=before.keys())
    exported = make_release(replace(selection, folders=access.folder.images()), "copy")
    asked = [item.question for item in exported.items]
    options = read_options(store, asked, selection.samples)
    rows = [row_of(item, options[item.id]) for item in exported.items]
    held = [released(row["id"], content_of(row), reviewed, before) for row in rows]
    placed, equate = place(store, asked, held, before, plan)
    of_placed = ((item, row) for item, row in zip(exported.items, rows, strict=True) if row["id"] in placed)
    items = [PackedItem(item, row, placed[row["id"]]) for item, row in of_placed]
    others = withdrawn(before, placed, reviewed)
    of_errata = sum(id_ not in before and why.startswith("erratum ") for id_, why in reviewed.gone.items())
    left_out = Counter(exported.left_out)
    left_out["withdrawn by errata"] += of_errata
    left_out["its pictures or facts are in several forms"] += len(held) - len(placed)
    time = datetime.now(UTC).isoformat(timespec="seconds")
    forms = earlier[-1].forms if earlier else len(plan.shares)
    made = ReleaseRecord(plan.name, len(earlier) + 1, plan.run, time, exported.canary, "", forms)
    canary, hidden = (_canary(exported, f"{made.id} {part}") for part in ("public", "held back"))
    folder = plan.out or access.folder.path / "releases" / f"{plan.name}-{made.version}"
    head = head_of(access, made) | {"left_out": dict(+left_out), "canary": canary}
    private, public = ([each for each in items if each.released.held_back == part] for part in (True, False))
    hidden_others, public_others = ([each for each in others if each.held_back == part] for part in (True, False))
    apart = folder.with_name(f"{folder.name}-held-back") if private else None
    if apart:
        digest = write_version(apart, head | {"part": "held back", "canary": hidden}, private, hidden_others)
        head |= {"held_back": {"questions": len(private), "sha256": digest}}
    digest = write_version(folder, head, public, public_others)
    every = [*placed.values(), *others]
    store.save_release(replace(made, digest=digest), every)
    return Frozen(made.id, folder, Counter(each.status for each in every), +left_out, apart, equate)


def _canary(exported: Release, part: str) -> str:
    """Build the sentence with the GUID of a part of a version, which no other version has."""
    guid = uuid.uuid5(uuid.NAMESPACE_URL, f"{exported.canary} {part}")
    return replace(exported, canary=str(guid)).warning
