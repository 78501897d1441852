"""`luthier-query`, which `luthier query` starts."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ._errors import Error
from ._query import Answer, Session, answer, queries, session, write
from ._waiting import waiting

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 1000
"""Rows of a table on a screen."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="luthier query",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Query the files of `luthier run --output` with SQL, such as traces of any size.",
        epilog="""examples:
  luthier query out 'select kernel, count(*) from accesses group by kernel'
  luthier query out --named working-set
  luthier query out --named access-pattern --kernel gemm --format csv
  luthier query out --tables
  luthier query out --export dataset
  luthier query dataset --named sharing --scheduler df://localhost:50050""",
    )
    parser.add_argument("words", nargs="+", metavar="DIR... [SQL]", help="directories of runs or a dataset, and the query")
    parser.add_argument("--named", metavar="NAME", help="a ready query instead of SQL; --queries lists them")
    parser.add_argument("--queries", action=_Queries, nargs=0, help="list the ready queries")
    parser.add_argument("--tables", action="store_true", help="list tables and their columns")
    parser.add_argument("--kernel", metavar="REGEX", help="with --named: kernels whose name matches")
    parser.add_argument(
        "--cache-line", type=int, default=128, metavar="BYTES", help="with --named: bytes of a cache line (128 without)"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="with --named: the first N rows")
    parser.add_argument("--format", choices=("table", "csv", "json"), help="how rows are printed (table without)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.parquet", help="write the rows to a Parquet file instead, or to query.parquet in a directory")
    parser.add_argument("--threads", type=int, metavar="N", help="without: one per core")
    parser.add_argument(
        "--memory", type=_bytes, metavar="BYTES", help="for what is gathered, such as 4G; more goes to temporary files"
    )
    parser.add_argument(
        "--export", type=Path, metavar="DATASET", help="write all tables as a dataset that Ballista, DuckDB and Spark read"
    )
    parser.add_argument(
        "--scheduler",
        metavar="URL",
        help="let an Apache Ballista cluster execute the query: df://HOST:PORT. Its executors have to reach DIR by the same path",
    )
    return parser


class _Queries(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        for name, about in queries().items():
            print(f"{name:<16} {about}")
        parser.exit()


def _bytes(text: str) -> int:
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    shift = units.get(text[-1:].upper(), 0)
    number = text[:-1] if shift else text
    if not number.isdecimal() or not int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes such as 4G")
    return int(number) << shift


def main() -> int:
    """Status 0, or 2 after one line on standard error."""
    parser = _parser()
    options = parser.parse_args()
    words: list[str] = options.words
    sql = None
    if not (options.named or options.tables or options.export):
        if len(words) < 2:
            parser.error("a query is missing: SQL, or --named NAME")
        sql = words.pop()
    try:
        if options.threads is not None and options.threads < 1:
            raise Error(f"{options.threads} threads: it has to be 1 or more")
        within = session(words, options.threads, options.memory, options.scheduler)
        if options.tables:
            _list(within)
        elif options.export:
            from . import _export

            with waiting("writing the dataset"):
                _export.write(within, options.export)
        else:
            with waiting("querying"):
                rows = answer(within, sql, options.named, options.cache_line, options.kernel, options.limit)
                if options.output:
                    write(rows, options.output / "query.parquet" if options.output.is_dir() else options.output)
                else:
                    # Most of the work is done when the first rows come.
                    first = list(itertools.islice(rows.batches, 1))
                    rows = Answer(rows.schema, itertools.chain(first, rows.batches))
            if not options.output:
                PRINT[options.format or "table"](rows, sys.stdout)
        sys.stdout.flush()
    except Error as error:
        print(f"luthier: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has gone. (Python's last flush goes nowhere.)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"luthier: the rows cannot be printed: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _list(session: Session) -> None:
    for name, about in session.tables.items():
        columns = ", ".join(f"{column} {kind}" for column, kind in session.columns(name))
        print(f"{name}: {about}\n    {columns}")


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[list[Any]]:
    for batch in batches:
        columns = [column.to_pylist() for column in batch.columns]
        yield from (list(row) for row in zip(*columns, strict=True))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _table(rows: Answer, to: TextIO) -> None:
    names = rows.schema.names
    shown: list[list[Any]] = []
    more = 0
    for row in _rows(rows.batches):
        if len(shown) < SHOWN:
            shown.append(row)
        else:
            more += 1
    cells = [[_cell(value) for value in row] for row in shown]
    widths = [max([len(name), *(len(row[at]) for row in cells)]) for at, name in enumerate(names)]
    right = [all(isinstance(row[at], (int, float, type(None))) for row in shown) for at in range(len(names))]
    for row in [names, *cells]:
        words = [
            cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(row, widths, right, strict=True)
        ]
        to.write("  ".join(words).rstrip() + "\n")
    if more:
        print(f"and {more} more rows: --format csv prints all", file=sys.stderr)


def _csv(rows: Answer, to: TextIO) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.schema.names)
    for row in _rows(rows.batches):
        writer.writerow(["" if value is None else value for value in row])
        if text.tell() > 1 << 16:
            to.write(text.getvalue())
            text.seek(0)
            text.truncate()
    to.write(text.getvalue())


def _json(rows: Answer, to: TextIO) -> None:
    names, between = rows.schema.names, "[\n"
    for row in _rows(rows.batches):
        to.write(between + json.dumps(dict(zip(names, row, strict=True)), default=str))
        between = ",\n"
    to.write("[]\n" if between == "[\n" else "\n]\n")


PRINT = {"table": _table, "csv": _csv, "json": _json}

if __name__ == "__main__":
    sys.exit(main())
