"""Queries with names. Most are SQL; those that follow records in their order are in `_ordered`.

Queries about cache lines are both: SQL for other engines, and here in `_touched`, which keeps to the memory that it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from . import _ordered, _touched
from ._errors import Error
from ._query import LINE, MOST, Answer, Session

GLOBAL = "size > 0 AND (kind & 192) = 0"
"""Accesses with an address in global memory: not to LDS (64) or scratch (128), and not those whose texels are unknown."""


@dataclass(frozen=True)
class Parameters:
    cache_line: int | None
    """Bytes, if somebody says."""
    kernel: str | None
    """Regular expression for the symbol or the name."""
    limit: int | None

    def chosen(self, session: Session) -> list[str] | None:
        """Symbols of the kernels that are asked for; `None` for all, also those that nobody knows."""
        if self.kernel is None:
            return None
        try:
            pattern = re.compile(self.kernel)
        except re.error as error:
            raise Error(f"{self.kernel!r} is no regular expression: {error}") from None
        kernels = [(row["symbol"], row["name"]) for row in session.facts.rows("kernels")]
        launched = [(row["kernel"], row["name"]) for row in session.facts.rows("launches")]
        names = [(symbol, name or symbol) for symbol, name in (*kernels, *launched) if symbol is not None]
        fitting = {symbol for symbol, name in names if pattern.search(symbol) or pattern.search(name)}
        if not fitting:
            there = sorted({symbol for symbol, _ in names})
            raise Error(f"no kernel matches {self.kernel}: there are {', '.join(there[:8]) or 'none'}")
        return sorted(fitting)


@dataclass(frozen=True)
class Named:
    about: str
    needs: str
    """The tool whose results it is about."""
    text: str = ""
    """SQL, with `{line}` for the bytes of a cache line, `{global}`, and `{kernels}`, a condition."""
    ordered: Callable[[Session, int, list[str] | None], Answer] | None = None
    """What answers here, where there is no cluster; with `text`, it says the same."""
    code: bool = False
    """Whether it is worth nothing without code objects."""
    heeds: frozenset[str] = frozenset()
    """Options that change what it does here: `cache_line`, `threads` and `memory`."""


# An access that crosses the border of a line touches two. (Nothing is divided: in DuckDB and Spark that makes fractions.)
_TOUCHED = """
    touched AS (
        SELECT rank, process, session, coalesce(kernel, '?') AS kernel, dispatch, workgroup, size, kind,
               address - address % {line} AS cache_line, 1 AS accesses
        FROM accesses WHERE {global} AND {kernels}
        UNION ALL
        SELECT rank, process, session, coalesce(kernel, '?') AS kernel, dispatch, workgroup, 0 AS size, kind,
               address + size - 1 - (address + size - 1) % {line} AS cache_line, 0 AS accesses
        FROM accesses WHERE {global} AND {kernels} AND address % {line} + size > {line}
    )
