"""SQL over what runs left behind, by Apache DataFusion."""

from __future__ import annotations

import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._dataset import OWNER, Dataset
from ._errors import Error

if TYPE_CHECKING:
    import pyarrow as pa

PATHS = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

LINE = 128
"""Bytes of a cache line, if nobody says."""
MOST = (1 << 63) - 1
"""Numbers beyond it are none for the engine."""


@dataclass(frozen=True)
class View:
    """A table that is a query."""

    about: str
    text: str
    """SQL that DataFusion, DuckDB and Spark understand alike."""


VIEWS = {
    "accesses": View(
        "mem_trace with the kernel of each access",
        """
        SELECT t.rank, t.process, t.session, CAST(t.dispatch AS BIGINT) AS dispatch, CAST(t.workgroup AS BIGINT) AS workgroup,
               CAST(t.lane AS BIGINT) AS lane, CAST(t.address AS BIGINT) AS address, CAST(t.size AS BIGINT) AS size,
               CAST(t.kind AS BIGINT) AS kind, CAST(t.pc AS BIGINT) AS pc, coalesce(l.kernel, p.kernel) AS kernel
        FROM mem_trace t
        LEFT JOIN launches l ON l.rank = t.rank AND l.process = t.process AND l.session = t.session
             AND l.launch = CAST(t.dispatch AS BIGINT)
        LEFT JOIN place_of_kernel p ON p.rank = t.rank AND p.process = t.process AND p.session = t.session
             AND p.pc = CAST(t.pc AS BIGINT)
        """,
    ),
    "source_accesses": View(
        "accesses with instruction and source line",
        """
        SELECT a.*, i.text AS instruction, i.file, i.line
        FROM accesses a
        LEFT JOIN object_of_kernel o ON o.rank = a.rank AND o.process = a.process AND o.session = a.session AND o.kernel = a.kernel
        LEFT JOIN instructions i ON i.object = o.object AND i.pc = a.pc
        """,
    ),
}
"""Views on `mem_trace`: with the kernel of each access, from launch-log or from where only one kernel has an instruction; and with
instruction and source line, too. All numbers are signed there, because a quotient of signed and unsigned ones is a decimal fraction, and
Spark has no unsigned ones. A view names only tables and those views that are before it."""


@dataclass(frozen=True)
class Answer:
    """Rows as they come."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]

    def table(self) -> pa.Table:
        import pyarrow

        return pyarrow.Table.from_batches(list(self.batches), self.schema)


class Session:
    """The query engine with a dataset's tables."""

    distributed = False
    """Whether others execute queries."""

    def __init__(self, directories: PATHS, *, threads: int | None = None, memory: int | None = None) -> None:
        """`memory`: bytes for what queries gather; more goes to files in the temporary directory. Without, half of the machine's."""
        engine = _engine()
        from ._facts import Facts

        for name, bound in {"threads": threads, "memory": memory}.items():
            if bound is not None and not 1 <= bound <= MOST:
                raise Error(f"{name} of {bound}: it has to be from 1 to {MOST}")
        self.dataset = Dataset([directories] if isinstance(directories, (str, os.PathLike)) else directories)
        self.facts = Facts(self.dataset)
        self.memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if memory is None else memory
        runtime = engine.RuntimeEnvBuilder().with_disk_manager_os().with_fair_spill_pool(self.memory)
        partitions = len(os.sched_getaffinity(0)) if threads is None else threads
        config = engine.SessionConfig().with_target_partitions(partitions)
        self._context: Any = engine.SessionContext(config, runtime)
        self._reads_only = engine.SQLOptions().with_allow_ddl(False).with_allow_dml(False).with_allow_statements(False)
        self._engine = engine
        self._there: set[str] = set()
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    @property
    def tables(self) -> dict[str, str]:
        """All tables and views by name, and what a row is."""
        from ._facts import SHEETS

        streams = {name_of(stream): f"records of {stream}" for stream in self.dataset.streams}
        views = {name: view.about for name, view in self.views.items()}
        return {**streams, **views, **{name: sheet.about for name, sheet in SHEETS.items()}}

    @property
    def views(self) -> dict[str, View]:
        """Those whose tables are there."""
        return VIEWS if "mem-trace" in self.dataset.streams else {}

    def columns(self, table: str) -> list[tuple[str, str]]:
        """Names and types."""
        self._prepare(table)
        schema = self._context.table(table).schema()
        return [(column.name, str(column.type)) for column in schema]

    def sql(self, text: str) -> Answer:
        """The answer to a query; only SELECT and what else changes nothing."""
        self._prepare(text)
        try:
            frame = self._context.sql(text, self._reads_only)
            schema = frame.schema()
            stream = frame.execute_stream()
        except Exception as error:
            raise self._failed(error) from None
        return Answer(schema, self._batches(stream, schema))

    def _batches(self, stream: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        try:
            for piece in stream:
                batch = piece.to_pyarrow()
                # (Types of a union may come out narrower than they were planned.)
                yield batch if batch.schema.equals(schema) else batch.cast(schema)
        except Exception as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> Error:
        text = in_one_line(error)
        missing = re.search(r"table '(?:datafusion\.public\.)?(\w+)' not found", text)
        if missing:
            text = f"no table {missing[1]}: there are {', '.join(sorted(self.tables))}"
        return Error(f"the query failed: {text}")

    def named_by(self, text: str) -> set[str]:
        """All words of a query and of the views that it names."""
        words = _words(text)
        for name in reversed(self.views):
            if name in words:
                words |= _words(self.views[name].text)
        return words

    def _prepare(self, text: str) -> None:
        """Makes the tables that a query names."""
        from ._facts import LINKS, SHEETS

        words = self.named_by(text) - self._there
        self._there |= words
        for stream in self.dataset.streams:
            if name_of(stream) in words:
                self._add_stream(stream)
        for name in (*SHEETS, *LINKS):
            if name in words:
                self._context.register_record_batches(name, [[self.facts.batch(name)]])
        for name, view in self.views.items():
            if name in words:
                try:
                    self._context.register_view(name, self._context.sql(view.text))
                except Exception as error:
                    raise self._failed(error) from None

    def _add_stream(self, stream: str) -> None:
        """One table of many files, so that plans do not grow with the number of ranks."""
        import pyarrow

        name = name_of(stream)
        for part in self.dataset.streams[stream]:
            # (The engine takes an empty file for one without rows.)
            if not part.path.stat().st_size:
                _check(part.path)
        folder = self.dataset.exported or self._links(stream)
        columns = [(column, pyarrow.int64()) for column in OWNER]
        try:
            self._context.register_listing_table(name, str((folder / name).resolve()), columns, ".parquet")
        except Exception as error:
            for part in self.dataset.streams[stream]:
                _check(part.path)
            raise self._failed(error) from None

    def _links(self, stream: str) -> Path:
        """A folder with links to a stream's files, each below folders that say whose it is."""
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="luthier-query-")
        folder = Path(self._scratch.name)
        for part in self.dataset.streams[stream]:
            link = folder / name_of(stream) / part.place
            link.parent.mkdir(parents=True)
            link.symlink_to(part.path.resolve())
        return folder


