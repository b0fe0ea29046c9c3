"""Secrets and masks while many threads use them at once, with threads switched very often."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.secrets.conftest import PaperRing
from workbench.secrets.project_secrets import Secrets
from workbench.secrets.secret_masking import MASK, SecretMasks

THREADS = 6
Work = Callable[[int], object]


@pytest.fixture(autouse=True)
def frequent_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def at_once(*work: Work) -> None:
    """Call each function on several threads that start together; what one raises fails the test."""
    start = threading.Barrier(THREADS * len(work))

    def begin(function: Work, number: int) -> None:
        start.wait(30)
        function(number)

    with ThreadPoolExecutor(THREADS * len(work)) as pool:
        for future in [pool.submit(begin, function, number) for function in work for number in range(THREADS)]:
            future.result(60)


def test_a_value_is_masked_from_the_moment_hide_returns() -> None:
    masks = SecretMasks()

    def hide_and_mask(number: int) -> None:
        for step in range(40):
            value = f"secret-{number}-{step}-value"
            masks.add_secret(value)
            assert masks.mask(f"<{value}>") == f"<{MASK}>"
            assert masks.mask_bytes(value.encode()) == MASK.encode()

    at_once(hide_and_mask)
    assert all(masks.mask(f"secret-{number}-39-value") == MASK for number in range(THREADS))


@pytest.mark.parametrize("place", ["keyring", "memory", "file"])
def test_no_secret_and_no_name_is_lost(place: str, ring: PaperRing, tmp_path: Path) -> None:
    if place != "keyring":
        ring.locked = True
    secrets = Secrets(tmp_path, seconds=30.0, cost=2)
    if place == "file":
        secrets.unlock("a long passphrase")
    kind = secrets.kind
    assert kind == place
    for number in range(THREADS):
        secrets.set_secret(f"old-{number}", f"old-value-{number}")
    (tmp_path / "secrets.names.json").unlink(missing_ok=True)  # as an interrupted restore leaves it

    def put_and_drop(number: int) -> None:
        for step in range(6):
            secrets.set_secret(f"new-{number}-{step}", f"new-value-{number}-{step}")
            secrets.set_secret(f"brief-{number}", f"brief-value-{number}")
            secrets.delete_secret(f"brief-{number}")

    def read(number: int) -> None:
        for step in range(6):
            assert secrets.get_secret(f"old-{number}") == f"old-value-{number}"
            assert secrets.get_secret(f"new-{number}-{step}") in (None, f"new-value-{number}-{step}")
            assert secrets.get_secret(f"brief-{number}") in (None, f"brief-value-{number}")

    at_once(put_and_drop, read)
    added = {f"new-{number}-{step}" for number in range(THREADS) for step in range(6)}
    assert set(secrets.names()) == {f"old-{number}" for number in range(THREADS)} | added
    assert all(secrets.get_secret(name) == name.replace("new-", "new-value-") for name in added)


def test_one_store_is_opened_however_many_threads_ask_first(ring: PaperRing, tmp_path: Path) -> None:
    secrets = Secrets(tmp_path, seconds=30.0)

    def first(number: int) -> None:
        secrets.set_secret(f"name-{number}", f"value-of-{number}")

    at_once(first)
    assert len(secrets.names()) == len(ring.held) == THREADS