"""

NAMED: Mapping[str, Named] = {
    "working-set": Named(
        "bytes of global memory that each kernel touches, in whole cache lines, over all launches and in the largest",
        "mem-trace",
        f"""
        WITH {_TOUCHED},
        in_launch AS (
            SELECT rank, process, session, kernel, dispatch, cache_line, sum(accesses) AS accesses, sum(size) AS bytes
            FROM touched GROUP BY rank, process, session, kernel, dispatch, cache_line
        ),
        launches_of_it AS (
            SELECT rank, process, session, kernel, dispatch, sum(accesses) AS accesses, sum(bytes) AS bytes, count(*) AS lines
            FROM in_launch GROUP BY rank, process, session, kernel, dispatch
        ),
        kernels_of_it AS (
            SELECT rank, process, session, kernel, count(*) AS launches, sum(accesses) AS accesses, sum(bytes) AS bytes, max(lines) AS most
            FROM launches_of_it GROUP BY rank, process, session, kernel
        ),
        whole AS (
            SELECT rank, process, session, kernel, count(DISTINCT cache_line) AS lines FROM in_launch GROUP BY rank, process, session, kernel
        )
        SELECT k.rank, k.process, k.session, k.kernel, k.launches, k.accesses, k.bytes,
               w.lines * {{line}} AS working_set, k.most * {{line}} AS largest_launch
        FROM kernels_of_it k JOIN whole w ON w.rank = k.rank AND w.process = k.process AND w.session = k.session AND w.kernel = k.kernel
        ORDER BY working_set DESC, k.kernel, k.rank, k.process, k.session
        """,
        ordered=_touched.working_set,
        heeds=frozenset({"cache_line", "memory"}),
    ),
    "hottest-lines": Named(
        "source lines by the instructions that lanes executed for them",
        "hotspots",
        """
        SELECT e.kernel, i.file, i.line, count(DISTINCT e.pc) AS instructions, sum(e.waves) AS wave_instructions,
               sum(e.lanes) AS lane_instructions, 100 * CAST(sum(e.lanes) AS DOUBLE) / sum(sum(e.lanes)) OVER () AS percent
        FROM executions e JOIN instructions i ON i.object = e.object AND i.pc = e.pc
        WHERE {kernels}
        GROUP BY e.kernel, i.file, i.line
        ORDER BY lane_instructions DESC, e.kernel, i.file, i.line
        """,
        code=True,
        heeds=frozenset({"threads", "memory"}),
    ),
    "sharing": Named(
        "how many cache lines of global memory are touched by one workgroup of a launch, by two, and so on",
        "mem-trace",
        f"""
        WITH {_TOUCHED},
        lines_of_it AS (
            SELECT rank, process, session, kernel, dispatch, cache_line, count(DISTINCT workgroup) AS workgroups,
                   sum(accesses) AS accesses, max(CASE WHEN (kind & 2) = 2 THEN 1 ELSE 0 END) AS stored
            FROM touched GROUP BY rank, process, session, kernel, dispatch, cache_line
        )
        SELECT kernel, workgroups, count(*) AS lines, sum(stored) AS stored_lines, sum(accesses) AS accesses
        FROM lines_of_it GROUP BY kernel, workgroups ORDER BY kernel, workgroups
        """,
        ordered=_touched.sharing,
        heeds=frozenset({"cache_line", "memory"}),
    ),
    "false-sharing": Named(
        "cache lines that one workgroup of a launch writes and another accesses, though they have no written dword in common",
        "mem-trace",
        """
        WITH dwords AS (
            SELECT rank, process, session, coalesce(kernel, '?') AS kernel, dispatch, workgroup, kind, address - address % 4 + 4 * part.n AS dword, part.n AS n
            FROM accesses CROSS JOIN (VALUES (0), (1), (2), (3), (4)) AS part (n)
            WHERE {global} AND {kernels} AND address % 4 + size > 4 * part.n
        ),
        shared AS (
            SELECT rank, process, session, kernel, dispatch, dword, count(DISTINCT workgroup) AS workgroups,
                   max(CASE WHEN (kind & 2) = 2 THEN 1 ELSE 0 END) AS stored
            FROM dwords GROUP BY rank, process, session, kernel, dispatch, dword
        ),
        written AS (
            SELECT rank, process, session, kernel, dispatch, dword - dword % {line} AS cache_line
            FROM shared GROUP BY rank, process, session, kernel, dispatch, dword - dword % {line}
            HAVING max(stored * workgroups) = 1
        ),
        lines_of_it AS (
            SELECT rank, process, session, kernel, dispatch, dword - dword % {line} AS cache_line, count(DISTINCT workgroup) AS workgroups,
                   sum(CASE WHEN n = 0 THEN 1 ELSE 0 END) AS accesses,
                   sum(CASE WHEN n = 0 AND (kind & 2) = 2 THEN 1 ELSE 0 END) AS stores
            FROM dwords GROUP BY rank, process, session, kernel, dispatch, dword - dword % {line}
        )
        SELECT l.rank, l.process, l.session, l.kernel, l.dispatch, l.cache_line AS address, l.workgroups, l.accesses, l.stores
        FROM lines_of_it l JOIN written w ON w.rank = l.rank AND w.process = l.process AND w.session = l.session
             AND w.kernel = l.kernel AND w.dispatch = l.dispatch AND w.cache_line = l.cache_line
        WHERE l.workgroups > 1
        ORDER BY l.accesses DESC, l.rank, l.process, l.session, l.dispatch, address
        """,
        heeds=frozenset({"cache_line", "threads", "memory"}),
    ),
    "reuse-distance": Named(
        "how many other cache lines a process touches between two accesses to the same one, as a histogram per kernel",
        "mem-trace",
        ordered=_ordered.reuse_distance,
        heeds=frozenset({"cache_line"}),
    ),
    "access-pattern": Named(
        "how the lanes of each memory instruction step through each buffer",
        "mem-trace",
        ordered=_ordered.access_pattern,
    ),
}

MATTERS = {"cache_line": "the size of a cache line", "threads": "a number of threads", "memory": "the memory that it may use"}
"""Options that some of them heed, in words."""

HOW = "LUTHIER_OBJECTS=1 luthier run -t {tool} --output {directory} -- PROGRAM"


def unheeded(name: str | None, given: Mapping[str, object]) -> list[str]:
    """Notes on options that a ready query does not heed; `given`: those of `MATTERS`, None if not."""
    one = NAMED.get(name or "")
    if one is None:
        return []
    left = (option for option, value in given.items() if value is not None and option not in one.heeds)
    return [f"{name} does not depend on {MATTERS[option]}: {option} changes nothing" for option in left]


def answer(session: Session, name: str, parameters: Parameters) -> Answer:
    """Rows of one of them."""
    one = NAMED.get(name)
    if one is None:
        raise Error(f"no query {name}: there are {', '.join(NAMED)}")
    line = LINE if parameters.cache_line is None else parameters.cache_line
    # An access of a lane has up to 16 bytes, and is counted in its first line and in its last.
    if line < 16 or line & (line - 1) or line > 1 << 20:
        raise Error(f"a cache line of {line} bytes: it has to be a power of two from 16 to 1048576")
    if parameters.limit is not None and not 1 <= parameters.limit <= MOST:
        raise Error(f"a limit of {parameters.limit} rows: it has to be from 1 to {MOST}")
    dataset = session.dataset
    how = HOW.format(tool=one.needs, directory=dataset.directories[0])
    if one.needs not in dataset.streams and one.needs not in dataset.results:
        raise Error(f"{name} needs what {one.needs} writes: {how}")
    if one.code and not session.facts.rows("code_objects"):
        raise Error(f"{name} needs code objects, which the run did not keep: {how}")
    kernels = parameters.chosen(session)
    if session.distributed and not one.text:
        raise Error(f"{name} follows records in their order, which no cluster keeps: leave --scheduler out")
    if one.ordered and not session.distributed:
        return _ordered.first(one.ordered(session, line, kernels), parameters.limit)
    text = in_full(one, line, kernels)
    return session.sql(text if parameters.limit is None else f"{text} LIMIT {parameters.limit}")


def in_full(one: Named, line: int, kernels: list[str] | None) -> str:
    """Its SQL."""
    quoted = ", ".join("'" + kernel.replace("'", "''") + "'" for kernel in kernels or ())
    # (Every text has `kernel` in one table only.)
    condition = "true" if kernels is None else f"kernel IN ({quoted})"
    text = one.text
    for word, value in {"{global}": GLOBAL, "{kernels}": condition, "{line}": str(line)}.items():
        text = text.replace(word, value)
    return text
