"""What a run says of kernels, launches and code, as tables with one row for each."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from ._dataset import OWNER, PART, Dataset, _json
from ._errors import Error
from ._inspect import inspect
from ._query import in_one_line

Row = Mapping[str, Any]
Key = tuple[int, int, int]
"""Rank, process and session."""

TEXT = pa.string()
NUMBER = pa.int64()


@dataclass(frozen=True)
class Sheet:
    """A table: its columns and, for those that are lists in JSON files, where they lie."""

    about: str
    columns: Mapping[str, pa.DataType]
    tool: str = ""
    """Whose JSON file."""
    at: str = ""
    """Key of the list; the file is the list itself without."""
    fields: Mapping[str, str] | None = None
    """Path to a column's value in a row, where it is not the column's name."""


PROCESS = dict.fromkeys(OWNER, NUMBER)

SHEETS: Mapping[str, Sheet] = {
    "kernels": Sheet(
        "kernels that tools saw, and what their code needs without tools",
        {
            **PROCESS,
            **dict.fromkeys(("symbol", "name", "object", "target", "status", "reason"), TEXT),
            **dict.fromkeys(
                ("launches", "instrumented_launches", "sites", "vgprs", "sgprs", "lds", "scratch", "waves_per_simd"), NUMBER
            ),
        },
        "summary",
        "kernels",
        {name: f"before.{name}" for name in ("vgprs", "sgprs", "lds", "scratch", "waves_per_simd")},
    ),
    "launches": Sheet(
        "launches, from launch-log",
        {
            **PROCESS,
            "launch": NUMBER,
            "kernel": TEXT,
            "name": TEXT,
            **dict.fromkeys(("device", "queue", "grid_x", "grid_y", "grid_z"), NUMBER),
            **dict.fromkeys(("workgroup_x", "workgroup_y", "workgroup_z"), NUMBER),
            "thread": NUMBER,
            "thread_name": TEXT,
            **dict.fromkeys(("enqueued_nanoseconds", "start_nanoseconds", "end_nanoseconds"), NUMBER),
        },
        "launch-log",
        "",
        {f"{what}_{axis}": f"{what}.{index}" for what in ("grid", "workgroup") for index, axis in enumerate("xyz")},
    ),
    "arguments": Sheet(
        "arguments of launches, from launch-log",
        {**PROCESS, "launch": NUMBER, "argument": TEXT, "value": TEXT, "pointer": NUMBER},
    ),
    "copies": Sheet(
        "copies by the runtime, from launch-log",
        {
            **PROCESS,
            **dict.fromkeys(("copy", "bytes", "from_device", "to_device", "thread"), NUMBER),
            "thread_name": TEXT,
            **dict.fromkeys(("enqueued_nanoseconds", "start_nanoseconds", "end_nanoseconds"), NUMBER),
        },
        "copies",
    ),
    "executions": Sheet(
        "how often instructions were executed, from hotspots",
        {**PROCESS, "kernel": TEXT, "object": TEXT, "pc": NUMBER, "waves": NUMBER, "lanes": NUMBER},
    ),
    "statistics": Sheet(
        "what the emulated GPU executed, per kernel",
        {
            "rank": NUMBER,
            "process": NUMBER,
            "kernel": TEXT,
            "device": TEXT,
            **dict.fromkeys(("dispatches", "faults", "workgroups", "work_items", "nanoseconds", "waves"), NUMBER),
            **dict.fromkeys(("wave_instructions", "lane_instructions"), NUMBER),
        },
    ),
    "classes": Sheet(
        "what the emulated GPU executed, per kernel and class of instructions",
        {
            "rank": NUMBER,
            "process": NUMBER,
            "kernel": TEXT,
            "device": TEXT,
            "class": TEXT,
            "wave_instructions": NUMBER,
            "lane_instructions": NUMBER,
        },
    ),
    "ranks": Sheet("directories of a run, one for each rank", {**dict.fromkeys(("rank", "ranks"), NUMBER), "host": TEXT, "directory": TEXT}),
    "code_objects": Sheet("code objects that the run kept", {"object": TEXT, "target": TEXT, "path": TEXT, "size": NUMBER}),
    "instructions": Sheet(
        "instructions of these, with the source lines that they come from",
        {"object": TEXT, "function": TEXT, "pc": NUMBER, "text": TEXT, "file": TEXT, "line": NUMBER},
    ),
}

LINKS: Mapping[str, Sheet] = {
    "place_of_kernel": Sheet(
        "kernels by address of an instruction, where only one kernel of a process has one there",
        {**PROCESS, "pc": NUMBER, "kernel": TEXT},
    ),
    "object_of_kernel": Sheet(
        "code objects by kernel, where a process has but one with that kernel", {**PROCESS, "kernel": TEXT, "object": TEXT}
    ),
}
"""What views join with."""


class Facts:
    """The rows of one dataset's sheets, read when they are first asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._read: dict[str, list[Row]] = {}
        self._batches: dict[str, pa.RecordBatch] = {}
        self._reading: Path | None = None
        """The file that rows come from at the moment, if they come from one."""
        self._shared: dict[str, dict[Key, list[Row]]] = {}

    def rows(self, name: str) -> list[Row]:
        """Of a sheet, with values of its columns' types."""
        if name not in self._read:
            # (Sheets are made of other sheets, too.)
            before = self._reading
            rows = list(self._made(name))
            self._batches[name] = self._typed(name, rows)
            self._read[name] = rows
            self._reading = before
        return self._read[name]

    def _made(self, name: str) -> Iterator[Row]:
        """The rows of a sheet, out of the files that tools wrote."""
        special = None if self._dataset.exported else getattr(self, f"_{name}", None)
        listed = self._exported if self._dataset.exported else self._listed
        self._reading = None
        try:
            yield from special() if special else listed(name)
        except (TypeError, KeyError, AttributeError, ValueError, OverflowError) as error:
            raise Error(f"{self._place(name)} has not what Luthier writes there: {type(error).__name__}: {error}") from None

    def _place(self, name: str) -> str:
        """Where a row of a sheet is from."""
        return f"the table {name}" if self._reading is None else str(self._reading)

    def _exported(self, name: str) -> Iterator[Row]:
        assert self._dataset.exported
        self._reading = self._dataset.exported / name / PART
        try:
            for row in pa.parquet.ParquetFile(self._reading).read().to_pylist():
                yield {column: row.get(column) for column in {**SHEETS, **LINKS}[name].columns}
        except (OSError, pa.ArrowException) as error:
            raise Error(f"{self._reading} cannot be read: {error}") from None

    def of(self, name: str, whose: Key) -> list[Row]:
        """Those of a sheet's rows that are of one process."""
        if name not in self._shared:
            shared: dict[Key, list[Row]] = {}
            for row in self.rows(name):
                shared.setdefault(owner(row), []).append(row)
            self._shared[name] = shared
        return self._shared[name].get(whose, [])

    def batch(self, name: str) -> pa.RecordBatch:
        """A sheet's rows for the query engine."""
        self.rows(name)
        return self._batches[name]

    def _typed(self, name: str, rows: list[Row]) -> pa.RecordBatch:
        schema = pa.schema(list({**SHEETS, **LINKS}[name].columns.items()))
        try:
            columns = [pa.array([row.get(column.name) for row in rows], column.type) for column in schema]
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
            self._check(name, schema)
            raise Error(f"the table {name}: {in_one_line(error)}") from None
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _check(self, name: str, schema: pa.Schema) -> None:
        """Names the file with the first value that is not of its column's type."""
        for row in self._made(name):
            for column in schema:
                value = row.get(column.name)
                try:
                    pa.array([value], column.type)
                except (pa.ArrowException, OverflowError, TypeError, ValueError):
                    raise Error(f"{self._place(name)}: {column.name} is {value!r}, and no {column.type}") from None

    def _listed(self, name: str) -> Iterator[Row]:
        sheet = SHEETS[name]
        for own, found in self._files(sheet.tool):
            for row in found[sheet.at] if sheet.at else found:
                if not isinstance(row, dict):
                    raise TypeError(f"{row!r} is no object")
                paths = sheet.fields or {}
                yield {**{name: _at(row, paths.get(name, name)) for name in sheet.columns}, **own}

    def _files(self, tool: str) -> Iterator[tuple[dict[str, int], Any]]:
        """What a tool wrote, and of which process."""
        for part in self._dataset.results.get(tool, ()):
            self._reading = part.path
            yield dict(zip(PROCESS, part.owner, strict=True)), _json(part.path)

    def _arguments(self) -> Iterator[Row]:
        for own, launches in self._files("launch-log"):
            for launch in launches:
                for name, value in launch["arguments"].items():
                    text = value if isinstance(value, str) else json.dumps(value)
                    pointer = int(text, 16) if text.startswith("0x") else None
                    # (What is no pointer may have more bits.)
                    pointer = pointer if pointer is None or pointer < 1 << 63 else None
                    yield {**own, "launch": launch["launch"], "argument": name, "value": text, "pointer": pointer}

    def _statistics(self) -> Iterator[Row]:
        for part in self._dataset.statistics:
            self._reading = part.path
            for row in _json(part.path)["kernels"]:
                yield {**row, "rank": part.rank, "process": row["pid"]}

    def _ranks(self) -> Iterator[Row]:
        for row in self._dataset.ranks:
            self._reading = Path(row["directory"]) / "rank.json"
            yield row

    def _classes(self) -> Iterator[Row]:
        for row in self._statistics():
            for name, (waves, lanes) in row["classes"].items():
                yield {**row, "class": name, "wave_instructions": waves, "lane_instructions": lanes}

    def _code_objects(self) -> Iterator[Row]:
        for name, path in self._dataset.objects.items():
            self._reading = path
            for one in inspect(path).objects:
                yield {"object": name, "target": one.target, "path": str(path), "size": len(one.data)}

    def _instructions(self) -> Iterator[Row]:
        for name, path in self._dataset.objects.items():
            self._reading = path
            found: dict[int, Row] = {}
            for one in inspect(path).objects:
                for function in (*one.kernels, *one.functions):
                    for instruction in function.instructions:
                        file, _, line = (instruction.source or "").rpartition(":")
                        row = {"object": name, "function": function.name, "pc": instruction.pc, "text": instruction.text}
                        known = {"file": file, "line": int(line)} if file else {}
                        found.setdefault(instruction.pc, {**row, **known})
            yield from (found[pc] for pc in sorted(found))

    def _executions(self) -> Iterator[Row]:
        places: dict[str, list[int]] = {}
        for row in self.rows("instructions"):
            places.setdefault(row["object"], []).append(row["pc"])
        for own, kernels in self._files("hotspots"):
            for kernel in kernels:
                pcs = places.get(kernel["object"], [])
                for stretch in kernel["stretches"]:
                    first = bisect_left(pcs, stretch["pc"])
                    counts = {"waves": stretch["waves"], "lanes": stretch["lanes"]}
                    for pc in pcs[first : first + stretch["instructions"]]:
                        yield {**own, "kernel": kernel["kernel"], "object": kernel["object"], "pc": pc, **counts}

    def _object_of_kernel(self) -> Iterator[Row]:
        rows = self.rows("kernels")
        found = _unique(((*owner(row), row["symbol"]), row["object"]) for row in rows if row["object"])
        return ({**own, "kernel": kernel, "object": name} for own, kernel, name in found)

    def _place_of_kernel(self) -> Iterator[Row]:
        code: dict[tuple[str, str], list[int]] = {}
        for row in self.rows("instructions"):
            code.setdefault((row["object"], row["function"]), []).append(row["pc"])
        found = _unique(
            ((*owner(row), pc), row["symbol"])
            for row in self.rows("kernels")
            for pc in code.get((row["object"], row["symbol"]), ())
        )
        return ({**own, "pc": pc, "kernel": kernel} for own, pc, kernel in found)


def owner(row: Row) -> Key:
    """Whose it is."""
    return row["rank"], row["process"], row["session"]


def _unique(pairs: Iterable[tuple[tuple[Any, ...], str]]) -> Iterator[tuple[dict[str, int], Any, str]]:
    """Keys with one value only: whose they are, the rest of the key, and the value."""
    found: dict[tuple[Any, ...], set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    for (*own, rest), values in found.items():
        if len(values) == 1:
            yield dict(zip(PROCESS, own, strict=True)), rest, next(iter(values))


def _at(row: Any, path: str) -> Any:
    """A value within objects and lists; nothing where something on the way is missing."""
    for word in path.split("."):
        if isinstance(row, list):
            row = row[int(word)] if int(word) < len(row) else None
        else:
            row = row.get(word) if isinstance(row, dict) else None
    return row
