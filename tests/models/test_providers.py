"""Each block of docs/providers.md is taken as it stands, and what a call costs there is known."""

import re
import tomllib
from pathlib import Path

from kbe_graph.models import ModelBook

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^## (.+?)$.*?^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))


def test_the_settings_of_each_provider_are_taken_and_its_price_and_family_known() -> None:
    assert len(BLOCKS) == 13
    for name, block in BLOCKS.items():
        models = tomllib.loads(block)["models"]
        settings = ModelBook(models | {"key": "secret"}, environ={}).settings_for("extract")
        assert settings.price is not None, name
        assert settings.family != "unknown", name
