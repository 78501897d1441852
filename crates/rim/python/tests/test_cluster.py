"""An Apache Ballista cluster on this machine says what our engine says. `cargo xtask cluster` builds its programs and runs this."""

import os
import socket
import subprocess
import time
from pathlib import Path

import luthier
import pytest
from luthier import _named
from test_dataset import JOINS, plain
from test_query import LINE, ask, made  # noqa: F401

PROGRAMS = os.environ.get("LUTHIER_CLUSTER")
pytestmark = pytest.mark.skipif(not PROGRAMS, reason="cargo xtask cluster runs this")
PATIENCE = 60
"""Seconds for a server to come up, or to end."""
NAMED = [name for name, one in _named.NAMED.items() if one.text]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Server:
    """One of Ballista's programs, until it listens."""

    def __init__(self, name, port, log, *words):
        self.log = log
        with log.open("w") as to:
            line = [Path(PROGRAMS) / name, "--bind-host", "127.0.0.1", "--bind-port", str(port), *map(str, words)]
            self.process = subprocess.Popen(line, stdout=to, stderr=to, cwd=log.parent)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.end()
                    pytest.fail(f"{name} does not listen: {log.read_text()}")
                time.sleep(0.1)

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The URL of the scheduler, and directories in which its two executors work."""
    folder = tmp_path_factory.mktemp("cluster")
    port, servers, works = free_port(), [], []
    try:
        servers.append(Server("ballista-scheduler", port, folder / "scheduler.log"))
        for number in range(2):
            works.append(folder / f"work-{number}")
            works[-1].mkdir()
            ports = ["--bind-grpc-port", free_port(), "--bind-health-port", free_port()]
            words = ["--scheduler-host", "127.0.0.1", "--scheduler-port", port, "--vcores", 1, "--work-dir", works[-1]]
            server = Server("ballista-executor", free_port(), folder / f"executor-{number}.log", *ports, *words)
            servers.append(server)
        yield f"df://127.0.0.1:{port}", works
    finally:
        for server in servers:
            server.end()


def rows(table):
    return plain(tuple(row.values()) for row in table.to_pylist())


@pytest.mark.parametrize("named", NAMED)
def test_ready_queries(made, cluster, named):  # noqa: F811
    line = {"cache_line": LINE} if "cache_line" in _named.NAMED[named].heeds else {}
    here = luthier.query(made[0], named=named, **line)
    there = luthier.query(made[0], named=named, **line, scheduler=cluster[0])
    assert there.schema.names == here.schema.names and len(there) > 0
    assert rows(there) == rows(here)
    # The query's input is gone.
    assert not [path for path in made[0].iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("sql", JOINS)
def test_joins(made, cluster, sql):  # noqa: F811
    assert rows(luthier.query(made[0], sql, scheduler=cluster[0])) == rows(luthier.query(made[0], sql))


def test_both_executors_work(made, cluster):  # noqa: F811
    luthier.query(made[0], named="working-set", scheduler=cluster[0])
    for work in cluster[1]:
        assert any(path.is_file() for path in work.rglob("*")), work


def test_the_command_and_a_dataset(made, cluster, tmp_path):  # noqa: F811
    luthier.export(made[0], tmp_path / "dataset")
    words = ["--named", "sharing", "--cache-line", LINE, "--format", "csv"]
    here = ask(made[0], *words)
    there = ask(tmp_path / "dataset", *words, "--scheduler", cluster[0])
    assert (there.returncode, there.stdout, there.stderr) == (0, here.stdout, "")


def test_mistakes(made, cluster):  # noqa: F811
    url = cluster[0]
    for match, words in {
        "no table nothing: there are .*accesses": {"sql": "SELECT * FROM nothing"},
        "the query failed: .*SELEC": {"sql": "SELEC 1"},
        "DDL not supported": {"sql": "CREATE TABLE x AS SELECT 1"},
        "follows records in their order, which no cluster keeps": {"named": "reuse-distance"},
    }.items():
        with pytest.raises(luthier.Error, match=match):
            luthier.query(made[0], **words, scheduler=url)
    with pytest.raises(luthier.Error, match="the query failed: "):
        luthier.query(made[0], "SELECT count(*) FROM kernels", scheduler=f"df://127.0.0.1:{free_port()}")
    with pytest.raises(luthier.Error, match="the query failed: "):
        luthier.query(made[0], "SELECT 1", scheduler="nowhere")
