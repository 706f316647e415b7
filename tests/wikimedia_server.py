"""A local Wikimedia: the Action API over the entities of the data folder, and pictures, with injected faults.

``with serving(data) as server:`` starts one. ``server.url`` is the address to use in place of Wikimedia's
(``WikidataSettings(endpoint=server.url)``), with the paths ``/wikidata``, ``/wikipedia/LANGUAGE``, ``/commons`` and
``/pictures/NAME``.
"""

import gzip
import io
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from PIL import Image
from sparql_server import Fault, running

MOST = 50
"""The maximum number of titles or ids in one request."""

MAXLAG = Fault(200, '{"error": {"code": "maxlag", "info": "7 seconds lagged", "lag": 7}}', "application/json", "5")
REDIRECTS = {"Forth Rail Bridge": "Forth Bridge", "The Eternal City": "Rome"}
SECTIONS = {"Forth Bridge toll": ("Forth Bridge", "Tolls")}
MERGED = {"Q900001": "Q275"}
DISAMBIGUATION = {"Mercury": "Q48397"}
WITHOUT_ITEM = ("Page without item",)


class Asked(NamedTuple):
    """A request: its path, and the parameters of its query or its form."""

    path: str
    values: Mapping[str, str]


class WikimediaServer(ThreadingHTTPServer):
    """Answers from the folder ``wikidata_entities``; without one it only knows the items of ``own``.

    ``faults`` are used first. ``asked``, ``agents`` and ``most_at_once`` record the requests. ``own`` are further
    entities, ``pages`` further titles with their items, ``dead`` the names of deleted pictures. ``heard`` is called
    for each request before it is answered. JSON is compressed for clients that accept it.
    """

    daemon_threads = True

    def __init__(self, data: Path | None = None) -> None:
        self.folder = data / "wikidata_entities" if data else None
        self.faults: list[Fault] = []
        self.asked: list[Asked] = []
        self.agents: list[str] = []
        self.own: dict[str, Mapping[str, Any]] = {}
        self.pages: dict[str, str] = {}
        self.dead: set[str] = set()
        self.heard: Callable[[], object] = object
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def requests(self, action: str) -> list[Mapping[str, str]]:
        """Return the parameters of the requests for an action (``query``, ``wbgetentities``)."""
        return [asked.values for asked in self.asked if asked.values.get("action") == action]

    # Content

    @cached_property
    def entities(self) -> Mapping[str, Mapping[str, Any]]:
        """The complete entities by id."""
        files = sorted(self.folder.glob("Q*.json.gz")) if self.folder else ()
        return {file.name.removesuffix(".json.gz"): json.loads(gzip.decompress(file.read_bytes())) for file in files}

    @cached_property
    def labels(self) -> dict[str, str]:
        """The English labels of everything that is only known by its label."""
        if self.folder is None:
            return {}
        with gzip.open(self.folder / "properties_2016.tsv.gz", "rt", encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
        units = json.loads((self.folder / "units_en.json").read_text(encoding="utf-8"))
        named = json.loads((self.folder / "labels_en.json").read_text(encoding="utf-8"))
        return {row[0]: row[1] for row in rows} | {unit: names[0] for unit, names in units.items()} | named

    def item_of(self, language: str, title: str) -> str:
        """Return the item of a title, empty if there is no such page."""
        known = DISAMBIGUATION.get(title) or self.pages.get(title)
        return known or self.titles.get((f"{language}wiki", title), "")

    @cached_property
    def titles(self) -> Mapping[tuple[str, str], str]:
        """The items of the complete entities by site and title."""
        return {
            (site, link["title"]): id_
            for id_, entity in self.entities.items()
            for site, link in entity["sitelinks"].items()
        }

    # The Action API

    def answer(self, path: str, values: Mapping[str, str]) -> Mapping[str, Any]:
        """Answer a request."""
        if values.get("format") != "json" or values.get("formatversion") != "2" or values.get("maxlag") != "5":
            return _refusal("badvalue", "format=json, formatversion=2 and maxlag=5 are expected")
        names = (values.get("ids") or values.get("titles") or "").split("|")
        if len(names) > MOST:
            return _refusal("toomanyvalues", f"Too many values supplied. The limit is {MOST}.")
        if path == "/wikidata" and values["action"] == "wbgetentities":
            return self._entities(names, values)
        if path.startswith("/wikipedia/") and values.get("prop") == "pageprops":
            return {"batchcomplete": True, "query": self._pages(path.rpartition("/")[2], names)}
        if values.get("prop") == "imageinfo":
            return {"batchcomplete": True, "query": self._files(names)}
        return _refusal("badvalue", f'Unrecognized value for parameter "action": {values.get("action")}')

    def _entities(self, ids: Iterable[str], values: Mapping[str, str]) -> Mapping[str, Any]:
        ids = list(ids)
        if wrong := [id_ for id_ in ids if not (id_[:1] in {"P", "Q"} and id_[1:].isdigit())]:
            return _refusal("no-such-entity", f'Could not find an entity with the ID "{wrong[0]}".')
        return {"entities": {id_: self._entity(id_, values) for id_ in ids}, "success": 1}

    def _entity(self, id_: str, values: Mapping[str, str]) -> Mapping[str, Any]:
        target = MERGED.get(id_, id_)
        whole = self.own.get(target) or self.entities.get(target) or self._thin(target)
        if whole is None:
            return {"id": id_, "missing": ""}
        props = values["props"].split("|")
        languages = values["languages"].split("|")
        info = {"pageid": int(target[1:]), "ns": 0, "title": target, "lastrevid": 7, "modified": "2026-11-01T00:00:00Z"}
        entity: dict[str, Any] = info if "info" in props else {}
        entity |= {name: whole[name] for name in ("type", "id")}
        for name in ("labels", "descriptions"):
            if name in props:
                entity[name] = _in_languages(whole.get(name, {}), languages)
        if "aliases" in props:
            entity["aliases"] = {code: rows for code, rows in whole.get("aliases", {}).items() if code in languages}
        return entity | {name: whole.get(name, {}) for name in ("claims", "sitelinks") if name in props}

    def _thin(self, id_: str) -> Mapping[str, Any] | None:
        """Build an entity of which only the label is known."""
        if id_ not in self.labels:
            return None
        kind = "property" if id_[0] == "P" else "item"
        return {"type": kind, "id": id_, "labels": {"en": {"language": "en", "value": self.labels[id_]}}}

    def _pages(self, language: str, titles: Iterable[str]) -> dict[str, Any]:
        normal = {title: _normal(title) for title in titles}
        targets = {
            title: SECTIONS[title][0] if title in SECTIONS else REDIRECTS.get(title) for title in normal.values()
        }
        last = [targets[title] or title for title in normal.values()]
        redirects = [
            {"from": title, "to": target} | ({"tofragment": SECTIONS[title][1]} if title in SECTIONS else {})
            for title, target in targets.items()
            if target
        ]
        return {
            **({"normalized": _moves(normal)} if _moves(normal) else {}),
            **({"redirects": redirects} if redirects else {}),
            "pages": [self._page(language, title) for title in dict.fromkeys(last)],
        }

    def _page(self, language: str, title: str) -> dict[str, Any]:
        if set(title) & set("<>[]{}|#") or not title:
            return {"title": title, "invalid": True, "invalidreason": "The title contains invalid characters."}
        item = self.item_of(language, title)
        if not item and title not in WITHOUT_ITEM:
            return {"ns": 0, "title": title, "missing": True}
        props = ({"wikibase_item": item} if item else {}) | ({"disambiguation": ""} if title in DISAMBIGUATION else {})
        return {"pageid": len(title), "ns": 0, "title": title, **({"pageprops": props} if props else {})}

    def _files(self, titles: Iterable[str]) -> dict[str, Any]:
        normal = {title: _normal(title) for title in titles}
        pages = [self._file(title) for title in normal.values()]
        return {**({"normalized": _moves(normal)} if _moves(normal) else {}), "pages": pages}

    def _file(self, title: str) -> dict[str, Any]:
        name = title.removeprefix("File:").replace(" ", "_")
        if name in self.dead:
            return {"ns": 6, "title": title, "missing": True, "imagerepository": ""}
        link = '<a href="//commons.wikimedia.org/wiki/User:Ann" title="User:Ann">Ann &amp; Bob</a>'
        texts = {
            "Artist": link,
            "LicenseShortName": "CC BY-SA 4.0",
            "LicenseUrl": "https://creativecommons.org/licenses/by-sa/4.0",
        }
        address = f"{self.url}/pictures/{name}"
        info = {
            "size": 1000,
            "width": 1200,
            "height": 800,
            "url": address,
            "mime": "image/png",
            "thumburl": f"{address}?width=960",
            "thumbwidth": 960,
            "thumbheight": 640,
            "extmetadata": {key: {"value": text, "source": "commons-desc-page"} for key, text in texts.items() if text},
        }
        return {"pageid": len(name), "ns": 6, "title": title, "imagerepository": "local", "imageinfo": [info]}


def _refusal(code: str, info: str) -> Mapping[str, Any]:
    return {"error": {"code": code, "info": info, "docref": "See the API's own page."}, "servedby": "here"}


def _normal(title: str) -> str:
    title = title.replace("_", " ").strip()
    return title[:1].upper() + title[1:]


def _moves(normal: Mapping[str, str]) -> list[Mapping[str, Any]]:
    return [{"fromencoded": False, "from": old, "to": new} for old, new in normal.items() if old != new]


def _in_languages(terms: Mapping[str, Mapping[str, str]], languages: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """Select terms by language; that of all languages or English replaces a missing one."""
    shown = {}
    for language in languages:
        code = next((code for code in (language, "mul", "en") if code in terms), "")
        if code:
            shown[language] = {**terms[code], **({} if code == language else {"for-language": language})}
    return shown


class _Handler(BaseHTTPRequestHandler):
    server: WikimediaServer

    def do_GET(self) -> None:
        self._serve(urlsplit(self.path).query)

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])).decode())

    def _serve(self, form: str) -> None:
        server, path = self.server, unquote(urlsplit(self.path).path)
        values = {name: texts[0] for name, texts in parse_qs(form, keep_blank_values=True).items()}
        with server.lock:
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            server.asked.append(Asked(path, values))
            server.agents.append(self.headers["User-Agent"])
            of_picture = path.startswith("/pictures/")
            fault = server.faults.pop(0) if server.faults and not of_picture else None
        server.heard()
        try:
            self._picture(path) if of_picture else self._action(path, values, fault)
        finally:
            with server.lock:
                server.at_once -= 1

    def _action(self, path: str, values: Mapping[str, str], fault: Fault | None) -> None:
        whole = json.dumps(self.server.answer(path, values), ensure_ascii=False).encode()
        if fault is None or fault.body is None:
            self._send(fault or Fault(200, kind="application/json"), whole)
        else:
            self._send(fault, fault.body.encode())

    def _picture(self, path: str) -> None:
        if (name := path.removeprefix("/pictures/")) in self.server.dead:
            self._send(Fault(404), b"gone")
        else:
            self._send(Fault(200, kind="image/png"), picture(name))

    def _send(self, fault: Fault, body: bytes) -> None:
        if packed := "gzip" in self.headers.get("Accept-Encoding", "") and fault.kind == "application/json":
            body = gzip.compress(body)
        self.send_response(fault.status)
        self.send_header("Content-Type", fault.kind)
        body = body[: len(body) // 2] if fault.body is None else body
        self.send_header("Content-Length", str(len(body)))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if fault.retry_after:
            self.send_header("Retry-After", fault.retry_after)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def picture(name: str) -> bytes:
    """Build a small PNG whose colour depends on the name, so that different names give different pictures."""
    colour = tuple(sum(name.encode()[start::3]) % 256 for start in range(3))
    stream = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(stream, "PNG")
    return stream.getvalue()


@contextmanager
def serving(data: Path | None = None) -> Iterator[WikimediaServer]:
    """Yield a running server over a data folder."""
    with WikimediaServer(data) as server, running(server):
        yield server
