"""Making a version of a release: its questions with their status, its folders, and its record in the graph."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.export.jsonl import record
from kbe_graph.export.release import MARK, ReleaseItem, make_release
from kbe_graph.export.selection import select, with_origins
from kbe_graph.files.whole import replacing_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import content_of, hash_of
from kbe_graph.release.packing import PackedItem, Row, write_folder
from kbe_graph.review.state import first_version
from kbe_graph.text import check_name
from kbe_graph.types import RAW, ReleasedQuestion, ReleaseRecord


@dataclass(frozen=True, slots=True)
class Frozen:
    """A version of a release that was made: its id, its folder, and the number of questions by status.

    ``held_back`` is the folder of the forms that are kept private, if any.
    """

    id: str
    folder: Path
    questions: int
    statuses: Mapping[str, int]
    left_out: Mapping[str, int]
    held_back: Path | None = None


def new_release(access: GraphAccess, name: str, run: str | None, *, out: Path | None = None) -> Frozen:
    """Make the next version of a release from the kept questions of a run; raises InputError."""
    if "@" in check_name("release", name):
        raise InputError(f"release {name!r} has an @, which stands before the version; choose another name")
    store = access.store
    earlier = [each for each in store.releases() if each.name == name]
    chosen = access.choose_run(run)
    if chosen is None:
        raise InputError("there is no run to release; `evolve` makes one")
    selection = with_origins(select(store, run=chosen), store)
    questions = [each for each in selection.questions if each.run != RAW]
    exported = make_release(replace(selection, questions=questions, folders=access.folder.images()), "copy")
    before = {each.question: each for each in store.released(earlier[-1])} if earlier else {}
    rows = [_row(item) for item in exported.items]
    released = [_released(row, before.get(row["id"])) for row in rows]
    made = ReleaseRecord(name, len(earlier) + 1, chosen, _now(), exported.canary, "")
    folder = out or access.folder.path / "releases" / f"{name}-{made.version}"
    head = {"id": made.id, "name": name, "version": made.version, "run": chosen, "created": made.created}
    items = list(map(PackedItem, exported.items, rows, released))
    with replacing_folder(folder, MARK) as part:
        digest = write_folder(part, head | {"canary": exported.warning}, items)
    store.save_release(replace(made, digest=digest), released)
    return Frozen(made.id, folder, len(released), Counter(each.status for each in released), exported.left_out)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _row(item: ReleaseItem) -> Row:
    """Build the line of a question, without its status in the version."""
    pictures = {f"images/{picture.name}": hashlib.sha256(picture.read()).hexdigest() for picture in item.pictures}
    return record(item.sample, item.question) | {
        "id": first_version(item.question.id),
        "options": list(item.form.options),
        "pictures": pictures,
        "licence": item.licence,
    }


def _released(row: Row, before: ReleasedQuestion | None) -> ReleasedQuestion:
    content = content_of(row)
    is_changed = before is not None and before.hash != hash_of(content)
    return ReleasedQuestion(row["id"], "revised" if is_changed else "unchanged", hash_of(content), content)
