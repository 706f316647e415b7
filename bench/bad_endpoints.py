"""Some seventy kinds of bad endpoint, each acted by a real HTTP server against real runs.

    python bench/bad_endpoints.py [--samples 20] [--hops 2] [--kind WORDS] [--write docs/endpoints.md]

Each row takes the first samples of the packaged demo through extraction and a run in mode ``paper``, while the endpoint
behaves as the row says. Then the endpoint is well again, and the same two calls are made again. A row is good where
each call ends, or stops with a sentence that says what is wrong and what to do, and where in the end there are as many
questions as with an endpoint that was well all the time, and where the endpoint did what the row is called: some call
was answered so, and failed for that where it must. Prints the table; fails where a row is not good.
"""

import argparse
import hashlib
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from scripted import named, nouns, reply

from kbe_graph import KbeError, ModelOptions, Workspace
from kbe_graph.datasets.benchmark import demo_files
from kbe_graph.testing import (
    LoopbackRequest,
    LoopbackResponse,
    LoopbackServer,
    completion,
    connection_reset,
    cut_reply,
    error_response,
    filtered_reply,
    quota_used_up,
    refusal_reply,
    reply_with,
    reply_without_content,
    response_without_choices,
    too_many_requests,
    web_page,
)

SETTINGS = "[models]\nin_flight = 8\ntimeout = 1.5\npatience = 8\n"
RUN = "weather"
GOOD = "a good endpoint"
HARMLESS = 0.9  # of the questions of a good endpoint: a verdict that was missing is a no, and some are lost by it
Bad = Callable[["Exchange"], LoopbackResponse | None]


@dataclass
class Exchange:
    """One request: its step, what a good model says to it, the number of the call, and the seconds since the first."""

    request: LoopbackRequest
    step: str
    value: dict[str, Any]
    number: int
    seconds: float

    @property
    def good(self) -> LoopbackResponse:
        """What a good model answers."""
        return reply_with(json.dumps(self.value))

    def is_nth(self, percent: int) -> bool:
        """Return whether the call is one of so many of a hundred, by its number."""
        return self.number * percent % 100 < percent

    def is_one(self, percent: int) -> bool:
        """Return whether the request is one of so many of a hundred, each time that it comes."""
        return int(hashlib.sha256(f"{self.step} {self.request.text}".encode()).hexdigest()[:8], 16) % 100 < percent


@dataclass
class Weather:
    """The endpoint: as bad as it is told to be."""

    bad: Bad = lambda _: None
    number: int = 0
    begun: float = 0.0
    acted: int = 0
    steps: dict[str, str] = field(default_factory=dict)

    def set(self, bad: Bad) -> None:
        """Begin with other weather."""
        self.bad, self.number, self.begun, self.acted = bad, 0, 0.0, 0

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        self.begun = self.begun or time.monotonic()
        step = self.step_of(request)
        if not step:
            return self.bad(Exchange(request, "", {}, 1, 0.0)) or reply_with('{"ok": true}')
        number, self.number = self.number, self.number + 1
        exchange = Exchange(request, step, reply(step, request.text), number, time.monotonic() - self.begun)
        response = self.bad(exchange)
        self.acted += response is not None
        return response or exchange.good

    def step_of(self, request: LoopbackRequest) -> str:
        """Return the step: its schema's name, which a request without a schema has had once."""
        form = request.json.get("response_format", {})
        name = form.get("json_schema", {}).get("name", "")
        key = hashlib.sha256(request.text.encode()).hexdigest()
        if name and name != "probe":
            self.steps[key] = name
        return self.steps.get(key, "") if name != "probe" else ""


def on(percent: int, response: Callable[[Exchange], LoopbackResponse] | LoopbackResponse) -> Bad:
    """Answer some of the calls so, by their number: the next try may fare better."""
    return lambda exchange: _made(response, exchange) if exchange.is_nth(percent) else None


