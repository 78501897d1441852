"""Directories of `luthier run --output`, and datasets exported from them: which files there are, and of which processes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._errors import Error

NAME = re.compile(r"(?P<name>.+)\.(?P<process>\d+)(?:-(?P<session>\d+))?\.(?P<ending>json|parquet)")
"""A file of one process; `PID-2` is the second time that it started the GPU."""
RANK = re.compile(r"rank=(\d+)")
"""Directory of one rank of an MPI job."""
CATALOGUE = "catalogue.json"
"""Of an exported dataset: its tables, views and queries."""
OWNER = ("rank", "process", "session")
"""Columns of all tables that say where a row is from."""
PART = "part-0.parquet"
"""A file of an exported dataset."""
VERSION = 1
"""Of the catalogue."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A file of one process."""

    rank: int
    """Number of the directory, and of the rank whose it is."""
    process: int
    session: int
    """1 but for processes that started the GPU several times."""
    path: Path

    @property
    def owner(self) -> tuple[int, int, int]:
        """Whose rows they are."""
        return self.rank, self.process, self.session

    @property
    def place(self) -> Path:
        """In the folder of a table: query engines read whose rows they are out of its folders' names."""
        return Path(*(f"{name}={value}" for name, value in zip(OWNER, self.owner, strict=True)), PART)


class Dataset:
    """All files of one or several directories, such as those of several ranks."""

    def __init__(self, directories: Sequence[str | os.PathLike[str]]) -> None:
        self.directories = [Path(directory) for directory in directories]
        self.streams: dict[str, list[Part]] = {}
        """Parquet files by the name of the stream, such as `mem-trace`."""
        self.results: dict[str, list[Part]] = {}
        """JSON files by the tool's name; those of `summary` are Luthier's own."""
        self.statistics: list[Part] = []
        self.ranks: list[Row] = []
        """What is known of each directory with files."""
        self.objects: dict[str, Path] = {}
        """Code objects by their hash, where the run kept them."""
        self._seen: set[Path] = set()
        """Files of these directories, by the directories' real names."""
        self.exported: Path | None = None
        """The dataset, if it is one that was exported; its small tables are Parquet files then."""
        for directory in self.directories:
            if not (directory / CATALOGUE).is_file():
                self._add(directory)
            elif len(self.directories) > 1:
                raise Error(f"{directory} is an exported dataset, which is queried alone: export the runs together instead")
            else:
                self._add_exported(directory)

    def _add(self, directory: Path) -> None:
        """Ranks of a second directory go on counting where those of the first ended, so that each has a number of its own."""
        paths = _listed(directory)
        before = len(self.ranks)
        for rank, path in sorted((int(match[1]), path) for path in paths if (match := RANK.fullmatch(path.name)) and path.is_dir()):
            self._add_files(path, _listed(path), self._next(before) + rank)
        self._add_files(directory, paths, self._next(len(self.ranks)))
        if len(self.ranks) == before:
            raise Error(f"{directory} holds nothing of a run: luthier run -t mem-trace --output {directory} -- PROGRAM")

    def _next(self, count: int) -> int:
        """Behind the numbers of the first directories."""
        return max((row["rank"] for row in self.ranks[:count]), default=-1) + 1

    def _add_files(self, directory: Path, paths: list[Path], rank: int) -> None:
        known = False
        for path in paths:
            if path.name == "statistics.json":
                self._once(path)
                self.statistics.append(Part(rank, 0, 1, path))
                known = True
            elif (parts := NAME.fullmatch(path.name)) and path.is_file():
                kind = self.streams if parts["ending"] == "parquet" else self.results
                self._once(path)
                part = Part(rank, int(parts["process"]), int(parts["session"] or 1), path)
                kind.setdefault(parts["name"], []).append(part)
                known = True
        for path in sorted((directory / "objects").glob("*.co")):
            self.objects.setdefault(path.stem, path)
        if known:
            said = directory / "rank.json"
            facts = _json(said) if said.is_file() else {}
            if not isinstance(facts, dict):
                raise Error(f"{said} has not what Luthier writes there: it is no object")
            self.ranks.append({**facts, "rank": rank, "directory": _readable(directory)})

    def _once(self, path: Path) -> None:
        """Rows that are there twice would count twice. (Directories of links to the same files are two runs.)"""
        real = path.parent.resolve() / path.name
        if real in self._seen:
            raise Error(f"{path} would be counted twice: {path.parent} is named twice, or another directory holds it")
        self._seen.add(real)

    def _add_exported(self, directory: Path) -> None:
        self.exported = directory
        catalogue = _json(directory / CATALOGUE)
        if not isinstance(catalogue, dict) or catalogue.get("version") != VERSION:
            raise Error(f"{directory / CATALOGUE} is not of version {VERSION}: export the run again")
        try:
            self.results = {str(name): [] for name in catalogue["results"]}
            streams = {str(table["stream"]): directory / table["name"] for table in catalogue["tables"] if "stream" in table}
        except (TypeError, KeyError) as error:
            raise Error(f"{directory / CATALOGUE} has not what Luthier writes there: {type(error).__name__}: {error}") from None
        for stream, folder in streams.items():
            parts = [_placed(path) for path in sorted(folder.glob("*/*/*/*.parquet"))]
            if parts:
                self.streams[stream] = parts


def _placed(path: Path) -> Part:
    """A file of an exported dataset, by the folders that it is in."""
    folders = path.parts[-4:-1]
    values = [re.fullmatch(rf"{name}=(\d+)", folder) for name, folder in zip(OWNER, folders, strict=True)]
    if None in values:
        raise Error(f"{path}: its folders are not those of a dataset, {'/'.join(f'{name}=N' for name in OWNER)}")
    rank, process, session = (int(value[1]) for value in values if value)
    return Part(rank, process, session, path)


def _readable(path: Path) -> str:
    """A name that tables can have: bytes that are no text in it are U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def _listed(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir())
    except OSError as error:
        raise Error(f"{directory}: {error.strerror}") from None


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"{path}: {error}") from None
    except RecursionError:
        raise Error(f"{path}: lists lie too deep within each other") from None
