"""Facts about code, against what LLVM and the manuals say of it."""

import subprocess

import luthier
import pytest


def test_instructions_are_those_of_llvm(hip, tmp_path):
    file = tmp_path / "kernels.co"
    file.write_bytes(luthier.inspect(hip).objects[0].data)
    told = subprocess.run(
        ["llvm-objdump-22", "-d", "--disassemble-symbols=scale", file], capture_output=True, text=True, check=True
    ).stdout
    lines = [line for line in told.splitlines() if "//" in line]
    kernel = luthier.inspect(file).kernel("scale")
    wanted = [(int(line.split("//")[1].split(":")[0], 16), line.split()[0]) for line in lines]
    ours = [(one.pc, one.mnemonic) for one in kernel.instructions]
    # LLVM goes on to the next symbol.
    assert ours == wanted[: len(ours)] and ours[-1][1] == "s_endpgm"
    assert {mnemonic for _, mnemonic in wanted[len(ours) :]} <= {"s_nop"}
    assert any(one.source and ".hip:" in one.source for one in kernel.instructions)


def test_blocks_and_liveness(hip):
    kernel = luthier.inspect(hip).kernel("scale")
    first, body, end = kernel.blocks
    assert (first.exit, body.exit, end.exit) == ("branches", "falls", "ends")
    assert sorted(first.successors) == [1, 2] and body.successors == (2,)
    live = kernel.liveness
    assert [block.start for block in live.blocks] == [block.start for block in kernel.blocks]
    # The work-item's number and the address of the arguments come in registers, and nothing is live at the end of a program.
    assert "v0" in live.blocks[0].live_in
    assert not any(name.startswith("v") for name in live.blocks[2].live_out)
    assert not live.unresolved


def test_names_of_the_source(hip):
    report = luthier.inspect(hip)
    assert report.kernel("fill<int>").name.startswith("_Z4fillIi")
    with pytest.raises(luthier.Error, match="several kernels are called fill: choose one of _Z4fillI"):
        report.kernel("fill")
    with pytest.raises(luthier.Error, match="no kernel nothing: there are .*scale"):
        report.kernel("nothing")


def test_names_for_several_targets(tmp_path):
    source, both = tmp_path / "fill.hip", tmp_path / "both"
    source.write_text("#include <hip/hip_runtime.h>\nextern \"C\" __global__ void fill(int *out) { *out = 1; }\nint main() {}\n")
    targets = ["gfx1030", "gfx90a"]
    arches = [f"--offload-arch={target}" for target in targets]
    subprocess.run(["hipcc", "-w", *arches, source, "-o", both], check=True)
    report = luthier.inspect(both)
    with pytest.raises(luthier.Error, match=r"kernels called fill are there for gfx1030 and gfx90a: choose one with target=\.\.\.$"):
        report.kernel("fill")
    with pytest.raises(luthier.Error, match="no kernel nothing: there are fill$"):
        report.kernel("nothing")
    for target in targets:
        assert report.kernel("fill", target=target).target == target
    with pytest.raises(luthier.Error, match="no code object is for gfx942: there are those for gfx1030, gfx90a"):
        report.kernel("fill", target="gfx942")


def test_names_in_several_code_objects(tmp_path):
    source, parts = tmp_path / "fill.hip", [tmp_path / "one.o", tmp_path / "two.o"]
    kernel = "#include <hip/hip_runtime.h>\nstatic __global__ void fill(int *out) { *out = 1; }\n"
    uses = ["int main() { fill<<<1, 1>>>(nullptr); }\n", "void other() { fill<<<1, 1>>>(nullptr); }\n"]
    for use, part in zip(uses, parts):
        source.write_text(kernel + use)
        subprocess.run(["hipcc", "-w", "--offload-arch=gfx90a", "-c", source, "-o", part], check=True)
    both = tmp_path / "both"
    subprocess.run(["hipcc", "--offload-arch=gfx90a", *parts, "-o", both], check=True)
    report = luthier.inspect(both)
    message = "^several code objects have a kernel called fill: choose one of report.objects and ask that$"
    with pytest.raises(luthier.Error, match=message):
        report.kernel("fill")
    assert [one.kernel("fill") for one in report.objects] == list(report.kernels)


def test_functions(opencl):
    (one,) = luthier.inspect(opencl).objects
    assert one.target == "gfx1100"
    twice = next(function for function in one.functions if function.name == "twice")
    assert twice.histogram["s_setpc_b64"] == 1
    calls = [block.calls for block in one.kernel("reversed").liveness.blocks]
    assert "twice" in calls


def test_frames_and_tables(hip):
    report = luthier.inspect(hip)
    kernels = report.to_frame()
    assert set(kernels["kernel"]) >= {"scale", "void fill<int>(int*, int)"}
    kernel = report.kernel("scale")
    instructions = kernel.to_frame()
    assert list(instructions["block"].unique()) == [0, 1, 2]
    assert len(kernel.liveness.to_frame()) == len(instructions)
    # Names of templates are text, not markup.
    assert "void fill&lt;int&gt;(int*, int)" in report._repr_html_()
    assert kernel._repr_html_().count("<tr>") == 1 + len(instructions)


def test_errors_name_the_file(tmp_path):
    with pytest.raises(luthier.Error, match=r"cannot read .*missing: No such file"):
        luthier.inspect(tmp_path / "missing")
    text = tmp_path / "text"
    text.write_text("no code here")
    with pytest.raises(luthier.Error, match="text"):
        luthier.inspect(text)
    with pytest.raises(luthier.Error):
        luthier.inspect(b"")
