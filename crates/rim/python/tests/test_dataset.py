"""Exported datasets, and what other query engines say about them: the same as ours."""

import json
import math
import os
import shutil
import subprocess
from pathlib import Path

import jsonschema
import luthier
import pytest
from luthier import _named
from test_query import LINE, ask, made  # noqa: F401

SCHEMA = Path(__file__).parents[4] / "docs/schemas/catalogue.json"
JOINS = [
    "SELECT kernel, workgroup, count(*) AS n, sum(size) AS bytes FROM accesses WHERE kind < 64 GROUP BY kernel, workgroup",
    "SELECT instruction, file, line, count(DISTINCT address) AS n FROM source_accesses GROUP BY instruction, file, line",
    "SELECT l.kernel, k.vgprs, a.argument, a.pointer FROM launches l JOIN kernels k ON k.rank = l.rank AND k.process = l.process "
    "AND k.session = l.session AND k.symbol = l.kernel JOIN arguments a ON a.rank = l.rank AND a.process = l.process "
    "AND a.session = l.session AND a.launch = l.launch WHERE a.pointer IS NOT NULL",
    "SELECT max(address) AS address, min(pc) AS pc, sum(lane) AS lanes FROM mem_trace WHERE session = 2",
]


@pytest.fixture(scope="module")
def dataset(made, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp("exported") / "dataset"
    luthier.export(made[0], folder)
    return folder


def queries(dataset):
    """The ready ones of the catalogue, for lines that the records fit, and some more."""
    named = [query["sql"].replace(" 128", f" {LINE}") for query in catalogue(dataset)["queries"]]
    assert f"{LINE}" in named[0]
    return named + JOINS


def catalogue(dataset):
    return json.loads((dataset / "catalogue.json").read_text())


def plain(rows):
    """Rows of an engine as those of any other: numbers as floats, and in an order that does not depend on the engine's."""
    texts = [tuple("" if cell is None else cell if isinstance(cell, str) else float(cell) for cell in row) for row in rows]
    return sorted(texts, key=str)


def same(one, other):
    """Fractions may be rounded otherwise."""
    one, other = plain(one), plain(other)
    assert len(one) == len(other) and one
    for mine, theirs in zip(one, other, strict=True):
        for cell, same in zip(mine, theirs, strict=True):
            assert cell == same or math.isclose(cell, same, rel_tol=1e-12)


def ours(folder, sql):
    return [tuple(row.values()) for row in luthier.query(folder, sql).to_pylist()]


def test_the_catalogue(made, dataset):  # noqa: F811
    jsonschema.validate(catalogue(dataset), json.loads(SCHEMA.read_text()))
    names = {query["name"] for query in catalogue(dataset)["queries"]}
    assert names == {"working-set", "hottest-lines", "sharing", "false-sharing"}
    # Records are not written again.
    original = made[0] / "mem-trace.12-2.parquet"
    assert original.samefile(dataset / "mem_trace/rank=0/process=12/session=2/part-0.parquet")
    assert sorted(path.name for path in dataset.parent.iterdir()) == ["dataset"]
    tables = {table["name"] for table in catalogue(dataset)["tables"]}
    assert tables == {path.name for path in dataset.iterdir()} - {"catalogue.json"}


@pytest.mark.parametrize("named", luthier.queries())
def test_our_engine_reads_a_dataset(made, dataset, named):  # noqa: F811
    line = {"cache_line": LINE} if "cache_line" in _named.NAMED[named].heeds else {}
    assert luthier.query(dataset, named=named, **line) == luthier.query(made[0], named=named, **line)


def test_duckdb(made, dataset):  # noqa: F811
    import duckdb

    engine = duckdb.connect()
    for table in catalogue(dataset)["tables"]:
        files = f"'{dataset}/{table['name']}/**/*.parquet', hive_partitioning = {bool(table['partitions'])}"
        engine.execute(f"CREATE VIEW {table['name']} AS SELECT * FROM read_parquet({files})")
    for view in catalogue(dataset)["views"]:
        engine.execute(f"CREATE VIEW {view['name']} AS {view['sql']}")
    for sql in queries(dataset):
        same(engine.execute(sql).fetchall(), ours(made[0], sql))


@pytest.mark.skipif(not shutil.which("java"), reason="Spark needs Java: apt install default-jre-headless")
def test_spark(made, dataset):  # noqa: F811
    sql = pytest.importorskip("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    try:
        for table in catalogue(dataset)["tables"]:
            spark.read.parquet(str(dataset / table["name"])).createOrReplaceTempView(table["name"])
        for view in catalogue(dataset)["views"]:
            spark.sql(view["sql"]).createOrReplaceTempView(view["name"])
        for text in queries(dataset):
            same(spark.sql(text).collect(), ours(made[0], text))
    finally:
        spark.stop()


def test_mistakes(made, dataset, tmp_path):  # noqa: F811
    with pytest.raises(luthier.Error, match="is already there: remove it"):
        luthier.export(made[0], dataset)
    with pytest.raises(luthier.Error, match="is a dataset already"):
        luthier.export(dataset, tmp_path / "x")
    with pytest.raises(luthier.Error, match="is an exported dataset, which is queried alone"):
        luthier.query([made[0], dataset], "SELECT 1")
    with pytest.raises(luthier.Error, match="none/x cannot be written: No such file"):
        luthier.export(made[0], tmp_path / "none/x")
    (tmp_path / "catalogue.json").write_text('{"version": 9}')
    with pytest.raises(luthier.Error, match="is not of version 1: export the run again"):
        luthier.query(tmp_path, "SELECT 1")
    (tmp_path / "catalogue.json").unlink()
    assert list(tmp_path.iterdir()) == []


def test_the_command_exports(made, tmp_path):  # noqa: F811
    done = ask(made[0], "--export", tmp_path / "dataset")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = ask(tmp_path / "dataset", "SELECT count(*) AS n FROM accesses", "--format", "csv")
    assert done.stdout == f"n\n{ours(made[0], 'SELECT count(*) FROM mem_trace')[0][0]}\n"


def test_ranks_of_one_job(made, tmp_path):  # noqa: F811
    """Two processes with the same number on two nodes, and a second directory."""
    for folder in ("job/rank=0", "job/rank=2", "more"):
        (tmp_path / folder).mkdir(parents=True)
        for path in made[0].iterdir():
            if ".11." in path.name or path.is_dir():
                (tmp_path / folder / path.name).symlink_to(path)
    (tmp_path / "job/rank=2/rank.json").write_text('{"rank": 2, "ranks": 3, "host": "node7"}')
    runs = [tmp_path / "job", tmp_path / "more"]
    ranks = luthier.query(runs, "SELECT rank, ranks, host FROM ranks ORDER BY rank").to_pylist()
    assert [tuple(row.values()) for row in ranks] == [(0, None, None), (2, 3, "node7"), (3, None, None)]
    one = luthier.query(made[0], named="working-set", kernel="scale").to_pylist()
    expected = [row | {"rank": rank} for rank in (0, 2, 3) for row in one if row["process"] == 11]
    assert luthier.query(runs, named="working-set", kernel="scale").to_pylist() == expected
    luthier.export(runs, tmp_path / "dataset")
    assert luthier.query(tmp_path / "dataset", named="working-set", kernel="scale").to_pylist() == expected
    reuse = luthier.query(runs, named="reuse-distance").to_pylist()
    alone = luthier.query(tmp_path / "more", named="reuse-distance").to_pylist()
    assert reuse == [row | {"accesses": 3 * row["accesses"]} for row in alone]


def test_without_a_cluster(made):  # noqa: F811
    done = subprocess.run(
        [luthier._run.command(), "query", made[0], "SELECT 1", "--scheduler", "df://localhost:1"],
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": f"{Path(os.sys.executable).parent}"},
        check=False,
    )
    assert done.returncode == 2
    assert "luthier-cluster is not in PATH: cargo install --path cluster" in done.stderr and done.stderr.count("\n") == 1
