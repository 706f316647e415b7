"""lmms-eval: a Parquet table a hop, and the tasks that ask them."""

from pathlib import Path

from kbe_graph.export.parquet_file import dataset_settings, table_path, write_parquet
from kbe_graph.export.release import Release
from kbe_graph.export.release_format import README, LeftOut, ReleaseFormat
from kbe_graph.files.resources import data
from kbe_graph.types import FORMS

TASKS = "lmms_tasks"
_SHARED = "_kbe_template_yaml"  # without the ending, so that it is no task itself


def _write(folder: Path, release: Release) -> LeftOut:
    with_images = release.images_as != "none"
    for group, items in release.groups.items():
        write_parquet(folder / table_path(group), items, release, with_images=with_images)
    (folder / README).write_text(f"---\n{dataset_settings(release, with_images=with_images)}---\n", encoding="utf-8")
    for name, text in _tasks(folder.name, release).items():
        (folder / TASKS).mkdir(exist_ok=True)
        (folder / TASKS / name).write_text(f"# {release.warning}\n{text}", encoding="utf-8")
    return {}


def _tasks(dataset: str, release: Release) -> dict[str, str]:
    """Return the files of the tasks by name."""
    names = {group: f"{release.name}_{group}" for group in release.groups}
    group = f"group: {release.name}\ntask:\n" + "".join(f"- {task}\n" for task in names.values())
    return {
        _SHARED: data("export/lmms_template.txt").read_text(encoding="utf-8").replace("$dataset", dataset),
        "utils.py": data("export/lmms_utils.txt").read_text(encoding="utf-8"),
        f"_{release.name}.yaml": group,
        **{
            f"{task}.yaml": f"include: {_SHARED}\ntask: {task}\ndataset_name: {group}\n"
            for group, task in names.items()
        },
    }


LMMS_EVAL = ReleaseFormat(
    "lmms-eval",
    "Write a folder that lmms-eval evaluates: a Parquet table a hop, and a task for each.",
    FORMS,
    ("embed", "none"),
    _write,
    extra="parquet",
)
