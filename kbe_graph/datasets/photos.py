"""A folder of photos as samples without a question."""

from pathlib import Path

from kbe_graph.errors import DatasetError
from kbe_graph.files.image_folders import IMAGE_ENDINGS
from kbe_graph.files.opening import MOST_ID
from kbe_graph.files.records import has_data_files
from kbe_graph.text import has_controls
from kbe_graph.types import Sample, sample_of_question

PHOTOS = "photos"


def is_photo_folder(folder: Path) -> bool:
    """Return True for a folder in or below which there are pictures and no data file."""
    return folder.is_dir() and not has_data_files(folder) and bool(_photos(folder))


def photo_samples(folder: Path, benchmark: str, split: str) -> tuple[Sample, ...]:
    """Read each photo in or below a folder as a sample, in order of the names; its id is the path without the ending.

    Raises DatasetError for a name that cannot be an id, and for two that give the same.
    """
    samples: dict[str, Sample] = {}
    for file in _photos(folder):
        image = file.relative_to(folder).as_posix()
        name = image.removesuffix(file.suffix)
        id_ = f"{benchmark}/{split}/{name}"
        if has_controls(name) or len(image) > MOST_ID or sample_of_question(id_) != id_:
            raise DatasetError(file, "has a name that cannot be the id of a sample; give it a plain name")
        if id_ in samples:
            raise DatasetError(file, f"has the name of {samples[id_].image!r} but for the ending; rename one of them")
        samples[id_] = Sample(id_, benchmark, split, "", "", image=image, image_id=name)
    return tuple(samples.values())


def _photos(folder: Path) -> list[Path]:
    paths = (path for path in sorted(folder.rglob("*")) if not path.name.startswith("."))
    return [path for path in paths if path.suffix.lower() in IMAGE_ENDINGS and path.is_file()]
