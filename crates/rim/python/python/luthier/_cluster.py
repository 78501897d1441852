"""Queries on an Apache Ballista cluster: the plan is made by `luthier-cluster`, a program of its own."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ._errors import Error
from ._query import PATHS, Answer, Session

if TYPE_CHECKING:
    import pyarrow as pa

PROGRAM = "luthier-cluster"


class Cluster(Session):
    """The tables of a dataset for a cluster, whose executors read the files themselves."""

    distributed = True

    def __init__(self, directories: PATHS, scheduler: str) -> None:
        self._program = _found()
        self._scheduler = scheduler
        super().__init__(directories)

    def sql(self, text: str) -> Answer:
        """The answer, whose rows come as executors deliver them."""
        import pyarrow

        with ExitStack() as stack:
            folder = self.dataset.exported or stack.enter_context(self._exported(text))
            complaints = stack.enter_context(tempfile.TemporaryFile())
            words = [self._program, "--scheduler", self._scheduler, "--dataset", str(folder.resolve()), text]
            process = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, stderr=complaints))
            stack.callback(process.kill)
            assert isinstance(process.stdout, io.BufferedReader)
            try:
                reader = pyarrow.ipc.open_stream(pyarrow.PythonFile(process.stdout, mode="r"))
            except pyarrow.ArrowInvalid:
                raise self._ended(process, complaints) from None
            return Answer(reader.schema, self._rows(reader, process, complaints, stack.pop_all()))

    @contextmanager
    def _exported(self, text: str) -> Iterator[Path]:
        """What a query needs as a dataset, beside the run's files: where executors reach those, they reach this."""
        from . import _export

        beside = self.dataset.directories[0]
        try:
            made = tempfile.TemporaryDirectory(prefix=".query-", dir=beside, ignore_cleanup_errors=True)
        except OSError as error:
            raise Error(f"{beside}: {error.strerror}: write a dataset elsewhere with --export, and query that") from None
        with made as folder:
            # (Executors may belong to another user.)
            os.chmod(folder, 0o755)
            _export.write(self, Path(folder) / "dataset", self.named_by(text))
            yield Path(folder) / "dataset"

    def _rows(
        self, reader: pa.RecordBatchStreamReader, process: subprocess.Popen[bytes], complaints: IO[bytes], stack: ExitStack
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow

        with stack:
            try:
                yield from reader
            except (OSError, pyarrow.ArrowException):
                raise self._ended(process, complaints) from None
            if process.wait():
                raise self._ended(process, complaints)

    def _ended(self, process: subprocess.Popen[bytes], complaints: IO[bytes]) -> Error:
        assert process.stdout is not None
        process.stdout.close()
        status = process.wait()
        complaints.seek(0)
        said = complaints.read().decode(errors="replace").strip().splitlines()
        return self._failed(RuntimeError(said[-1] if said else f"{PROGRAM} ended with status {status}"))


def _found() -> str:
    """Beside the `luthier` command, or in PATH."""
    home = os.path.dirname(os.environ.get("LUTHIER", ""))
    found = shutil.which(PROGRAM, path=os.pathsep.join(filter(None, (home, os.environ.get("PATH", "")))))
    if found is None:
        raise Error(f"{PROGRAM} is not in PATH: cargo install --path cluster, in Luthier's sources, makes it")
    return found