def stuck(percent: int, response: Callable[[Exchange], LoopbackResponse] | LoopbackResponse) -> Bad:
    """Answer some of the requests so, each time that they come."""
    return lambda exchange: _made(response, exchange) if exchange.is_one(percent) else None


def _made(response: Callable[[Exchange], LoopbackResponse] | LoopbackResponse, exchange: Exchange) -> LoopbackResponse:
    return response if isinstance(response, LoopbackResponse) else response(exchange)


def always(response: Callable[[Exchange], LoopbackResponse] | LoopbackResponse) -> Bad:
    return lambda exchange: _made(response, exchange)


def body(**fields: Any) -> Callable[[Exchange], LoopbackResponse]:
    """Return the good reply with other fields of its body."""
    return lambda exchange: LoopbackResponse(json.dumps(json.loads(exchange.good.content) | fields).encode())


def text(change: Callable[[str], str]) -> Callable[[Exchange], LoopbackResponse]:
    """Return the good reply with its text changed."""
    return lambda exchange: reply_with(change(json.dumps(exchange.value)))


def value(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Exchange], LoopbackResponse]:
    """Return the good reply with its value changed."""
    return lambda exchange: reply_with(json.dumps(change(exchange.value)))


def raw(change: Callable[[bytes], bytes]) -> Callable[[Exchange], LoopbackResponse]:
    """Return the good reply with its body changed."""
    return lambda exchange: replace(exchange.good, content=change(exchange.good.content))


def refused(field_: str, said: str, status: int = 400) -> Bad:
    """Refuse requests with a field; it may be ``response_format.type=json_schema``."""

    def answer(exchange: Exchange) -> LoopbackResponse | None:
        name, _, wanted = field_.partition("=")
        sent: Any = exchange.request.json
        for part in name.split("."):
            sent = sent.get(part) if isinstance(sent, dict) else None
        return error_response(status, said) if sent is not None and wanted in {"", sent} else None

    return answer


def no_pictures(exchange: Exchange) -> LoopbackResponse | None:
    seen = isinstance(exchange.request.json["messages"][-1]["content"], list)
    return (
        error_response(400, "At most 0 image(s) may be provided in one prompt; image input is not supported")
        if seen
        else None
    )


