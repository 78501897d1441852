"""Types of kernels' parameters, and what Python and numpy pass for them."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._errors import Error

Kind = Literal["float", "integer", "bool"]


@dataclass(frozen=True)
class Number:
    """A type of numbers."""

    kind: Kind
    size: int
    """In bytes."""
    dtype: str
    """Its name in numpy."""


def _numbers() -> Mapping[str, Number]:
    """By the name in C, C++ or OpenCL C."""
    numbers = {
        "bool": Number("bool", 1, "bool"),
        "half": Number("float", 2, "float16"),
        "_Float16": Number("float", 2, "float16"),
        "__half": Number("float", 2, "float16"),
        "float": Number("float", 4, "float32"),
        "double": Number("float", 8, "float64"),
    }
    integers = {
        1: ("char", "signed char", "unsigned char", "uchar"),
        2: ("short", "unsigned short", "ushort"),
        4: ("int", "unsigned int", "unsigned", "uint"),
        8: ("long", "unsigned long", "ulong", "long long", "unsigned long long"),
    }
    for size, names in integers.items():
        for name in names:
            sign = "u" if name.startswith("u") else ""
            numbers[name] = Number("integer", size, f"{sign}int{8 * size}")
    return numbers


NUMBERS = _numbers()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kernel, as far as metadata, debug information and mangled names describe it."""

    index: int
    kernel: str
    about: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The type as in the source; empty if unknown."""
        return str(self.about.get("type_name") or "")

    @property
    def size(self) -> int | None:
        size = self.about.get("size")
        return None if size is None else int(size)

    @property
    def is_pointer(self) -> bool:
        return self.about.get("kind") == "global_buffer"

    @property
    def is_value(self) -> bool:
        return self.about.get("kind") == "by_value"

    @property
    def number(self) -> Number | None:
        """The parameter's type or, for a pointer, that of its elements, if it is a type of numbers."""
        text = re.sub(r"\b(const|volatile|restrict|__restrict__|global|__global)\b", " ", self.text).strip()
        if self.is_pointer:
            if not text.endswith("*"):
                return None
            text = text[:-1]
        return NUMBERS.get(" ".join(text.split()))

    def wrong(self, what: str) -> Error:
        """An error about the argument."""
        name = self.about.get("name")
        called = f"argument {self.index} ({name})" if name else f"argument {self.index}"
        return Error(f"{called} of {self.kernel} {what}")

    def check_array(self, array: Any) -> None:
        """Raises an error if the kernel would take the array's bytes for other numbers."""
        if self.is_value:
            raise self.wrong(f"is {self._described()} and no pointer: pass a number, not an array")
        number = self.number
        if number is None or array.dtype.hasobject or fits(array.dtype, number):
            return
        raise self.wrong(
            f"is `{self.text}`, and the array has elements of {array.dtype}: pass array.astype({number.dtype!r}), or "
            "luthier.emulate.Raw(array) to pass its bytes as they are"
        )

    def scalar(self, value: Any) -> bytes:
        """The bytes of a numpy scalar."""
        contents = bytes(value.tobytes())
        number = None if self.is_pointer else self.number
        if number is not None and not fits(value.dtype, number):
            raise self.wrong(f"is `{self.text}`, and {value!r} is a {value.dtype}: pass numpy.{number.dtype}(...)")
        if self.size is not None and len(contents) != self.size:
            raise self.wrong(f"has {self.size} bytes, and {value!r} has {len(contents)}")
        return contents

    def plain(self, value: bool | int | float) -> bytes:
        """The bytes of a number of Python's."""
        if self.is_pointer:
            return self._address(value)
        number = self.number
        if number is None:
            unknown = f"has the type `{self.text}`" if self.text else "has a type that the code object does not tell"
            raise self.wrong(
                f"{unknown}: pass {value!r} as numpy.float32({value!r}), numpy.int32({value!r}) and so on, or as bytes"
                + ("" if self.text else "; with debug information (-g) Luthier knows the type")
            )
        if number.kind != "float" and isinstance(value, float):
            raise self.wrong(f"is `{self.text}`, and {value!r} is a float: pass an int")
        try:
            if number.kind == "float":
                return struct.pack({2: "<e", 4: "<f", 8: "<d"}[number.size], value)
            return int(value).to_bytes(number.size, "little", signed=value < 0)
        except (OverflowError, struct.error):
            raise self.wrong(f"has {number.size} bytes, which cannot hold {value!r}") from None

    def _address(self, value: bool | int | float) -> bytes:
        if isinstance(value, (bool, float)):
            raise self.wrong(f"is {self._described()}, a pointer: pass an array, a Buffer or None, not {value!r}")
        try:
            return int(value).to_bytes(8, "little")
        except OverflowError:
            raise self.wrong(f"is a pointer of 8 bytes, which cannot hold {value!r}") from None

    def _described(self) -> str:
        return f"`{self.text}`" if self.text else f"a value of {self.size} bytes"


def fits(dtype: Any, number: Number) -> bool:
    """Whether elements of a numpy type are such numbers; the sign of integers does not matter."""
    if not dtype.isnative:
        # The device takes the low byte first, as this machine does.
        return False
    kinds = {"float": "f", "integer": "iu", "bool": "b"}[number.kind]
    if number.size == 1:
        # Bytes are characters, truth values and small integers alike.
        kinds += "biuS"
    return dtype.itemsize == number.size and dtype.kind in kinds
