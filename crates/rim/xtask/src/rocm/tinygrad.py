"""Trains a small network for a few steps, and multiplies matrices of halves: python3 training.py

Prints a line for each result: its name and a number. Weights and data are seeded, so that every backend prints the same.
"""
import numpy
from tinygrad import Tensor, dtypes
from tinygrad.helpers import Context
from tinygrad.nn.optim import SGD

STEPS = 3

random = numpy.random.default_rng(1)


def normal(*shape):
    return Tensor(random.standard_normal(shape, dtype=numpy.float32))


first, second = normal(64, 32) / 8, normal(32, 10) / 6
first, second = first.contiguous().realize(), second.contiguous().realize()
data, labels = normal(16, 64), Tensor(random.integers(0, 10, 16).astype(numpy.int32))
optimizer = SGD([first, second], lr=0.25)
with Context(TRAINING=1):
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = data.matmul(first).relu().matmul(second).sparse_categorical_crossentropy(labels).backward()
        optimizer.step()
        print(f"loss {step}: {loss.item():.5f}")
print(f"weights: {(first.abs().sum() + second.abs().sum()).item():.2f}")

# Sums of small integers are exact in any order: matrix instructions must agree to the last bit.
left, right = (Tensor(random.integers(-8, 9, (64, 64)).astype(numpy.float16)) for _ in range(2))
product = left.matmul(right, dtype=dtypes.float).numpy()
print(f"halves: {int(numpy.abs(product).sum())}")
