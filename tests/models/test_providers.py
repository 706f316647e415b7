"""Each block of docs/providers.md against a server that refuses what that provider refuses, and answers as it does."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from loopback_calls import run_work
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, completion, error_response
from PIL import Image

from kbe_graph.models import CallStore, ModelBook, Request
from kbe_graph.models.catalogue import PICTURE_RULES

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^## (.+?)$.*?^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
ANSWER = '{"ok": true}'


class Provider(NamedTuple):
    """Which fields a provider refuses, with what error; where it is asked, and how its usage tells what was kept."""

    refuses: tuple[str, ...] = ()
    error: Callable[[str], LoopbackResponse] = lambda name: error_response(400, f"{name} is not supported", code="")
    path: str = "/v1/chat/completions"
    usage: Mapping[str, Any] = MappingProxyType({})
    key_header: str = "authorization"
    forms: tuple[str, ...] = ("json_schema", "json_object")
    ignores_form: bool = False


def unsupported(name: str) -> LoopbackResponse:
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    return error_response(400, message, code="unsupported_parameter")


def unknown_name(name: str) -> LoopbackResponse:
    message = f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
    return LoopbackResponse(json.dumps([{"error": {"code": 400, "message": message}}]).encode(), 400)


def extra_input(name: str) -> LoopbackResponse:
    detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
    return LoopbackResponse(json.dumps({"object": "error", "message": {"detail": detail}}).encode(), 422)


def unavailable(_: str) -> LoopbackResponse:
    return error_response(400, "This response_format type is unavailable now", code="invalid_request_error")


KEPT = {"prompt_tokens": 2000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 1024}}
PLAIN_USAGE = {"prompt_tokens": 2000, "completion_tokens": 10}
THINKING = ("max_tokens", "temperature")
PROVIDERS = {
    "OpenAI, GPT-4o": Provider(usage=KEPT),
    "OpenAI, o-series": Provider(THINKING, unsupported, usage=KEPT),
    "OpenAI, GPT-5": Provider(THINKING, unsupported, usage=KEPT),
    "Azure OpenAI": Provider(
        path="/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21", usage=KEPT, key_header="api-key"
    ),
    "Anthropic": Provider(usage=PLAIN_USAGE, ignores_form=True),
    "Google": Provider(("seed",), unknown_name, "/v1beta/openai/chat/completions", PLAIN_USAGE),
    "Mistral": Provider(("seed", "max_completion_tokens"), extra_input, usage=PLAIN_USAGE),
    "DeepSeek": Provider(
        (),
        unavailable,
        "/chat/completions",
        {"prompt_tokens": 2000, "completion_tokens": 10, "prompt_cache_hit_tokens": 1024},
        forms=("json_object",),
    ),
    "OpenRouter": Provider(path="/api/v1/chat/completions", usage=PLAIN_USAGE),
    "vLLM with Qwen2.5-VL": Provider(usage=PLAIN_USAGE, key_header=""),
    "vLLM with LLaVA": Provider(usage=PLAIN_USAGE, key_header=""),
    "Ollama": Provider(usage=PLAIN_USAGE, key_header=""),
    "llama.cpp": Provider(usage=PLAIN_USAGE, key_header=""),
}


def acting(provider: Provider) -> Callable[[LoopbackRequest], LoopbackResponse]:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        body = request.json
        for name in provider.refuses:
            if name in body:
                return provider.error(name)
        form = body.get("response_format", {}).get("type")
        if form is not None and form not in provider.forms and not provider.ignores_form:
            return provider.error(form)
        if sum(part["type"] == "image_url" for part in body["messages"][-1]["content"]) > 1:
            return error_response(400, "At most 1 image(s) may be provided in one request.")
        return completion({"content": ANSWER}, usage=provider.usage)

    return answer


def section(name: str, server: LoopbackServer) -> dict[str, Any]:
    """Return [models] of a block, its address moved to the server."""
    models: dict[str, Any] = tomllib.loads(BLOCKS[name])["models"]
    here = f"http://127.0.0.1:{server.port}{urlsplit(models['base_url']).path}"
    return models | {"base_url": here, "key": "secret" if "key" in models else "", "patience": 2.0}


def request_with_picture(folder: Path) -> Request:
    Image.new("RGB", (64, 64), "white").save(folder / "0.png")
    messages = (("system", "Reply with JSON."), ("user", "Is it white?"))
    return Request("extract", messages, SCHEMA, (folder / "0.png",))


def test_the_page_has_a_block_for_each_provider() -> None:
    assert set(BLOCKS) == set(PROVIDERS)


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_settings_of_a_provider_are_taken_by_it(store: CallStore, tmp_path: Path, name: str) -> None:
    provider = PROVIDERS[name]
    request = request_with_picture(tmp_path)
    with LoopbackServer(otherwise=acting(provider)) as server:
        settings = section(name, server)
        reply = run_work(server, store, lambda model: model.ask(request), **settings)
    (asked,) = server.requests
    assert reply.text == ANSWER
    assert asked.path == provider.path
    assert provider.key_header == "" or "secret" in asked.headers[provider.key_header]
    assert reply.usage.cached in {0, 1024}
    assert bool(reply.usage.cached) == ("1024" in str(provider.usage))
    assert asked.json.items() >= settings.get("body", {}).items()


def test_what_a_call_costs_and_a_picture_counts_is_known_of_each_model() -> None:
    for name in PROVIDERS:
        models = tomllib.loads(BLOCKS[name])["models"]
        settings = ModelBook(models | {"key": "secret"}, environ={}).settings_for("extract")
        assert settings.price is not None, name
        known = any(re.search(rule.pattern, settings.model.casefold()) for rule in PICTURE_RULES)
        assert known or name in {"Mistral", "DeepSeek", "OpenRouter", "vLLM with Qwen2.5-VL", "Ollama", "llama.cpp"}, (
            name
        )
        assert settings.family != "unknown", name
