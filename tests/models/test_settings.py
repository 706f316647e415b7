import tomllib

import pytest

from kbe_graph.errors import ConfigError
from kbe_graph.models import ModelBook, Usage
from kbe_graph.models.catalogue import FREE, Price, family_of, price_of

FILE = tomllib.loads(
    """
    model = "gpt-4o"
    temperature = 0.5
    drop = ["seed"]
    [judge]
    model = "claude-sonnet-4-5"
    base_url = "https://judge.example/v1/"
    key = "$JUDGE_KEY"
    requests_per_minute = 50
    [express]
    temperature = 1.0
    """
)
KEYS = {"OPENAI_API_KEY": "o", "JUDGE_KEY": "j", "JUDGE_URL": "https://judge.example/"}


def test_each_step_has_its_own_settings() -> None:
    book = ModelBook(FILE, environ=KEYS)
    extract, express, judge = (book.settings_for(step) for step in ("extract", "express", "judge"))
    assert (extract.model, extract.base_url, extract.key) == ("gpt-4o", "https://api.openai.com/v1", "o")
    assert (extract.temperature, express.temperature) == (0.5, 1.0)
    assert (extract.drop, judge.drop) == (["seed"], ["seed"])
    assert (judge.model, judge.base_url, judge.key) == ("claude-sonnet-4-5", "https://judge.example/v1", "j")
    assert (extract.family, judge.family) == ("gpt", "claude")
    assert judge.requests_per_minute == 50


def test_a_flag_wins_over_our_variables_these_over_the_file_that_over_foreign_ones() -> None:
    for flags, environ, model in [
        ({"model": "flag"}, {"KBE_MODEL": "ours", "OPENAI_MODEL": "foreign"}, "flag"),
        ({}, {"KBE_MODEL": "ours", "OPENAI_MODEL": "foreign"}, "ours"),
        ({}, {"OPENAI_MODEL": "foreign"}, "gpt-4o"),
    ]:
        assert ModelBook(FILE, flags=flags, environ=KEYS | environ).settings_for("extract").model == model, (
            flags,
            environ,
            model,
        )


def test_no_key_is_sent_to_another_endpoint_than_its_own() -> None:
    section = {"model": "m", "key": "secret", "judge": {"base_url": "https://other.example/v1", "model": "n"}}
    book = ModelBook(section, flags={"key": "flag"}, environ={"KBE_API_KEY": "k", "OPENAI_API_KEY": "o"})
    with pytest.raises(ConfigError, match="no key for 'https://other"):
        book.settings_for("judge").require_key()


def test_a_key_of_the_environment_goes_only_to_an_address_of_the_environment_or_the_command() -> None:
    theirs, mine = "http://127.0.0.1:8000/v1", {"KBE_API_KEY": "k", "OPENAI_API_KEY": "o"}
    for section in (
        {"model": "m", "base_url": theirs},
        {"model": "m", "base_url": theirs, "key": "$OPENAI_API_KEY"},
        {"judge": {"model": "m", "base_url": theirs, "key": "$OPENAI_API_KEY"}},
    ):
        assert not ModelBook(section, environ=mine).settings_for("judge").key
        assert ModelBook(section, environ=mine | {"KBE_BASE_URL": theirs}).settings_for("judge").key
    openrouter = {"model": "m", "base_url": "https://openrouter.ai/api/v1"}
    assert not ModelBook(openrouter, environ=mine).settings_for("judge").key
    assert not ModelBook(openrouter | {"key": "$HF_TOKEN"}, environ={"HF_TOKEN": "h"}).settings_for("judge").key
    own = ModelBook(openrouter | {"key": "$OPENROUTER_API_KEY"}, environ=mine | {"OPENROUTER_API_KEY": "r"})
    assert (own.settings_for("judge").key, ModelBook({"model": "m"}, environ=mine).settings_for("x").key) == ("r", "k")
    assert ModelBook({"model": "m"}, flags={"base_url": theirs}, environ=mine).settings_for("judge").key == "k"
    assert ModelBook({"model": "m", "base_url": theirs, "key": "own"}, environ=mine).settings_for("judge").key == "own"


def test_what_makes_no_sense_is_told() -> None:
    for section, words in [
        ({}, "no model for step 'extract'"),
        ({"model": "m", "temprature": 1}, "no setting 'temprature'"),
        ({"model": "m", "judge": {"colour": 1}}, "\\[models.judge\\]: no setting 'colour'"),
        ({"model": "m", "key": "k", "base_url": "host/v1"}, "is not an address"),
        ({"model": "m", "key": "k", "in_flight": 0}, "in_flight 0 must be a number above zero"),
        ({"model": "m", "key": "k", "timeout": "9"}, "timeout '9' must be a number"),
        ({"model": "m", "key": "k", "drop": "seed"}, "drop 'seed' must be a list of max_tokens"),
        ({"model": "m", "key": "k", "drop": ["sound"]}, "sound"),
        ({"model": "m", "key": "k", "price": {"input": 1}}, "is not a price"),
        ({"model": "m", "key": "k", "price": {"input": 1, "output": -1}}, "negative price"),
    ]:
        with pytest.raises(ConfigError, match=words):
            ModelBook(section, environ={}).settings_for("extract")


def test_a_server_on_this_machine_needs_no_key_and_only_a_gateway_to_sold_models_has_their_price() -> None:
    for model, price in [
        ("m", FREE),
        ("openai/gpt-oss-20b", FREE),
        ("deepseek-ai/DeepSeek-V3.2", FREE),
        ("openai/gpt-4o", price_of("gpt-4o")),
        ("claude-sonnet-4-5", price_of("claude-sonnet-4-5")),
        ("gpt-4-unheard-of", None),
    ]:
        section = {"model": model, "base_url": "http://localhost:8000/v1"}
        settings = ModelBook(section, environ={}).settings_for("extract")
        assert (settings.key, settings.price) == ("", price), model
    own = ModelBook({**section, "price": {"input": 0, "output": 0}}, environ={}).settings_for("extract")
    assert own.price == FREE


def test_a_family_is_told_by_the_name() -> None:
    for model, family in [
        ("gpt-4o-2024-08-06", "gpt"),
        ("anthropic/claude-sonnet-4", "claude"),
        ("meta-llama/Llama-3.2-11B-Vision-Instruct", "llama"),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen"),
        ("llava-onevision-qwen2-7b", "qwen"),
        ("my-finetune", "unknown"),
    ]:
        assert family_of(model) == family, (model, family)


def test_a_price_is_found_with_provider_and_date_left_out() -> None:
    for name in ["gpt-4o", "openai/gpt-4o", "GPT-4o-2024-11-20", "claude-3-5-sonnet-latest", "o3"]:
        assert price_of(name) is not None, name


def test_a_call_costs_its_fresh_cached_and_output_tokens() -> None:
    price = Price(2.5, 1.25, 10, 0.5)
    assert price.dollars(Usage(1000, 400, 100)) == pytest.approx(0.0015 + 0.0005 + 0.001)
    assert price.dollars(Usage(1000, 400, 100), batch=True) == pytest.approx(0.0015)
