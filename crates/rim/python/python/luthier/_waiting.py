"""How long somebody at a terminal has waited for something; nothing elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 0.5
"""Seconds: what is done in less is not worth a line that flashes up."""


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A line on standard error, if that is a terminal, which goes away in the end."""
    if not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    began = time.monotonic()

    def say() -> None:
        while not ended.wait(PATIENCE):
            print(f"\r{what}, {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)

    thread = threading.Thread(target=say, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        if time.monotonic() - began >= PATIENCE:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
