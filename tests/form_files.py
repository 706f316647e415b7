"""Opens form files in a browser, and collects what they download."""

import importlib.resources
from pathlib import Path

from playwright.sync_api import Browser, Page


def opened(browser: Browser, form: Path, **options: object) -> tuple[Page, list[str]]:
    """Open a page with a form, and record its faults: errors, and requests that left it."""
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda request: None if request.url[:5] in {"file:", "data:", "blob:"} else wrong.append(request.url)
    )
    page.goto(form.as_uri())
    return page, wrong


def downloaded(page: Page, folder: Path) -> Path:
    """Press ``d``, and save in ``folder`` the file that the form downloads."""
    page.locator("#content").focus()
    page.once("dialog", lambda dialog: dialog.accept())  # it asks for confirmation if items are still open
    with page.expect_download() as download:
        page.keyboard.press("d")
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def grave_faults(page: Page) -> list[tuple[str, str]]:
    """List the serious and critical faults that axe finds on a page."""
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
    return [
        (fault["id"], fault["nodes"][0]["html"]) for fault in violations if fault["impact"] in {"serious", "critical"}
    ]
