"""Parsing of Wikidata entities, from the Action API, Special:EntityData or a dump, to items and statements."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from kbe_graph.errors import DatasetError
from kbe_graph.facts.wikidata.value_text import (
    NO_UNIT,
    ONE,
    coordinate_text,
    language_chain,
    quantity_text,
    time_text,
)
from kbe_graph.text import on_one_line
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.types.wiki import Rank, ValueKind

EntityJson = Mapping[str, Any]
"""An entity as JSON: ``id``, ``labels``, ``descriptions``, ``aliases``, ``claims``, ``sitelinks``."""

LIMITS = ("P582", "P518", "P585")
"""Qualifiers that end or restrict a statement: end time, applies to part, point in time."""
INSTANCE_OF = "P31"

_NO_LABELS: Mapping[str, str] = MappingProxyType({})
_ID = re.compile(r"[QP][1-9]\d*")
# Dumps from before 2015 give no datatype.
_DATATYPES = {
    "wikibase-entityid": "wikibase-item",
    "globecoordinate": "globe-coordinate",
    **{name: name for name in ("string", "time", "quantity", "monolingualtext")},
}
_MEDIA = {"commonsMedia", "localMedia"}


def read_entities(answer: Mapping[str, Any], source: str) -> Mapping[str, EntityJson]:
    """Parse an answer to entities by requested id; raises DatasetError.

    An answer has several entities (``entities``) or is a single one, such as a line of a dump. A merged entity is
    listed under both ids.
    """
    entities = answer["entities"] if "entities" in answer else {entity_id(answer): answer}
    if not isinstance(entities, Mapping) or not all(isinstance(entity, Mapping) for entity in entities.values()):
        raise DatasetError(source, f"'entities' is {str(entities)[:60]!r}; it must be an object of entities by id")
    by_id: dict[str, EntityJson] = {}
    for asked, entity in entities.items():
        redirect = _object(entity.get("redirects")).get("from", asked)
        by_id |= {name: entity for name in (_text(entity, "id"), asked, redirect) if name}
    return by_id


def entity_id(entity: EntityJson) -> str:
    """Return the id of an entity (Q275); raises DatasetError if it has none."""
    name = entity.get("id")
    if not isinstance(name, str) or not name:
        raise DatasetError("entity", f"'id' is {name!r}; each entity needs one, such as 'Q275'")
    return name


def is_missing(entity: EntityJson) -> bool:
    """Return True if Wikidata has no entity with this id, or has deleted it."""
    return "missing" in entity


def read_item(
    entity: EntityJson,
    labels: Mapping[str, str] = _NO_LABELS,
    *,
    language: str = "en",
    source: str = "",
    fetched: str = "",
) -> WikiItem:
    """Build the item of an entity; raises DatasetError.

    ``labels`` has the labels of the items that it is an instance of.
    """
    aliases = _object(entity.get("aliases"))
    names = [*aliases.get(language, ()), *aliases.get("mul", ())]
    kinds = tuple(dict.fromkeys(_kinds(entity)))
    return WikiItem(
        id=entity_id(entity),
        label=english_label(entity, language=language),
        description=_in_language(entity.get("descriptions"), language),
        aliases=tuple(on_one_line(str(_object(name).get("value", ""))) for name in names),
        kinds=kinds,
        kind_labels=tuple(labels.get(kind, "") for kind in kinds),
        sitelinks=len(_object(entity.get("sitelinks"))),
        revision=str(entity.get("lastrevid", "")),
        modified=str(entity.get("modified", "")),
        source=source,
        fetched=fetched,
    )


def english_label(entity: EntityJson, *, language: str = "en") -> str:
    """Return an entity's label in a language, or in one that can replace it (mul, en-gb); empty if there is none."""
    return _in_language(entity.get("labels"), language)


def read_statements(
    entity: EntityJson, labels: Mapping[str, str] = _NO_LABELS, *, language: str = "en"
) -> tuple[WikiStatement, ...]:
    """Parse all statements of an entity, by property number, then in their given order; raises DatasetError.

    ``labels`` has the labels of properties, items and units.
    """
    item = entity_id(entity)
    words = _Labels(labels, language)
    claims = _claims(entity)
    return tuple(
        _statement(item, claim, best, words)
        for name in sorted(claims, key=_number)
        for claim, best in _with_best(claims[name])
    )


def named_ids(entity: EntityJson) -> frozenset[str]:
    """Return the ids of the properties, values and units in an entity's statements, whose labels are needed."""
    snaks = [claim["mainsnak"] for claim in chain.from_iterable(_claims(entity).values())]
    ids = chain.from_iterable(
        (_text(snak, "property"), _target(_value(snak)), _unit_id(_value(snak))) for snak in snaks
    )
    return frozenset(name for name in ids if _ID.fullmatch(name)) - NO_UNIT


class _Labels(NamedTuple):
    """The labels by id and the language that values are worded with."""

    labels: Mapping[str, str]
    language: str


class _Value(NamedTuple):
    """A value in words: its kind, the item if it is one, its text, and its unit."""

    kind: ValueKind
    target: str = ""
    text: str = ""
    unit: str = ""


