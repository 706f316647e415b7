"""The place of each question in a release: its parallel form, the part that is held back, and the mini set."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kbe_graph.errors import InputError
from kbe_graph.export.release import ReleaseItem
from kbe_graph.facts.pack import pack
from kbe_graph.release.mini import mini
from kbe_graph.release.parallel import FormRow, parallel_forms
from kbe_graph.release.statuses import Before
from kbe_graph.review.state import first_version
from kbe_graph.store import Store
from kbe_graph.types import ReleasedQuestion


def form_shares(forms: int, held_back: float) -> Sequence[float]:
    """Return the share of questions of each form; the last one is held back, if any is."""
    public = max(forms - bool(held_back), 1)
    return [*[(1 - held_back) / public] * public, *[held_back] * bool(held_back)]


def place(
    items: Sequence[ReleaseItem],
    held: Sequence[ReleasedQuestion],
    before: Before,
    wrong: Mapping[str, float],
    *,
    shares: Sequence[float],
    held_back: float,
    with_mini: bool,
) -> tuple[dict[str, ReleasedQuestion], str]:
    """Put questions into forms and the mini set, by id, and say why scores on the forms must be equated.

    Those of the version before stay where they were. Questions that fit into no form are left out. ``wrong`` are the
    shares of wrong answers to questions. Raises InputError for forms that cannot be filled, or other ones than before.
    """
    if before and len(shares) > 1:
        raise InputError("the forms of a release stay as they are in version 1; leave out the options")
    rows = [_form_row(each, item, wrong) for each, item in zip(held, items, strict=True)]
    several = parallel_forms(rows, shares) if len(shares) > 1 else None
    private = {len(shares)} if held_back else {each.form for each in before.values() if each.held_back}
    chosen = {id_ for id_, each in before.items() if each.mini}
    if before:
        form_of = _inherited(held, before)
    else:
        forms = several.forms if several else [[row.id for row in rows]]
        if not all(forms):
            raise InputError(f"{len(rows)} questions do not fill {len(forms)} forms of such shares; choose fewer forms")
        form_of = {id_: number for number, ids in enumerate(forms, start=1) for id_ in ids}
    if with_mini and not chosen:
        chosen = set(mini([row for row in rows if row.id in form_of]))
    placed = {
        each.question: replace(each, form=form, held_back=form in private, mini=each.question in chosen)
        for each in held
        if (form := form_of.get(each.question))
    }
    return placed, several.equate if several else ""


def _inherited(held: Iterable[ReleasedQuestion], before: Before) -> dict[str, int]:
    """Leave each question in its form, and put new ones where their pictures and facts are; into none if in several."""
    homes: dict[str, set[int]] = defaultdict(set)
    sizes = Counter(each.form for each in before.values())
    for each in before.values():
        for tie in _ties(each):
            homes[tie].add(each.form)
    form_of = {id_: each.form for id_, each in before.items()}
    for each in held:
        ties = _ties(each)
        near = {form for tie in ties for form in homes[tie]} or {min(sizes, key=lambda form: (sizes[form], form))}
        if each.question not in form_of and len(near) == 1:
            form_of[each.question] = min(near)
            sizes[min(near)] += 1
            homes |= dict.fromkeys(ties, near)
    return form_of


def _ties(each: ReleasedQuestion) -> frozenset[str]:
    """Return the pictures and the facts of a question, no two forms of which may be the same."""
    content = json.loads(each.content)
    facts = (step for step in content["key"] if step["graph"] == "textual")
    return frozenset(content["pictures"]) | {f"{f['subject']}|{f['relation']}|{f['object']}" for f in facts}


def _form_row(each: ReleasedQuestion, item: ReleaseItem, wrong: Mapping[str, float]) -> FormRow:
    question, category = item.question, item.sample.category
    family, shape = pack().family(question.key[-1].relation), question.shape or question.kind
    depth, answer = question.difficulty, question.answer
    return FormRow(each.question, _ties(each), shape, depth, family, answer, wrong.get(each.question), category)


def shares_wrong(store: Store, run: str) -> dict[str, float]:
    """Compute the share of wrong answers to each question of a run that was answered with its picture."""
    wrong = defaultdict(list)
    for each in store.predictions(run=run):
        if each.variant == "image" and each.verdict:
            wrong[first_version(each.question)].append(each.verdict == "wrong")
    return {id_: sum(own) / len(own) for id_, own in wrong.items()}
