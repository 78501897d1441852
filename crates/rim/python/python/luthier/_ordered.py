"""Queries that follow the records of a trace in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.parquet

from . import _luthier
from ._dataset import Part
from ._errors import Error
from ._query import Answer, Session

Array = numpy.ndarray[Any, Any]

RECORDS = 1 << 17
"""That are looked at together: some 60 MB with all that is made of them."""
COLUMNS = ("address", "pc", "dispatch", "workgroup", "lane", "size", "kind")
STRIDES = 4096
"""Of one instruction that are told apart: more, and the rarest count as others."""


class Names:
    """Texts by number, so that arrays can have them; `None` is -1."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number

    def text(self, number: int) -> str | None:
        return None if number < 0 else self.texts[number]


class Mapping:
    """Values of integer keys, for whole arrays."""

    def __init__(self, pairs: dict[int, int]) -> None:
        self._keys = numpy.array(sorted(pairs), dtype=numpy.int64)
        self._values = numpy.array([pairs[key] for key in sorted(pairs)], dtype=numpy.int64)

    def of(self, keys: Array) -> Array:
        """The values; -1 for keys that are not there."""
        if not len(self._keys):
            return numpy.full(len(keys), -1, numpy.int64)
        at = numpy.minimum(numpy.searchsorted(self._keys, keys), len(self._keys) - 1)
        return numpy.where(self._keys[at] == keys, self._values[at], -1)


class Owners:
    """The kernel of an access: by its launch where `launch-log` ran too, else where only one kernel has that instruction."""

    def __init__(self, session: Session, part: Part, names: Names) -> None:
        def mine(table: str, key: str) -> Mapping:
            # (As in SQL, null is equal to nothing.)
            rows = (row for row in session.facts.of(table, part.owner) if None not in (row[key], row["kernel"]))
            return Mapping({row[key]: names.number(row["kernel"]) for row in rows})

        self._launches, self._places = mine("launches", "launch"), mine("place_of_kernel", "pc")

    def kernels(self, records: dict[str, Array]) -> Array:
        """Their numbers; -1 where nobody knows."""
        logged = self._launches.of(records["dispatch"])
        return numpy.where(logged >= 0, logged, self._places.of(records["pc"]))


def records_of(part: Part) -> Iterator[dict[str, Array]]:
    """Accesses to global memory, in their order."""
    try:
        with pa.parquet.ParquetFile(part.path, pre_buffer=False) as file:
            # (One row group at a time: asked for all of them, the reader keeps what it has read of the file.)
            for group in range(file.num_row_groups):
                for batch in file.iter_batches(RECORDS, row_groups=[group], columns=list(COLUMNS)):
                    records = {name: batch.column(name).to_numpy().astype(numpy.int64) for name in COLUMNS}
                    wanted = (records["size"] > 0) & ((records["kind"] & 192) == 0)
                    yield {name: values[wanted] for name, values in records.items()}
    except (OSError, pa.ArrowException, KeyError, ValueError, TypeError) as error:
        raise Error(f"{part.path} cannot be read: {error}") from None


def numbers(names: Names, kernels: Sequence[str] | None) -> Array | None:
    """Numbers of the kernels that are asked for."""
    return None if kernels is None else numpy.array([names.number(kernel) for kernel in kernels])


def reuse_distance(session: Session, line: int, kernels: Sequence[str] | None) -> Answer:
    """A histogram of distances in powers of two. The launches of a process have one memory: what one leaves in a cache, the next finds."""
    names = Names()
    wanted = numbers(names, kernels)
    counts: Counter[tuple[int, int]] = Counter()
    for part in session.dataset.streams["mem-trace"]:
        owners = Owners(session, part, names)
        stack = _luthier.reuse_stack()
        for records in records_of(part):
            first = records["address"] // line
            last = (records["address"] + records["size"] - 1) // line
            touched = last - first + 1
            lines = numpy.repeat(first, touched)
            lines += numpy.arange(len(lines)) - numpy.repeat(numpy.cumsum(touched) - touched, touched)
            told = _luthier.reuse_distances(stack, lines.astype(numpy.uint64).tobytes())
            # Bits of the distance: 0 is 0, 1 is 1, 2 and 3 are 2, ...; -1 for lines that were never touched.
            distances = numpy.frombuffer(told, numpy.int64)
            bits = numpy.where(distances < 0, -1, numpy.frexp(distances.astype(numpy.float64))[1])
            owner = numpy.repeat(owners.kernels(records), touched)
            if wanted is not None:
                kept = numpy.isin(owner, wanted)
                owner, bits = owner[kept], bits[kept]
            pairs, group = _groups(owner, bits)
            for (kernel, exponent), count in zip(pairs, numpy.bincount(group).tolist(), strict=True):
                counts[kernel, exponent] += count
    rows: list[dict[str, Any]] = [
        {
            "kernel": names.text(kernel) or "?",
            "distance_from": None if bits < 0 else 1 << bits - 1 if bits else 0,
            "distance_to": None if bits < 0 else (1 << bits) - 1,
            "accesses": count,
        }
        for (kernel, bits), count in counts.items()
    ]
    # First accesses come last.
    rows.sort(key=lambda row: (row["kernel"], row["distance_from"] is None, row["distance_from"]))
    return answer_of(rows, DISTANCES)


