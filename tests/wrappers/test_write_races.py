"""Packages are written on a worker thread while programs import them: a reader sees whole files of one edition."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.analysis.parsed_program import parse
from workbench.records import Tool
from workbench.wrappers.python_package import write_package
from workbench.wrappers.schema_reader import read_definition

NAMES = [f"tool_{number}" for number in range(6)]


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def tools(edition: int) -> list[Tool]:
    schema = {"type": "object", "properties": {f"edition_{edition}": {"type": "string"}}}
    return [Tool("demo", name, f"Edition {edition}.", input_schema=schema, hash=f"{name} {edition}") for name in NAMES]


def test_a_package_that_is_rewritten_holds_whole_files_at_every_moment(tmp_path: Path) -> None:
    assert write_package("demo", tools(0), tmp_path) == ()
    done = False

    def write() -> None:
        nonlocal done
        try:
            for edition in range(1, 8):
                assert write_package("demo", tools(edition), tmp_path) == ()
        finally:
            done = True

    def read() -> int:
        looks = 0
        while not done or not looks:
            looks += 1
            for name in ("__init__", *NAMES):
                text = (tmp_path / "demo" / f"{name}.py").read_text()
                parse(text)
                editions = [number for number in range(8) if f"edition_{number}" in text]
                assert len(editions) == (name != "__init__"), name
        return looks

    with ThreadPoolExecutor(4) as pool:
        writing, reading = pool.submit(write), [pool.submit(read) for _ in range(2)]
        writing.result()
        assert all(one.result() for one in reading)
    assert "edition_7" in (tmp_path / "demo/tool_0.py").read_text()


def test_one_definition_is_read_the_same_by_many_threads() -> None:
    alone = [read_definition(tool, tool.name) for tool in tools(3)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda tool: read_definition(tool, tool.name), tools(3) * 4)) == alone * 4
