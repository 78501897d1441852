"""A run as a dataset: a folder of Parquet files for each table, and a catalogue, which Ballista, DuckDB and Spark read as they are."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Container
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from . import _named
from ._dataset import CATALOGUE, OWNER, PART, VERSION, Part
from ._errors import Error
from ._facts import LINKS, SHEETS
from ._query import LINE, Session, name_of


class _Everything:
    def __contains__(self, _: object) -> bool:
        return True


def write(session: Session, folder: Path, wanted: Container[str] = _Everything()) -> None:
    """The dataset, or only those tables of it; it appears whole or not at all."""
    if session.dataset.exported:
        raise Error(f"{session.dataset.exported} is a dataset already")
    final = Path(os.path.realpath(folder))
    part = final.with_name(f".{final.name}.{os.getpid()}")
    try:
        if final.exists():
            raise Error(f"{folder} is already there: remove it, or export to another folder")
        part.mkdir()
        tables = _streams(session, part, wanted) + _sheets(session, part, wanted)
        (part / CATALOGUE).write_text(json.dumps(_catalogue(session, tables), indent=1) + "\n")
        part.rename(final)
    except OSError as error:
        raise Error(f"{folder} cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _streams(session: Session, folder: Path, wanted: Container[str]) -> list[dict[str, Any]]:
    tables = []
    for stream, parts in session.dataset.streams.items():
        name = name_of(stream)
        if name in wanted:
            for part in parts:
                _place(part, folder / name)
            columns = _columns(_schema(parts[0].path))
            about = session.tables[name]
            tables.append({"name": name, "about": about, "stream": stream, "columns": columns, "partitions": list(OWNER)})
    return tables


def _place(part: Part, folder: Path) -> None:
    """A file of records below the folder, by whose it is."""
    path, to = part.path.resolve(), folder / part.place
    to.parent.mkdir(parents=True)
    try:
        os.link(path, to)
    except OSError:
        # (Another file system, or one without links.)
        shutil.copyfile(path, to)


def _sheets(session: Session, folder: Path, wanted: Container[str]) -> list[dict[str, Any]]:
    tables = []
    for name, sheet in {**SHEETS, **LINKS}.items():
        if name in wanted:
            batch = session.facts.batch(name)
            (folder / name).mkdir()
            pyarrow.parquet.write_table(pyarrow.Table.from_batches([batch]), folder / name / PART)
            tables.append({"name": name, "about": sheet.about, "columns": _columns(batch.schema), "partitions": []})
    return tables


def _catalogue(session: Session, tables: list[dict[str, Any]]) -> dict[str, Any]:
    there = {table["name"] for table in tables}
    views = []
    for name, view in session.views.items():
        # (Every table that a view names stands before it.)
        if there >= _tables_of(session, view.text):
            views.append({"name": name, "about": view.about, "sql": _lines(view.text)})
    names = there | {view["name"] for view in views}
    queries = [
        {"name": name, "about": one.about, "sql": _lines(_named.in_full(one, LINE, None))}
        for name, one in _named.NAMED.items()
        if one.text and names >= _tables_of(session, one.text)
    ]
    results = sorted(session.dataset.results)
    return {"version": VERSION, "tables": tables, "views": views, "queries": queries, "results": results}


def _tables_of(session: Session, text: str) -> set[str]:
    """Tables that a text names, and those of its views."""
    return session.named_by(text) & {*map(name_of, ("mem-trace", *session.dataset.streams)), *SHEETS, *LINKS}


def _lines(text: str) -> str:
    """Without indentation."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def _columns(schema: pyarrow.Schema) -> list[dict[str, str]]:
    return [{"name": column.name, "type": str(column.type)} for column in schema]


def _schema(path: Path) -> pyarrow.Schema:
    try:
        return pyarrow.parquet.read_schema(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise Error(f"{path} cannot be read: {error}") from None
