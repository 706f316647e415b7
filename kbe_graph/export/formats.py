"""The export formats by name: JSON lines of our own, and those of other programs."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.evaluate.guess import TopShare
from kbe_graph.export.hugging_face import HUGGINGFACE, LMMS_EVAL
from kbe_graph.export.json_formats import EVALSCOPE, INSPECT, LABEL_STUDIO
from kbe_graph.export.release import make_release
from kbe_graph.export.release_format import MARK, README, ReleaseFormat, readme_head, write_mark
from kbe_graph.export.selection import Selection
from kbe_graph.export.vlmevalkit_table import VLMEVALKIT_TSV
from kbe_graph.export.vqa_files import AOKVQA_FILE, OKVQA_FILES
from kbe_graph.extras import has_extra
from kbe_graph.files.format_registry import Registry
from kbe_graph.files.whole import replacing, replacing_folder
from kbe_graph.types import Form, Question, QuestionForm, Sample, Triplet


def key_record(triplet: Triplet) -> dict[str, str]:
    """Return a triplet of a key path as a mapping."""
    return {
        "subject": triplet.subject.label,
        "relation": triplet.relation,
        "object": triplet.object.label,
        "graph": triplet.graph,
        "source": triplet.source,
        "source_ref": triplet.source_ref,
    }


def record(
    sample: Sample,
    question: Question,
    families: str = "",
    top_share: TopShare | None = None,
    form: QuestionForm | None = None,
) -> dict[str, Any]:
    """Return the exported line of a question as a mapping.

    ``families`` names the models of its run that are of one family; it is in the line only if models were asked.
    ``top_share`` is the share of the most frequent answer among the questions with the same relations; it is in the
    line of each kept explored question. ``form`` is the question in another form than open.
    """
    line = {
        "id": question.id,
        "sample": sample.id,
        "benchmark": sample.benchmark,
        "split": sample.split,
        "hop": question.hop,
        "kind": question.kind,
        "image": sample.image,
        "question": question.text,
        "answer": question.answer,
        "aliases": list(question.aliases),
        "parent": question.parent or None,
        "key": [key_record(triplet) for triplet in question.key],
        "run": question.run,
        "status": question.status,
        "reason": question.reason or None,
    }
    if families:
        line["families"] = families
    if top_share:
        line["top_answer_share"] = top_share._asdict()
    if form:
        line["form"] = _form_record(form)
    return line


def _form_record(form: QuestionForm) -> dict[str, Any]:
    lists = {name: list(getattr(form, name)) for name in ("options", "answers", "letters", "facts")}
    return {"form": form.form, "text": form.text, **lists}


def write_jsonl(file: Path, selection: Selection) -> int:
    """Write the questions to ``file`` and return how many; a failure leaves what was there. Raises InputError.

    Where another form than open is asked for, questions that have none are left out.
    """
    families, count = selection.families, 0
    with replacing(file) as stream:
        for sample, question in selection:
            form = selection.forms.get(question.id)
            if selection.form != "open" and not form:
                continue
            share = selection.top_shares.get(question.id)
            line = record(sample, question, families.get(question.run, ""), share, form)
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
            count += 1
    return count


class Export(NamedTuple):
    """A format: what it holds (for help texts), and what writes it and returns its number of questions.

    ``is_folder`` tells that a folder is written; it holds kept questions alone, with their images. ``require_form``
    raises InputError for a form of question that the format does not have.
    """

    about: str
    write: Callable[[Path, Selection], int]
    is_folder: bool = False
    require_form: Callable[[Form], None] = lambda _: None


RELEASE_FORMATS = (
    VLMEVALKIT_TSV,
    LMMS_EVAL,
    INSPECT,
    HUGGINGFACE,
    OKVQA_FILES,
    AOKVQA_FILE,
    EVALSCOPE,
    LABEL_STUDIO,
)
"""The formats of other programs."""


def write_all(formats: Sequence[ReleaseFormat], folder: Path, selection: Selection) -> int:
    """Write a folder a format, and return the number of questions of the release; raises InputError.

    Formats without such a form of question are left out, and those whose extra is missing, with a warning. Images go
    along as wanted if a format can, else as usual in it. README.md lists all of it.
    """
    release = make_release(selection, selection.images_as)
    wanted, lines = selection.images_as, []
    with replacing_folder(folder, MARK) as temporary:
        for release_format in formats:
            name = release_format.name
            if selection.form not in release_format.forms:
                lines.append(f"- {name}: not written, it has no questions of form {selection.form!r}.")
                continue
            if release_format.extra and not has_extra(release_format.extra):
                lines.append(f"- {name}: not written, it needs the extra {release_format.extra!r}.")
                continue
            images_as = release_format.images_as(wanted if wanted in release_format.images else "")
            (temporary / name).mkdir()
            count = release_format.fill(temporary / name, replace(release, images_as=images_as))
            lines.append(f"- [{name}]({name}/README.md): {count} questions, images: {images_as}.")
        write_mark(temporary, "all", release)
        (temporary / README).write_text(readme_head("all", release) + "\n".join(lines) + "\n", encoding="utf-8")
    return len(release.items)


EXPORTS: Registry[Export] = Registry(
    "export format",
    "kbe_graph.exports",
    {
        "jsonl": Export("Write one JSON line a question to FILE, the raw questions (hop 0) first.", write_jsonl),
        **{
            form.name: Export(form.about, form.export, is_folder=True, require_form=form.require_form)
            for form in RELEASE_FORMATS
        },
        "all": Export(
            "Write a folder of each of these, side by side.", partial(write_all, RELEASE_FORMATS), is_folder=True
        ),
    },
)
