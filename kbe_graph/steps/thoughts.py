"""Removal of a model's thoughts from its reply, in the formats of different model families."""

import re
from collections.abc import Callable, Sequence

_TAG = r"(?:seed:)?(?:think\w*|thought|reasoning|reflection|scratchpad)"
_FLAGS = re.DOTALL | re.IGNORECASE
# Opening and closing marks around thoughts.
_PAIRS: Sequence[tuple[str, str]] = (
    (rf"<({_TAG})>", r"</\1>"),
    (r"◁think▷", r"◁/think▷"),  # Kimi
    (r"\[THINK\]", r"\[/THINK\]"),  # Magistral
    (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),  # Cohere
    (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),  # OpenThinker
    (r"<\|channel>thought\b", r"<channel\|>"),  # Gemma
    (r"\A\s*Here(?: is|'s) my thought process:", r"Here(?: is|'s) my response:"),  # Granite
)
_THOUGHTS = tuple(re.compile(rf"{opening}.*?(?:{closing}|\Z)", _FLAGS) for opening, closing in _PAIRS)
# A template may put the opening mark into the prompt, so that the reply has only the closing one.
_CLOSINGS = re.compile(
    rf"\A.*(?:</{_TAG}>|◁/think▷|\[/THINK\]|<\|END_THINKING\|>|<\|end_of_thought\|>|<channel\|>)", _FLAGS
)
_FINAL = re.compile(r"<\|channel\|>\s*final\b.{0,80}?<\|message\|>(.*?)(?:<\|(?:return|end|call|start)\|>|\Z)", _FLAGS)
_CHANNEL = re.compile(r"<\|channel\|>")
# The channels of gpt-oss if a server dropped the marks: no space between "analysis" and the first word.
_BARE_FINAL = re.compile(r"\A\s*(?:assistant)?(?:analysis|commentary).*assistantfinal(.*)\Z", re.DOTALL)
_BARE_CHANNEL = re.compile(r"\A\s*(?:assistant)?analysis(?=[A-Z\"'<\\{*(])")
_MARKS = re.compile(
    r"<\|(?:START_RESPONSE|END_RESPONSE|begin_of_solution|end_of_solution|im_end|eot_id|endoftext|end|return"
    r"|begin_of_box|end_of_box)\|>|<\|im_start\|>(?:assistant\s)?"
    r"|</?response>|\A\s*Here(?: is|'s) my response:|</s>|<eos>|<end_of_turn>|<turn\|>|<｜end▁of▁sentence｜>"
)


def cut_thoughts(text: str) -> str:
    """Remove the thoughts from a reply; empty if it ends before they do.

    >>> cut_thoughts("<think>Long neck.</think>giraffe"), cut_thoughts("[THINK]Long neck")
    ('giraffe', '')
    """
    for cut in _CUTS:
        text = cut(text)
    return _MARKS.sub("", text).strip()


def _final_channel(text: str) -> str:
    if _CHANNEL.search(text):
        finals = _FINAL.findall(text)
        return finals[-1] if finals else ""
    final = _BARE_FINAL.search(text)
    if final:
        return final[1]
    return "" if _BARE_CHANNEL.search(text) else text


def _without_thoughts(text: str) -> str:
    for thoughts in _THOUGHTS:
        text = thoughts.sub("", text)
    return _CLOSINGS.sub("", text)


_CUTS: Sequence[Callable[[str], str]] = (_final_channel, _without_thoughts)
