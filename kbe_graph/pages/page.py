"""Writes a report as one HTML file that asks for nothing from outside: styles, script, drawings and pictures in it."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from kbe_graph import __version__
from kbe_graph.evaluate.comparisons import SOUGHT
from kbe_graph.files.whole import replacing
from kbe_graph.pages.charts import Chart, inline_svg
from kbe_graph.pages.flat_tables import cell_text, flat_tables
from kbe_graph.pages.item_payload import PART, item_index, item_parts, pack
from kbe_graph.pages.page_pictures import encode_pictures, number_pictures, picture_parts
from kbe_graph.pages.report_values import ReportData


def write_page(data: ReportData, charts: Sequence[Chart], file: Path, *, pictures: bool = True) -> None:
    """Write the page of a report; a failure leaves what was there. Raises InputError where it cannot be written."""
    with replacing(file) as stream:
        stream.writelines(page_parts(data, charts, pictures=pictures))


def page_parts(data: ReportData, charts: Sequence[Chart], *, pictures: bool = True) -> Iterator[str]:
    """Give the page of a report, part by part. Whatever data holds stands in it as text alone."""
    from jinja2 import Environment
    from markupsafe import Markup

    picture_files, numbers = number_pictures(data.items if pictures else ())
    script = _text("report.js")
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    rows = item_index(data)
    yield from environment.from_string(_text("report.html")).generate(
        data=data,
        version=__version__,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(_text("report.css")),  # noqa: S704 - our own file
        drawings={chart.name: Markup(inline_svg(chart)) for chart in charts},  # noqa: S704 - names in it are escaped
        charts={chart.name: chart for chart in charts},
        flat={table.name: table for table in flat_tables(data)},
        cell_text=cell_text,
        sought=SOUGHT,
        questions=len(rows),
        meta=Markup(_json({"models": data.models, "part": PART, "has_pictures": pictures})),  # noqa: S704 - see _json
        index=pack(rows),
        parts=(pack(part) for part in item_parts(data, numbers)),
        pictures=map(Markup, picture_parts(encode_pictures(picture_files), PART)) if picture_files else (),
    )


def _text(name: str) -> str:
    return files("kbe_graph.pages").joinpath(name).read_text(encoding="utf-8")


def _json(value: object) -> str:
    """Return a value as JSON that stands in a script element, which no text in it can end."""
    return json.dumps(value).replace("<", "\\u003c")
