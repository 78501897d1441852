"""Kernels on an emulated AMD GPU, with numpy arrays.

    device = luthier.emulate.load("kernels.co", "gfx90a")
    counts = device.launch("scale", grid=4, block=64, args=[a, b, 2.0, 256])

needs neither an AMD GPU nor ROCm.
"""

from __future__ import annotations

import json
import operator
import os
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeGuard, Union

from . import _luthier
from ._compile import Language, compile, compiler
from ._errors import Error
from ._given import listed, seconds, whole, word
from ._inspect import CodeObject, Kernel, inspect, read
from ._show import frame, table
from ._types import Parameter

if TYPE_CHECKING:
    import numpy
    import pandas

__all__ = ["Buffer", "Counts", "Device", "Local", "Raw", "compile", "compiler", "load", "targets"]


LARGEST = (1 << 63) - 1
"""Bytes that no memory has."""
MOST_THREADS = 1 << 10


def targets() -> list[str]:
    """Targets whose kernels can be run."""
    return _luthier.targets()


@dataclass(frozen=True)
class Local:
    """An argument that points to so many bytes of LDS, which the launch allocates."""

    size: int


@dataclass(frozen=True)
class Raw:
    """An array whose bytes are passed as they are, whatever type the kernel's parameter has."""

    array: numpy.ndarray[Any, Any]


@dataclass(frozen=True)
class Counts:
    """What a launch executed."""

    kernel: str
    waves: int
    wave_instructions: int
    lane_instructions: int
    """Every instruction counts for each lane that was on."""
    classes: Mapping[str, tuple[int, int]]
    """Wave and lane instructions by class (`vector ALU`, `scalar memory`, ...)."""
    instructions: Mapping[int, tuple[int, int]]
    """Wave and lane instructions by address in the code object; empty unless the launch was asked for them."""
    _kernel: Kernel = field(repr=False)

    @property
    def blocks(self) -> dict[int, int]:
        """How often waves entered each basic block of the kernel, by `Kernel.blocks`' index.

        Needs `per_instruction=True`. Blocks of device functions that it calls are not among them.
        """
        if self.wave_instructions and not self.instructions:
            raise Error(f"blocks of {self.kernel} were not counted: launch it with per_instruction=True")
        return {one.index: self.instructions.get(one.start, (0, 0))[0] for one in self._kernel.blocks}

    COLUMNS = ("class", "wave_instructions", "lane_instructions")

    def _rows(self) -> Iterator[dict[str, Any]]:
        for name, (waves, lanes) in sorted(self.classes.items(), key=lambda item: -item[1][0]):
            yield {"class": name, "wave_instructions": waves, "lane_instructions": lanes}

    def to_frame(self) -> pandas.DataFrame:
        """A row per class of instructions or, where they were counted, per instruction."""
        if not self.instructions:
            return frame(self._rows(), self.COLUMNS)
        rows = []
        for row in self._kernel._rows():
            waves, lanes = self.instructions.get(row["pc"], (0, 0))
            rows.append({**row, "wave_instructions": waves, "lane_instructions": lanes})
        return frame(rows, (*self._kernel.COLUMNS, "wave_instructions", "lane_instructions"))

    def _repr_html_(self) -> str:
        caption = f"{self.kernel}: {self.waves} waves, {self.wave_instructions} wave instructions"
        return table(caption, self._rows(), self.COLUMNS)


class Buffer:
    """Device memory that stays between launches."""

    def __init__(self, device: Device, address: int, size: int) -> None:
        self._device = device
        self.address = address
        self.size = size
        """In bytes."""

    def write(self, data: numpy.ndarray[Any, Any] | bytes, offset: int = 0) -> None:
        """Copies an array or bytes into the buffer, from a byte on."""
        contents = data if isinstance(data, bytes) else _contents(data)
        offset = whole("offset", offset, 0, LARGEST)
        self._check(offset, len(contents))
        _luthier.write(self._device._open(), self.address + offset, contents)

    def read(self, dtype: Any = "uint8", count: int | None = None, offset: int = 0) -> numpy.ndarray[Any, Any]:
        """A copy of `count` elements (without: all that fit), from a byte on."""
        kind = _numpy().dtype(dtype)
        offset = whole("offset", offset, 0, LARGEST)
        count = None if count is None else whole("count", count, 0, LARGEST)
        count = max(self.size - offset, 0) // kind.itemsize if count is None else count
        self._check(offset, count * kind.itemsize)
        contents = _luthier.read(self._device._open(), self.address + offset, count * kind.itemsize)
        array: numpy.ndarray[Any, Any] = _numpy().frombuffer(contents, dtype=kind).copy()
        return array

    def free(self) -> None:
        """Gives the memory back; nothing if that has been done."""
        if self.address and not self._device._closed:
            _luthier.free(self._device._open(), self.address)
        self.address = self.size = 0

    def _check(self, offset: int, size: int) -> None:
        if offset < 0 or offset + size > self.size:
            raise Error(f"bytes {offset} to {offset + size} are not within a buffer of {self.size}")

    def __repr__(self) -> str:
        return f"<Buffer of {self.size} bytes at {self.address:#x}>"


