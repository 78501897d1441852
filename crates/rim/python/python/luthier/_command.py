"""`luthier-query`, which `luthier query` starts."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

from ._errors import Error
from ._print import PRINT, names_once, table
from ._query import Answer, Session, answer, queries, session, write
from ._waiting import waiting


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="luthier query",
        usage="luthier query [OPTIONS] DIR... [SQL]",
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
        "--cache-line", type=int, metavar="BYTES", help="with --named: bytes of a cache line (128 without)"
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


def _without_effect(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Ends with an error if an option would change nothing."""
    given = {name for name, value in vars(options).items() if value is not None and value is not False}
    kinds = [name for name in ("named", "tables", "export") if name in given]
    if len(kinds) > 1:
        parser.error(f"--{kinds[0]} and --{kinds[1]} are two things to do: ask for one")
    for word, needs in {"cache_line": "named", "kernel": "named", "limit": "named"}.items():
        if word in given and needs not in given:
            parser.error(f"--{word.replace('_', '-')} is for --{needs}")
    for word, other in itertools.product(("output", "format"), ("tables", "export")):
        if {word, other} <= given:
            parser.error(f"--{word} is for rows, and --{other} has none")
    for word, other in itertools.product(("threads", "memory", "scheduler"), ("tables", "export")):
        if {word, other} <= given:
            parser.error(f"--{word} is for queries, and --{other} is none")
    for word in ("threads", "memory"):
        if {word, "scheduler"} <= given:
            parser.error(f"--{word} is for the engine here: executors of a cluster have options of their own")
    if {"output", "format"} <= given:
        parser.error("--format is for rows that are printed, and --output writes them as Parquet")


def main() -> int:
    """Status 0, or 2 after one line on standard error."""
    parser = _parser()
    options = parser.parse_args()
    _without_effect(parser, options)
    words: list[str] = options.words
    sql = None
    if options.named is None and not options.tables and options.export is None:
        if len(words) < 2:
            parser.error("a query is missing: SQL, or --named NAME")
        sql = words.pop()
    try:
        within = session(words, options.threads, options.memory, options.scheduler)
        if options.named is not None:
            # (What it needs is known to be there now.)
            from ._named import MATTERS, unheeded

            for note in unheeded(options.named, {name: getattr(options, name) for name in MATTERS}):
                print(f"luthier: {note}", file=sys.stderr)
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
                    names_once(rows.schema)
                    write(rows, options.output / "query.parquet" if options.output.is_dir() else options.output)
                else:
                    # Most of the work is done when the first rows come.
                    first = list(itertools.islice(rows.batches, 1))
                    rows = Answer(rows.schema, itertools.chain(first, rows.batches))
            if not options.output:
                # (Percentages of ready queries need one digit; what SQL computes may need all.)
                form = options.format or "table"
                printer = partial(table, rounded=options.named is not None) if form == "table" else PRINT[form]
                printer(rows, sys.stdout)
        sys.stdout.flush()
    except Error as error:
        print(f"luthier: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has gone. (Python's last flush goes nowhere.)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"luthier: {error.filename or 'the rows cannot be printed'}: {error.strerror}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _list(session: Session) -> None:
    for name, about in session.tables.items():
        columns = ", ".join(f"{column} {kind}" for column, kind in session.columns(name))
        print(f"{name}: {about}\n    {columns}")


if __name__ == "__main__":
    sys.exit(main())
