"""Arguments of functions: what is not what it should be is an `Error` that names the argument."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable
from typing import Any

from ._errors import Error


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within bounds, of any type that is one."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        raise Error(f"`{name}` is {value!r}, but has to be a whole number from {least} to {most}")
    return number


def seconds(name: str, value: Any) -> float | None:
    """A time, if there is one."""
    if value is None:
        return None
    try:
        time = float(value)
    except (TypeError, ValueError, OverflowError):
        time = math.nan
    if not 0 <= time < 1e9:
        raise Error(f"`{name}` is {value!r}, but has to be a number of seconds below 1e9, or None")
    return time


def listed(name: str, value: Any) -> list[Any]:
    """The parts of a list; a text or a path is none."""
    if isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Iterable):
        raise Error(f"`{name}` is {value!r}, but has to be a list, such as [{value!r}]")
    return list(value)


def words(name: str, value: Any) -> list[str]:
    """Words of a command line, which are texts or paths."""
    return [word(name, one) for one in listed(name, value)]


def word(name: str, value: Any) -> str:
    """One word of a command line."""
    try:
        text = os.fsdecode(value)
    except TypeError:
        raise Error(f"`{name}` has {value!r} in it, which is a {type(value).__name__} and no text or path") from None
    if "\0" in text:
        raise Error(f"`{name}` has {value!r} in it, and no word has a zero byte")
    return text
