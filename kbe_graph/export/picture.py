"""Pictures on their way out: found in the named folders alone, named by their content, read one at a time."""

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from kbe_graph.errors import PictureError
from kbe_graph.files.image import ImageFolders, read_picture, save_image
from kbe_graph.types import Sample

ImagesAs = Literal["", "copy", "link", "embed", "none"]
"""How images go along: as files beside, as links to those that are there, within the tables, or not at all (their
names only). Nothing: as suits the format."""


class Picture(NamedTuple):
    """An image file of the workspace, and the name that it goes by in an export: of its content, so it stands once."""

    file: Path
    name: str

    @property
    def mime(self) -> str:
        """The type of the image, as ``image/jpeg``."""
        ending = self.name.rpartition(".")[2]
        return f"image/{'jpeg' if ending == 'jpg' else ending}"

    def read(self) -> bytes:
        """Return the bytes; raises PictureError where they cannot be read any more."""
        return read_picture(self.file)

    def base64(self) -> str:
        """Return the bytes in base64, on one line."""
        return base64.b64encode(self.read()).decode()

    def data_url(self) -> str:
        """Return the image as an address that holds it."""
        return f"data:{self.mime};base64,{self.base64()}"

    def place(self, folder: Path, images_as: ImagesAs, name: str = "") -> str:
        """Copy or link the image into the folder, unless it is there, and return its name in it."""
        target = folder / (name or self.name)
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            if images_as == "link":
                target.symlink_to(self.file.resolve())
            else:
                target.write_bytes(self.read())
        return target.name


@dataclass(slots=True)
class PictureFinder:
    """Finds the pictures of samples in the named folders; each file is looked at once."""

    folders: ImageFolders
    _names: dict[Path, str] = field(default_factory=dict)

    def find(self, sample: Sample) -> Picture | None:
        """Return the sample's picture, None where none is in the folders, or the file is no image."""
        file = self.folders.find(sample.image, sample.image_id)
        if file is None:
            return None
        if file not in self._names:
            self._names[file] = _name(file)
        name = self._names[file]
        return Picture(file, name) if name else None


def _name(file: Path) -> str:
    try:
        return save_image(read_picture(file), None)
    except (PictureError, ValueError):
        return ""
