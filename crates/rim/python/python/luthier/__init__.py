"""AMD GPU kernels in Python.

`luthier.inspect` looks into compiled kernels, `luthier.emulate` runs them on an emulated GPU with numpy arrays and counts what
they execute, and `luthier.run` runs HIP programs with Luthier's tools.
"""

from . import emulate
from ._errors import Endless, Error, Failed, Fault
from ._inspect import Block, CodeObject, Function, Instruction, Kernel, LiveBlock, Liveness, Report, inspect
from ._luthier import version as _version
from ._query import export, queries, query
from ._run import Result, Tool, run, tool

__version__ = _version()
__all__ = [
    "Block",
    "CodeObject",
    "Endless",
    "Error",
    "Failed",
    "Fault",
    "Function",
    "Instruction",
    "Kernel",
    "LiveBlock",
    "Liveness",
    "Report",
    "Result",
    "Tool",
    "emulate",
    "export",
    "inspect",
    "queries",
    "query",
    "run",
    "tool",
]