def _groups(*columns: Array) -> tuple[list[tuple[int, ...]], Array]:
    """The combinations of values that occur, and which of them each row has."""
    group = numpy.zeros(len(columns[0]), numpy.int64)
    for column in columns:
        values, place = numpy.unique(column, return_inverse=True)
        group = group * len(values) + place
    _, firsts, group = numpy.unique(group, return_index=True, return_inverse=True)
    keys = zip(*(column[firsts].tolist() for column in columns), strict=True)
    return list(keys), group


@dataclass
class Steps:
    """What one instruction of a kernel did in one buffer."""

    accesses: int = 0
    waves: int = 0
    bytes: int = 0
    size: int = 0
    kind: int = 0
    lowest: int = 1 << 63
    highest: int = 0
    strides: Counter[int] = field(default_factory=Counter)
    others: int = 0

    def count(self, stride: int, times: int) -> None:
        self.strides[stride] += times
        if len(self.strides) > STRIDES:
            kept = self.strides.most_common(STRIDES // 4)
            self.others += self.strides.total() - sum(count for _, count in kept)
            self.strides = Counter(dict(kept))

    def pattern(self) -> tuple[int | None, float | None, str | None]:
        """The most frequent stride in bytes, its share in percent, and a word for it; nothing where lanes were alone."""
        steps = self.strides.total() + self.others
        if not steps:
            return None, None, None
        stride, times = min(self.strides.items(), key=lambda item: (-item[1], item[0]))
        share = 100 * times / steps
        if share < 50:
            return stride, share, "irregular"
        return stride, share, {0: "one address", self.size: "consecutive"}.get(stride, "strided")


class Buffers:
    """Which argument of its launch an address belongs to: the one with the nearest pointer at or below it."""

    def __init__(self, session: Session, part: Part, names: Names) -> None:
        self._pointers: dict[int, tuple[Array, Array]] = {}
        given: dict[int, list[tuple[int, int]]] = {}
        for row in session.facts.of("arguments", part.owner):
            if row["pointer"]:
                given.setdefault(row["launch"], []).append((row["pointer"], names.number(row["argument"])))
        for launch, pointers in given.items():
            pointers.sort()
            self._pointers[launch] = (
                numpy.array([pointer for pointer, _ in pointers]),
                numpy.array([name for _, name in pointers]),
            )

    def of(self, records: dict[str, Array]) -> Array:
        """Numbers of their names; -1 where nobody knows."""
        found = numpy.full(len(records["address"]), -1, numpy.int64)
        order = numpy.argsort(records["dispatch"], kind="stable")
        launches, firsts = numpy.unique(records["dispatch"][order], return_index=True)
        for launch, mine in zip(launches.tolist(), numpy.split(order, firsts[1:]), strict=False):
            if launch in self._pointers:
                pointers, arguments = self._pointers[launch]
                at = numpy.searchsorted(pointers, records["address"][mine], side="right") - 1
                found[mine] = numpy.where(at >= 0, arguments[at], -1)
        return found


TEXT, NUMBER = pa.string(), pa.int64()
DISTANCES: dict[str, pa.DataType] = {"kernel": TEXT, **dict.fromkeys(("distance_from", "distance_to", "accesses"), NUMBER)}
PATTERNS: dict[str, pa.DataType] = {
    **{"kernel": TEXT, "argument": TEXT, "pc": NUMBER, "instruction": TEXT, "file": TEXT, "line": NUMBER, "kind": TEXT},
    **dict.fromkeys(("accesses", "waves", "bytes", "lowest", "highest", "stride"), NUMBER),
    **{"percent": pa.float64(), "pattern": TEXT},
}
KINDS = {1: "load", 2: "store", 3: "load and store"}


def access_pattern(session: Session, line: int, kernels: Sequence[str] | None) -> Answer:
    """A row per kernel, instruction and buffer, the most frequent first."""
    names, buffers = Names(), Names()
    wanted = numbers(names, kernels)
    found: dict[tuple[int, int, int], Steps] = {}
    for part in session.dataset.streams["mem-trace"]:
        owners, arguments = Owners(session, part, names), Buffers(session, part, buffers)
        last: dict[str, Array] | None = None
        for records in records_of(part):
            if not len(records["address"]):
                continue
            _steps(records, last, owners.kernels(records), arguments.of(records), wanted, found)
            last = {name: values[-1:] for name, values in records.items()}
    code = {(row["object"], row["pc"]): row for row in session.facts.rows("instructions")}
    objects = {row["kernel"]: row["object"] for row in session.facts.rows("object_of_kernel")}
    rows: list[dict[str, Any]] = []
    for (kernel, buffer, pc), steps in found.items():
        stride, share, pattern = steps.pattern()
        symbol = names.text(kernel)
        place = code.get((objects.get(symbol or "", ""), pc), {})
        rows.append(
            {
                "kernel": symbol or "?",
                "argument": buffers.text(buffer),
                "pc": pc,
                "instruction": place.get("text"),
                "file": place.get("file"),
                "line": place.get("line"),
                "kind": "atomic" if steps.kind & 4 else KINDS.get(steps.kind & 3),
                "accesses": steps.accesses,
                "waves": steps.waves,
                "bytes": steps.bytes,
                "lowest": steps.lowest,
                "highest": steps.highest,
                "stride": stride,
                "percent": share,
                "pattern": pattern,
            }
        )
    rows.sort(key=lambda row: (-row["accesses"], row["kernel"], row["pc"], row["argument"] or ""))
    return answer_of(rows, PATTERNS)


def _steps(
    records: dict[str, Array],
    last: dict[str, Array] | None,
    kernel: Array,
    buffer: Array,
    wanted: Array | None,
    found: dict[tuple[int, int, int], Steps],
) -> None:
    """Adds records, of which the one before was `last`. A wave's records lie together, in the order of its lanes."""
    before = {
        name: numpy.concatenate((last[name] if last else numpy.array([-1]), values[:-1])) for name, values in records.items()
    }
    same = numpy.ones(len(kernel), bool)
    for name in ("dispatch", "workgroup", "pc"):
        same &= before[name] == records[name]
    follows = same & (before["lane"] < records["lane"])
    steps = same & (before["lane"] + 1 == records["lane"])
    stride = records["address"] - before["address"]
    if wanted is not None:
        kept = numpy.isin(kernel, wanted)
        records = {name: values[kept] for name, values in records.items()}
        kernel, buffer, follows, steps, stride = kernel[kept], buffer[kept], follows[kept], steps[kept], stride[kept]
    keys, group = _groups(kernel, buffer, records["pc"])
    order = numpy.argsort(group, kind="stable")
    borders = numpy.searchsorted(group[order], numpy.arange(len(keys) + 1))
    for number, (owner, argument, pc) in enumerate(keys):
        mine = order[borders[number] : borders[number + 1]]
        one = found.setdefault((owner, argument, pc), Steps())
        one.accesses += len(mine)
        one.waves += int((~follows[mine]).sum())
        one.bytes += int(records["size"][mine].sum())
        one.size = max(one.size, int(records["size"][mine].max()))
        one.kind |= int(numpy.bitwise_or.reduce(records["kind"][mine]))
        one.lowest = min(one.lowest, int(records["address"][mine].min()))
        one.highest = max(one.highest, int((records["address"][mine] + records["size"][mine] - 1).max()))
        for step, times in zip(*numpy.unique(stride[mine][steps[mine]], return_counts=True), strict=True):
            one.count(int(step), int(times))


def answer_of(rows: list[dict[str, Any]], columns: dict[str, pa.DataType]) -> Answer:
    schema = pa.schema(columns)
    arrays = [pa.array([row[name] for row in rows], kind) for name, kind in columns.items()]
    return Answer(schema, iter([pa.RecordBatch.from_arrays(arrays, schema=schema)]))


def first(answer: Answer, limit: int | None) -> Answer:
    """The first rows of an answer in one piece."""
    return answer if limit is None else Answer(answer.schema, (batch.slice(0, limit) for batch in answer.batches))
