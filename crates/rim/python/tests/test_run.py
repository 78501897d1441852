"""Programs, tools and traces through the `luthier` command."""

import os
import warnings

import luthier
import pytest

HOOKS = """
#include <luthier_device.h>

LUTHIER_GLOBAL luthier_u64 stores;
LUTHIER_HOOK void count() { luthier::add(&stores, 1); }
LUTHIER_TOOL(R"(
about = "counts lanes that store"
insert = [{ hook = "count", where = "kind=store" }]
print = [{ text = "{stores} lanes stored" }]
)")
"""


def test_results_of_tools(program):
    result = luthier.run([program], device="gfx90a", tools=["opcode-histogram", "mem-coalesce"])
    assert (result.status, result.stdout.splitlines()[-1]) == (0, "filled")
    (row,) = result.reports("opcode-histogram")
    # 4 workgroups of 4 waves.
    assert row["opcodes"]["global_store_dword"] == 16
    places = result.to_frame("mem-coalesce")
    # 64 lanes of 4 bytes each are two lines of 128.
    assert (places.accesses.tolist(), places.lines.tolist()) == ([16], [32])
    assert result.summaries[0]["kernels"][0]["status"] == "instrumented"
    kernels = result.to_frame()
    assert kernels[kernels.kernel.str.contains("fill")].waves.tolist() == [16]
    assert "_Z4fillPi" in result._repr_html_()


def test_tools_from_a_string(program):
    tool = luthier.tool(HOOKS, "stores")
    result = luthier.run([program], device="gfx90a", tools=[tool])
    assert "1024 lanes stored" in result.stderr
    with pytest.raises(luthier.Error, match="the tool broken cannot be built:\n.*luthier"):
        luthier.tool("LUTHIER_HOOK void f() { what }\n", "broken")
    with pytest.raises(luthier.Error, match="is no name of a tool"):
        luthier.tool(HOOKS, "../stores")


def test_nothing_is_silently_empty(program, tmp_path):
    with pytest.warns(UserWarning, match=r"^-k flil fits no kernel; launched were fill\(int\*\)$"):
        luthier.run([program], device="gfx90a", tools=["instr-count"], options=["-k", "flil"], output=tmp_path)
    # The warning of the run before is not repeated.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = luthier.run([program], device="gfx90a", tools=["instr-count"], options=["-k", "fill"], output=tmp_path)
    for read in (result.reports, result.to_frame):
        with pytest.raises(luthier.Error, match="no report of a tool 'hotspot' in .*: there are instr-count$"):
            read("hotspot")


def test_devices_are_named_as_python_has_them(program):
    with pytest.raises(luthier.Error, match="^`device` is 'gfx90b': no target is called"):
        luthier.run([program], device="gfx90b")
    if not os.path.exists("/dev/kfd"):
        with pytest.raises(luthier.Error, match="^`device`: there is no AMD GPU here .*; emulate one with device='gfx90a'$"):
            luthier.run([program], device="hardware")


@pytest.mark.parametrize(
    ("match", "given"),
    [
        ("^`program` is empty, but has to name a program", {"program": []}),
        ("^`program` is 'true', but has to be a list, such as", {"program": "true"}),
        ("^`program` is None, but", {"program": None}),
        ("^`program` has 5 in it, which is a int and no text or path", {"program": ["true", 5]}),
        ("^`program` has 'a.x00b' in it", {"program": ["a\0b"]}),
        ("^`tools` is 'instr-count', but has to be a list", {"tools": "instr-count"}),
        ("^`tools` has None in it", {"tools": [None]}),
        ("^`options` is '-k', but", {"options": "-k"}),
        ("^`device` has 90 in it", {"device": 90}),
        ("^`timeout` is -1, but has to be a number of seconds", {"timeout": -1}),
        ("^`timeout` is 'soon', but", {"timeout": "soon"}),
        ("^`env` is {'A': 1}, but has to be texts", {"env": {"A": 1}}),
        ("^luthier cannot be started in `cwd` '/nowhere': ", {"cwd": "/nowhere"}),
    ],
)
def test_arguments_of_a_run_are_named(match, given):
    words = {"program": ["true"], "device": "gfx90a", **given}
    with pytest.raises(luthier.Error, match=match):
        luthier.run(**words)


def test_traces(program, tmp_path):
    result = luthier.run([program], device="gfx90a", tools=["mem-trace"], output=tmp_path / "out")
    table = result.trace("mem-trace").to_table()
    # A record per lane, 1024 of them.
    assert table.num_rows == 1024
    with pytest.raises(luthier.Error, match="no stream nothing in .*: there are mem-trace"):
        result.trace("nothing")


def test_programs_that_fail(program, monkeypatch, tmp_path):
    with pytest.raises(luthier.Failed, match="fill ended with status 7") as raised:
        luthier.run([program, "more"], device="gfx90a")
    assert raised.value.status == 7
    assert luthier.run([program, "more"], device="gfx90a", check=False).status == 7
    with pytest.raises(luthier.Error, match="^`tools` has no tool 'nothing': there is instr-count, [^`]*$"):
        luthier.run([program], device="gfx90a", tools=["nothing"])
    with pytest.raises(luthier.Error, match="^`program` has no program './nothing' to start: No such file"):
        luthier.run(["./nothing"], device="gfx90a")
    # The error has the program's last line, not that of Luthier's summaries.
    script = '"$0"; echo it broke >&2; exit 3'
    for tools in [], ["instr-count"]:
        with pytest.raises(luthier.Failed, match="^sh ended with status 3: it broke$"):
            luthier.run(["sh", "-c", script, program], device="gfx90a", tools=tools)
    with pytest.raises(luthier.Failed, match="ended with status 7: it printed no error$"):
        luthier.run([program, "more"], device="gfx90a")
    # Nor the records that Luthier wrote.
    script = 'echo it broke >&2; "$0"; exit 3'
    with pytest.raises(luthier.Failed, match="^sh ended with status 3: it broke$") as raised:
        luthier.run(["sh", "-c", script, program], device="gfx90a", tools=["mem-trace"], output=tmp_path / "room")
    assert "records written" in raised.value.stderr
    # A program's own status 2 is no refusal.
    with pytest.raises(luthier.Failed, match="sh ended with status 2"):
        luthier.run(["sh", "-c", "exit 2"], device="gfx90a")
    monkeypatch.setenv("LUTHIER", "/nowhere/luthier")
    with pytest.raises(luthier.Error, match="LUTHIER=/nowhere/luthier is no program"):
        luthier.run([program])