def in_one_line(error: Exception) -> str:
    """What an engine says, which may have several lines."""
    return "; ".join(line.strip().removesuffix(".") for line in str(error).splitlines() if line.strip())


def _check(path: Path) -> None:
    import pyarrow.parquet

    try:
        pyarrow.parquet.read_schema(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise Error(f"{path} cannot be read: {error}") from None


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def name_of(stream: str) -> str:
    """A stream's name in SQL."""
    return re.sub(r"\W", "_", stream).lower()


def _engine() -> Any:
    try:
        import datafusion
    except ModuleNotFoundError:
        raise Error("queries need Apache DataFusion: pip install datafusion numpy") from None
    return datafusion


def query(
    directories: PATHS,
    sql: str | None = None,
    *,
    named: str | None = None,
    cache_line: int | None = None,
    kernel: str | None = None,
    limit: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    scheduler: str | None = None,
) -> pa.Table:
    """The answer to a query over what `luthier run --output` left, as an Arrow table.

    `directories`: one, or several such as those of several ranks. Either `sql`, or the name of a query in `queries()`, with the size of
    a cache line in bytes (128 without), a regular expression that kernels' names have to match, and how many rows are wanted. `threads`
    and `memory` (bytes) bound what it takes. With `scheduler`, such as `df://localhost:50050`, an Apache Ballista cluster executes it.
    An option that is for something else is an error. One that this query does not depend on gives a warning.
    """
    within = session(directories, threads, memory, scheduler)
    from . import _named

    for note in _named.unheeded(named, {"cache_line": cache_line, "threads": threads, "memory": memory}):
        warnings.warn(note, stacklevel=2)
    return answer(within, sql, named, cache_line, kernel, limit).table()


def session(directories: PATHS, threads: int | None, memory: int | None, scheduler: str | None) -> Session:
    """Of the engine here, or of a cluster's."""
    if scheduler is None:
        return Session(directories, threads=threads, memory=memory)
    for name, bound in {"threads": threads, "memory": memory}.items():
        if bound is not None:
            raise Error(f"{name} is for the engine here: executors of a cluster have options of their own")
    from ._cluster import Cluster

    return Cluster(directories, scheduler)


def answer(
    session: Session, sql: str | None, named: str | None, cache_line: int | None, kernel: str | None, limit: int | None
) -> Answer:
    """What `query` does, with the rows as they come."""
    if (sql is None) == (named is None):
        raise Error("a query is either SQL or the name of one")
    if sql is not None:
        for name, value in {"cache_line": cache_line, "kernel": kernel, "limit": limit}.items():
            if value is not None:
                raise Error(f"{name} is for the queries that have names, and SQL is none of them")
        return session.sql(sql)
    from . import _named

    return _named.answer(session, str(named), _named.Parameters(cache_line, kernel, limit))


def export(directories: PATHS, dataset: str | os.PathLike[str]) -> None:
    """Writes what `luthier run --output` left as a dataset, a new folder, that other query engines read.

    It has a folder of Parquet files for each table, those of records with folders `rank=N/process=N/session=N`, and `catalogue.json` with
    columns, views and ready queries. Files of records are linked there where the file system has hard links, and else copied.
    """
    from ._export import write

    write(Session(directories), Path(dataset))


def queries() -> dict[str, str]:
    """Names of the ready queries, and what each says."""
    _engine()
    from . import _named

    return {name: one.about for name, one in _named.NAMED.items()}


def write(answer: Answer, path: Path) -> None:
    """The rows as a Parquet file, which appears whole or not at all."""
    import pyarrow.parquet

    final = Path(os.path.realpath(path))
    part = final.with_name(f".{final.name}.{os.getpid()}")
    try:
        with pyarrow.parquet.ParquetWriter(part, answer.schema, compression="snappy") as writer:
            for batch in answer.batches:
                writer.write_batch(batch)
        part.replace(final)
    except OSError as error:
        raise Error(f"{path}: {error.strerror or error}") from None
    except pyarrow.ArrowException as error:
        # (Parquet lacks some of the types that SQL has.)
        raise Error(f"{path}: {in_one_line(error)}") from None
    finally:
        part.unlink(missing_ok=True)
