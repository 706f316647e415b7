"""The options of commands that may ask a model, and the formatting of costs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from kbe_graph import Estimate, ModelOptions
from kbe_graph.cli.options import DOLLARS, OptionGroup, open_work
from kbe_graph.cli.printing import say_outcome

_IMAGES = click.Path(path_type=Path, file_okay=False)
ENDPOINT = (
    click.option("--base-url", help="Model endpoint (KBE_BASE_URL, OPENAI_BASE_URL; default: OpenAI)."),
    click.option(
        "--api-key",
        help="API key. Prefer KBE_API_KEY or OPENAI_API_KEY: other users can see arguments (ps).",
    ),
    click.option("--model", help="Model name (KBE_MODEL, OPENAI_MODEL; per step: [models.<step>] in kbe.toml)."),
)
_ASKING = (
    click.option("--language", default="English", show_default=True, help="Language the model writes in."),
    click.option("--dry-run", is_flag=True, help="Estimate calls, tokens, dollars and time without asking the model."),
    click.option("--budget", type=DOLLARS, help="Stop at this many dollars. Re-running the command resumes."),
    click.option(
        "--max-calls", type=click.IntRange(min=0), help="Stop at this many calls. Re-running the command resumes."
    ),
    click.option(
        "--runner",
        default="direct",
        show_default=True,
        type=click.Choice(["direct", "file", "batch"]),
        help="How to send the requests: over the network (direct), "
        "as files (file; import the replies with 'kbe calls apply'), "
        "or through the provider's batch endpoint (batch).",
    ),
)
_PICTURES = (click.option("--images", multiple=True, type=_IMAGES, help="Folder of the pictures; repeatable."),)
MODE = click.option(
    "--mode",
    default="merged",
    show_default=True,
    type=click.Choice(["paper", "merged"]),
    help="How to ask the model: in a separate call per part (paper), or hop by hop (merged).",
)
OPTIONS = (*ENDPOINT, *_PICTURES, *_ASKING)
ANSWER_OPTIONS = (*ENDPOINT, *_PICTURES, *_ASKING[1:])  # for commands that generate no text
TEXT_OPTIONS = (*ENDPOINT, *_ASKING)  # for commands that show a model no picture
WRITER_OPTIONS = (*ENDPOINT, *_ASKING[2:])  # for commands that write in English and have no forecast


@dataclass(frozen=True, slots=True)
class ModelFlags:
    """The flags that select and limit the model."""

    base_url: str | None
    api_key: str | None = field(repr=False)
    model: str | None
    language: str
    dry_run: bool
    budget: float | None
    max_calls: int | None
    runner: str
    images: tuple[Path, ...] = ()

    @property
    def named(self) -> bool:
        """Whether the command line names a model or its address, which makes the model do the command's work."""
        return bool(self.model or self.base_url)

    def options(self, **more: Any) -> ModelOptions:
        """Build the model options, with ``more`` that only one command has; raises UsageError."""
        bound = self.budget is not None or self.max_calls is not None
        if bound and self.runner in {"file", "batch"} and not self.dry_run:
            raise click.UsageError(
                "--budget and --max-calls only work with --runner direct; --dry-run estimates what a batch costs"
            )
        names = ("base_url", "api_key", "images", "language", "budget", "max_calls", "runner")
        return ModelOptions(self.model, **{name: getattr(self, name) for name in names}, **more)

    def refuse_dry_run(self, why: str) -> None:
        """Raise UsageError if ``--dry-run`` does not apply to the command; ``why`` ends the sentence."""
        if self.dry_run:
            raise click.UsageError(f"--dry-run {why}")


def _endpoint(base_url: str | None, api_key: str | None, model: str | None) -> ModelOptions:
    return ModelOptions(model, base_url=base_url, api_key=api_key)


def _answer_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    images: tuple[Path, ...],
    dry_run: bool,
    budget: float | None,
    max_calls: int | None,
    runner: str,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, "English", dry_run, budget, max_calls, runner, images)


def _text_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    language: str,
    dry_run: bool,
    budget: float | None,
    max_calls: int | None,
    runner: str,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, language, dry_run, budget, max_calls, runner)


def _writer_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    budget: float | None,
    max_calls: int | None,
    runner: str,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, "English", False, budget, max_calls, runner)


def _estimated(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    images: tuple[Path, ...],
    language: str,
    runner: str,
    mode: str,
) -> ModelOptions:
    flags = _text_flags(base_url, api_key, model, language, dry_run=True, budget=None, max_calls=None, runner=runner)
    return replace(flags, images=images).options(mode=mode)


endpoint_options = OptionGroup("model", _endpoint, ENDPOINT)
model_options = OptionGroup("flags", ModelFlags, OPTIONS)
answer_model_options = OptionGroup("flags", _answer_flags, ANSWER_OPTIONS)
estimated_model_options = OptionGroup("model", _estimated, (*ENDPOINT, *_PICTURES, _ASKING[0], _ASKING[-1], MODE))
text_model_options = OptionGroup("flags", _text_flags, TEXT_OPTIONS)
writer_options = OptionGroup("flags", _writer_flags, WRITER_OPTIONS)


def print_forecast(estimate: Estimate, *, as_json: bool) -> None:
    """Print the forecast cost of the requests."""
    unpriced = unpriced_words(estimate)
    waiting = (
        f"no graph yet: {estimate.waiting} samples, counted as if each had one; 'kbe extract --by model --dry-run' "
        "estimates graphs by a model, and graphs from annotations are free"
    )
    say_outcome(
        asdict(estimate) | {"dollars_a_question": estimate.dollars_a_question},
        *([waiting] if estimate.waiting else []),
        f"calls: {estimate.calls} to pay, {estimate.hits} from the cache",
        f"tokens: {estimate.prompt} in prompts ({estimate.cached} of them at the cached price), "
        f"{estimate.output} in replies",
        dollar_line(estimate.dollars, estimate.dollars_a_question, "per question at least", unpriced),
        f"seconds: about {estimate.seconds:.0f}",
        as_json=as_json,
    )


def unpriced_words(estimate: Estimate) -> str:
    """Name the models without a known price; empty if all have one."""
    return f"no price known for {', '.join(estimate.unpriced)}" if estimate.unpriced else ""


def dollar_line(dollars: float, each: float | None, of_what: str, unpriced: str, bound: str = "") -> str:
    """Format dollars, those of each question, and the models without a price; with no price, dollars are unknown."""
    total = "unknown" if unpriced and not dollars else f"{bound}{dollars:.4f}"
    part = "" if each is None else f", {each:.5f} {of_what}"
    return f"dollars: {total}{part}" + (f" ({unpriced}; set it in [models.price] of kbe.toml)" if unpriced else "")


def awaited_lines(files: Sequence[Path]) -> list[str]:
    """State the next step for each file of requests that waits for replies, with request counts by step."""
    if not files:
        return []
    waiting = open_work(click.get_current_context().obj).models.waiting_calls()
    return [
        f"wrote {file} ({_requests(waiting.get(file.name, {}))}); import the replies with 'kbe calls apply FILE', "
        "then re-run this command"
        for file in files
    ]


def _requests(counts: Mapping[str, int]) -> str:
    return "requests: " + ", ".join(f"{step} {count}" for step, count in counts.items())
