"""What is inside HIP executables, libraries, code objects and bundles."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _luthier
from ._errors import Error
from ._show import frame, table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Instruction:
    """One instruction, or one dword that is none."""

    pc: int
    """Address in the code object."""
    words: tuple[int, ...]
    """The encoding, first dword first."""
    text: str
    """As llvm-objdump prints it."""
    source: str | None
    """`file:line`, of the innermost inlined function, if the code object has line tables."""

    @property
    def mnemonic(self) -> str:
        return self.text.split(maxsplit=1)[0]


@dataclass(frozen=True)
class Block:
    """A run of instructions that is entered only at its start."""

    index: int
    start: int
    end: int
    """Address behind the last instruction."""
    instructions: int
    exit: str
    """`falls`, `jumps`, `branches`, `ends`, `returns`, `indirect` or `runs_off`."""
    successors: tuple[int, ...]


@dataclass(frozen=True)
class LiveBlock:
    """A block of the analysis that instrumentation rests on, where calls end blocks, too."""

    start: int
    end: int
    successors: tuple[tuple[int, str], ...]
    """Index of the block, and why control goes there: `fall`, `branch`, `callreturn` or `table`."""
    predecessors: tuple[int, ...]
    calls: str | None
    """Name of the function that is called at the end; `?` for any."""
    reachable: bool
    live_in: frozenset[str]
    """Registers, one dword each, whose values at the start may still be read, in any lane."""
    live_out: frozenset[str]


@dataclass(frozen=True)
class Liveness:
    """Which registers of a function may still be read, at each place."""

    name: str
    wave_size: int
    blocks: tuple[LiveBlock, ...]
    before: Mapping[int, frozenset[str]]
    """What is live before the instruction at an address."""
    unresolved: tuple[tuple[int, str], ...]
    """Places of which something could not be found out; around them everything is taken to be live."""

    COLUMNS = ("pc", "vgprs", "sgprs", "agprs", "live")

    def _rows(self) -> Iterator[dict[str, Any]]:
        for pc, live in self.before.items():
            count = {kind: sum(_is(name, kind) for name in live) for kind in "vsa"}
            yield {
                "pc": pc,
                "vgprs": count["v"],
                "sgprs": count["s"],
                "agprs": count["a"],
                "live": " ".join(sorted(live, key=_order)),
            }

    def to_frame(self) -> pandas.DataFrame:
        """A row per instruction: how many registers are live before it, and which."""
        return frame(self._rows(), self.COLUMNS)

    def _repr_html_(self) -> str:
        return table(f"live before each instruction of {self.name}", self._rows(), self.COLUMNS)


def _is(name: str, kind: str) -> bool:
    return name[0] == kind and name[1:].isdigit()


def _order(name: str) -> tuple[str, int]:
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


class Function:
    """The code of a device function."""

    def __init__(self, parent: CodeObject, code: Mapping[str, Any]) -> None:
        self._parent = parent
        self._code = code
        self.name: str = code["name"]

    @property
    def target(self) -> str:
        return self._parent.target

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """In the order of their addresses."""
        return tuple(
            Instruction(line["pc"], tuple(line["words"]), line["text"], _source(line.get("source")))
            for line in self._code.get("lines", ())
        )

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Basic blocks for a reader: calls do not end them."""
        return tuple(
            Block(
                block["index"],
                block["start"],
                block["end"],
                block["instructions"],
                block["exit"],
                tuple(block["successors"]),
            )
            for block in self._code.get("blocks", ())
        )

    @property
    def histogram(self) -> dict[str, int]:
        """How often each mnemonic occurs, the most frequent first."""
        return dict(self._code.get("histogram", ()))

    @cached_property
    def liveness(self) -> Liveness:
        """Control flow and live registers; an error for a code object that is not linked."""
        found = json.loads(_luthier.analysis(self._parent.data, self.name))
        blocks = tuple(
            LiveBlock(
                block["start"],
                block["end"],
                tuple((to, kind) for to, kind in block["successors"]),
                tuple(block["predecessors"]),
                block["calls"],
                block["reachable"],
                frozenset(block["live_in"]),
                frozenset(block["live_out"]),
            )
            for block in found["blocks"]
        )
        before = {pc: frozenset(live) for pc, live in found["live_before"]}
        unresolved = tuple((pc, reason) for pc, reason in found["unresolved"])
        return Liveness(self.name, found["wave_size"], blocks, before, unresolved)

    COLUMNS = ("pc", "block", "mnemonic", "text", "source")

    def _rows(self) -> Iterator[dict[str, Any]]:
        blocks = iter(self.blocks)
        block = next(blocks, None)
        for one in self.instructions:
            while block is not None and one.pc >= block.end:
                block = next(blocks, None)
            yield {
                "pc": one.pc,
                "block": block.index if block else None,
                "mnemonic": one.mnemonic,
                "text": one.text,
                "source": one.source,
            }

    def to_frame(self) -> pandas.DataFrame:
        """A row per instruction."""
        return frame(self._rows(), self.COLUMNS)

    def _repr_html_(self) -> str:
        return table(self.name, self._rows(), self.COLUMNS)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self._code['instructions']} instructions>"


def _source(frames: list[dict[str, Any]] | None) -> str | None:
    if not frames or frames[0]["file"] is None:
        return None
    return f"{frames[0]['file']}:{frames[0]['line']}"


