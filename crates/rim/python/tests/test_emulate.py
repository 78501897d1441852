"""Kernels with arrays; what they shall compute, numpy computes."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import threading
import time

import luthier
import numpy
import pytest
from luthier import emulate


def test_arrays_go_there_and_back(hip):
    with emulate.load(hip, "gfx90a") as device:
        given = numpy.arange(1000, dtype=numpy.float32)
        out = numpy.full(1024, -1, numpy.float32)
        counts = device.launch("scale", 16, 64, [given, out, 0.5, 1000], per_instruction=True)
    assert (out[:1000] == given * numpy.float32(0.5)).all() and (out[1000:] == -1).all()
    assert counts.waves == 16
    # All waves come to the first block, and none to the second whose lanes are all out.
    assert counts.blocks == {0: 16, 1: 16, 2: 16}
    assert sum(waves for waves, _ in counts.classes.values()) == counts.wave_instructions
    assert sum(waves for waves, _ in counts.instructions.values()) == counts.wave_instructions
    assert sum(lanes for _, lanes in counts.instructions.values()) == counts.lane_instructions
    frame = counts.to_frame()
    assert frame[frame.mnemonic == "global_store_dword"].lane_instructions.tolist() == [1000]
    assert "vector ALU" in counts._repr_html_()


def test_shapes_of_arrays_and_views(hip):
    device = emulate.load(hip, "mi250x")
    given = numpy.arange(60, dtype=numpy.float32).reshape(6, 10).T
    whole = numpy.zeros((10, 12), numpy.float32)
    device.launch("scale", 1, 64, [given, whole[:, ::2], numpy.float32(3), numpy.int32(60)])
    assert (whole[:, ::2] == given * 3).all() and (whole[:, 1::2] == 0).all()
    frozen = numpy.zeros(64, numpy.float32)
    frozen.flags.writeable = False
    device.launch("scale", 1, 64, [given, frozen, 1.0, 60])
    assert (frozen == 0).all()


def test_buffers_stay_between_launches(hip):
    device = emulate.load(hip, "gfx90a")
    buffer = device.buffer(numpy.arange(64, dtype=numpy.float32))
    for _ in range(3):
        device.launch("scale", args=[buffer, buffer, 2.0, 64])
    assert (buffer.read("float32") == numpy.arange(64) * 8).all()
    assert buffer.read("float32", 2, offset=4).tolist() == [8, 16]
    with pytest.raises(luthier.Error, match="bytes 252 to 260 are not within a buffer of 256"):
        buffer.write(b"12345678", 252)
    buffer.free()
    buffer.free()
    with pytest.raises(luthier.Error, match="buffer of another device"):
        emulate.load(hip, "gfx90a").launch("scale", args=[device.buffer(4), None, 1.0, 0])


def test_templates_and_numbers(hip):
    device = emulate.load(hip)
    whole, real = numpy.zeros(64, numpy.int32), numpy.zeros(64)
    device.launch("fill<int>", 1, 64, [whole, -7])
    device.launch("fill<double>", 1, 64, [real, 0.1])
    assert (whole == -7).all() and (real == 0.1).all()
    for value in (1 << 32, -(1 << 31) - 1):
        with pytest.raises(luthier.Error, match=r"argument 1 \(value\) of .*fill<int>.* has 4 bytes, which cannot hold"):
            device.launch("fill<int>", 1, 64, [whole, value])


def test_arguments_are_checked_against_the_source(hip):
    device = emulate.load(hip)
    out = numpy.zeros(64, numpy.float32)
    ones = numpy.ones(64, numpy.float32)
    # A Python int for a `float` is that number, not its bits.
    device.launch("scale", 1, 64, [ones, out, 2, 64])
    assert (out == 2).all()
    for match, args in {
        r"argument 0 \(in\) of scale is `float const\*`, and the array has elements of float64: pass array.astype\('float32'\)": [
            ones.astype("f8"), out, 2.0, 64],
        r"argument 0 \(in\) of scale is `float const\*`, and the array has elements of int32": [
            ones.astype("i4"), out, 2.0, 64],
        # The high byte first.
        r"argument 0 \(in\) of scale is `float const\*`, and the array has elements of >f4": [ones.astype(">f4"), out, 2.0, 64],
        r"argument 1 \(out\) of scale is `float\*`, and the array has elements of >f4": [ones, out.astype(">f4"), 2.0, 64],
        r"argument 2 \(factor\) of scale is `float` and no pointer": [ones, out, ones, 64],
        r"argument 2 \(factor\) of scale is `float`, and .* is a int32: pass numpy.float32": [ones, out, numpy.int32(2), 64],
        r"argument 2 \(factor\) of scale is `float`, and .* is a float64": [ones, out, numpy.float64(2), 64],
        r"argument 3 \(count\) of scale is `int`, and 64.5 is a float": [ones, out, 2.0, 64.5],
        r"argument 0 \(in\) of scale is `float const\*`, a pointer: pass an array": [1.5, out, 2.0, 64],
    }.items():
        with pytest.raises(luthier.Error, match=match):
            device.launch("scale", 1, 64, args)
    assert (out == 2).all()
    # The same bytes under another type, on purpose.
    device.launch("scale", 1, 64, [emulate.Raw(ones.view(numpy.int32)), out, 4.0, 64])
    assert (out == 4).all()


def test_unknown_types_need_explicit_numbers():
    source = """
        struct pair { int a; float b; };
        extern "C" __attribute__((global)) void both(float *out, pair p, float x) { out[0] = p.a + p.b + x; }
        """
    device = emulate.load(emulate.compile(source, flags=["-O2"]))
    out = numpy.zeros(1, numpy.float32)
    pair = numpy.int32(3).tobytes() + numpy.float32(0.25).tobytes()
    with pytest.raises(luthier.Error, match=r"argument 2 of both has a type that the code object does not tell: pass 2.0 as"):
        device.launch("both", 1, 1, [out, pair, 2.0])
    device.launch("both", 1, 1, [out, pair, numpy.float32(2)])
    assert out[0] == 5.25
    with pytest.raises(luthier.Error, match=r"argument 2 of both has 4 bytes, and .* has 8"):
        device.launch("both", 1, 1, [out, pair, numpy.float64(2)])
    known = emulate.load(emulate.compile(source))
    with pytest.raises(luthier.Error, match=r"argument 1 \(p\) of both has the type `pair`: pass 7 as"):
        known.launch("both", 1, 1, [out, 7, 2.0])
    known.launch("both", 1, 1, [out, pair, 4.0])
    assert out[0] == 7.25


@pytest.mark.parametrize(
    ("match", "given"),
    [
        ("^grid is 1.5, but has to be one to three", {"grid": 1.5}),
        ("^grid is None, but", {"grid": None}),
        ("^grid is '64', but", {"grid": "64"}),
        ("^block is .1, 2.5., but", {"block": (1, 2.5)}),
        ("^block is 4294967296, but", {"block": 1 << 32}),
        ("^block is nan, but", {"block": float("nan")}),
        ("^`lds` is -1, but has to be a whole number from 0 to 4294967295", {"lds": -1}),
        ("^`lds` is 4294967296, but", {"lds": 1 << 32}),
        ("^`lds` is None, but", {"lds": None}),
        ("^`limit` is -1, but has to be a number of seconds", {"limit": -1}),
        ("^`limit` is nan, but", {"limit": float("nan")}),
        ("^`limit` is 'soon', but", {"limit": "soon"}),
        ("^`args` is None, but has to be a list", {"args": None}),
        ("^`args` is 5, but has to be a list", {"args": 5}),
        ("^`kernel` has 5 in it, which is a int and no text", {"kernel": 5}),
    ],
)
def test_arguments_of_a_launch_are_named(hip, match, given):
    out = numpy.zeros(64, numpy.float32)
    words = {"kernel": "scale", "args": [out, out, 1.0, 1], **given}
    with emulate.load(hip) as device, pytest.raises(luthier.Error, match=match):
        device.launch(**words)


def test_numbers_of_any_type_are_numbers(hip):
    out = numpy.ones(64, numpy.float32)
    with emulate.load(hip, threads=1) as device:
        counts = device.launch("scale", numpy.int64(1), (numpy.uint8(64), 1), [out, out, 2.0, 64], lds=numpy.int32(0), limit=60)
        assert counts.waves == 1 and (out == 2).all()
        for match, call in {
            "^`threads` is -1, but": lambda: emulate.load(hip, threads=-1),
            "^`threads` is 1.5, but": lambda: emulate.load(hip, threads=1.5),
            "^`number` is 1.5, but": lambda: emulate.load(hip, number=1.5),
            "^<bytes>: `device` has 5 in it": lambda: emulate.load(hip, 5),
            "^`contents` is -1, but": lambda: device.buffer(-1),
            "^`contents` is 18446744073709551616, but": lambda: device.buffer(1 << 64),
            "^`offset` is 0.5, but": lambda: device.buffer(4).read(offset=0.5),
            "^`count` is -1, but": lambda: device.buffer(4).read(count=-1),
            "^`size of a Local` is -1, but": lambda: device.launch("scale", args=[emulate.Local(-1), out, 2.0, 64]),
        }.items():
            with pytest.raises(luthier.Error, match=match):
                call()


@pytest.mark.parametrize("sizes", [numpy.array([1, 1]), numpy.array(1), numpy.array([1]), [numpy.int64(1), 1], (1,), range(1, 2)])
def test_sizes_may_be_in_arrays(hip, sizes):
    out = numpy.ones(64, numpy.float32)
    with emulate.load(hip, threads=1) as device:
        counts = device.launch("scale", sizes, numpy.array([64, 1, 1], numpy.uint16), [out, out, 2.0, 64])
    assert counts.waves == 1 and (out == 2).all()


def test_sizes_in_arrays_are_whole_positive_and_at_most_three(hip):
    out = numpy.ones(64, numpy.float32)
    with emulate.load(hip, threads=1) as device:
        for grid in numpy.array([1.0, 1.0]), numpy.array([1, 0]), numpy.ones(4, int), numpy.ones((2, 2), int):
            with pytest.raises(luthier.Error, match="(?s)^grid is .*, but has to be one to three positive"):
                device.launch("scale", grid, 64, [out, out, 2.0, 64])


def test_no_threads_mean_all_processors(hip):
    out = numpy.ones(64, numpy.float32)
    with emulate.load(hip, threads=0) as device:
        device.launch("scale", 1, 64, [out, out, 2.0, 64])
    assert (out == 2).all()


def test_lds_arguments_and_other_targets(opencl):
    device = emulate.load(opencl)
    values = numpy.arange(256, dtype=numpy.int32)
    device.launch("reversed", 1, 256, [values, emulate.Local(1024)])
    assert (values == 2 * numpy.arange(256)[::-1]).all()


def test_mistakes_are_errors(hip, opencl, tmp_path):
    device = emulate.load(hip)
    out = numpy.zeros(64, numpy.float32)
    for match, call in {
        "takes 4 arguments, 1 were given": lambda: device.launch("scale", args=[out]),
        "is a dict, and no array": lambda: device.launch("scale", args=[{}, out, 1.0, 1]),
        "grid is 0, but": lambda: device.launch("scale", 0, 64, [out, out, 1.0, 1]),
        "block is .1, 2, 3, 4., but": lambda: device.launch("scale", 1, (1, 2, 3, 4), [out, out, 1.0, 1]),
        "no bytes that a device": lambda: device.launch("scale", args=[numpy.array([{}]), out, 1.0, 1]),
        "argument 3 of scale has 4 bytes, 3 were given": lambda: device.launch("scale", args=[out, out, 1.0, b"123"]),
        "has code for gfx90a.* and none for gfx1030": lambda: emulate.load(hip, "gfx1030"),
        "gfx1": lambda: emulate.load(hip, "gfx1"),
        "nothing.co": lambda: emulate.load(tmp_path / "nothing.co"),
        "blocks of scale were not counted": lambda: device.launch("scale", args=[out, out, 1.0, 1]).blocks,
    }.items():
        with pytest.raises(luthier.Error, match=match):
            call()
    with pytest.raises(luthier.Fault, match="wild"):
        emulate.load(opencl).launch("wild", args=[out.view(numpy.int32)])
    device.close()
    with pytest.raises(luthier.Error, match="this device is closed"):
        device.launch("scale", args=[out, out, 1.0, 1])


def test_strict_devices_stop_at_the_last_byte(hip):
    array = numpy.zeros(63, numpy.float32)
    emulate.load(hip).launch("scale", args=[array, array, 1.0, 64])
    with pytest.raises(luthier.Fault, match="scale"):
        emulate.load(hip, strict=True).launch("scale", args=[array, array, 1.0, 64])


def test_compilers_that_fail_or_are_missing(monkeypatch, tmp_path):
    for text in ("this is\nno program", "no program in one line"):
        with pytest.raises(luthier.Error, match="cannot compile source.hip for gfx90a:\n.*error"):
            emulate.compile(text)
    file = tmp_path / "empty.hip"
    file.write_text("")
    assert emulate.compile(file)
    with pytest.raises(luthier.Error, match="takes a string as source, and '.*empty.hip' names a file: pass pathlib.Path"):
        emulate.compile(str(file))
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("HIPCC", raising=False)
    assert emulate.compiler("hip") is None
    with pytest.raises(luthier.Error, match="no hipcc to compile hip with: install hipcc"):
        emulate.compile("\n")


def test_a_limit_and_other_threads(opencl):
    device = emulate.load(opencl)
    flag = device.buffer(4)
    with pytest.raises(luthier.Endless, match="endless did not end within 0.1 s"):
        device.launch("endless", args=[flag], limit=0.1)
    # The kernel ends because another Python thread could run.
    other = threading.Thread(target=lambda: flag.write(b"\1\0\0\0"))
    threading.Timer(0.05, other.start).start()
    assert device.launch("endless", 3, 32, [flag]).waves == 3
    other.join()


def test_ctrl_c_ends_a_kernel(opencl):
    # A program that a shell started with `&` ignores Ctrl-C, and this test would wait for ever.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    device = emulate.load(opencl)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        device.launch("endless", args=[device.buffer(4)])
    # The device can go on.
    one = numpy.ones(1, numpy.int32)
    assert device.launch("endless", 3, 32, [one]).waves == 3
    signal.signal(signal.SIGINT, before)


def test_devices_that_go_leave_nothing(hip):
    out = numpy.zeros(4096, numpy.float32)

    def threads():
        return len(os.listdir("/proc/self/task"))

    before = threads()
    for _ in range(20):
        device = emulate.load(hip, threads=4)
        device.launch("scale", 64, 64, [out, out, 1.0, 4096])
    assert threads() > before
    del device
    gc.collect()
    # The threads end by themselves, soon.
    until = time.monotonic() + 120
    while threads() > before:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_devices_stay_with_their_process(hip):
    device = emulate.load(hip)
    out = numpy.zeros(64, numpy.float32)
    device.launch("scale", args=[out, out, 1.0, 64])

    def child(answers):
        try:
            device.launch("scale", args=[out, out, 1.0, 64])
        except luthier.Error as error:
            answers.put(str(error))

    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    process = context.Process(target=child, args=(answers,))
    process.start()
    assert f"this device belongs to process {os.getpid()}" in answers.get(timeout=120)
    process.join(120)
    assert process.exitcode == 0


def test_code_objects_of_one_target_are_chosen_by_number(tmp_path):
    """Two sources with a static kernel of one name, as a header makes them."""
    for number, unit in enumerate("ab"):
        source = f"#include <hip/hip_runtime.h>\nstatic __global__ void step(int *p) {{ p[threadIdx.x] += {number + 1}; }}\n"
        source += f"void {unit}(int *p) {{ step<<<1, 64>>>(p); }}\n"
        (tmp_path / f"{unit}.hip").write_text(source)
    sources = [tmp_path / "a.hip", tmp_path / "b.hip"]
    library = tmp_path / "both.so"
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-fPIC", "-shared", "-o", library, *sources], check=True)
    with pytest.raises(luthier.Error, match=r"holds 2 code objects that fit: pass number; 1 is .*gfx90a with .*step.*; 2 is .*gfx90a with"):
        emulate.load(library, "gfx90a")
    with pytest.raises(luthier.Error, match="name a device, or pass number"):
        emulate.load(library)
    with pytest.raises(luthier.Error, match="has no code object 3; 1 is "):
        emulate.load(library, "gfx90a", number=3)
    with pytest.raises(luthier.Error, match="has code for gfx90a.* and none for gfx1030: compile it for gfx1030, or name the device gfx90a"):
        emulate.load(library, "gfx1030", number=1)
    sums = []
    for number in (1, 2):
        values = numpy.zeros(64, numpy.int32)
        with emulate.load(library, "gfx90a", number=number) as device:
            device.launch("step", args=[values])
        sums.append(int(values[5]))
    assert sums == [1, 2]


def test_a_device_says_why_it_is_not_pickled(opencl):
    with emulate.load(opencl) as device, pytest.raises(TypeError, match="belongs to its process"):
        pickle.dumps(device)
