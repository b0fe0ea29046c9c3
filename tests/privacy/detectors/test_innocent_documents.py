"""No key, column or line of documents without a person announces something that a value is taken for.

The documents were written from general knowledge and kept apart from the tables of key words.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.privacy.detectors.json_fields import as_text, leaves
from workbench.privacy.detectors.key_value_pairs import find_pairs
from workbench.privacy.detectors.text_tables import find_table_cells

DOCUMENTS = sorted((Path(__file__).parent / "innocent_documents").iterdir())


def found_in_text(text: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.why, text[one.start : one.end]) for one in (*find_pairs(text), *find_table_cells(text))]


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.suffix == ".json"], ids=lambda path: path.stem)
def test_nothing_in_innocent_json_is_announced(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    assert [(kind.name, leaf) for leaf, kind in leaves(value) if kind and kind.accepts(as_text(leaf))] == []
    for text in (json.dumps(value), json.dumps(value, indent=2, ensure_ascii=False), repr(value)):
        assert found_in_text(text) == []


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if path.suffix == ".txt"], ids=lambda path: path.stem)
def test_nothing_in_innocent_text_is_announced(path: Path) -> None:
    assert found_in_text(path.read_text("utf-8")) == []
