"""Programs are read beside each other, and once more when Python stumbled over itself."""

from __future__ import annotations

import ast
from concurrent.futures import ThreadPoolExecutor

import pytest

from workbench.analysis import parsed_program

TEXT = "\n".join(f"value_{at} = [{{'a': ({at}, -{at})}} for one in range({at})]" for at in range(200))


def test_texts_are_read_on_several_threads() -> None:
    with ThreadPoolExecutor(4) as threads:
        assert {len(tree.body) for tree in threads.map(parsed_program.parse, [TEXT] * 16)} == {200}


def test_a_stumble_is_no_fault_of_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    real, stumbles = ast.parse, [SystemError("AST constructor recursion depth mismatch")] * 2

    def stumbling(text: str, name: str) -> ast.Module:
        if stumbles:
            raise stumbles.pop()
        return real(text, name)

    monkeypatch.setattr(ast, "parse", stumbling)
    assert len(parsed_program.parse("a = 1").body) == 1


def test_what_is_no_program_is_told() -> None:
    with pytest.raises(SyntaxError):
        parsed_program.parse("a = = 1")
