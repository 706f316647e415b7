"""Java class data sharing (CDS) archive for the engine: it halves the start-up time and the CPU time.

The bundled Java runtime has no such archive. The first engine records the classes that it loads, and when it ends, an
archive of them is made in the background, in the user's cache folder, one per installed engine. The archive is
optional: if it cannot be made, does not fit or is corrupt, Java says so in the engine's log and loads the classes one
by one.

    python -m kbe_graph.store.class_archive JAVA CLASSES ARCHIVE CLASSPATH [OPTION ...]
"""

import ctypes
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST = 3  # number of archives (60 MB each) to keep, most recently used first
DAY = 86_400.0
ROOM = 256 << 20
LIMIT = 600.0
SHAPING = ("--add-modules=", "--add-opens=", "--enable-native-access=", "-XX:+UseCompactObjectHeaders")


@dataclass(frozen=True, slots=True)
class ClassArchive:
    """A class archive: its file, and the Java binary that makes it."""

    file: Path
    java: Path

    @property
    def classes(self) -> Path:
        """The file in which this process records the classes that its engine loads."""
        return self.file.with_suffix(f".{os.getpid()}.classes")

    @property
    def mark(self) -> Path:
        """The marker file that exists while the archive is being made, and for a day after a failure."""
        return self.file.with_suffix(".mark")

    @property
    def is_usable(self) -> bool:
        """Whether the archive exists and belongs to this user; its owner could make the engine run any code."""
        try:
            return self.file.stat().st_uid == os.geteuid()
        except OSError:
            return False

    def options(self) -> list[str]:
        """Return the Java options that use the archive, or that record the classes for a new one."""
        if self.is_usable:
            with suppress(OSError):
                os.utime(self.file)  # the most recently used archives are kept
            return ["-Xshare:auto", f"-XX:SharedArchiveFile={self.file}"]
        return [f"-XX:DumpLoadedClassList={self.classes}"] if self._is_wanted() else []

    def make(self, classpath: str, options: Sequence[str]) -> None:
        """Make the archive in a separate process, if classes were recorded and no other process is making it."""
        if not self.classes.exists():
            return
        ctypes.CDLL(None).fflush(None)  # Java writes the last classes at exit, but this process is ended abruptly
        with suppress(OSError):
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL, 0o600))
            _make_elsewhere(self, classpath, options)
            return
        self.classes.unlink(missing_ok=True)

    def _is_wanted(self) -> bool:
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self.mark.exists():
                if not _is_old(self.mark):
                    return False
                self.mark.unlink(missing_ok=True)
            return os.access(self.file.parent, os.W_OK) and shutil.disk_usage(self.file.parent).free > ROOM
        except OSError:
            return False


def engine_archive() -> ClassArchive | None:
    """Return the archive of the installed engine, or None if there is no Java runtime or no cache folder."""
    from arcadedb_embedded import jvm

    package = Path(jvm.__file__).parent
    java = package / "jre" / "bin" / "java"
    try:
        files = [package / "jre" / "release", *sorted((package / "jars").glob("*.jar"))]
        states = [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute() / "kbe_graph"
    except (OSError, RuntimeError):  # no runtime, or no home folder
        return None
    if not java.exists() or os.pathsep in str(folder):
        return None
    return ClassArchive(folder / f"engine-{hashlib.sha256(repr(states).encode()).hexdigest()[:16]}.jsa", java)


def _make_elsewhere(archive: ClassArchive, classpath: str, options: Sequence[str]) -> None:
    shaping = [option for option in options if option.startswith(SHAPING)]
    command = [str(archive.java), str(archive.classes), str(archive.file), classpath, *shaping]
    own = {name: value for name, value in os.environ.items() if name not in {"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"}}
    process = subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-P", "-m", "kbe_graph.store.class_archive", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=archive.file.parent,
        env=own,
        start_new_session=True,
    )
    process.returncode = 0  # nobody waits for this process


def main() -> None:
    """Make an archive of the recorded classes; it is moved into place only when complete."""
    java, classes, archive, classpath, *options = sys.argv[1:]
    os.nice(19)  # low priority: nobody waits for it
    new = Path(archive).with_suffix(".new")
    written = ["-Xshare:dump", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={new}"]
    try:
        # an archive made with this garbage collector works with every other
        subprocess.run(  # noqa: S603 - the engine's own Java
            [java, "-XX:+UseG1GC", *options, *written, "-cp", classpath], check=True, capture_output=True, timeout=LIMIT
        )
        new.chmod(0o600)
        new.replace(archive)
        Path(archive).with_suffix(".mark").unlink(missing_ok=True)
    except (OSError, subprocess.SubprocessError):
        new.unlink(missing_ok=True)  # the marker stays, so that not every start retries
    finally:
        Path(classes).unlink(missing_ok=True)
        clear(Path(archive).parent)


def _is_old(file: Path) -> bool:
    """Return True if a file's timestamp is more than a day away, past or (if the clock was set back) future."""
    return abs(time.time() - file.stat().st_mtime) > DAY


def clear(folder: Path) -> None:
    """Remove the least recently used archives, and class lists left by killed engines."""
    with suppress(OSError):
        archives = sorted(folder.glob("engine-*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
        notes = [file for file in folder.glob("engine-*.classes") if _is_old(file)]
        for file in [*archives[MOST:], *notes]:
            file.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
