"""Names of workspace files."""

from __future__ import annotations

import pytest

from workbench.errors import WorkbenchError
from workbench.workspace.file_names import parts_of


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("a.txt", ["a.txt"]),
        ("./a//b/./c", ["a", "b", "c"]),
        ("a b/ü", ["a b", "ü"]),
        ("...", ["..."]),
        ("-rf", ["-rf"]),
    ],
)
def test_a_relative_path_becomes_its_steps(path: str, parts: list[str]) -> None:
    assert parts_of(path) == parts


def test_a_refusal_shows_a_long_path_shortened() -> None:
    with pytest.raises(WorkbenchError) as caught:
        parts_of("/" + "x" * 5000)
    assert len(caught.value.message) < 200
