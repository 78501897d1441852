"""Runs ONNX's models on the GPU by ONNX Runtime, and speaks as programs of GoogleTest do: python3.13 onnx.py --gtest_filter=PATTERNS

A model has to run on the GPU from end to end: what its provider leaves to the CPU is skipped. Results are right if they are those that
ONNX ships with the model, or those of ONNX Runtime's CPU provider.
"""
import ctypes
import fnmatch
import glob
import os
import sys
import time

# Debian's MIOpen tells clang where the system's headers are, behind which <cmath> finds no math.h: clang leaves that out.
os.environ["CCC_OVERRIDE_OPTIONS"] = "#X-isystem"
# The wheel's library asks for an executable stack, which glibc refuses but for this, read when a process starts.
TUNABLE = "glibc.rtld.execstack=2"
if os.environ.get("GLIBC_TUNABLES") != TUNABLE:
    os.environ["GLIBC_TUNABLES"] = TUNABLE
    os.execv(sys.executable, [sys.executable] + sys.argv)

WHEEL = "/opt/onnxruntime"
MODELS = "/usr/lib/python3/dist-packages/onnx/backend/test/data"
FOLDERS = ["node", "simple", "pytorch-operator", "pytorch-converted"]
# As ONNX's own tests compare; halves and bfloat16 have 11 and 8 bits.
RELATIVE, ABSOLUTE = 1e-3, 1e-5
MARKS = {"OK": "       OK ", "SKIPPED": "  SKIPPED ", "FAILED": "  FAILED  "}
SHORT = {"float16": 4e-3, "bfloat16": 2e-2}

sys.path.insert(0, WHEEL)
for stub in glob.glob(f"{WHEEL}/stubs/*.so*"):
    ctypes.CDLL(stub)
import numpy
import onnx
import onnxruntime


class LeftOut(Exception):
    """The model is none for the GPU's provider."""


def say(*words):
    print(*words, flush=True)


def option(name, default):
    mark = f"--gtest_{name}="
    return next((word[len(mark):] for word in sys.argv[1:] if word.startswith(mark)), default)


def models():
    """Name and file of each."""
    for folder in FOLDERS:
        for path in sorted(glob.glob(f"{MODELS}/{folder}/*/model.onnx")):
            name = path.split("/")[-2].removeprefix("test_")
            yield f"{folder.replace('-', '_')}.{name}", path
    for path in sorted(glob.glob(f"{MODELS}/light/*.onnx")):
        yield f"light.{os.path.basename(path)[:-5].removeprefix('light_')}", path


def chosen():
    """Those that the filter names, and of them this shard."""
    wanted, _, unwanted = option("filter", "*").partition("-")
    matches = lambda name, patterns: any(fnmatch.fnmatchcase(name, one) for one in patterns.split(":"))
    count, index = int(os.environ.get("GTEST_TOTAL_SHARDS", "1")), int(os.environ.get("GTEST_SHARD_INDEX", "0"))
    names = [(name, path) for name, path in models() if matches(name, wanted)][index::count]
    unwanted = set(unwanted.split(":"))
    return [(name, path) for name, path in names if name not in unwanted]


def session(path, provider):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if provider != "CPUExecutionProvider":
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return onnxruntime.InferenceSession(path, options, providers=[provider])


def tensor(path):
    proto = onnx.TensorProto()
    with open(path, "rb") as file:
        proto.ParseFromString(file.read())
    return onnx.numpy_helper.to_array(proto)


def data(path, model):
    """Inputs by name and expected outputs, as shipped; for a network of constant weights, numbers made up here."""
    folder = f"{os.path.dirname(path)}/test_data_set_0"
    if not os.path.isdir(folder):
        random = numpy.random.default_rng(1)
        inputs = {i.name: random.random([d or 1 for d in i.shape], dtype=numpy.float32) for i in model.get_inputs()}
        return inputs, None
    kinds = [value.type for value in model.get_inputs() + model.get_outputs()]
    if not all(kind.startswith("tensor(") for kind in kinds):
        raise LeftOut(f"values that are no tensors: {kinds}")
    inputs = {value.name: tensor(f"{folder}/input_{at}.pb") for at, value in enumerate(model.get_inputs())}
    return inputs, [tensor(f"{folder}/output_{at}.pb") for at in range(len(model.get_outputs()))]


def difference(found, expected):
    """What is wrong first, or None."""
    for at, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        if ours.shape != theirs.shape:
            return f"output {at}: shape {ours.shape} instead of {theirs.shape}"
        if ours.dtype.kind in "biuSUO":
            same = ours == theirs
        else:
            relative = SHORT.get(ours.dtype.name, RELATIVE)
            left, right = ours.astype(numpy.float64), theirs.astype(numpy.float64)
            same = numpy.isclose(left, right, relative, max(ABSOLUTE, relative * 1e-2), equal_nan=True)
        same = numpy.asarray(same)
        if not same.all():
            first = tuple(int(i) for i in numpy.argwhere(~same)[0])
            return f"output {at}: {(~same).sum()} of {same.size} values, first {first}: {ours[first]} instead of {theirs[first]}"
    return None


def run(path, provider):
    """What is wrong, or None."""
    try:
        model = session(path, provider)
    except Exception as problem:
        raise LeftOut(str(problem).split("\n")[0])
    inputs, expected = data(path, model)
    found = model.run(None, inputs)
    wrong = "no results are shipped" if expected is None else difference(found, expected)
    return wrong and difference(found, session(path, "CPUExecutionProvider").run(None, inputs))


def main():
    provider = next((word for word in sys.argv[1:] if word.endswith("ExecutionProvider")), "ROCMExecutionProvider")
    names = chosen()
    say(f"[==========] Running {len(names)} tests from {len(FOLDERS) + 1} test suites.")
    failed = 0
    for name, path in names:
        say("[ RUN      ]", name)
        start = time.monotonic()
        try:
            wrong = run(path, provider)
            end = "FAILED" if wrong else "OK"
        except LeftOut as problem:
            wrong, end = str(problem), "SKIPPED"
        except Exception as problem:
            wrong, end = f"{type(problem).__name__}: {problem}", "FAILED"
        if wrong:
            say(wrong)
        failed += end == "FAILED"
        say(f"[{MARKS[end]}] {name} ({1000 * (time.monotonic() - start):.0f} ms)")
    # Without the providers' destructors, which do not matter here.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


main()