Argument = Union["numpy.ndarray[Any, Any]", "numpy.generic[Any]", Buffer, Local, Raw, int, float, bytes, None]
Extent = int | Sequence[int]


class Device:
    """An emulated GPU with one code object loaded; `load` makes it."""

    def __init__(self, object: CodeObject, *, threads: int | None = None, strict: bool = False) -> None:
        self.object = object
        wanted = 0 if threads is None else whole("threads", threads, 0, MOST_THREADS)
        count = wanted or len(os.sched_getaffinity(0))
        self._handle: Any = _luthier.open(object.data, count, bool(strict))
        self._closed = False
        self._launching = threading.Lock()

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        return self.object.kernels

    def __reduce__(self) -> Any:
        raise TypeError("a device cannot be pickled, because it belongs to its process: pickle the code object, and load it there")

    def _open(self) -> Any:
        if self._closed:
            raise Error("this device is closed")
        return self._handle

    def buffer(self, contents: numpy.ndarray[Any, Any] | bytes | int) -> Buffer:
        """Device memory with a copy of an array or bytes, or of so many zero bytes."""
        if hasattr(contents, "__index__") and not _is_array(contents):
            size = whole("contents", contents, 0, LARGEST)
            return Buffer(self, _luthier.allocate(self._open(), size), size)
        data = contents if isinstance(contents, bytes) else _contents(contents)
        buffer = Buffer(self, _luthier.allocate(self._open(), len(data)), len(data))
        buffer.write(data)
        return buffer

    def symbol(self, name: str) -> int:
        """Address of a global variable."""
        return _luthier.symbol(self._open(), word("name", name))

    def launch(
        self,
        kernel: str,
        grid: Extent = 1,
        block: Extent = 64,
        args: Sequence[Argument] = (),
        *,
        lds: int = 0,
        limit: float | None = None,
        per_instruction: bool = False,
    ) -> Counts:
        """Runs a kernel to its end.

        `grid` is in workgroups and `block` in work-items per workgroup, each with up to three sizes. Arrays are copied to the device
        and back (unless they cannot be written to), a `Buffer` stays there, `None` is a null pointer, and `Local` is LDS. Arrays and
        numbers are checked against the parameter's type, which metadata, debug information (`-g`) and mangled names tell. Where the
        type is unknown, pass numbers as numpy scalars or bytes; `Raw` passes an array without a check.

        `lds`: bytes of dynamic LDS besides. `limit`: seconds after which `Endless` is raised. Other Python threads go on meanwhile,
        and Ctrl-C ends the kernel.
        """
        found = self.object.kernel(word("kernel", kernel))
        shape = _extent("grid", grid), _extent("block", block)
        lds = whole("lds", lds, 0, (1 << 32) - 1)
        limit = seconds("limit", limit)
        args = listed("args", args)
        with self._launching:
            handle = self._open()
            call = _Call(self, found, args, lds)
            try:
                told = _luthier.launch(
                    handle, found.name, *shape, call.lds, call.arguments, limit, bool(per_instruction)
                )
                call.copy_back()
            finally:
                call.free()
        counted = json.loads(told)
        return Counts(
            found.readable,
            counted["waves"],
            counted["wave_instructions"],
            counted["lane_instructions"],
            {name: (waves, lanes) for name, (waves, lanes) in counted["classes"].items()},
            {pc: (waves, lanes) for pc, waves, lanes in counted["instructions"]},
            found,
        )

    def close(self) -> None:
        """Gives back all memory and threads; also done when nobody has the device any more."""
        with self._launching:
            self._closed = True
            self._handle = None

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Device {self.object.target} with {len(self.kernels)} kernels>"


def load(
    file: str | os.PathLike[str] | bytes,
    device: str | None = None,
    *,
    number: int | None = None,
    threads: int | None = None,
    strict: bool = False,
) -> Device:
    """Puts a code object on an emulated GPU of its own.

    `file`: a path, or bytes, of a code object, or of an executable, library or bundle that holds some. `device`: a target such as
    `gfx90a` or a product such as `mi300x`, for which the code object is chosen; without, there must be but one. `number`: which
    code object, 1 for the first in the file, where several fit the device. `threads`: host threads (without: as many as there are cores).
    `strict`: accesses beyond the last byte of an array or of LDS are faults.
    """
    data, name = (file, "<bytes>") if isinstance(file, bytes) else (read(file), os.fspath(file))
    return Device(inspect(_one(data, name, device, number)).objects[0], threads=threads, strict=strict)


