"""Programs under the `luthier` command, and their results."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import Error, Failed
from ._given import listed, seconds, word, words
from ._show import frame, table

if TYPE_CHECKING:
    import pandas
    import pyarrow
    import pyarrow.dataset

Argument = str | os.PathLike[str]


def command() -> str:
    """Path of the `luthier` command: `LUTHIER`, else where `PATH` says."""
    named = os.environ.get("LUTHIER")
    found = shutil.which(named or "luthier")
    if found is None:
        what = f"LUTHIER={named} is no program" if named else "no luthier command in PATH"
        raise Error(f"{what}: install Luthier's package, or set LUTHIER to target/release/luthier")
    return found


@dataclass(frozen=True)
class Tool:
    """A tool that was built: `run` takes it."""

    name: str
    path: Path
    _folder: Any = field(default=None, repr=False)
    """Keeps a temporary directory."""


def tool(source: str, name: str = "hooks", *, folder: Argument | None = None) -> Tool:
    """Builds a tool from the HIP source of its hooks; see Luthier's "Write a tool".

    The tool is in a temporary directory that goes with it, or in `folder`, where later sessions find it.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise Error(f"{name!r} is no name of a tool: letters, digits, - and _")
    temporary = None if folder else tempfile.TemporaryDirectory(prefix="luthier-")
    place = Path(folder) if folder else Path(temporary.name if temporary else "")
    file = place / f"{name}.hip"
    output = place / f"{name}.tool"
    file.write_text(source)
    done = subprocess.run(
        [command(), "tool", "build", os.fspath(file), "-o", os.fspath(output)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise Error(f"the tool {name} cannot be built:\n{done.stderr.strip()}")
    return Tool(name, output, temporary)


@dataclass(frozen=True)
class Result:
    """A run: what the program printed, and what tools and the emulated device counted."""

    status: int
    """The program's exit status; negative: the signal that ended it."""
    stdout: str
    stderr: str
    """Of the program, and the text that tools print."""
    output: Path
    """Directory of all files of the run."""
    _folder: Any = field(default=None, repr=False)

    @property
    def statistics(self) -> Mapping[str, Any] | None:
        """What the emulated device executed, of all kernels and per kernel; `None` on hardware."""
        path = self.output / "statistics.json"
        return json.loads(path.read_text()) if path.exists() else None

    @property
    def summaries(self) -> list[Mapping[str, Any]]:
        """Per process with tools: kernels, what instrumenting changed, what was refused and why."""
        return [json.loads(path.read_text()) for path in sorted(self.output.glob("summary.*.json"))]

    def reports(self, tool: str) -> list[Mapping[str, Any]]:
        """What a tool wrote, its rows of all processes."""
        files = self._files(tool, "json")
        if not files:
            named = (re.fullmatch(r"(.+)\.\d+(-\d+)?\.json", path.name) for path in self.output.iterdir())
            there = sorted({one[1] for one in named if one and one[1] != "summary"})
            raise Error(f"no report of a tool {tool!r} in {self.output}: there are {', '.join(there) or 'none'}")
        rows: list[Mapping[str, Any]] = []
        for path in files:
            found = json.loads(path.read_text())
            rows.extend(found if isinstance(found, list) else [found])
        return rows

    def to_frame(self, tool: str | None = None) -> pandas.DataFrame:
        """A tool's report as a data frame, lists of places as rows of their own; without a tool, a row per kernel that ran on the
        emulated device."""
        if tool is None:
            return frame(self._kernels(), self.COLUMNS)
        rows = list(_flat(self.reports(tool)))
        columns = list(dict.fromkeys(name for row in rows for name in row))
        return frame(rows, columns)

    def trace(self, stream: str) -> pyarrow.dataset.Dataset:
        """A stream of records, such as `mem-trace`, as an Arrow dataset over the Parquet files of all processes."""
        try:
            import pyarrow.dataset
        except ModuleNotFoundError:
            raise Error("traces need pyarrow: pip install pyarrow") from None
        files = self._files(stream, "parquet")
        if not files:
            there = sorted({path.name.split(".")[0] for path in self.output.glob("*.parquet")})
            raise Error(f"no stream {stream} in {self.output}: there are {', '.join(there) or 'none'}")
        return pyarrow.dataset.dataset([os.fspath(path) for path in files], format="parquet")

    def query(self, sql: str | None = None, **words: Any) -> pyarrow.Table:
        """The answer to a query over what the run left: what `luthier.query` takes behind the directory."""
        from ._query import query

        return query(self.output, sql, **words)

    def _files(self, name: str, ending: str) -> list[Path]:
        # (A process may start the GPU more than once.)
        pattern = re.compile(re.escape(name) + r"\.\d+(-\d+)?\." + ending)
        return sorted(path for path in self.output.iterdir() if pattern.fullmatch(path.name))

    COLUMNS = ("kernel", "device", "dispatches", "waves", "wave_instructions", "lane_instructions", "nanoseconds")

    def _kernels(self) -> Iterator[dict[str, Any]]:
        for kernel in (self.statistics or {}).get("kernels", ()):
            yield {name: kernel[name] for name in self.COLUMNS}

    def _repr_html_(self) -> str:
        return table(f"exit status {self.status}", self._kernels(), self.COLUMNS)


def _flat(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Rows whose lists of objects became rows, each with its owner's other fields."""
    for row in rows:
        nested = [name for name, value in row.items() if _is_rows(value)]
        own = {name: value for name, value in row.items() if name not in nested}
        if not nested:
            yield own
        for name in nested:
            for inner in row[name]:
                yield {**own, **inner}


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def run(
    program: Sequence[Argument],
    *,
    device: str | None = None,
    tools: Sequence[str | Tool] = (),
    options: Sequence[str] = (),
    output: Argument | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Argument | None = None,
    timeout: float | None = None,
    check: bool = True,
) -> Result:
    """Runs a HIP or HSA program, on the emulated `device` (such as `gfx90a`) or, without, on hardware if there is some.

    `tools`: names from `luthier tool list`, paths of built tools, or what `tool` returned. `options`: further words of
    `luthier run`, such as `["--kernel", "gemm"]`. `output`: a directory for all files; without, one that goes with the result.
    `check`: raise `Failed` if the program's exit status is not 0. A selection that fits nothing is a Python warning.
    """
    temporary = None if output else tempfile.TemporaryDirectory(prefix="luthier-")
    folder = Path(output) if output else Path(temporary.name if temporary else "")
    started = words("program", program)
    if not started:
        raise Error("`program` is empty, but has to name a program: [path, argument, ...]")
    named = [word("tools", one.path if isinstance(one, Tool) else one) for one in listed("tools", tools)]
    limit = seconds("timeout", timeout)
    line = [command(), "run", "--stats", "--output", os.fspath(folder)]
    if device is not None:
        line += ["--device", word("device", device)]
    for one in named:
        line += ["--tool", one]
    line += [*words("options", options), "--", *started]
    before = set(folder.glob("summary.*.json"))
    try:
        done = subprocess.run(
            line, capture_output=True, text=True, errors="replace", env=env, cwd=cwd, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        raise Error(f"{started[0]} did not end within {timeout} s") from None
    except (TypeError, ValueError):
        raise Error(f"`env` is {env!r}, but has to be texts by name, and `cwd` is {cwd!r}, but has to be a directory") from None
    except OSError as error:
        raise Error(f"luthier cannot be started in `cwd` {cwd!r}: {error}") from None
    if done.returncode == NOT_STARTED and (refusal := _refusal(done.stderr)):
        raise Error(refusal)
    if check and done.returncode != 0:
        raise Failed(f"{started[0]} ended with status {done.returncode}: {_last(done.stderr)}", done.returncode, done.stderr)
    result = Result(done.returncode, done.stdout, done.stderr, folder, temporary)
    for path in sorted(set(folder.glob("summary.*.json")) - before):
        for text in json.loads(path.read_text()).get("warnings", ()):
            warnings.warn(text, stacklevel=2)
    return result


NOT_STARTED = 2
"""The status of `luthier run` if it could not start the program, and of programs that choose it."""


_SUMMARY = re.compile(r"luthier [^:]*: \d+ kernels? seen\b")
_STATISTICS = re.compile(r"luthier: \d+ kernels?, \d+ dispatch")
_OF_SUMMARY = re.compile(r"\s|[^\s:]+:$")


def _last(stderr: str) -> str:
    """The last line that the program itself printed: no part of tools' summaries, nor of the statistics behind everything."""
    last, of_tools = "it printed no error", False
    for line in stderr.splitlines():
        if _STATISTICS.match(line):
            break
        of_tools = bool(_SUMMARY.match(line)) or (of_tools and bool(_OF_SUMMARY.match(line)))
        if line and not of_tools:
            last = line
    return last


def _refusal(stderr: str) -> str | None:
    """Why `luthier run` did not start the program, in terms of `run`'s arguments; `None` if it started."""
    last = (stderr.strip().splitlines() or [""])[-1]
    if told := re.fullmatch(r"luthier: no tool (.+?): there is (.+?)(, and no file .*)?", last):
        return f"`tools` has no tool {told[1]!r}: there is {told[2]}"
    if told := re.fullmatch(r"luthier: cannot start (.+?): (.+)", last):
        return f"`program` has no program {told[1]!r} to start: {told[2]}"
    if told := re.fullmatch(r"luthier: --device (.+?): (.+)", last):
        return f"`device` is {told[1]!r}: {told[2]}"
    if told := re.fullmatch(r"luthier: (there is no AMD GPU here .+); emulate one with --device (\S+)", last):
        return f"`device`: {told[1]}; emulate one with device={told[2]!r}"
    return None
