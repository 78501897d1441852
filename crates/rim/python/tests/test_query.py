"""Queries over a made-up run and over a real one; what they shall say, plain loops compute from the same records."""

import contextlib
import csv
import io
import json
import math
import os
import pty
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

import luthier
import numpy
import pyarrow as pa
import pyarrow.parquet
import pytest
from luthier import _command, _named, _print
from luthier._query import Answer
from luthier._run import command

SCHEMA = pa.schema(
    [("address", pa.uint64()), ("pc", pa.uint64()), ("dispatch", pa.uint32()), ("workgroup", pa.uint32())]
    + [("lane", pa.uint16()), ("size", pa.uint16()), ("kind", pa.uint32())]
)
LOAD, STORE, ATOMIC, GLOBAL, LDS = 1, 2, 4, 16, 64
# Process, session, launch and kernel.
LAUNCHES = [(11, 1, 0, "scale"), (11, 1, 1, "_Z4fillIiEvPT_S0_"), (11, 1, 2, "scale"), (12, 2, 0, "scale")]
BUFFERS = {"0": 0x7F0000001000, "1": 0x7F0000001800}
LINE = 64


def records(pcs):
    """`(process, session)` and a record, for each access."""
    chance = random.Random(1)
    for process, session, launch, kernel in LAUNCHES:
        waves = [(workgroup, wave) for workgroup in range(5) for wave in range(2)]
        chance.shuffle(waves)
        for workgroup, wave in waves:
            for number, pc in enumerate(pcs[kernel][:4]):
                first = BUFFERS["01"[number % 2]] + (workgroup * 2 + wave) * 24
                for lane in chance.sample(range(16), 16) if number == 3 else range(12):
                    step = [4, 36, 0, chance.randrange(0, 512)][number]
                    size = [4, 12, 1, 8][number]
                    kind = [GLOBAL | LOAD, GLOBAL | STORE, GLOBAL | LOAD | STORE | ATOMIC, LDS | LOAD][number]
                    address = chance.randrange(512) if number == 3 else first + lane * step
                    yield (process, session), (address, pc, launch, workgroup, lane, size, kind)


@pytest.fixture(scope="module")
def made(tmp_path_factory, hip):
    """The directory, its records to global memory, and the code object."""
    folder = tmp_path_factory.mktemp("made")
    code = luthier.inspect(hip).objects[0]
    (folder / "objects").mkdir()
    (folder / "objects/abc.co").write_bytes(code.data)
    pcs = {kernel.name: [one.pc for one in kernel.instructions] for kernel in code.kernels}
    streams = defaultdict(list)
    for owner, record in records(pcs):
        streams[owner].append(record)
    for (process, session), rows in streams.items():
        number = str(process) if session == 1 else f"{process}-{session}"
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), SCHEMA, strict=True)]
        # Row groups smaller than the records of one wave.
        pa.parquet.write_table(
            pa.Table.from_arrays(columns, schema=SCHEMA), folder / f"mem-trace.{number}.parquet", row_group_size=7
        )
        mine = [one for one in LAUNCHES if one[:2] == (process, session)]
        kernels = [
            {
                "symbol": kernel.name,
                "name": kernel.readable,
                "object": "abc",
                "target": "gfx90a",
                "before": {"vgprs": 8},
                "launches": 1,
            }
            for kernel in code.kernels
        ]
        launches = [
            {"launch": launch, "kernel": kernel, "name": kernel, "grid": [16, 2, 1], "workgroup": [16, 1, 1], "device": 0}
            | {"arguments": {name: hex(pointer) for name, pointer in BUFFERS.items()} | {"2": "7"}}
            for _, _, launch, kernel in mine
        ]
        hotspots = [
            {
                "kernel": kernel,
                "object": "abc",
                "stretches": [{"pc": pcs[kernel][1], "instructions": 3, "waves": launch + 1, "lanes": 60}],
            }
            for _, _, launch, kernel in mine
        ]
        for name, value in {"summary": {"kernels": kernels}, "launch-log": launches, "hotspots": hotspots}.items():
            (folder / f"{name}.{number}.json").write_text(json.dumps(value))
    rows = [(owner, *row) for owner, rows in streams.items() for row in rows if not row[-1] & LDS]
    return folder, rows, code


def kernel_of(row):
    return next(kernel for *owner, launch, kernel in LAUNCHES if (tuple(owner), launch) == (row[0], row[3]))


