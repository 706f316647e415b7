"""The search, and the pages of the entities and relations that it leads to."""

from collections.abc import Iterable
from math import log2

import pandas as pd

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import Explorer, PageView, part_of
from kbe_graph.explorer.overview import hop_names, hops_of
from kbe_graph.explorer.snapshot import Hit, Snapshot
from kbe_graph.text import fold
from kbe_graph.types import RAW
from kbe_graph.web.page_request import Given

LISTED = 100  # entities and relations that a search lists
MOST, NEAR = 50, 15  # rows of a table, and of relations before and after


def search_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the samples, entities and relations that hold all words of ``q``."""
    snapshot, words = explorer.snapshot, given.get("q", "").strip()
    samples = matching_names(snapshot.texts, words.casefold().split())
    entities, relations = (
        matching_names(hits, fold(words).split()) for hits in (snapshot.entities, snapshot.relations)
    )
    part = part_of(samples, given)
    values = {
        "words": words,
        "samples": part._replace(rows=[_row(snapshot, id_, words.casefold().split()) for id_ in part.rows]),
        "entities": entities[:LISTED],
        "entity_count": len(entities),
        "relations": relations[:LISTED],
        "relation_count": len(relations),
    }
    return PageView("search.html", values)


def matching_names(hits: Iterable[Hit], words: list[str]) -> list[str]:
    """Return the names, each once, whose text holds every word; no names without words."""
    if not words:
        return []
    first, *others = words
    return list(
        dict.fromkeys(hit.name for hit in hits if first in hit.text and all(word in hit.text for word in others))
    )


def _row(snapshot: Snapshot, id_: str, words: list[str]) -> tuple[str, str, str, str]:
    """Return a sample's id, the question and answer that hold the words, and their run and hop."""
    place = int(snapshot.samples.id.searchsorted(id_))
    sample = next(snapshot.samples.iloc[[place]].itertuples())
    if all(word in f"{id_} {sample.question} {sample.answer}".casefold() for word in words):
        return id_, str(sample.question), str(sample.answer), ""
    start, end = snapshot.questions["sample"].searchsorted(id_), snapshot.questions["sample"].searchsorted(id_, "right")
    for question in snapshot.questions.iloc[start:end].itertuples():
        holds = all(word in f"{question.text} {question.answer}".casefold() for word in words)
        if question.run != RAW and question.status == "kept" and holds:
            return id_, str(question.text), str(question.answer), f"run {question.run}, hop {question.hop}"
    return id_, str(sample.question), str(sample.answer), ""


def entity_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the entity ``name``, in any spelling that folds to the same. Raises InputError."""
    snapshot, name = explorer.snapshot, fold(given.get("name", ""))
    triplets = snapshot.triplets
    out, into = triplets[triplets.subject == name], triplets[triplets.object == name]
    if out.empty and into.empty:
        raise InputError(f"no entity {given.get('name', '')!r} in any graph; search for a part of its name")
    ids = sorted({*out["sample"].unique(), *into["sample"].unique()})
    answered = snapshot.questions[(snapshot.questions["name"] == name) & (snapshot.questions.status == "kept")]
    values = {
        "name": name,
        "samples": part_of(ids, given),
        "texts": snapshot.own_questions,
        "out": _pairs(out, "object"),
        "out_count": len(out),
        "into": _pairs(into, "subject"),
        "into_count": len(into),
        "answered": answered.head(MOST).to_dict("records"),
        "answered_count": len(answered),
    }
    return PageView("entity.html", values)


def _pairs(triplets: pd.DataFrame, end: str) -> list[tuple[str, str, int]]:
    """Return the most frequent pairs of a relation and the entity at its other end, with their counts."""
    counts = triplets.groupby(["relation", end], observed=True).size().sort_values(ascending=False, kind="stable")
    frame = counts.head(MOST).reset_index(name="times")
    return list(frame.itertuples(index=False, name=None))


def relation_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the relation ``name``, in any spelling that folds to the same. Raises InputError."""
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
        "samples": part_of(sorted(own["sample"].unique()), given),
        "texts": snapshot.own_questions,
    }
    return PageView("relation.html", values)


def entropy(counts: pd.Series) -> float:
    """Return the entropy of the objects of a relation in bits; 0 if the object is always the same."""
    shares = counts / counts.sum()
    return abs(sum(float(share) * log2(share) for share in shares))


def _relations(triplets: pd.DataFrame) -> list[tuple[str, int]]:
    counts = triplets.relation.value_counts().head(NEAR)
    return [(str(name), int(count)) for name, count in counts.items() if count]
