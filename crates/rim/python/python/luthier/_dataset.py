"""Directories of `luthier run --output`: which files there are, and of which processes."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ._errors import Error

NAME = re.compile(r"(?P<name>.+)\.(?P<process>\d+)(?:-(?P<session>\d+))?\.(?P<ending>json|parquet)")
"""A file of one process; `PID-2` is the second time that it started the GPU."""


@dataclass(frozen=True)
class Part:
    """A file of one process."""

    process: int
    session: int
    """1 but for processes that started the GPU several times."""
    path: Path


class Dataset:
    """All files of one or several directories, such as those of several ranks."""

    def __init__(self, directories: Sequence[str | os.PathLike[str]]) -> None:
        self.directories = [Path(directory) for directory in directories]
        self.streams: dict[str, list[Part]] = {}
        """Parquet files by the name of the stream, such as `mem-trace`."""
        self.results: dict[str, list[Part]] = {}
        """JSON files by the tool's name; those of `summary` are Luthier's own."""
        self.statistics: list[Path] = []
        self.objects: dict[str, Path] = {}
        """Code objects by their hash, where the run kept them."""
        for directory in self.directories:
            self._add(directory)

    def _add(self, directory: Path) -> None:
        try:
            paths = sorted(directory.iterdir())
        except OSError as error:
            raise Error(f"{directory}: {error.strerror}") from None
        known = 0
        for path in paths:
            if path.name == "statistics.json":
                self.statistics.append(path)
                known += 1
            elif (parts := NAME.fullmatch(path.name)) and path.is_file():
                kind = self.streams if parts["ending"] == "parquet" else self.results
                part = Part(int(parts["process"]), int(parts["session"] or 1), path)
                kind.setdefault(parts["name"], []).append(part)
                known += 1
        if not known:
            raise Error(f"{directory} holds nothing of a run: luthier run -t mem-trace --output {directory} -- PROGRAM")
        for path in sorted((directory / "objects").glob("*.co")):
            self.objects.setdefault(path.stem, path)