def lines_of(address, size):
    return range(address // LINE, (address + size - 1) // LINE + 1)


def test_sql(made):
    folder, rows, code = made
    found = luthier.query(folder, "SELECT kernel, sum(size) AS bytes FROM accesses WHERE kind < 64 GROUP BY kernel").to_pylist()
    bytes_of = Counter()
    for row in rows:
        bytes_of[kernel_of(row)] += row[6]
    assert {row["kernel"]: row["bytes"] for row in found} == bytes_of
    (one,) = luthier.query(
        [folder], "SELECT DISTINCT instruction, file, line FROM source_accesses WHERE kind = 18 AND kernel = 'scale'"
    ).to_pylist()
    stored = code.kernel("scale").instructions[1]
    assert (one["instruction"], f"{one['file']}:{one['line']}") == (stored.text, stored.source)
    found = luthier.query(
        folder, "SELECT process, session, vgprs FROM kernels WHERE symbol = 'scale' ORDER BY process"
    ).to_pylist()
    assert found == [{"process": 11, "session": 1, "vgprs": 8}, {"process": 12, "session": 2, "vgprs": 8}]
    assert luthier.query(folder, "SELECT max(grid_x), max(workgroup_y) FROM launches").to_pydict() == {
        "max(launches.grid_x)": [16],
        "max(launches.workgroup_y)": [1],
    }


def test_kernels_without_launch_log(made, tmp_path):
    folder, rows, _ = made
    for path in folder.iterdir():
        if not path.name.startswith("launch-log"):
            (tmp_path / path.name).symlink_to(path)
    found = luthier.query(tmp_path, "SELECT kernel, count(*) AS n FROM accesses WHERE kind < 64 GROUP BY kernel").to_pylist()
    assert {row["kernel"]: row["n"] for row in found} == Counter(kernel_of(row) for row in rows)


def test_working_set(made):
    folder, rows, _ = made
    lines, launches, accesses = defaultdict(set), defaultdict(set), Counter()
    for owner, address, _, launch, _, _, size, _ in rows:
        key = owner, kernel_of((owner, 0, 0, launch))
        lines[key].update(lines_of(address, size))
        launches[*key, launch].update(lines_of(address, size))
        accesses[key] += 1
    found = luthier.query(folder, named="working-set", cache_line=LINE).to_pylist()
    assert len(found) == len(lines)
    for row in found:
        key = (row["process"], row["session"]), row["kernel"]
        assert row["working_set"] == LINE * len(lines[key])
        assert row["largest_launch"] == LINE * max(len(one) for (*of, _), one in launches.items() if tuple(of) == key)
        assert (row["accesses"], row["launches"]) == (accesses[key], sum(tuple(of) == key for *of, _ in launches))


def test_sharing_and_false_sharing(made):
    folder, rows, _ = made
    groups, dwords, writers, counts = defaultdict(set), defaultdict(set), defaultdict(set), Counter()
    for owner, address, _, launch, group, _, size, kind in rows:
        for line in lines_of(address, size):
            groups[owner, launch, line].add(group)
            counts[owner, launch, line] += line == address // LINE
            if kind & STORE:
                writers[owner, launch, line].add(group)
        for dword in range(address // 4, (address + size - 1) // 4 + 1):
            dwords[owner, launch, dword].add((group, bool(kind & STORE)))
    histogram = defaultdict(Counter)
    for (owner, launch, line), who in groups.items():
        row = histogram[kernel_of((owner, 0, 0, launch)), len(who)]
        row.update(lines=1, stored_lines=(owner, launch, line) in writers, accesses=counts[owner, launch, line])
    found = luthier.query(folder, named="sharing", cache_line=LINE).to_pylist()
    assert {(row.pop("kernel"), row.pop("workgroups")): Counter(row) for row in found} == histogram

    def is_false(owner, launch, line):
        of_line = [
            dwords[owner, launch, dword]
            for dword in range(line * LINE // 4, (line + 1) * LINE // 4)
            if (owner, launch, dword) in dwords
        ]
        written = [who for who in of_line if any(store for _, store in who)]
        everyone = {group for who in of_line for group, _ in who}
        return written and len(everyone) > 1 and all(len({group for group, _ in who}) == 1 for who in written)

    false = {key for key in groups if is_false(*key)}
    found = luthier.query(folder, named="false-sharing", cache_line=LINE).to_pylist()
    assert {((row["process"], row["session"]), row["dispatch"], row["address"] // LINE) for row in found} == false
    assert 0 < len(false) < len(groups)
    assert all(
        row["workgroups"] == len(groups[(row["process"], row["session"]), row["dispatch"], row["address"] // LINE])
        for row in found
    )


def test_reuse_distance(made):
    folder, rows, _ = made
    expected, stacks = Counter(), defaultdict(list)
    for owner, address, _, launch, _, _, size, _ in rows:
        stack = stacks[owner]
        for line in lines_of(address, size):
            distance = stack[::-1].index(line) if line in stack else None
            if distance is not None:
                stack.remove(line)
            stack.append(line)
            expected[kernel_of((owner, 0, 0, launch)), None if distance is None else distance.bit_length()] += 1
    found = luthier.query(folder, named="reuse-distance", cache_line=LINE).to_pylist()
    for row in found:
        below, above = row["distance_from"], row["distance_to"]
        bits = None if below is None else below.bit_length()
        assert (below, above) == ((None, None) if bits is None else (0, 0) if bits == 0 else (1 << bits - 1, (1 << bits) - 1))
        assert row["accesses"] == expected.pop((row["kernel"], bits))
    assert not expected
    kernel = luthier.query(folder, named="reuse-distance", cache_line=LINE, kernel="fill<int>").to_pylist()
    assert kernel == [row for row in found if "fill" in row["kernel"]]


def test_reuse_of_more_lines_than_one_tree_has():
    from luthier import _luthier

    stack = _luthier.reuse_stack()
    lines = [*range(100_000), *range(100_000), 99_998, 7, 7]
    told = pa.py_buffer(_luthier.reuse_distances(stack, pa.array(lines, pa.uint64()).buffers()[1].to_pybytes()))
    distances = pa.Array.from_buffers(pa.int64(), len(lines), [None, told]).to_pylist()
    assert distances == [-1] * 100_000 + [99_999] * 100_000 + [1, 99_992, 0]


def test_access_pattern(made):
    folder, rows, code = made
    found = luthier.query(folder, named="access-pattern", limit=3).to_pylist()
    assert len(found) == 3
    found = luthier.query(folder, named="access-pattern").to_pylist()
    counts, strides, last = defaultdict(Counter), defaultdict(Counter), None
    for row in rows:
        owner, address, pc, launch, group, lane, size, kind = row
        argument = max(name for name, pointer in BUFFERS.items() if pointer <= address)
        key = kernel_of(row), argument, pc
        counts[key].update(accesses=1, bytes=size)
        follows = last and (last[0], *last[2:5]) == (owner, pc, launch, group) and last[5] < lane
        counts[key].update(waves=not follows)
        if follows and last[5] + 1 == lane:
            strides[key][address - last[1]] += 1
        last = row
    assert {(row["kernel"], row["argument"], row["pc"]) for row in found} == set(counts)
    words = {0: "one address", 4: "consecutive", 36: "strided"}
    for row in found:
        key = row["kernel"], row["argument"], row["pc"]
        assert (row["accesses"], row["waves"], row["bytes"]) == tuple(
            counts[key][name] for name in ("accesses", "waves", "bytes")
        )
        ((stride, times),) = strides[key].items()
        assert (row["stride"], row["percent"], row["pattern"]) == (stride, 100.0, words[stride])
        assert row["kind"] == {4: "load", 36: "store", 0: "atomic"}[stride]
        text = {one.pc: one.text for one in code.kernel(row["kernel"]).instructions}[row["pc"]]
        assert row["instruction"] == text


def test_hottest_lines(made):
    folder, _, code = made
    lanes, waves = Counter(), Counter()
    for _, _, launch, kernel in LAUNCHES:
        for one in code.kernel(kernel).instructions[1:4]:
            lanes[kernel, one.source] += 60
            waves[kernel, one.source] += launch + 1
    found = luthier.query(folder, named="hottest-lines").to_pylist()
    for row in found:
        key = row["kernel"], f"{row['file']}:{row['line']}" if row["file"] else None
        assert (row["lane_instructions"], row["wave_instructions"]) == (lanes[key], waves[key])
        assert abs(row["percent"] - 100 * lanes[key] / lanes.total()) < 1e-9
    assert len(found) == len(lanes)


def test_mistakes_are_errors(made, tmp_path):
    folder, _, _ = made
    for match, words in {
        "no table nothing: there are .*accesses": {"sql": "SELECT * FROM nothing"},
        "the query failed: .*SELEC": {"sql": "SELEC 1"},
        "DDL not supported": {"sql": "CREATE TABLE x AS SELECT 1"},
        "DML not supported": {"sql": f"COPY (SELECT 1) TO '{tmp_path}/x.parquet'"},
        "no query nothing: there are working-set": {"named": "nothing"},
        "power of two": {"named": "sharing", "cache_line": 48},
        "power of two from 16": {"named": "sharing", "cache_line": 8},
        "no kernel matches none: there are": {"named": "sharing", "kernel": "none"},
        "no regular expression": {"named": "sharing", "kernel": "("},
        "cache line of 0 bytes": {"named": "working-set", "cache_line": 0},
        "limit of 0": {"named": "sharing", "limit": 0},
        "limit of 9223372036854775808 rows": {"named": "sharing", "limit": 1 << 63},
        "threads of 0: it has to be from 1": {"sql": "SELECT 1", "threads": 0},
        "memory of 0: it has to be from 1": {"sql": "SELECT 1", "memory": 0},
        "memory of 18446744073709551616: ": {"named": "sharing", "memory": 1 << 64},
        "either SQL or": {},
    }.items():
        with pytest.raises(luthier.Error, match=match):
            luthier.query(folder, **words)
    with pytest.raises(luthier.Error, match="holds nothing of a run: luthier run"):
        luthier.query(tmp_path, "SELECT 1")
    with pytest.raises(luthier.Error, match="missing: No such file"):
        luthier.query(tmp_path / "missing", "SELECT 1")
    (tmp_path / "summary.1.json").write_text("{")
    with pytest.raises(luthier.Error, match="working-set needs what mem-trace writes: LUTHIER_OBJECTS=1 luthier run"):
        luthier.query(tmp_path, named="working-set")
    with pytest.raises(luthier.Error, match=r"summary.1.json: "):
        luthier.query(tmp_path, "SELECT * FROM kernels")


def test_somebody_at_a_terminal_sees_that_it_goes_on(made):
    folder, _, _ = made
    # The next one takes four times as long.
    for numbers in (10000, 20000, 40000, 80000):
        long = f"SELECT sum(a.value * b.value % 7) AS s FROM generate_series(1, {numbers}) a, generate_series(1, {numbers}) b"
        words = [Path(sys.executable).parent / "luthier-query", folder, long, "--format", "csv"]
        ours, theirs = pty.openpty()
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
            os.close(theirs)
            printed, _ = process.communicate()
        shown = ""
        # (A terminal that shows nothing cannot be read once the command has ended.)
        with contextlib.suppress(OSError):
            shown = os.read(ours, 1 << 16).decode()
        os.close(ours)
        assert process.returncode == 0
        assert printed.startswith("s\n")
        if "\rquerying, 1 s" in shown:
            break
    assert "\rquerying, 1 s" in shown
    assert shown.endswith("\r\x1b[K")
    quiet = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (quiet.stdout, quiet.stderr) == (printed, "")


def ask(*words):
    """`luthier query`, with the engine of this environment."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        [command(), "query", *map(str, words)], capture_output=True, text=True, env=os.environ | {"PATH": path}, check=False
    )


def test_the_command(made, tmp_path):
    folder, rows, _ = made
    text = "SELECT lane, size FROM mem_trace WHERE kind = 18 ORDER BY address, dispatch, process LIMIT 2"
    assert ask(folder, text).stdout == "lane  size\n   0    12\n   0    12\n"
    assert ask(folder, text, "--format", "csv").stdout == "lane,size\n0,12\n0,12\n"
    assert json.loads(ask(folder, text, "--format", "json").stdout) == [{"lane": 0, "size": 12}] * 2
    done = ask(folder, "--named", "access-pattern", "--kernel", "^scale$", "-o", tmp_path / "x.parquet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    written = pa.parquet.read_table(tmp_path / "x.parquet")
    assert written.equals(luthier.query(folder, named="access-pattern", kernel="^scale$"))
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]
    whole = ask(folder, "SELECT * FROM accesses WHERE kind < 64", "--format", "csv", "--threads", "1", "--memory", "1G").stdout
    assert len(list(csv.DictReader(io.StringIO(whole)))) == len(rows)
    listed = ask(folder, "--tables").stdout
    assert "\nlaunches: launches, from launch-log\n    rank int64, process int64," in listed
    assert "reuse-distance" in ask("--queries").stdout
    for words in [
        [folder, "SELECT * FROM nothing"],
        [folder / "none", "SELECT 1"],
        [folder, "--named", "x"],
        [folder, text, "--memory", "4X"],
        [folder],
    ]:
        done = ask(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.splitlines()[-1].startswith("luthier")
    many = ask(folder, "SELECT a.lane FROM mem_trace a CROSS JOIN mem_trace b LIMIT 1001")
    assert len(many.stdout.splitlines()) == 1001 and many.stderr == "and 1 more rows: --format csv prints all\n"


def printed(form, *columns, **more):
    """How rows with these columns are printed."""
    batch = pa.RecordBatch.from_arrays([pa.array(values) for _, values in columns], names=[name for name, _ in columns])
    to = io.StringIO()
    (partial(_print.table, **more) if form == "table" else _print.PRINT[form])(Answer(batch.schema, iter([batch])), to)
    return to.getvalue()


def test_rows_are_printed_so_that_they_can_be_read_again():
    """Quotes, line ends, null beside an empty text, numbers that few formats have, and bytes."""
    texts = ["a,b", 'say "x"', "one\ntwo", "one\rtwo", "ü", "", None]
    columns = [("te,xt", texts), ("number", [(1 << 63) - 1, (1 << 53) + 1, 0, 1, 2, 3, None])]
    text = printed("csv", *columns)
    assert text.splitlines()[-2:] == ['"",3', ","]
    numbers = ["" if number is None else str(number) for number in columns[1][1]]
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [["te,xt", "number"], *map(list, zip([one or "" for one in texts], numbers, strict=True))]
    assert printed("csv", ("x", ["a", None])) == 'x\na\n""\n'
    found = json.loads(printed("json", *columns))
    assert found == [dict(zip(("te,xt", "number"), row, strict=True)) for row in zip(texts, columns[1][1], strict=True)]

    odd = [("f", [math.nan, -math.inf, 0.0004, 1e300]), ("b", [b"\0\xff"] * 4), ("t", [True] * 4), ("l", [[1.5, math.inf]] * 4)]
    strict = json.loads(printed("json", *odd), parse_constant=pytest.fail)
    assert [row["f"] for row in strict] == [None, None, 0.0004, 1e300]
    assert strict[0] == {"f": None, "b": "00ff", "t": True, "l": [1.5, None]}
    assert printed("csv", *odd).splitlines()[3:] == ['0.0004,00ff,true,"[1.5, null]"', '1e+300,00ff,true,"[1.5, null]"']
    assert printed("table", *odd).splitlines()[3].split() == ["0.0004", "00ff", "true", "[1.5,", "null]"]
    assert printed("table", ("f", [44.7123]), rounded=True) == "f\n44.7\n".replace("f", "   f")
    # A terminal does not obey what a program calls its thread.
    assert printed("table", ("a", ["x\x1b[2J", "one\ntwo"]), ("b", [1, 2])) == "a         b\nx\\x1b[2J  1\none       2\ntwo\n"


def test_maps_are_json():
    """Objects, if their keys are different texts, and else pairs; intervals among them keep their text."""
    texts, numbers = pa.map_(pa.string(), pa.int64()), pa.map_(pa.int64(), pa.list_(pa.string()))
    day = pa.MonthDayNano([0, 1, 0])
    words = pa.map_(pa.dictionary(pa.int32(), pa.string()), pa.month_day_nano_interval())
    for values, kind, means in [
        ([[("a", 1)], [], None, [("a", 1), ("a", 2)]], texts, [{"a": 1}, {}, None, [["a", 1], ["a", 2]]]),
        ([[(1, ["x"])], []], numbers, [[[1, ["x"]]], []]),
        ([[[("a", 1)]], [None]], pa.list_(texts), [[{"a": 1}], [None]]),
        ([{"m": [("a", 1)], "n": 1}], pa.struct({"m": texts, "n": pa.int64()}), [{"m": {"a": 1}, "n": 1}]),
        ([[("a", [(1, None)])]], pa.map_(pa.string(), numbers), [{"a": [[1, None]]}]),
        ([[("a", day)]], words, [{"a": str(day)}]),
        ([day], pa.month_day_nano_interval(), [str(day)]),
    ]:
        column = pa.array(values, kind)
        assert [row["x"] for row in json.loads(printed("json", ("x", column)))] == means
        cells = [row["x"] for row in csv.DictReader(io.StringIO(printed("csv", ("x", column))))]
        read = [None if cell == "" else cell if cell.startswith("MonthDayNano") else json.loads(cell) for cell in cells]
        assert read == means
        first = means[0] if isinstance(means[0], str) else json.dumps(means[0])
        assert printed("table", ("x", column)).splitlines()[1] == first


def test_values_that_python_lacks(made, monkeypatch, capsys):
    assert printed("csv", ("x", pa.array([-1_000_000], pa.date32()))) == "x\n-0768-02-04\n"
    monkeypatch.setattr(sys, "argv", ["luthier-query", str(made[0]), "SELECT named_struct('a', 1, 'a', 2) AS x"])
    assert _command.main() == 2
    said = capsys.readouterr().err
    assert said.startswith("luthier: the column x cannot be printed: ") and said.count("\n") == 1


def test_rows_that_parquet_lacks(made, tmp_path, monkeypatch, capsys):
    words = ["luthier-query", str(made[0]), "SELECT interval '1 day' AS x", "-o", str(tmp_path / "x.parquet")]
    monkeypatch.setattr(sys, "argv", words)
    assert _command.main() == 2
    said = capsys.readouterr().err
    assert said.startswith(f"luthier: {tmp_path}/x.parquet: ") and "interval" in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_names_that_the_system_refuses(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["luthier-query", "x" * 300, "SELECT 1"])
    assert _command.main() == 2
    said = capsys.readouterr().err
    assert said.startswith("luthier: xxx") and said.endswith("File name too long\n") and "printed" not in said


@pytest.mark.parametrize("engine", ["json", "parquet"])
def test_columns_with_one_name_are_refused_where_one_would_be_lost(made, tmp_path, engine, monkeypatch, capsys):
    text = "SELECT a.rank, b.rank FROM ranks a, ranks b"
    words = ["--format", "json"] if engine == "json" else ["-o", str(tmp_path / "x.parquet")]
    monkeypatch.setattr(sys, "argv", ["luthier-query", str(made[0]), text, *words])
    assert _command.main() == 2
    assert capsys.readouterr().err == "luthier: several columns are named rank: give each a name of its own with AS\n"
    assert printed("csv", ("rank", [1]), ("rank", [2])) == "rank,rank\n1,2\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["SELECT 1", "--limit", "1"], "--limit is for --named"),
        (["SELECT 1", "--kernel", "x"], "--kernel is for --named"),
        (["SELECT 1", "--cache-line", "64"], "--cache-line is for --named"),
        (["SELECT 1", "--limit", "0"], "--limit is for --named"),
        (["SELECT 1", "--cache-line", "0"], "--cache-line is for --named"),
        (["--tables", "--named", ""], "--named and --tables are two things to do"),
        (["--tables", "--threads", "0"], "--threads is for queries, and --tables is none"),
        (["--tables", "--memory", "1G"], "--memory is for queries, and --tables is none"),
        (["--tables", "--scheduler", "df://x:1"], "--scheduler is for queries, and --tables is none"),
        (["--export", "x", "--threads", "1"], "--threads is for queries, and --export is none"),
        (["--export", "x", "--memory", "1G"], "--memory is for queries, and --export is none"),
        (["--export", "x", "--scheduler", "df://x:1"], "--scheduler is for queries, and --export is none"),
        (["SELECT 1", "--threads", "0", "--scheduler", "df://x:1"], "--threads is for the engine here"),
        (["SELECT 1", "--memory", "1G", "--scheduler", "df://x:1"], "--memory is for the engine here"),
        (["--tables", "--format", "csv"], "--format is for rows, and --tables has none"),
        (["--export", "x", "-o", "y"], "--output is for rows, and --export has none"),
        (["--named", "sharing", "--tables"], "--named and --tables are two things to do: ask for one"),
        (["SELECT 1", "-o", "x", "--format", "csv"], "--format is for rows that are printed"),
    ],
)
def test_options_that_would_change_nothing_are_refused(words, says, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["luthier-query", "nowhere", *words])
    with pytest.raises(SystemExit) as ended:
        _command.main()
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_options_that_a_query_does_not_heed_are_said(made):
    """What a query heeds, its SQL or what answers here says."""
    given = {"cache_line": 128, "threads": 1, "memory": 1 << 30}
    for name, one in _named.NAMED.items():
        assert not one.text or ("cache_line" in one.heeds) == ("{line}" in one.text)
        # (Those in Rust and numpy have one thread.)
        assert ("threads" in one.heeds) == (one.ordered is None)
        for option, value in given.items():
            if option not in one.heeds:
                with pytest.warns(UserWarning, match=f"{name} does not depend on .*: {option} changes nothing"):
                    luthier.query(made[0], named=name, **{option: value})
    said = ask(made[0], "--named", "reuse-distance", "--memory", "256M")
    assert said.returncode == 0 and said.stdout == ask(made[0], "--named", "reuse-distance").stdout
    assert said.stderr == "luthier: reuse-distance does not depend on the memory that it may use: memory changes nothing\n"
    for option, value in {"cache_line": 0, "limit": 0, "kernel": ""}.items():
        with pytest.raises(luthier.Error, match=f"{option} is for the queries that have names"):
            luthier.query(made[0], "SELECT 1", **{option: value})
    for option in ("threads", "memory"):
        with pytest.raises(luthier.Error, match=f"{option} is for the engine here"):
            luthier.query(made[0], "SELECT 1", scheduler="df://x:1", **{option: 0})


def test_damaged_files_are_named(made, tmp_path):
    """An error of one line names the file; no table lacks rows without a word."""
    for name, content, table, says in [
        ("mem-trace.11.parquet", "", "accesses", "mem-trace.11.parquet cannot be read: "),
        ("mem-trace.12-2.parquet", "", "mem_trace", "mem-trace.12-2.parquet cannot be read: "),
        ("launch-log.11.json", '{"a": 1}', "launches", "launch-log.11.json has not what Luthier writes there: .*'a' is no object"),
        ("launch-log.11.json", "[1]", "arguments", "launch-log.11.json has not what Luthier writes there: "),
        ("launch-log.11.json", '[{"launch": "x"}]', "accesses", "launch-log.11.json: launch is 'x', and no int64"),
        ("summary.11.json", '{"kernels": [{"launches": 99999999999999999999}]}', "kernels", "launches is 9{20}, and no int64"),
        ("summary.11.json", "[" * 100000, "kernels", "summary.11.json: lists lie too deep"),
        ("summary.11.json", "{}", "kernels", "summary.11.json has not what Luthier writes there: KeyError: 'kernels'"),
        ("summary.11.json", '{"kernels": [{"symbol": [1], "object": "x"}]}', "object_of_kernel", r"summary.11.json: symbol is \[1\]"),
        ("summary.11.json", '{"kernels": [{"object": {}}]}', "place_of_kernel", "summary.11.json: object is {}, and no string"),
        ("hotspots.11.json", "[{}]", "executions", "hotspots.11.json has not what Luthier writes there: KeyError: 'object'"),
        ("rank.json", "[1]", "ranks", "rank.json has not what Luthier writes there: it is no object"),
        ("rank.json", '{"ranks": "x"}', "kernels, ranks", "rank.json: ranks is 'x', and no int64"),
        ("catalogue.json", '{"version": 1}', "ranks", "catalogue.json has not what Luthier writes there: KeyError: 'results'"),
        ("catalogue.json", '{"version": 1, "results": [], "tables": [1]}', "ranks", "catalogue.json has not what Luthier writes there"),
        ("objects/abc.co", "", "code_objects", "abc.co"),
        ("launch-log.11.json", '[{"launch": "x"}]', None, "launch-log.11.json: launch is 'x', and no int64"),
        ("launch-log.11.json", '[{"launch": 1, "kernel": [2]}]', None, r"launch-log.11.json: kernel is \[2\], and no string"),
    ]:
        folder = tmp_path / "damaged"
        folder.mkdir(exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made[0], folder)
        (folder / name).write_text(content)
        with pytest.raises(luthier.Error, match=says):
            luthier.query(folder, table and f"SELECT count(*) FROM {table}", named=None if table else "working-set")


def test_damaged_datasets_are_named(made, tmp_path):
    def damaged(says, table):
        with pytest.raises(luthier.Error, match=says):
            luthier.query(tmp_path / "dataset", f"SELECT count(*) FROM {table}")

    luthier.export(made[0], tmp_path / "dataset")
    path = tmp_path / "dataset/kernels/part-0.parquet"
    pa.parquet.write_table(pa.table({"rank": ["x"]}), path)
    damaged("kernels/part-0.parquet: rank is 'x', and no int64", "kernels")
    path.write_text("")
    damaged("kernels/part-0.parquet cannot be read: ", "object_of_kernel, kernels")
    (tmp_path / "dataset/mem_trace/rank=0").rename(tmp_path / "dataset/mem_trace/rank=x")
    damaged("part-0.parquet: its folders are not those of a dataset, rank=N/process=N/session=N", "mem_trace")


def test_records_of_other_types_are_named(tmp_path):
    columns = {field.name: ["x"] for field in SCHEMA}
    pa.parquet.write_table(pa.table(columns), tmp_path / "mem-trace.1.parquet")
    with pytest.raises(luthier.Error, match="mem-trace.1.parquet cannot be read: "):
        luthier.query(tmp_path, named="reuse-distance")


def test_rows_without_a_launch_are_of_no_kernel(made, tmp_path):
    shutil.copytree(made[0], tmp_path, dirs_exist_ok=True)
    (tmp_path / "launch-log.11.json").write_text('[{"launch": null, "arguments": {}}, {"launch": null, "kernel": "x", "arguments": {"0": "0x10"}}]')
    (tmp_path / "summary.12-2.json").write_text('{"kernels": [{}]}')
    assert luthier.query(tmp_path, named="access-pattern", kernel="scale").num_rows
    assert luthier.query(tmp_path, named="working-set") == luthier.query(made[0], named="working-set")


def test_nothing_is_counted_twice(made, tmp_path):
    folder, _, _ = made
    (tmp_path / "again").symlink_to(folder)
    for other in (folder, tmp_path / "again"):
        with pytest.raises(luthier.Error, match="would be counted twice: .* is named twice, or another directory holds it"):
            luthier.query([folder, other], "SELECT 1")


def peak(folder, name, *more):
    """Memory of a ready query at most, in bytes, as the system counts it for the process."""
    text = f"""
import sys
from luthier._command import main
sys.argv = ["luthier-query", {str(folder)!r}, "--named", {name!r}, *{more!r}]
status = main()
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")), file=sys.stderr)
sys.exit(status)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) > 1
    return int(done.stderr.split()[-1]) << 10


@pytest.mark.parametrize("name", ["access-pattern", "reuse-distance"])
def test_memory_does_not_grow_with_the_trace(tmp_path, name):
    """Records whose files are long, for nothing in them repeats, of few cache lines."""
    chance = numpy.random.default_rng(1)
    peaks, lengths = [], []
    # (Each thread holds a few row groups, whatever the length: four groups reach that.)
    for groups in (4, 20):
        folder = tmp_path / str(groups)
        folder.mkdir()
        path = folder / "mem-trace.1.parquet"
        with pa.parquet.ParquetWriter(path, SCHEMA) as file:
            for _ in range(groups):
                columns = [chance.integers(1, 1 << (12 if field.name == "address" else 8), 1 << 18) for field in SCHEMA]
                columns[SCHEMA.get_field_index("workgroup")] = chance.integers(0, 1 << 32, 1 << 18)
                columns[SCHEMA.get_field_index("kind")] = numpy.full(1 << 18, 17)
                columns[SCHEMA.get_field_index("pc")] = numpy.full(1 << 18, 0x1A40)
                columns[SCHEMA.get_field_index("dispatch")] = numpy.zeros(1 << 18)
                arrays = [pa.array(column.astype(field.type.to_pandas_dtype())) for column, field in zip(columns, SCHEMA, strict=True)]
                file.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
        peaks.append(peak(folder, name))
        lengths.append(path.stat().st_size)
    assert peaks[1] - peaks[0] < (lengths[1] - lengths[0]) // 3, (peaks, lengths)


def scattered(folder, groups):
    """A file of so many row groups whose records touch lines all over a buffer; the records by column."""
    chance = numpy.random.default_rng(groups)
    rows, parts = 1 << 18, []
    with pa.parquet.ParquetWriter(folder / "mem-trace.1.parquet", SCHEMA) as file:
        for _ in range(groups):
            columns = {field.name: numpy.zeros(rows, numpy.int64) for field in SCHEMA}
            columns["address"] = 0x7F00_0000_0000 + chance.integers(0, 1 << 33, rows)
            columns["dispatch"] = chance.integers(0, 3, rows)
            columns["workgroup"] = chance.integers(0, 1 << 32, rows)
            # (Half of them by two workgroups.)
            columns["address"][rows // 2 :] = columns["address"][: rows // 2]
            columns["dispatch"][rows // 2 :] = columns["dispatch"][: rows // 2]
            columns["size"] += 16
            columns["kind"] = 17 + chance.integers(0, 2, rows)
            parts.append(columns)
            arrays = [pa.array(columns[field.name].astype(field.type.to_pandas_dtype())) for field in SCHEMA]
            file.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
    return {name: numpy.concatenate([part[name] for part in parts]) for name in parts[0]}


def lines_by_launch(records):
    """Launch and line of each touch, the row that it is from, and whether the row counts there."""
    first, last = records["address"] // 128, (records["address"] + records["size"] - 1) // 128
    crosses = numpy.flatnonzero(first != last)
    rows = numpy.concatenate((numpy.arange(len(first)), crosses))
    lines = numpy.concatenate((first, last[crosses]))
    return records["dispatch"][rows] << 48 | lines, rows, numpy.arange(len(rows)) < len(first)


def different(numbers):
    """The different numbers of many; `numpy.unique` takes ten times as long."""
    ordered = numpy.sort(numbers)
    return ordered[numpy.diff(ordered, prepend=-1) > 0]


def test_lines_that_do_not_fit_go_to_a_file(tmp_path):
    """In a fraction of the memory that the rows have: the answers are right, and memory does not grow with the lines."""
    peaks = {}
    for groups in (2, 8):
        folder = tmp_path / str(groups)
        folder.mkdir()
        records = scattered(folder, groups)
        places, rows, counts = lines_by_launch(records)
        (found,) = luthier.query(folder, named="working-set", memory=32 << 20).to_pylist()
        touched, place = numpy.unique(places, return_inverse=True)
        assert found["working_set"] == 128 * len(different(touched & (1 << 48) - 1))
        assert found["largest_launch"] == 128 * numpy.bincount(touched >> 48).max()
        assert (found["launches"], found["accesses"], found["bytes"]) == (3, groups << 18, groups << 22)
        # (One number for each pair: numbers of workgroups have 32 bits.)
        workgroups = numpy.bincount(different(place << 32 | records["workgroup"][rows]) >> 32)
        accesses = numpy.bincount(place, counts)
        stored = numpy.bincount(place, records["kind"][rows] & 2) > 0
        shared = luthier.query(folder, named="sharing", memory=32 << 20).to_pylist()
        assert [row["workgroups"] for row in shared] == numpy.unique(workgroups).tolist()
        for row in shared:
            mine = workgroups == row["workgroups"]
            assert (row["lines"], row["stored_lines"], row["accesses"]) == (mine.sum(), stored[mine].sum(), accesses[mine].sum())
        for name in ("working-set", "sharing"):
            peaks.setdefault(name, []).append(peak(folder, name, "--memory", "32M"))
    more = 24 * 6 << 18
    assert all(large - small < more // 3 for small, large in peaks.values()), (peaks, more)


def test_a_temporary_file_without_room(tmp_path):
    scattered(tmp_path, 3)
    words = [Path(sys.executable).parent / "luthier-query", tmp_path, "--named", "sharing", "--memory", "32M"]
    limited = ["bash", "-c", 'ulimit -f 1000; trap "" XFSZ; exec "$@"', "bash", *words]
    done = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("luthier: a temporary file in ") and "let TMPDIR be a folder" in done.stderr, done.stderr


def test_the_command_without_its_engine(made):
    done = subprocess.run(
        [command(), "query", made[0], "SELECT 1"], capture_output=True, text=True, env={"PATH": "/nowhere"}, check=False
    )
    assert done.returncode == 2
    assert "luthier-query is neither in" in done.stderr and done.stderr.count("\n") == 1


def test_a_run(program, tmp_path):
    tools = ["mem-trace", "hotspots", "launch-log"]
    environment = os.environ | {"LUTHIER_OBJECTS": "1"}
    result = luthier.run([program], device="gfx90a", tools=tools, output=tmp_path / "out", env=environment)
    (row,) = result.query(named="working-set").to_pylist()
    # 4 workgroups of 256 lanes store 4 bytes each.
    assert (row["kernel"], row["accesses"], row["bytes"], row["working_set"]) == ("_Z4fillPi", 1024, 4096, 4096)
    (row,) = result.query(named="access-pattern").to_pylist()
    assert (row["argument"], row["kind"], row["waves"], row["stride"], row["pattern"]) == ("out", "store", 16, 4, "consecutive")
    assert row["instruction"].startswith("global_store_dword")
    reuse = result.query(named="reuse-distance").to_pylist()
    assert [row["accesses"] for row in reuse if row["distance_from"] is None] == [32]
    assert sum(row["accesses"] for row in reuse) == 1024
    # Buffers of hipMalloc begin at a page, so that workgroups, of 1024 bytes each, have lines of their own.
    assert result.query(named="sharing").to_pylist() == [
        {"kernel": "_Z4fillPi", "workgroups": 1, "lines": 32, "stored_lines": 32, "accesses": 1024}
    ]
    assert result.query(named="false-sharing").num_rows == 0
    executed = result.query("SELECT sum(wave_instructions) AS n FROM statistics WHERE kernel = '_Z4fillPi'").to_pylist()
    assert executed[0]["n"] > 16
    said = "SELECT process, thread, thread_name, enqueued_nanoseconds <= start_nanoseconds AS ordered FROM launches"
    (row,) = result.query(said).to_pylist()
    # The only thread has the number of its process.
    assert row["thread"] == row["process"]
    assert (row["thread_name"], row["ordered"]) == (Path(program).name[:15], True)
    lines = result.query(named="hottest-lines").to_pylist()
    assert {Path(row["file"]).name for row in lines if row["file"]} >= {"fill.hip"}
