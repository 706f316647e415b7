"""Client of Wikidata's query service: four kinds of SPARQL query, sent in batches, one at a time, and archived."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from string import Template
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.facts.wikidata.archive import Archive, WikidataSettings
from kbe_graph.files.http import WebClient, WebError, WebReply
from kbe_graph.types import Progress

ENTITY = "http://www.wikidata.org/entity/"
LANGUAGES = ("en", "mul")
BATCH = {"find": 25, "kinds": 10, "facts": 25, "names": 200}
_ITEM = re.compile(r"Q[1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_HEADERS = {"accept": "application/sparql-results+json"}


class ResultRow(NamedTuple):
    """A row of an answer: its values by column, and the date when it was fetched."""

    values: Mapping[str, str]
    fetched: str


@cache
def query(name: str) -> Template:
    """Read the query ``name``.rq without comments, so that editing a comment does not invalidate cached answers."""
    text = files("kbe_graph.facts.wikidata").joinpath(f"{name}.rq").read_text(encoding="utf-8")
    return Template("\n".join(line for line in text.splitlines() if not line.startswith("#")))


def literal(text: str, language: str = "") -> str:
    """Format a string as a literal, escaped so that it cannot end early (SPARQL 1.1, sections 19.2 and 19.8)."""
    return json.dumps(text, ensure_ascii=False) + (f"@{language}" if language else "")


def names(labels: Iterable[str]) -> str:
    """Format pairs of a name and its literal in each of ``LANGUAGES``."""
    return " ".join(f"({literal(name)} {literal(name, language)})" for name in labels for language in LANGUAGES)


def items(ids: Iterable[str]) -> str:
    """Format item ids (Q144) as terms; raises InputError for anything else."""
    return " ".join(_term(item, _ITEM) for item in ids)


def properties(ids: Iterable[str]) -> str:
    """Format property ids (P36) as a comma-separated list of terms; raises InputError for anything else."""
    return ", ".join(_term(name, _PROPERTY) for name in ids)


def _term(name: str, form: re.Pattern[str]) -> str:
    if not form.fullmatch(name):
        raise InputError(f"{name!r} is not a Wikidata id; items look like 'Q144', properties like 'P36'")
    return f"wd:{name}"


def item_of(uri: str) -> str:
    """Return the item id of a URI, or an empty string if it is not an item's."""
    name = uri.removeprefix(ENTITY)
    return name if uri.startswith(ENTITY) and _ITEM.fullmatch(name) else ""


class Wikidata:
    """Client that queries only what the archive lacks; the rows of a subject do not depend on the rest of a batch."""

    def __init__(
        self,
        archive: Archive,
        settings: WikidataSettings,
        progress: Progress = lambda *_: None,
        *,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._archive, self._settings, self._progress = archive, settings, progress
        self._client = WebClient(settings.web, service=True, headers=_HEADERS, sleep=sleep)

    def find(self, labels: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the items with each name, as rows of item, match and sitelinks; raises SourceError."""
        return self._rows("find", labels, names)

    def kinds(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of all kinds of each item, as rows of name; raises SourceError."""
        return self._rows("kinds", ids, items)

    def names(self, ids: Iterable[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the names of each item, as rows of name and match; raises SourceError."""
        return self._rows("names", ids, items)

    def facts(self, ids: Iterable[str], protected: Sequence[str]) -> Mapping[str, tuple[ResultRow, ...]]:
        """Return the rows of facts.rq: all properties of each item except protected ones; raises SourceError."""
        return self._rows("facts", ids, items, properties(protected))

    def ask(self, query: str) -> str:
        """Run a SELECT query and return the result as SPARQL 1.1 JSON; raises SourceError."""
        return self._client.text(self._settings.endpoint, {"query": query}, _check_result)

    def _rows(
        self, name: str, subjects: Iterable[str], terms: Callable[[Sequence[str]], str], protected: str = ""
    ) -> Mapping[str, tuple[ResultRow, ...]]:
        subjects = sorted(set(subjects))
        endpoint, offline = self._settings.endpoint, self._settings.offline
        question = f"{name} {sha256(f'{query(name).template} {protected}'.encode()).hexdigest()[:16]}"

        def ask(batch: Sequence[str]) -> tuple[str, str]:
            text = query(name).substitute(names=terms(batch), items=terms(batch), protected=protected)
            return text, self.ask(text)

        hashes = self._archive.complete(
            endpoint, question, subjects, ask, size=BATCH[name], offline=offline, progress=self._progress
        )
        rows_of: dict[str, list[ResultRow]] = {subject: [] for subject in subjects}
        for answer in sorted(set(hashes.values())):
            fetched, body = self._archive.answer(endpoint, answer)
            for binding in json.loads(body)["results"]["bindings"]:
                values = {column: cell["value"] for column, cell in binding.items()}
                about = values["about"].removeprefix(ENTITY)
                if hashes.get(about) == answer:
                    rows_of[about].append(ResultRow(values, fetched[:10]))
        return {subject: tuple(sorted(rows, key=_order)) for subject, rows in rows_of.items()}


def _order(row: ResultRow) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.values.items()))


def _check_result(reply: WebReply) -> None:
    kind = reply.headers.get("content-type", "").partition(";")[0]
    if "json" not in kind:
        raise WebError(f"answered {kind!r}, which is not a SPARQL result; check the address")
    try:
        rows = json.loads(reply.content)["results"]["bindings"]
    except (ValueError, KeyError, TypeError):
        rows = None
    if not isinstance(rows, list):
        raise WebError("sent an incomplete answer, or one that is not a SPARQL result", again=True)
