"""Data frames and tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ._errors import Error

if TYPE_CHECKING:
    import pandas

Row = Mapping[str, Any]

SHOWN = 200
"""Rows of a table in a notebook."""


def frame(rows: Iterable[Row], columns: Sequence[str]) -> pandas.DataFrame:
    """A data frame with these columns, also where there are no rows."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise Error("data frames need pandas: pip install pandas") from None
    return pandas.DataFrame(list(rows), columns=list(columns))


def table(caption: str, rows: Iterable[Row], columns: Sequence[str]) -> str:
    """An HTML table of the first rows."""
    rows = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(
        "<tr>" + "".join(_cell(row.get(name)) for name in columns) + "</tr>" for row in rows[:SHOWN]
    )
    more = f"<p>and {len(rows) - SHOWN} more</p>" if len(rows) > SHOWN else ""
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"
