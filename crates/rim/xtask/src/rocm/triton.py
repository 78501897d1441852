"""Compiles kernels with Triton for one GPU and launches them through HIP: python3 triton.py TARGET

Prints a line for each result: its name and a number. Without a GPU (DEV=CPU) numpy says what they are.
"""
import ctypes
import os
import sys

import numpy
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGET = sys.argv[1]
WAVE = 64 if TARGET.startswith("gfx9") else 32


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def product(a, b, out, depth, SIDE: tl.constexpr):
    rows = tl.arange(0, SIDE)
    total = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(0, depth, SIDE):
        left = tl.load(a + rows[:, None] * depth + start + rows[None, :])
        right = tl.load(b + (start + rows)[:, None] * SIDE + rows[None, :])
        total = tl.dot(left, right, total)
    tl.store(out + rows[:, None] * SIDE + rows[None, :], total)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + at, power / tl.sum(power, 0), mask=at < columns)


def check(status):
    if status != 0:
        sys.exit(f"HIP error {status}")


class Gpu:
    def __init__(self):
        self.hip = ctypes.CDLL("libamdhip64.so.6")

    def copy(self, array):
        pointer = ctypes.c_void_p()
        size = ctypes.c_size_t(array.nbytes)
        check(self.hip.hipMalloc(ctypes.byref(pointer), size))
        check(self.hip.hipMemcpy(pointer, ctypes.c_void_p(array.ctypes.data), size, 1))
        return pointer

    def run(self, kernel, types, constants, groups, inputs, out, number):
        """What `kernel` writes to an array like `out`. Two pointers to scratch memory, of which it has none, follow its arguments."""
        signature = dict(types, **{name: "constexpr" for name in constants})
        source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
        made = triton.compile(source, target=GPUTarget("hip", TARGET, WAVE))
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(self.hip.hipModuleLoadData(ctypes.byref(module), made.asm["hsaco"]))
        check(self.hip.hipModuleGetFunction(ctypes.byref(function), module, made.metadata.name.encode()))
        result = self.copy(out)
        values = [self.copy(array) for array in inputs]
        values += [result, ctypes.c_int32(number), ctypes.c_void_p(), ctypes.c_void_p()]
        arguments = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        threads = made.metadata.num_warps * WAVE
        check(self.hip.hipModuleLaunchKernel(
            function, groups, 1, 1, threads, 1, 1, made.metadata.shared, None, arguments, None))
        filled = numpy.empty_like(out)
        size = ctypes.c_size_t(out.nbytes)
        check(self.hip.hipMemcpy(ctypes.c_void_p(filled.ctypes.data), result, size, 2))
        return filled


random = numpy.random.default_rng(3)
x, y = (random.standard_normal(1000, dtype=numpy.float32) for _ in range(2))
a, b = (random.integers(-8, 9, shape).astype(numpy.float16) for shape in ((32, 128), (128, 32)))
table = random.standard_normal((16, 100), dtype=numpy.float32)

if os.environ.get("DEV") == "CPU":
    powers = numpy.exp(table - table.max(1, keepdims=True))
    results = x + y, a.astype(numpy.float32) @ b.astype(numpy.float32), powers / powers.sum(1, keepdims=True)
else:
    gpu = Gpu()
    floats = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "count": "i32"}
    halves = {"a": "*fp16", "b": "*fp16", "out": "*fp32", "depth": "i32"}
    rows = {"x": "*fp32", "out": "*fp32", "columns": "i32"}
    results = (
        gpu.run(add, floats, {"BLOCK": 256}, 4, [x, y], numpy.zeros_like(x), 1000),
        gpu.run(product, halves, {"SIDE": 32}, 1, [a, b], numpy.zeros((32, 32), numpy.float32), 128),
        gpu.run(softmax, rows, {"BLOCK": 128}, 16, [table], numpy.zeros_like(table), 100),
    )
for name, result in zip(("add", "product", "softmax"), results):
    # Every element counts, and its place does.
    weights = numpy.arange(1, result.size + 1) % 97
    print(f"{name}: {float((numpy.abs(result).ravel().astype(numpy.float64) * weights).sum()):.6f}")