def streamed(response: LoopbackResponse, *, whole: bool = True) -> LoopbackResponse:
    """Return a reply as the chunks of a stream (server-sent events)."""
    reply_body = json.loads(response.content)
    text = reply_body["choices"][0]["message"]["content"]
    parts = [{"choices": [{"delta": {"content": text[at : at + 9]}}]} for at in range(0, len(text), 9)]
    ends = [{"choices": [{"delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": reply_body["usage"]}]
    lines = [f"data: {json.dumps(part)}" for part in [*parts, *ends]] + ["data: [DONE]"]
    chosen = [": processing", *lines] if whole else lines[: len(parts) // 2]
    return LoopbackResponse("\n\n".join(chosen).encode(), headers={"content-type": "text/event-stream"})


def refused_without_stream(exchange: "Exchange") -> LoopbackResponse | None:
    """Answer in a stream alone."""
    if exchange.request.json.get("stream"):
        return streamed(exchange.good)
    return error_response(400, "This model only supports stream mode, please enable the stream parameter")


def soon(exchange: Exchange) -> LoopbackResponse:
    del exchange
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    return error_response(429, "Rate limit reached", retry_after=date)


def once(response: LoopbackResponse) -> Bad:
    return lambda exchange: response if exchange.number == 4 else None


def leaking(name_of: Callable[[str], str]) -> Bad:
    """Name in each new question what a request shows and the question must not say."""

    def answer(exchange: Exchange) -> LoopbackResponse | None:
        if exchange.step != "express":
            return None
        return reply_with(json.dumps({"question": f"What goes with {name_of(exchange.request.text)} in this image?"}))

    return answer


def old_answer(text: str) -> str:
    return named(text, "Answer")


def new_answer(text: str) -> str:
    return named(text, "New triplet").removesuffix(")").rpartition(", ")[2]


def lines_of(exchange: Exchange) -> LoopbackResponse | None:
    """Answer in the paper's lines, with its rationale."""
    if exchange.step != "extract":
        return None
    lines = [
        f"{letter}{number}: ({triplet['s']}, {triplet['r']}, {triplet['o']})"
        for letter, name in (("V", "visual"), ("T", "textual"))
        for number, triplet in enumerate(exchange.value[name], 1)
    ]
    return reply_with("\n".join([*lines, "Rationale:", *(f"{line}, as can be seen" for line in lines)]))


def doubled(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda value: value | ({name: [*value[name], *value[name]]} if name in value else {})


def many(value: dict[str, Any]) -> dict[str, Any]:
    if "visual" not in value:
        return value
    return value | {
        "visual": value["visual"] + [{"s": "IMAGE", "r": "depicts", "o": f"THING {n}"} for n in range(20_000)]
    }


def bent(value: dict[str, Any]) -> dict[str, Any]:
    """Add a field, a broken item and more items than were asked for."""
    if "candidates" in value:
        good = value["candidates"]
        more = [good[0] | {"o": "x" * 300}, {"r": "broken"}, *good[1:], *good, *good]
        return {"candidates": [good[0] | {"certainty": 1}, *more], "reasoning": "so"}
    return value | {"reasoning": "so"}


def marked(value: dict[str, Any]) -> dict[str, Any]:
    return json.loads(json.dumps(value).replace('"DEPICTS', '"\\u0000DEPICTS')) | (
        {"candidates": [fact | {"type": "thing\u0000\u202e"} for fact in value["candidates"]]}
        if "candidates" in value
        else {}
    )


def short(value: dict[str, Any]) -> dict[str, Any]:
    return {"verdicts": value["verdicts"][:-1]} if len(value.get("verdicts", ())) > 1 else value


O_SERIES = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
O_WARMTH = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)
NAMES_OLD, NAMES_NEW = "the question names the old answer", "the question names the new answer"
HALF = raw(lambda content: content[: len(content) // 2])
CUT = LoopbackResponse(b'{"choices": [{"message": {"content": "half', cut=True)
KINDS: dict[str, Bad] = {
    "429 with Retry-After as a date, 20 %": on(20, soon),
    "429 with x-ratelimit-reset-requests alone, 20 %": on(
        20, error_response(429, "slow down", x_ratelimit_reset_requests="500ms")
    ),
    "429 with 'try again in 0.5s', 20 %": on(20, error_response(429, "Please try again in 0.5s.")),
    "429 by count: 25 of each 50 calls, Retry-After 1": lambda exchange: (
        too_many_requests(retry_after=1) if exchange.number % 50 >= 25 else None
    ),
    "429 on 30 %, no header": on(30, too_many_requests()),
    "429 with Retry-After 7200, once": once(too_many_requests(retry_after=7200)),
    "429, request too large for tokens a minute, some requests": stuck(
        20, error_response(429, "Request too large for m on tokens per min (TPM): Limit 30000, Requested 45000")
    ),
    "quota used up": always(quota_used_up()),
    "no such model": always(error_response(404, "The model `scripted` does not exist", code="model_not_found")),
    "wrong key": always(error_response(401, "Incorrect API key", code="invalid_api_key")),
    "500 on 30 %": on(30, error_response(500, "oops")),
    "529 on 30 %": on(30, error_response(529, "Overloaded")),
    "502 page on 30 %": on(30, replace(web_page(), status=502)),
    "503 with Retry-After 1 on 30 %": on(30, error_response(503, "busy", retry_after="1")),
    "500 for ever": always(error_response(500, "oops")),
    "500 for some requests for ever": stuck(10, error_response(500, "oops")),
    "connection reset, 20 %": on(20, connection_reset()),
    "answer cut off in the middle, 20 %": on(20, CUT),
    "no answer in time, 5 %": on(5, LoopbackResponse(delay=3.0)),
    "a page at 200, 20 %": on(20, web_page()),
    "a page at 200 for two seconds": lambda exchange: web_page() if exchange.seconds < 2 else None,
    "a page at 200 for ever": always(web_page()),
    "JSON body cut, 20 %": on(20, HALF),
    "JSON body cut, the same requests": stuck(20, HALF),
    "half a letter in the body": stuck(20, raw(lambda content: content.replace(b'"loopback"', b'"loop\\ud83dback"'))),
    "half a letter in the reply": stuck(20, text(lambda reply: reply.replace('": "', '": "\ud83d', 1))),
    "body nested 5,000 deep, the same requests": stuck(
        20, LoopbackResponse(b'{"choices": ' + b"[" * 5000 + b"]" * 5000 + b"}")
    ),
    "reply nested 50,000 deep, the same requests": stuck(20, text(lambda _: '{"visual": ' + "[" * 50_000)),
    "number of 5,000 digits, the same requests": stuck(
        20, text(lambda reply: '{"n": ' + "9" * 5000 + ", " + reply[1:])
    ),
    "choices [null], ['x'] and {}": on(
        20, lambda exchange: body(choices=([None], ["x"], {})[exchange.number % 3])(exchange)
    ),
    "message a text": on(20, body(choices=[{"message": "x", "finish_reason": "stop"}])),
    "empty choices, 30 %": on(30, response_without_choices()),
    "null content, 30 %": stuck(30, reply_without_content()),
    "cut at the most tokens, 30 %": stuck(30, cut_reply('{"visual": [')),
    "refusal in its field, 30 %": stuck(30, refusal_reply()),
    "refusal in words, 30 %": stuck(30, reply_with("I'm sorry, I can't help with that.")),
    "filter as 400, 30 %": stuck(30, error_response(400, "filtered", code="content_policy_violation")),
    "filter as 403, 30 %": stuck(30, error_response(403, "Your input was flagged: moderation")),
    "403 without a word, some requests": lambda exchange: (
        error_response(403, "Request blocked") if exchange.number > 2 and exchange.is_one(20) else None
    ),
    "filter as finish reason, 30 %": stuck(30, filtered_reply()),
    "cut at the most tokens, always": always(cut_reply('{"visual": [')),
    "400, always": always(error_response(400, "The request is odd")),
    "refusal, always": always(refusal_reply()),
    "no usage": always(body(usage=None)),
    "usage as text, negative, broken": on(
        100,
        lambda exchange: body(usage=({"prompt_tokens": "100"}, {"completion_tokens": -5}, "x")[exchange.number % 3])(
            exchange
        ),
    ),
    "another model's name in the reply": always(body(model="another" * 100)),
    "reply of 20 MB, the same requests": stuck(20, lambda _: completion({"content": "x" * 20_000_000})),
    "20,000 triplets": always(value(many)),
    "triplets double": always(value(doubled("textual"))),
    "ids of the key double": always(value(doubled("key"))),
    "a field, a broken item and items too many": always(value(bent)),
    "one verdict short": always(value(short)),
    NAMES_OLD: leaking(old_answer),
    NAMES_NEW: leaking(new_answer),
    "a stream that nobody asked for": always(lambda exchange: streamed(exchange.good)),
    "a stream that breaks off, 20 %": on(20, lambda exchange: streamed(exchange.good, whole=False)),
    "400 without stream": refused_without_stream,
    "JSON in fences, after thoughts": always(text(lambda reply: f"<think>{{hm</think>\nSure!\n```json\n{reply}\n```")),
    "JSON in single quotes": always(lambda exchange: reply_with(str(exchange.value))),
    "trailing commas": always(text(lambda reply: reply.replace("]}", "],}"))),
    "curly quotes and a BOM": always(text(lambda reply: "\ufeff" + reply.replace('"', "\u201c"))),
    "NUL and right-to-left marks": always(value(marked)),
    "the paper's lines with a rationale": lines_of,
    "422 on seed": refused("seed", "seed: Extra inputs are not permitted", 422),
    "400 on temperature": refused("temperature", O_WARMTH),
    "400 on max_tokens": refused("max_tokens", O_SERIES),
    "400 on json_schema": refused("response_format.type=json_schema", "This response_format type is unavailable now"),
    "400 on seed, without a word": refused("seed", "Bad request"),
    "400 on pictures": no_pictures,
}


SHOWS = {  # kind and beginning of what is said of each call that fails in a row, where some must
    "quota used up": "quota 429",
    "no such model": "model 404",
    "wrong key": "key 401",
    "a page at 200 for ever": "page <!doctype html>",
    "empty choices, 30 %": "no choices {",
    "null content, 30 %": "empty stop",
    "cut at the most tokens, 30 %": "cut length",
    "cut at the most tokens, always": "cut length",
    "refusal in its field, 30 %": "refused I'm sorry",
    "refusal in words, 30 %": "refused the model declined",
    "refusal, always": "refused I'm sorry",
    "filter as 400, 30 %": "filtered 400",
    "filter as 403, 30 %": "filtered 403",
    "403 without a word, some requests": "forbidden 403",
    "400 without stream": "stream 400",
    "a stream that breaks off, 20 %": "broken a stream",
    "filter as finish reason, 30 %": "filtered content_filter",
    "400, always": "request 400",
    "400 on pictures": "images 400",
    NAMES_OLD: "invalid the question names '",
    NAMES_NEW: "invalid the question names '",
}


class Counts(NamedTuple):
    """Samples with a graph, and questions of each hop."""

    extracted: int
    hops: tuple[int, ...]


@dataclass
class Row:
    """What came of one kind: what each command ended with, what there was in the end, and the seconds of both."""

    kind: str
    extract: str = ""
    evolve: str = ""
    healed: str = ""
    is_acted: bool = True
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        """Whether the endpoint did what its name says, each call ended well or with a true sentence, and all healed."""
        return self.is_acted and not self.healed.startswith("no") and "fault" not in self.extract + self.evolve


class Field:
    """A workspace that one row after the other is acted in."""

    def __init__(self, folder: Path, *, samples: int, hops: int) -> None:
        self.folder, self.hops = folder, hops
        files = demo_files()
        lines = files.samples.read_text(encoding="utf-8").splitlines()
        (folder / "demo.jsonl").write_text("\n".join(islice(lines, samples)) + "\n", encoding="utf-8")
        (folder / "kbe.toml").write_text(SETTINGS, encoding="utf-8")
        self.samples = samples
        self.images = files.samples.parent
        self.work = Workspace(folder, progress=False)
        self.weather = Weather()
        self.good: Counts | None = None

    def row(self, kind: str, bad: Bad) -> Row:
        """Act a row from a fresh start."""
        self._clear()
        row, begun = Row(kind), time.monotonic()
        with LoopbackServer(otherwise=self.weather, record=False) as server:
            model = ModelOptions("scripted", base_url=server.url, mode="paper", images=self.images)
            self.weather.set(bad)
            row.extract, row.evolve = self._extract(model), self._evolve(model)
            before = self._counts()
            row.is_acted = kind == GOOD or self._is_acted(kind)
            self.weather.set(lambda _: None)
            again = f"{self._extract(model)} {self._evolve(model)}"
            after = self._counts()
        self.good = self.good or after
        row.healed = self._healed(before, after, again)
        row.seconds = time.monotonic() - begun
        return row

    def _is_acted(self, kind: str) -> bool:
        """Return whether a call was answered badly, and calls failed for what the row is called, where they must."""
        said = [f"{call.kind} {call.message}" for call in self.work.models.failed_calls(10_000)]
        shows = SHOWS.get(kind, "")
        return self.weather.acted > 0 and (not shows or (bool(said) and all(line.startswith(shows) for line in said)))

    def _healed(self, before: Counts, after: Counts, again: str) -> str:
        if not self.good or sum(after.hops) < HARMLESS * sum(self.good.hops) or after.extracted < self.good.extracted:
            return f"no: {again}" if self.good and after < self.good else "no"
        return "-" if before == after else "yes"

    def _extract(self, model: ModelOptions) -> str:
        return said(lambda: extracted(self.work.extract(model=model)))

    def _evolve(self, model: ModelOptions) -> str:
        return said(lambda: self._kept(model))

    def _kept(self, model: ModelOptions) -> str:
        if not self.work.store.sample_ids(status="extracted", limit=1):
            return "nothing to do"
        run = self.work.evolve(model=model, hops=self.hops, run=RUN)
        return "/".join(str(len(run.questions(hop))) for hop in range(1, self.hops + 1))

    def _counts(self) -> Counts:
        extracted = len(self.work.store.sample_ids(status="extracted"))
        hops = range(1, self.hops + 1)
        return Counts(extracted, tuple(len(self.work.store.questions(run=RUN, hop=hop)) for hop in hops))

    def _clear(self) -> None:
        if RUN in {run.name for run in self.work.runs(incomplete=True)}:
            self.work.forget(run=RUN)
        if self.work.samples():
            self.work.forget(benchmark="demo", evolved=True)
        for file in (self.folder / ".kbe").glob("calls.sqlite*"):
            file.unlink()
        self.work.load(self.folder / "demo.jsonl", name="demo", split="demo", images=self.images)


def extracted(outcome: Any) -> str:
    dropped = "".join(f", {count} {reason}" for reason, count in outcome.dropped.items())
    return f"{outcome.kept} of {outcome.samples}{dropped}"


def said(do: Callable[[], str]) -> str:
    """Return what a call ended with: its outcome, the sentence that it stopped with, or a fault of the program."""
    try:
        return do()
    except KbeError as error:
        return f"stops: {error}"
    except Exception as error:  # noqa: BLE001 - what no row may end with
        return f"fault: {type(error).__name__}: {error}"


@contextmanager
def fields(samples: int, hops: int) -> Iterator[Field]:
    """Give a workspace whose first row was a good endpoint."""
    nouns()  # drawn up before the first call
    with tempfile.TemporaryDirectory() as folder:
        place = Field(Path(folder), samples=samples, hops=hops)
        try:
            yield place
        finally:
            place.work.close()


def table(rows: list[Row]) -> str:
    """Return the rows as a table in Markdown."""
    head = [
        "| endpoint | extract | evolve, kept by hop | the same commands heal it | s |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *(f"| {_cells(row)} |" for row in rows)])


def _cells(row: Row) -> str:
    cells = (
        row.kind if row.is_acted else f"{row.kind} (not acted)",
        row.extract,
        row.evolve,
        row.healed,
        f"{row.seconds:.0f}",
    )
    return " | ".join(
        re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1", cell).replace("|", "/").replace("\n", " ") for cell in cells
    )


def main() -> None:
    """Act the rows and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--hops", type=int, default=2)
    parser.add_argument("--kind", default="", help="act only the rows with these words")
    parser.add_argument("--write", type=Path, help="a page whose table between the two marks is replaced")
    args = parser.parse_args()
    with fields(args.samples, args.hops) as place:
        rows = [place.row(GOOD, lambda _: None)]
        if rows[0].extract.startswith("stops"):
            raise SystemExit(f"the good endpoint: {rows[0].extract}")
        for kind, bad in KINDS.items():
            if args.kind in kind:
                rows.append(place.row(kind, bad))
                print(_cells(rows[-1]), file=sys.stderr, flush=True)
    print(table(rows))
    if args.write:
        write(args.write, rows)
    if poor := [row.kind for row in rows if not row.is_good]:
        raise SystemExit(f"not good: {'; '.join(poor)}")


def write(page: Path, rows: list[Row]) -> None:
    """Put the table into a page, between its marks."""
    before, mark, rest = page.read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->")
    page.write_text(f"{before}{mark}{table(rows)}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