class Kernel(Function):
    """A kernel: its code, and what its descriptor and metadata say."""

    def __init__(self, parent: CodeObject, facts: Mapping[str, Any]) -> None:
        code = facts.get("code") or {"name": facts["name"], "instructions": 0}
        super().__init__(parent, code)
        self.facts = facts
        """All fields, as `luthier inspect --format json` writes them."""
        self.name = facts["name"]
        self.readable: str = facts.get("demangled") or self.name
        """As in the source."""
        self.wave_size: int = facts["wave_size"]
        self.lds: int = facts["lds"]
        """Bytes per workgroup known at compile time."""
        self.scratch: int = facts["scratch"]
        """Bytes per lane."""
        self.registers: Mapping[str, Any] = facts["registers"]
        self.occupancy: Mapping[str, Any] = facts["occupancy"]
        self.arguments: tuple[Mapping[str, Any], ...] = tuple(facts["arguments"])
        """Explicit and hidden ones, with offset and size in bytes."""

    def is_called(self, name: str) -> bool:
        """Whether that is its symbol, or its name in the source with or without parameters."""
        plain = self.readable.split("(")[0].split(" ")[-1]
        return name in (self.name, self.readable, plain, plain.split("<")[0])


@dataclass(frozen=True)
class CodeObject:
    """One code object, for one target."""

    id: str
    """Bundle entry id, or triple and target id."""
    path: tuple[str, ...]
    """Containers around it, outermost first."""
    data: bytes = field(repr=False)
    """The ELF file."""
    facts: Mapping[str, Any] = field(repr=False)
    """All fields, as `luthier inspect --format json` writes them."""

    @property
    def target(self) -> str:
        return str(self.facts["target"])

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        return tuple(Kernel(self, kernel) for kernel in self.facts["kernels"])

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """Device functions that are no kernels."""
        return tuple(Function(self, code) for code in self.facts.get("functions", ()))

    def kernel(self, name: str) -> Kernel:
        """The one kernel of that name, or called so in the source."""
        return _one(self.kernels, name)


def _one(kernels: tuple[Kernel, ...], name: str) -> Kernel:
    fitting = [one for one in kernels if one.name == name] or [one for one in kernels if one.is_called(name)]
    if len(fitting) == 1:
        return fitting[0]
    names = list(dict.fromkeys(one.name for one in fitting or kernels))
    there = ", ".join(names[:8]) or "none"
    if not fitting:
        raise Error(f"no kernel {name}: there are {there}")
    targets = {one.target for one in fitting}
    if len(targets) > 1:
        raise Error(f"kernels called {name} are there for {' and '.join(sorted(targets))}: choose one with target=...")
    if len(names) < len(fitting):
        raise Error(f"several code objects have a kernel called {name}: choose one of report.objects and ask that")
    raise Error(f"several kernels are called {name}: choose one of {there}")


@dataclass(frozen=True)
class Report:
    """Everything found in one file."""

    file: str
    objects: tuple[CodeObject, ...]
    problems: tuple[tuple[str, str], ...]
    """Parts that could not be read: where and why."""

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """Of all code objects."""
        return tuple(kernel for one in self.objects for kernel in one.kernels)

    def kernel(self, name: str, target: str | None = None) -> Kernel:
        """The one kernel of that name, or called so in the source; of all code objects, or of those for a target."""
        targets = {one.target for one in self.objects}
        if target is not None and target not in targets:
            raise Error(f"no code object is for {target}: there are those for {', '.join(sorted(targets)) or 'nothing'}")
        return _one(tuple(one for one in self.kernels if target in (None, one.target)), name)

    COLUMNS = ("target", "kernel", "instructions", "vgprs", "agprs", "sgprs", "lds", "scratch", "waves_per_simd", "limited_by")

    def _rows(self) -> Iterator[dict[str, Any]]:
        for one in self.objects:
            for kernel in one.kernels:
                yield {
                    "target": one.target,
                    "kernel": kernel.readable,
                    "instructions": len(kernel.instructions),
                    "vgprs": kernel.registers["vgprs"],
                    "agprs": kernel.registers["agprs"],
                    "sgprs": kernel.registers["sgprs"],
                    "lds": kernel.lds,
                    "scratch": kernel.scratch,
                    "waves_per_simd": kernel.occupancy["waves_per_simd"],
                    "limited_by": kernel.occupancy["limited_by"],
                }

    def to_frame(self) -> pandas.DataFrame:
        """A row per kernel."""
        return frame(self._rows(), self.COLUMNS)

    def _repr_html_(self) -> str:
        return table(self.file, self._rows(), self.COLUMNS)


def inspect(file: str | os.PathLike[str] | bytes) -> Report:
    """Reads a HIP executable, library, code object or bundle: a path, or its bytes."""
    if isinstance(file, bytes):
        data, name = file, "<bytes>"
    else:
        name = os.fspath(file)
        data = read(name)
    found = json.loads(_luthier.report(data, name))
    pieces = iter(_luthier.pieces(data))
    objects = []
    for facts in found["objects"]:
        # Objects are told in the order of the file; those that cannot be read are missing in the report.
        for id, path, contents in pieces:
            if (id, path, len(contents)) == (facts["id"], facts["path"], facts["size"]):
                objects.append(CodeObject(id, tuple(path), contents, facts))
                break
    problems = tuple((place, why) for place, why in found["problems"])
    return Report(name, tuple(objects), problems)


def read(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file; an `Error` that names it if there are none."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise Error(f"cannot read {os.fspath(path)}: {error.strerror}") from None
