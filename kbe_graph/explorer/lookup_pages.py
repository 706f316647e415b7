"""The search page, and the pages of entities and relations."""

import re
from collections.abc import Iterable, Sequence
from math import log2
from typing import TypeVar

import pandas as pd
from markupsafe import Markup

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import Explorer, ListPart, PageView, part_of
from kbe_graph.explorer.gallery import sample_cards, with_pictures
from kbe_graph.explorer.overview import hop_names, hops_of
from kbe_graph.explorer.snapshot import Hit, QuestionHit
from kbe_graph.text import fold
from kbe_graph.web.page_request import Given

Found = TypeVar("Found", Hit, QuestionHit)

LISTED = 100  # maximum entities and relations listed by a search
MARK = Markup("<mark>{}</mark>")
MOST, NEAR = 50, 15  # maximum rows of a table, and of relations before and after


def search_page(explorer: Explorer, given: Given) -> PageView:
    """List the questions, entities and relations that contain all words of ``q``."""
    snapshot, words = explorer.snapshot, given.get("q", "").strip()
    entities, relations = (
        [hit.name for hit in matching(hits, fold(words).split())] for hits in (snapshot.entities, snapshot.relations)
    )
    questions = sorted(matching(snapshot.texts, words.casefold().split()), key=lambda asked: asked.sample)
    values = {
        "words": words,
        "questions": part_of(questions, given),
        "entities": entities[:LISTED],
        "entity_count": len(entities),
        "relations": relations[:LISTED],
        "relation_count": len(relations),
    }
    return PageView("search.html", values)


def matching(hits: Iterable[Found], words: list[str]) -> list[Found]:
    """Return the hits whose folded text contains every word; empty without words."""
    if not words:
        return []
    first, *others = words
    return [hit for hit in hits if first in hit.folded and all(word in hit.folded for word in others)]


def marked_words(text: str, words: str) -> Markup:
    """Return a text as HTML with the searched words marked.

    >>> print(marked_words("Is <b> a dog?", "DOG b"))
    Is &lt;<mark>b</mark>&gt; a <mark>dog</mark>?
    """
    pattern = "|".join(map(re.escape, sorted(words.split(), key=len, reverse=True)))
    pieces = re.split(f"({pattern})", text, flags=re.IGNORECASE) if pattern else [text]
    return Markup("").join(MARK.format(piece) if place % 2 else piece for place, piece in enumerate(pieces))


def entity_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the entity ``name``, in any spelling that folds to the same. Raises InputError."""
    snapshot, name = explorer.snapshot, fold(given.get("name", ""))
    triplets = snapshot.triplets
    out, into = triplets[triplets.subject == name], triplets[triplets.object == name]
    if out.empty and into.empty:
        raise InputError(f"no entity {given.get('name', '')!r} in any graph; search for a part of its name")
    ids = sorted({*out["sample"].unique(), *into["sample"].unique()})
    answered = snapshot.questions[(snapshot.questions["name"] == name) & (snapshot.questions.status == "kept")]
    values = {
        "name": name,
        "samples": _sample_part(explorer, ids, given),
        "out": _pairs(out, "object"),
        "out_count": len(out),
        "out_pairs": out.groupby(["relation", "object"], observed=True).ngroups,
        "into": _pairs(into, "subject"),
        "into_count": len(into),
        "into_pairs": into.groupby(["relation", "subject"], observed=True).ngroups,
        "answered": answered.head(MOST).to_dict("records"),
        "answered_count": len(answered),
    }
    return PageView("entity.html", values)


def _sample_part(explorer: Explorer, ids: Sequence[str], given: Given) -> ListPart:
    part, samples = part_of(ids, given), explorer.snapshot.samples
    return part._replace(rows=with_pictures(explorer, sample_cards(samples[samples.id.isin(part.rows)])))


def _pairs(triplets: pd.DataFrame, end: str) -> list[tuple[str, str, int]]:
    counts = triplets.groupby(["relation", end], observed=True).size().sort_values(ascending=False, kind="stable")
    frame = counts.head(MOST).reset_index(name="times")
    return list(frame.itertuples(index=False, name=None))


def relation_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the relation ``name``, in any spelling that folds to the same. Raises InputError."""
    snapshot, name = explorer.snapshot, fold(given.get("name", ""))
    triplets = snapshot.triplets
    own = triplets[triplets.relation == name]
    if own.empty:
        raise InputError(f"no relation {given.get('name', '')!r} in any graph; search for a part of its name")
    objects = own.object.value_counts()
    objects = objects[objects > 0]
    counts = hop_names(own).value_counts()
    values = {
        "name": name,
        "triplets": len(own),
        "places": [(column, int(counts.get(column, 0))) for column in hops_of(triplets)],
        "objects": [(other, int(count), count / len(own)) for other, count in objects.head(MOST).items()],
        "object_count": len(objects),
        "bits": entropy(objects),
        "before": _relations(triplets[triplets.end.isin(own.start)]),
        "after": _relations(triplets[triplets.start.isin(own.end)]),
        "samples": _sample_part(explorer, sorted(own["sample"].unique()), given),
    }
    return PageView("relation.html", values)


def entropy(counts: pd.Series) -> float:
    """Compute the entropy of a relation's objects in bits; 0 if the object is always the same."""
    shares = counts / counts.sum()
    return abs(sum(float(share) * log2(share) for share in shares))


def _relations(triplets: pd.DataFrame) -> list[tuple[str, int]]:
    counts = triplets.relation.value_counts().head(NEAR)
    return [(str(name), int(count)) for name, count in counts.items() if count]
