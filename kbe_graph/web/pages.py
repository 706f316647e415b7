"""What served pages share: the values of a request within limits, links, pictures, templates and style."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from kbe_graph.errors import InputError
from kbe_graph.files.image import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.text import counted, markdown

if TYPE_CHECKING:
    from jinja2 import Environment
    from starlette.requests import Request

LONGEST = 200_000  # maximum bytes of a form
SIZES = {"small": Encoding(side=240, quality=70), "page": Encoding(side=1280, quality=85)}
Given = Mapping[str, str]
T = TypeVar("T")


def page_link(page: str, **values: Any) -> str:
    """Return the address of a page; values that are None are left out.

    >>> page_link("sample", id="own/val/1", run=None)
    '/sample?id=own%2Fval%2F1'
    """
    query = urlencode({name.rstrip("_"): value for name, value in values.items() if value is not None})
    return f"/{page}?{query}" if query else f"/{page}"


def number_of(given: Given, name: str, default: int, *, most: int, least: int = 0) -> int:
    """Parse a whole number from a page's address, clamped to its bounds; anything else gives the default."""
    text = given.get(name, "")
    value = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else default
    return min(max(value, least), most)


async def in_thread(work: Callable[..., T], *values: Any) -> T:
    """Run blocking work in a thread, which is abandoned when the server stops."""
    from anyio import to_thread

    return await to_thread.run_sync(partial(work, *values), abandon_on_cancel=True)


async def pairs_of(request: "Request") -> list[tuple[str, str]]:
    """Return the names and values of a form; raises HTTPException if it is too long or incomplete."""
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect

    body = b""
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > LONGEST:
                raise HTTPException(413, f"a form is limited to {LONGEST} bytes; send less", {"connection": "close"})
    except ClientDisconnect:
        raise HTTPException(400, "the form did not arrive whole; send it again") from None
    return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)


def shown_picture(pictures: Sequence[Path], given: Given) -> tuple[bytes, str]:
    """Return the first picture of ``sample``, or the one at ``number``, and its media type.

    The ``size`` "small" is for lists, "page" for a page with text. Raises InputError if there is none, PictureError.
    """
    if not pictures:
        sample = given.get("sample", "")
        raise InputError(f"no picture of {sample!r} in the folders that its benchmark was loaded with")
    file = pictures[number_of(given, "number", 0, most=len(pictures) - 1)]
    if encoding := SIZES.get(given.get("size", "")):
        return encode_jpeg(file, encoding), "image/jpeg"
    content = publish_picture(file)
    return content, mime_of(content)


def page_style(package: str, name: str) -> str:
    """Return the shared style sheets, followed by a page's own from a package."""
    places = (("kbe_graph.web", "static/design.css"), ("kbe_graph.web", "static/card.css"), (package, name))
    return "".join(files(place).joinpath(file).read_text(encoding="utf-8") for place, file in places)


def page_templates(*packages: str) -> "Environment":
    """Load the page templates of packages, with those shared by all served pages."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([*map(PackageLoader, packages), PackageLoader("kbe_graph.web")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"counted": counted, "markdown": markdown}
    return environment
