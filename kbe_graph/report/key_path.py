"""Key paths as a line of text, and as notebook HTML with boxes for entities and arrows for relations."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from kbe_graph.types import Entity, Triplet

_BOX = "display:inline-block;margin:2px;padding:1px 6px;border:1px solid currentColor;border-radius:4px"


class ArrowStyle(NamedTuple):
    """An arrow's line, colour and meaning; lines differ as well as colours, so that colour is not needed."""

    line: str
    colour: str
    means: str


SEEN = ArrowStyle("solid", "#2563a8", "visual")
IMPLIED = ArrowStyle("dashed", "#b45309", "textual, from the sample")
EXPLORED = ArrowStyle("double", "#15803d", "textual, explored")


@dataclass(frozen=True, slots=True)
class KeyPath:
    """A key path: the triplets that lead from IMAGE to an answer, in order (KBE, section 3.1).

    The last ``hops`` of them were explored. As text it is one line; a notebook draws it.

    >>> question = work.questions(run="demo", hop=1)[0]
    >>> print(KeyPath(question.key, hops=question.hop))
    IMAGE -[...
    """

    key: tuple[Triplet, ...]
    hops: int = 0

    def __str__(self) -> str:
        return " ".join(self.steps())

    def steps(self) -> list[str]:
        """List the first entity, then each relation with its target; a step before a gap ends in ``;``."""
        steps: list[str] = []
        end = ""
        for triplet in self.key:
            if triplet.subject.key != end:
                steps[-1:] = [f"{step};" for step in steps[-1:]]
                steps.append(triplet.subject.label)
            steps.append(f"-[{triplet.relation}]-> {triplet.object.label}")
            end = triplet.object.key
        return steps

    def _repr_html_(self) -> str:
        return f'<span role="img" aria-label="{escape(str(self))}">{"".join(self._parts())}</span>'

    def _parts(self) -> Iterator[str]:
        """Yield boxes and arrows as HTML; after a gap the path continues on a new line."""
        end = ""
        for place, triplet in enumerate(self.key):
            if triplet.subject.key != end:
                yield f"{'<br>' if place else ''}{_box(triplet.subject)}"
            yield _arrow(triplet, _style(triplet, explored=place >= len(self.key) - self.hops)) + _box(triplet.object)
            end = triplet.object.key


def legend_html() -> str:
    """Return the legend of the arrows."""
    return f"<p>{' &nbsp; '.join(f'{_line(style)}{style.means}' for style in (SEEN, IMPLIED, EXPLORED))}</p>"


def _style(triplet: Triplet, *, explored: bool) -> ArrowStyle:
    if triplet.graph == "visual":
        return SEEN
    return EXPLORED if explored else IMPLIED


def _box(entity: Entity) -> str:
    return f'<span style="{_BOX}">{escape(entity.label)}</span>'


def _arrow(triplet: Triplet, style: ArrowStyle) -> str:
    """Draw the arrow of a triplet, with its source as the tooltip."""
    words = ", ".join(part for part in (style.means, triplet.source, triplet.evidence) if part)
    return (
        f'<span style="white-space:nowrap" title="{escape(words)}">{_line(style)}'
        f'<span style="color:{style.colour}">{escape(triplet.relation)} &rarr;</span></span>'
    )


def _line(style: ArrowStyle) -> str:
    border = f"border-top:3px {style.line} {style.colour}"
    return f'<span style="display:inline-block;width:18px;margin:0 3px;vertical-align:middle;{border}"></span>'
