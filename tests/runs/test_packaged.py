"""Packages are found in the program's text, and only those that the user allows can be imported."""

from __future__ import annotations

from workbench.analysis.reading import read_program
from workbench.runs.sandbox_choice import imported_packages
from workbench.settings import Settings


def of(code: str, names: str = "hypothesis", language: str = "python") -> tuple[str, ...]:
    return imported_packages(read_program(code, (), language=language), Settings(run_packages=names))


def test_every_way_to_write_an_import_is_seen() -> None:
    for code in ("import hypothesis", "import json, hypothesis.strategies as s", "from hypothesis.stateful import x"):
        assert of(code) == ("hypothesis",)
    assert of("def later():\n    import hypothesis") == ("hypothesis",)
    for code in (
        "import importlib\nimportlib.import_module('hypothesis')",
        "__import__('hypo' + 'thesis.stateful')",
        "import ｈypothesis as h",
        "exec('import hypothesis')",
        "from importlib import import_module as load\nname = 'hypothesis'\nload(name)",
        "def load(name):\n    return __import__(name)\nload('hypothesis')",
    ):
        assert of(code) == ("hypothesis",), code


def test_other_modules_other_languages_and_broken_texts_name_none() -> None:
    assert of("import json\nfrom servers.demo import list_orders") == ()
    assert of("import hypothesis", names="") == ()
    assert of("import pytest") == ()
    assert of("import hypothesis", language="typescript") == ()
    assert of("import hypothesis\n  (") == ()
