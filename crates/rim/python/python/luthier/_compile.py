"""Sources to code objects, with the compilers that are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from ._errors import Error
from ._inspect import read

Language = Literal["hip", "opencl"]

COMPILERS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "hip": ("HIPCC", ("hipcc",), "hipcc"),
    "opencl": ("CLANG", ("clang-22", "clang"), "clang"),
}
"""By language: a variable that names the compiler, programs that are tried, and the Debian package."""

FLAGS: Mapping[str, tuple[str, ...]] = {
    "hip": ("--offload-arch={device}", "--genco"),
    "opencl": ("-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu={device}", "-nogpulib"),
}
SUFFIXES: Mapping[str, str] = {"hip": ".hip", "opencl": ".cl"}


def compiler(language: Language) -> str | None:
    """Path of the compiler that `compile` would use, if there is one."""
    variable, programs, _ = COMPILERS[language]
    for program in (os.environ.get(variable), *programs):
        if program and (found := shutil.which(program)):
            return found
    return None


def compile(
    source: str | os.PathLike[str],
    device: str = "gfx90a",
    *,
    language: Language | None = None,
    flags: Sequence[str] = ("-O2", "-g"),
) -> bytes:
    """Compiles the kernels of a HIP or OpenCL C source for a target; returns the bytes of a code object or of
    a bundle with one, as `load` and `inspect` take them.

    A string is the source itself; a file is given as a `pathlib.Path`. `language` is guessed from a file's ending and is `hip` for
    a string.
    """
    text = source if isinstance(source, str) else None
    if text is not None and "\n" not in text and os.path.exists(text):
        raise Error(f"compile takes a string as source, and {text!r} names a file: pass pathlib.Path({text!r})")
    if language is None:
        language = "opencl" if text is None and os.fspath(source).endswith(".cl") else "hip"
    program = compiler(language)
    if program is None:
        variable, programs, package = COMPILERS[language]
        raise Error(f"no {' or '.join(programs)} to compile {language} with: install {package} (Debian), or set {variable}")
    with tempfile.TemporaryDirectory(prefix="luthier-") as folder:
        path = Path(folder) / f"source{SUFFIXES[language]}" if text is not None else Path(source)
        if text is not None:
            path.write_text(text)
        output = Path(folder) / "kernels.co"
        fixed = [flag.format(device=device) for flag in FLAGS[language]]
        command = [program, *fixed, *flags, os.fspath(path), "-o", os.fspath(output)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Error(f"{program} cannot compile {path.name} for {device}:\n{done.stderr.strip()}")
        return read(output)
