"""The values of a page request, from its address and form, within limits."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from anyio import to_thread
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

LONGEST = 200_000  # maximum bytes of a form
PATIENCE = 10.0  # seconds to receive a form
CLOSE = {"connection": "close"}  # the rest of a form is not read
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
    return await to_thread.run_sync(partial(work, *values), abandon_on_cancel=True)


async def values_of(request: Request) -> Given:
    """Return the values of address and form; raises HTTPException for a form that is too long or incomplete."""
    given = dict(request.query_params)
    if request.method != "POST":
        return given
    return given | dict(await pairs_of(request))


async def pairs_of(request: Request) -> list[tuple[str, str]]:
    """Return the names and values of a form; raises HTTPException if it is too long or incomplete."""
    try:
        async with asyncio.timeout(PATIENCE):
            body = await _body_of(request)
    except TimeoutError:
        raise HTTPException(408, f"the form did not arrive within {PATIENCE:g} seconds; send it again", CLOSE) from None
    except ClientDisconnect:
        raise HTTPException(400, "the form did not arrive whole; send it again", CLOSE) from None
    return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)


async def _body_of(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > LONGEST:
            raise HTTPException(413, f"a form is limited to {LONGEST} bytes; send less", CLOSE)
    return body
