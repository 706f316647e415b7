"""Shared parts of the Wikipedia tests: the data folder, and rows of WIT."""

import csv
import gzip
from collections.abc import Iterable, Mapping
from pathlib import Path

WIT = (
    *("language", "page_url", "image_url", "page_title", "section_title", "hierarchical_section_title"),
    *("caption_reference_description", "caption_attribution_description", "caption_alt_text_description"),
    *("mime_type", "original_height", "original_width", "is_main_image", "attribution_passes_lang_id"),
    *("page_changed_recently", "context_page_description", "context_section_description"),
)
ROW = {
    "language": "en",
    "page_url": "https://en.wikipedia.org/wiki/Forth_Bridge",
    "image_url": "https://upload.wikimedia.org/wikipedia/commons/4/4f/Bb-forthrailbridge.jpg",
    "page_title": "Forth Bridge",
    "mime_type": "image/jpeg",
    "is_main_image": "true",
}


def write_wit(file: Path, rows: Iterable[Mapping[str, str]], columns: Iterable[str] = WIT) -> Path:
    """Write rows in the format of WIT, each like ``ROW`` except for the given columns; gzipped if named so."""
    with (
        gzip.open(file, "wt", encoding="utf-8", newline="")
        if file.suffix == ".gz"
        else file.open("w", encoding="utf-8", newline="") as stream
    ):
        writer = csv.DictWriter(stream, list(columns), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(ROW | dict(row) for row in rows)
    return file
