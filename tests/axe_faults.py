"""What axe finds on a page."""

import importlib.resources

from playwright.sync_api import Page


def grave_faults(page: Page) -> list[tuple[str, str]]:
    """List the serious and critical faults that axe finds on a page."""
    page.evaluate((importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    violations = page.evaluate("axe.run({resultTypes: ['violations']}).then(result => result.violations)")
    return [
        (fault["id"], fault["nodes"][0]["html"]) for fault in violations if fault["impact"] in {"serious", "critical"}
    ]
