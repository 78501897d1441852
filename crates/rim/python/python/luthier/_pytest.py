"""pytest's plug-in: `@pytest.mark.gpu_emulated(device="gfx90a")`.

A test with this mark runs in a child process that sees the emulated GPU, as `luthier run` shows it to programs: what the test
loads or starts (HIP libraries, programs) finds it. Its result is told as if it had run here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from ._errors import Error
from ._run import command

MARK = "gpu_emulated"
DEVICE = "gfx90a"
REPORTS = "LUTHIER_PYTEST_REPORTS"
"""Set in a child: the file that it writes reports to."""
TAIL = 40
"""Lines of a child that died."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f'{MARK}(device="{DEVICE}", tools=(), timeout=None): run the test in a child process that sees an emulated AMD GPU',
    )
    reports = os.environ.get(REPORTS)
    if reports:
        config.pluginmanager.register(_Child(config, Path(reports)), "luthier-child")


class _Child:
    """In the child: writes every report as a line of JSON."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self.config = config
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self.config.hook.pytest_report_to_serializable(config=self.config, report=report)
        with self.path.open("a") as file:
            file.write(json.dumps(data) + "\n")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    mark = item.get_closest_marker(MARK)
    if mark is None or os.environ.get(REPORTS):
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in _reports(item, mark):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _reports(item: pytest.Item, mark: pytest.Mark) -> list[pytest.TestReport]:
    try:
        luthier = command()
    except Error as error:
        return [_made(item, "skipped", f"Skipped: {error}")]
    with tempfile.TemporaryDirectory(prefix="luthier-") as folder:
        file = Path(folder) / "reports"
        timeout = mark.kwargs.get("timeout")
        try:
            done = subprocess.run(
                _child(luthier, item, mark),
                cwd=item.config.rootpath,
                env={**os.environ, REPORTS: os.fspath(file)},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return [_made(item, "failed", f"the test did not end within {timeout} s on the emulated GPU")]
        lines = file.read_text().splitlines() if file.exists() else []
    reports: list[pytest.TestReport] = []
    for line in lines:
        report = item.config.hook.pytest_report_from_serializable(config=item.config, data=json.loads(line))
        if isinstance(report.longrepr, list):
            # pytest wants a tuple for a skipped test, and JSON has no tuples.
            report.longrepr = tuple(report.longrepr)
        if report.nodeid == item.nodeid:
            reports.append(report)
    if not any(report.when == "teardown" for report in reports):
        last = "\n".join((done.stdout + done.stderr).splitlines()[-TAIL:])
        reports.append(_made(item, "failed", f"the child ended with status {done.returncode}:\n{last}"))
    return reports


def _child(luthier: str, item: pytest.Item, mark: pytest.Mark) -> list[str]:
    config = item.config
    words = [luthier, "run", "--device", str(mark.kwargs.get("device", DEVICE))]
    for tool in mark.kwargs.get("tools", ()):
        words += ["--tool", str(tool)]
    words += ["--", sys.executable, "-m", "pytest", item.nodeid, "--rootdir", os.fspath(config.rootpath)]
    if config.inipath is not None:
        words += ["-c", os.fspath(config.inipath)]
    for plugin in (*config.getoption("plugins"), "no:cacheprovider"):
        words += ["-p", plugin]
    return words


def _made(item: pytest.Item, outcome: Any, text: str) -> pytest.TestReport:
    """A report of a test that has none of its own."""
    path, line, _ = item.location
    longrepr: Any = (path, (line or 0) + 1, text) if outcome == "skipped" else text
    return pytest.TestReport(
        nodeid=item.nodeid,
        location=item.location,
        keywords={MARK: 1},
        outcome=outcome,
        longrepr=longrepr,
        when="call" if outcome == "failed" else "setup",
    )