def _statement(item: str, claim: EntityJson, best: bool, words: _Labels) -> WikiStatement:
    snak = claim["mainsnak"]
    name, value = _text(snak, "property"), _read_value(snak, words)
    raw = _value(snak)
    return WikiStatement(
        id=_text(claim, "id"),
        item=item,
        property_id=name,
        relation=words.labels.get(name, ""),
        datatype=_datatype(snak),
        kind=value.kind,
        target=value.target,
        text=on_one_line(value.text),
        raw="" if raw is None else json.dumps(raw, ensure_ascii=False, sort_keys=True, separators=(",", ":")),
        unit=value.unit,
        rank=_rank(claim),
        best=best,
        current=not any(_limits(claim)),
    )


def _read_value(snak: EntityJson, words: _Labels) -> _Value:
    kind = _NO_VALUE.get(_text(snak, "snaktype"))
    value = _value(snak)
    read = _READERS.get(_text(_object(snak.get("datavalue")), "type"))
    if kind is not None or read is None:
        return _Value(kind or "other")
    if isinstance(value, str):
        return _Value("media" if _datatype(snak) in _MEDIA else "text", text=value)
    return read(_object(value), words)


def _read_target(value: EntityJson, words: _Labels) -> _Value:
    target = _target(value)
    return _Value("item" if target[:1] == "Q" else "other", target, words.labels.get(target, ""))


def _read_quantity(value: EntityJson, words: _Labels) -> _Value:
    unit = _unit_id(value)
    name = ONE if unit in NO_UNIT else words.labels.get(unit, "")
    return _Value("quantity", text=quantity_text(_text(value, "amount"), name), unit=name)


def _read_time(value: EntityJson, _: _Labels) -> _Value:
    precision = value.get("precision")
    return _Value("time", text=time_text(_text(value, "time"), precision) if isinstance(precision, int) else "")


def _read_coordinate(value: EntityJson, _: _Labels) -> _Value:
    return _Value("coordinate", text=coordinate_text(value))


def _read_text(value: EntityJson, words: _Labels) -> _Value:
    spoken = value.get("language") in language_chain(words.language)
    return _Value("text", text=_text(value, "text") if spoken else "")


_NO_VALUE: Mapping[str, ValueKind] = {"somevalue": "unknown", "novalue": "none"}
_READERS: Mapping[str, Callable[[EntityJson, _Labels], _Value]] = {
    "wikibase-entityid": _read_target,
    "quantity": _read_quantity,
    "time": _read_time,
    "globecoordinate": _read_coordinate,
    "monolingualtext": _read_text,
    "string": _read_text,
}


def _value(snak: EntityJson) -> Any:
    return _object(snak.get("datavalue")).get("value")


def _target(value: object) -> str:
    entity = _object(value)
    letter = {"item": "Q", "property": "P"}.get(str(entity.get("entity-type")), "")
    name = entity.get("id", f"{letter}{entity.get('numeric-id')}" if letter else "")
    return name if isinstance(name, str) and _ID.fullmatch(name) else ""


def _unit_id(value: object) -> str:
    quantity = _object(value)
    return str(quantity.get("unit", ONE)).rpartition("/")[2] if "amount" in quantity else ""


def _datatype(snak: EntityJson) -> str:
    return str(snak.get("datatype") or _DATATYPES.get(str(_object(snak.get("datavalue")).get("type")), ""))


def _rank(claim: EntityJson) -> Rank:
    rank: Any = claim.get("rank", "normal")
    if rank not in get_args(Rank):
        raise DatasetError(
            f"statement {_text(claim, 'id')}", f"'rank' is {rank!r}; it must be preferred, normal or deprecated"
        )
    return rank  # type: ignore[no-any-return]


def _with_best(claims: Iterable[EntityJson]) -> Iterator[tuple[EntityJson, bool]]:
    ranked = [(claim, _rank(claim)) for claim in claims]
    best = "preferred" if any(rank == "preferred" for _, rank in ranked) else "normal"
    yield from ((claim, rank == best) for claim, rank in ranked)


def _limits(claim: EntityJson) -> Iterator[str]:
    qualifiers = _object(claim.get("qualifiers"))
    for name in LIMITS:
        if any(_text(_object(snak), "snaktype") != "novalue" for snak in qualifiers.get(name, ())):
            yield name


def _kinds(entity: EntityJson) -> Iterator[str]:
    for claim, best in _with_best(_claims(entity).get(INSTANCE_OF, ())):
        if best and not any(_limits(claim)) and (kind := _target(_value(claim["mainsnak"]))):
            yield kind


def _claims(entity: EntityJson) -> Mapping[str, tuple[EntityJson, ...]]:
    return {name: tuple(_checked(entity, name, claims)) for name, claims in _object(entity.get("claims")).items()}


def _checked(entity: EntityJson, name: str, claims: object) -> Iterator[EntityJson]:
    for claim in claims if isinstance(claims, list) else (claims,):
        if not isinstance(claim, Mapping) or not isinstance(claim.get("mainsnak"), Mapping):
            problem = f"{name!r} holds {str(claim)[:60]!r}, which is not a statement; fetch the entity again"
            raise DatasetError(f"entity {entity_id(entity)}", problem)
        yield claim


def _in_language(texts: object, language: str) -> str:
    by_language = _object(texts)
    rows = (_object(by_language.get(code)) for code in language_chain(language))
    return next((on_one_line(str(row["value"])) for row in rows if row.get("value")), "")


def _text(values: EntityJson, key: str) -> str:
    return str(values.get(key, ""))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _number(name: str) -> tuple[int, str]:
    return (int(name[1:]) if _ID.fullmatch(name) else 0), name
