"""An export format: question and answer, a line a question."""

from pathlib import Path

from kbe_graph.export.formats import Export
from kbe_graph.export.selection import Selection
from kbe_graph.files.whole import replacing


def write_pairs(file: Path, selection: Selection) -> int:
    """Write the lines."""
    with replacing(file) as stream:
        for _, question in selection:
            stream.write(f"{question.hop}\t{question.text}\t{question.answer}\n")
    return len(selection.questions)


PAIRS = Export("Write question and answer, a line a question.", write_pairs)
