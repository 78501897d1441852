"""Queries about the cache lines that kernels touch, whose rows go to a temporary file where memory ends."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy
import pyarrow as pa

from . import _luthier
from ._dataset import Part
from ._errors import Error
from ._ordered import NUMBER, TEXT, Names, Owners, answer_of, numbers, records_of
from ._query import Answer, Session

SHARE = 4
"""That part of `--memory` is for rows; the rest, for what else a process needs, and for records while they are looked at."""
UNKNOWN = (1 << 32) - 1
"""Number of the kernel of accesses whose kernel nobody knows."""

TOTALS: dict[str, pa.DataType] = {
    **dict.fromkeys(("rank", "process", "session"), NUMBER),
    "kernel": TEXT,
    **dict.fromkeys(("launches", "accesses", "bytes", "working_set", "largest_launch"), NUMBER),
}
SHARED: dict[str, pa.DataType] = {"kernel": TEXT, **dict.fromkeys(("workgroups", "lines", "stored_lines", "accesses"), NUMBER)}


def working_set(session: Session, line: int, kernels: Sequence[str] | None) -> Answer:
    """A row per process and kernel, the largest first."""
    names = Names()
    wanted = numbers(names, kernels)
    rows: list[dict[str, Any]] = []
    for part in session.dataset.streams["mem-trace"]:
        lines = _gathered(session, part, line, names, wanted, workgroups=False)
        with _temporary():
            totals = _luthier.touched_totals(lines)
        for kernel, accesses, size, launches, whole, most in totals:
            rows.append(
                {
                    **dict(zip(("rank", "process", "session"), part.owner, strict=True)),
                    "kernel": _name(names, kernel),
                    "launches": launches,
                    "accesses": accesses,
                    "bytes": size,
                    "working_set": whole * line,
                    "largest_launch": most * line,
                }
            )
    rows.sort(key=lambda row: (-row["working_set"], row["kernel"], row["rank"], row["process"], row["session"]))
    return answer_of(rows, TOTALS)


def sharing(session: Session, line: int, kernels: Sequence[str] | None) -> Answer:
    """A row per kernel and number of workgroups."""
    names = Names()
    wanted = numbers(names, kernels)
    found: dict[tuple[str, int], Counter[str]] = {}
    for part in session.dataset.streams["mem-trace"]:
        lines = _gathered(session, part, line, names, wanted, workgroups=True)
        with _temporary():
            shared = _luthier.touched_sharing(lines)
        for kernel, workgroups, touched, stored, accesses in shared:
            one = found.setdefault((_name(names, kernel), workgroups), Counter())
            one.update(lines=touched, stored_lines=stored, accesses=accesses)
    rows = [{"kernel": kernel, "workgroups": workgroups, **one} for (kernel, workgroups), one in sorted(found.items())]
    return answer_of(rows, SHARED)


def _name(names: Names, kernel: int) -> str:
    return "?" if kernel == UNKNOWN else names.texts[kernel]


def _gathered(session: Session, part: Part, line: int, names: Names, wanted: Any, *, workgroups: bool) -> Any:
    """The lines of one process."""
    owners = Owners(session, part, names)
    lines = _luthier.touched_lines(line, session.memory // SHARE)
    for records in records_of(part):
        kernel = owners.kernels(records)
        if wanted is not None:
            kept = numpy.isin(kernel, wanted)
            kernel, records = kernel[kept], {name: values[kept] for name, values in records.items()}
        group = records["workgroup"] if workgroups else numpy.zeros_like(kernel)
        columns = (kernel, records["dispatch"], group, records["address"], records["size"], records["kind"] & 2)
        with _temporary():
            _luthier.touch(lines, *(column.tobytes() for column in columns))
    return lines


@contextmanager
def _temporary() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Error(
            f"a temporary file in {tempfile.gettempdir()}: {error.strerror or error}: "
            "let TMPDIR be a folder with more room, or give the query more --memory"
        ) from None