def _one(data: bytes, name: str, device: str | None, number: int | None) -> bytes:
    """The code object that `load` is asked for."""
    pieces = _luthier.pieces(data)
    if number is not None:
        number = whole("number", number, -LARGEST, LARGEST)
        if not 1 <= number <= len(pieces):
            raise Error(f"{name} has no code object {number}; {_listed(pieces)}")
        pieces = pieces[number - 1 : number]
        data = pieces[0][2]
    fitting = pieces
    if device is not None:
        try:
            chosen = _luthier.chosen(data, word("device", device))
        except Error as error:
            raise Error(f"{name}: {error}") from None
        ids = {id for id, _, contents in pieces if contents == chosen}
        fitting = [piece for piece in pieces if piece[0] in ids]
    if len(fitting) != 1:
        remedy = "name a device, or pass number" if device is None else "pass number"
        raise Error(f"{name} holds {len(fitting)} code objects that fit: {remedy}; {_listed(pieces)}")
    return fitting[0][2]


def _listed(pieces: list[tuple[str, list[str], bytes]]) -> str:
    """The first code objects by number, with their kernels."""
    texts = []
    for number, (id, _, contents) in enumerate(pieces[:8], 1):
        kernels = [kernel.name for one in inspect(contents).objects for kernel in one.kernels]
        texts.append(f"{number} is {id} with {', '.join(kernels) or 'no kernel'}")
    return "; ".join(texts) or "there is none"


class _Call:
    """The arguments of one launch, and the device memory that they need for it."""

    def __init__(self, device: Device, kernel: Kernel, args: Sequence[Argument], lds: int) -> None:
        self.kernel = kernel
        self.lds = lds
        self.arguments: list[bytes] = []
        self._buffers: list[Buffer] = []
        self._back: list[tuple[Any, Buffer]] = []
        self._device = device
        explicit = [one for one in kernel.arguments if isinstance(one["kind"], str)]
        if explicit and len(explicit) != len(args):
            raise Error(f"{kernel.readable} takes {len(explicit)} arguments, {len(args)} were given")
        try:
            for index, value in enumerate(args):
                parameter = Parameter(index, kernel.readable, explicit[index] if explicit else {})
                self.arguments.append(self._encode(parameter, value))
        except BaseException:
            self.free()
            raise

    def _encode(self, parameter: Parameter, value: Argument) -> bytes:
        if value is None:
            return bytes(8 if parameter.size is None else parameter.size)
        if isinstance(value, bytes):
            return value
        if isinstance(value, Buffer):
            if value._device is not self._device:
                raise parameter.wrong("is a buffer of another device")
            return struct.pack("<Q", value.address)
        if isinstance(value, Local):
            align = parameter.about.get("pointee_align") or 16
            start = -(-(self.kernel.lds + self.lds) // align) * align
            size = whole("size of a Local", value.size, 0, (1 << 32) - 1)
            self.lds = whole("lds", start + size - self.kernel.lds, 0, (1 << 32) - 1)
            return struct.pack("<I", start)
        if isinstance(value, Raw):
            return self._array(value.array)
        if _is_array(value):
            parameter.check_array(value)
            return self._array(value)
        if hasattr(value, "dtype") and hasattr(value, "tobytes"):
            return parameter.scalar(value)
        if isinstance(value, (bool, int, float)):
            return parameter.plain(value)
        raise parameter.wrong(f"is a {type(value).__name__}, and no array, Buffer, Local, number or bytes")

    def _array(self, array: numpy.ndarray[Any, Any]) -> bytes:
        buffer = self._device.buffer(array)
        self._buffers.append(buffer)
        if array.flags.writeable:
            self._back.append((array, buffer))
        return struct.pack("<Q", buffer.address)

    def copy_back(self) -> None:
        for array, buffer in self._back:
            array[...] = buffer.read(array.dtype, array.size).reshape(array.shape)

    def free(self) -> None:
        for buffer in self._buffers:
            buffer.free()
        self._buffers.clear()


def _extent(name: str, given: Extent) -> tuple[int, int, int]:
    try:
        sizes = [operator.index(size) for size in _sizes(given)]
    except TypeError:
        sizes = []
    if not 1 <= len(sizes) <= 3 or any(not 0 < size < 1 << 32 for size in sizes):
        raise Error(f"{name} is {given!r}, but has to be one to three positive whole numbers below 2**32")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _sizes(given: Any) -> list[Any]:
    """One number, or several; arrays have `__index__`, too, which fails for those with several elements."""
    try:
        return [operator.index(given)]
    except TypeError:
        return list(given)


def _numpy() -> Any:
    try:
        import numpy
    except ModuleNotFoundError:
        raise Error("arrays need numpy: pip install numpy") from None
    return numpy


def _is_array(value: Argument) -> TypeGuard[numpy.ndarray[Any, Any]]:
    return hasattr(value, "dtype") and hasattr(value, "flags") and getattr(value, "ndim", 0) > 0


def _contents(array: Any) -> bytes:
    """The elements, one after the other, the last index fastest."""
    found = _numpy().asarray(array)
    if found.dtype.hasobject:
        raise Error(f"an array of {found.dtype} has no bytes that a device could use")
    return bytes(found.tobytes())
