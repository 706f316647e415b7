"""A report as one self-contained HTML file: styles, script, charts, questions and pictures are inlined."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from kbe_graph import __version__
from kbe_graph.errors import PictureError
from kbe_graph.evaluate.comparisons import SOUGHT
from kbe_graph.evaluate.guessers import RESELECTED_ROW
from kbe_graph.extras import missing_line
from kbe_graph.files.whole import replacing
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.pages.charts import Chart, inline_svg
from kbe_graph.pages.flat_tables import flat_tables
from kbe_graph.pages.headline import headline, judge_text, typical_question
from kbe_graph.pages.page_tables import SECTIONS, absent_sections, page_table
from kbe_graph.pages.report_values import ReportData
from kbe_graph.pages.surface_lines import surface_lines
from kbe_graph.report.question_story import QuestionStory, rule_of
from kbe_graph.report.sample_story import SampleStory
from kbe_graph.statistics.shares import FEWEST
from kbe_graph.types import Triplet
from kbe_graph.web.page_style import page_style

PART = 100  # samples that a page decompresses together, on first access
MOST_BYTES = 32 << 20  # of all pictures in a page
SIDES = (480, 384, 320, 256, 192, 128)  # pixels, the longest side
_QUALITY = 60
_TRIED = 24  # pictures encoded to choose a side
_SIGNS = {"right": "r", "wrong": "w", "": "?"}


def write_page(data: ReportData, charts: Sequence[Chart], file: Path, *, pictures: bool = True) -> None:
    """Write the page of a report; on failure the old file is kept. Raises InputError if it cannot be written."""
    with replacing(file) as stream:
        stream.writelines(page_parts(data, charts, pictures=pictures))


def page_parts(data: ReportData, charts: Sequence[Chart], *, pictures: bool = True) -> Iterator[str]:
    """Yield the page of a report in parts; all data in it is escaped."""
    from jinja2 import Environment
    from markupsafe import Markup

    picture_files, numbers = number_pictures(data.items if pictures else ())
    script = _text("report.js")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    rows, typical = item_index(data), typical_question(data)
    flat = {table.name: page_table(table) for table in flat_tables(data)}
    yield from environment.from_string(_text("report.html")).generate(
        data=data,
        version=__version__,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(page_style("kbe_graph.pages", "report.css")),  # noqa: S704 - our own files
        drawings={chart.name: Markup(inline_svg(chart)) for chart in charts},  # noqa: S704 - names in it are escaped
        charts={chart.name: chart for chart in charts},
        flat=flat,
        headline=headline(data),
        judges=[judge_text(judge) for judge in data.all_judges],
        re_selected=any(row[2] == RESELECTED_ROW for row in rows),
        typical=typical,
        typical_picture=_picture(typical.item) if typical and pictures else "",
        surface_lines=surface_lines(data),
        sections=SECTIONS,
        absent=absent_sections([*flat, *(["items"] if rows else [])]),
        fewest=FEWEST,
        rule_of=rule_of,
        missing={extra: missing_line(extra) for extra in ("figures", "guess")},
        sought=SOUGHT,
        meta=Markup(_json(_meta(data, pictures=pictures))),  # noqa: S704 - see _json
        index=pack(rows),
        parts=(pack(part) for part in item_parts(data, numbers)),
        pictures=map(Markup, picture_parts(encode_pictures(picture_files), PART)) if picture_files else (),
    )


def _picture(item: SampleStory) -> str:
    """Encode the first picture of a sample; empty if it cannot be read or there is none."""
    return next((text for _, text in encode_pictures(item.pictures[:1])), "")


def _text(name: str) -> str:
    return files("kbe_graph.pages").joinpath(name).read_text(encoding="utf-8")


def _meta(data: ReportData, *, pictures: bool) -> dict[str, Any]:
    judge = data.judge if len(data.all_judges) > 1 else ""
    return {"models": data.models, "judge": judge, "part": PART, "has_pictures": pictures}


def _json(value: object) -> str:
    """Serialise a value as JSON that is safe inside a script element."""
    return json.dumps(value).replace("<", "\\u003c")


def item_index(data: ReportData) -> list[list[Any]]:
    """List each question as sample number, id, row, last relation, text, answer and verdicts.

    The verdicts are one letter per model: r, w, ? (not judged) or - (not asked). They are those of the report's judge
    on answers given with the picture.
    """
    return [
        [
            number,
            story.question.id,
            story.row,
            story.question.explored[-1].relation if story.question.hop else "",
            story.question.text,
            story.question.answer,
            _verdicts(story, data.models, data.judge),
        ]
        for number, item in enumerate(data.items)
        for story in item.chain
    ]


def _verdicts(story: QuestionStory, models: Sequence[str], judge: str) -> str:
    signs: dict[str, str] = {}
    for answer in story.answers:
        if answer.variant == "image" and signs.get(answer.model, "?") == "?":
            signs[answer.model] = _SIGNS[answer.verdict if answer.judge == judge else ""]
    return "".join(signs.get(model, "-") for model in models)


def item_parts(data: ReportData, pictures: Mapping[str, Sequence[int]]) -> Iterator[list[dict[str, Any]]]:
    """Yield the samples in parts, in order; ``pictures`` maps sample ids to picture numbers."""
    for start in range(0, len(data.items), PART):
        yield [_item(item, pictures.get(item.sample.id, ())) for item in data.items[start : start + PART]]


def _item(item: SampleStory, pictures: Sequence[int]) -> dict[str, Any]:
    return {
        "id": item.sample.id,
        "images": item.sample.images,
        "pictures": pictures,
        "questions": [_question(story) for story in item.chain],
    }


def _question(story: QuestionStory) -> dict[str, Any]:
    question = story.question
    return {
        "id": question.id,
        "row": story.row,
        "text": question.text,
        "answer": question.answer,
        "aliases": question.aliases,
        "hop": question.hop,
        "key": [_triplet(triplet) for triplet in question.key],
        "answers": [answer[1:] for answer in story.answers],
        "said": [*story.guess_lines, *story.alternative_lines],
    }


def _triplet(triplet: Triplet) -> tuple[str, ...]:
    return triplet.subject.label, triplet.relation, triplet.object.label, triplet.graph, triplet.source


def pack(value: object) -> str:
    """Encode a value as gzipped JSON in base64, which is short and needs no HTML escaping."""
    content = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")


def number_pictures(items: Sequence[SampleStory]) -> tuple[list[Path], Mapping[str, Sequence[int]]]:
    """List the distinct picture files, and map each sample id to the numbers of its pictures."""
    numbers: dict[Path, int] = {}
    by_sample = {
        item.sample.id: [numbers.setdefault(picture, len(numbers)) for picture in item.pictures] for item in items
    }
    return list(numbers), by_sample


def encode_pictures(files: Sequence[Path], most_bytes: int = MOST_BYTES) -> Iterator[tuple[int, str]]:
    """Yield numbered pictures as base64 JPEG, at the largest side at which all are likely to fit ``most_bytes``.

    Pictures that still do not fit are omitted, as are files that are not pictures.
    """
    encoding = _fitting(files, most_bytes)
    size = 0
    with ThreadPoolExecutor() as pool:
        for number, text in enumerate(pool.map(lambda file: _encode(file, encoding), files)):
            size += len(text)
            if size > most_bytes:
                pool.shutdown(cancel_futures=True)
                return
            if text:
                yield number, text


def picture_parts(pictures: Iterable[tuple[int, str]], size: int) -> Iterator[str]:
    """Yield numbered pictures as JSON lists of ``size``, in order; omitted pictures are null."""
    for _, group in groupby(_without_gaps(pictures), key=lambda numbered: numbered[0] // size):
        yield json.dumps([picture for _, picture in group])


def _without_gaps(pictures: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str | None]]:
    due = 0
    for number, picture in pictures:
        yield from ((gap, None) for gap in range(due, number))
        yield number, picture
        due = number + 1


def _fitting(files: Sequence[Path], most_bytes: int) -> Encoding:
    tried = files[:: max(1, len(files) // _TRIED)]
    for side in SIDES:
        encoding = Encoding(side, _QUALITY)
        if sum(len(_encode(file, encoding)) for file in tried) * len(files) <= most_bytes * len(tried):
            break
    return encoding


def _encode(file: Path, encoding: Encoding) -> str:
    try:
        return base64.b64encode(encode_jpeg(file, encoding)).decode("ascii")
    except PictureError:
        return ""
