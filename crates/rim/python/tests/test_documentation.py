"""What docs/python.md shows runs, in its order."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from luthier._run import command

ROOT = Path(__file__).parents[4]


@pytest.fixture
def vector_add(tmp_path, monkeypatch):
    """A directory with that program, to be in."""
    example = ROOT / "examples/vector_add.hip"
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-O2", "-g", example, "-o", tmp_path / "vector_add"], check=True)
    monkeypatch.chdir(tmp_path)


def test_the_page_runs(vector_add):
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/python.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["counts"].blocks == {0: 16, 1: 16, 2: 16}
    assert names["result"].stdout.startswith("1048576 sums are right")
    assert {"v0", "exec_lo"} <= names["live"].before[names["kernel"].instructions[0].pc]


def test_the_page_of_queries_prints_what_it_says(vector_add, monkeypatch):
    for folder in (Path(command()).parent, Path(sys.executable).parent):
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("LUTHIER", raising=False)
    text = (ROOT / "docs/query.md").read_text()
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        for words, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            done = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=True)
            # `[..]` is anything, and a line `...` any lines.
            pattern = re.escape(shown).replace(re.escape("[..]"), ".*").replace(re.escape("...\n"), r"(?:.*\n)*")
            assert re.fullmatch(pattern, done.stdout), done.stdout
