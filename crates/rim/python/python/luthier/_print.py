"""Rows of an answer as text: a table, CSV or JSON."""

from __future__ import annotations

import itertools
import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from ._errors import Error

if TYPE_CHECKING:
    import pyarrow as pa

    from ._query import Answer

SHOWN = 1000
"""Rows of a table on a screen."""

QUOTED = frozenset(',"\r\n')
"""What a cell of CSV has only between quotes."""


def names_once(schema: pa.Schema) -> None:
    """Refuses two columns with one name: a file that has columns by their names would keep one of them."""
    twice = sorted(name for name, times in Counter(schema.names).items() if times > 1)
    if twice:
        raise Error(f"several columns are named {', '.join(twice)}: give each a name of its own with AS")


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[list[Any]]:
    for batch in batches:
        columns = [_values(name, column) for name, column in zip(batch.schema.names, batch.columns, strict=True)]
        yield from (list(row) for row in zip(*columns, strict=True))


def _values(name: str, column: pa.Array[Any]) -> list[Any]:
    """Those of a column. Times that Python does not have are texts."""
    import pyarrow as pa

    try:
        values = column.to_pylist()
        return [_with_maps(value, column.type) for value in values] if pa.types.is_nested(column.type) else values
    except (ValueError, OverflowError, pa.ArrowException) as error:
        try:
            return column.cast(pa.string()).to_pylist()
        except pa.ArrowException:
            raise Error(f"the column {name} cannot be printed: {error}") from None


def _with_maps(value: Any, kind: pa.DataType) -> Any:
    """Maps, which Arrow makes lists of pairs, as objects if their keys are different texts."""
    from pyarrow import types

    if value is None or not types.is_nested(kind):
        return value
    if types.is_map(kind):
        pairs = [[_with_maps(key, kind.key_type), _with_maps(one, kind.item_type)] for key, one in value]
        texts = {key: one for key, one in pairs if isinstance(key, str)}
        return texts if len(texts) == len(pairs) and _are_texts(kind.key_type) else pairs
    if types.is_struct(kind):
        return {field.name: _with_maps(value[field.name], field.type) for field in kind}
    if isinstance(value, list) and not types.is_union(kind):
        return [_with_maps(one, kind.value_type) for one in value]
    return value


def _are_texts(kind: pa.DataType) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_null(kind) or types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)


def _plain(value: Any) -> Any:
    """What JSON has: bytes are hexadecimal digits, and NaN and infinity are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    # (Intervals are tuples too, whose text says more than their numbers.)
    if type(value) in (list, tuple):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _text(value: Any) -> str:
    """Of one cell. Numbers read back as they were."""
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    value = _plain(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _visible(text: str) -> str:
    """Without control characters, which a terminal would obey."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def table(rows: Answer, to: TextIO, *, rounded: bool = False) -> None:
    """The first rows in columns. A cell of several lines takes several. `rounded`: fractions have one digit."""
    names = rows.schema.names
    shown: list[list[Any]] = []
    more = 0
    for row in _rows(rows.batches):
        if len(shown) < SHOWN:
            shown.append(row)
        else:
            more += 1
    right = [all(isinstance(row[at], (int, float, type(None))) for row in shown) for at in range(len(names))]

    def cell(value: Any) -> list[str]:
        text = f"{value:.1f}" if rounded and isinstance(value, float) else _text(value)
        return [_visible(line) for line in text.split("\n")]

    cells = [[cell(value) for value in row] for row in [names, *shown]]
    widths = [max(len(line) for row in cells for line in row[at]) for at in range(len(names))]
    for row in cells:
        for lines in itertools.zip_longest(*row, fillvalue=""):
            words = [
                line.rjust(width) if number else line.ljust(width)
                for line, width, number in zip(lines, widths, right, strict=True)
            ]
            to.write("  ".join(words).rstrip() + "\n")
    if more:
        print(f"and {more} more rows: --format csv prints all", file=sys.stderr)


def _quoted(value: Any) -> str:
    """A cell of CSV. Null has no signs at all, so that an empty text needs quotes."""
    text = _text(value)
    if value is None or (text and QUOTED.isdisjoint(text)):
        return text
    return '"' + text.replace('"', '""') + '"'


def csv(rows: Answer, to: TextIO) -> None:
    """A line of names, and one for each row."""
    to.write(",".join(map(_quoted, rows.schema.names)) + "\n")
    for row in _rows(rows.batches):
        # (Readers leave out an empty line.)
        to.write((",".join(map(_quoted, row)) or '""') + "\n")


def as_json(rows: Answer, to: TextIO) -> None:
    """A list of objects."""
    names, between = rows.schema.names, "[\n"
    names_once(rows.schema)
    for row in _rows(rows.batches):
        to.write(between + json.dumps(dict(zip(names, map(_plain, row), strict=True))))
        between = ",\n"
    to.write("[]\n" if between == "[\n" else "\n]\n")


PRINT: Mapping[str, Callable[[Answer, TextIO], None]] = {"table": table, "csv": csv, "json": as_json}
