"""The detector as a command on lines of JSON."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from workbench.errors import WorkbenchError
from workbench.privacy.__main__ import answers


def test_a_text_is_answered_with_spans_and_the_masked_form() -> None:
    (answer,) = answers(['{"text": "to rosa@example.com"}\n', "\n"])
    assert answer["spans"] == [[3, 19, "EMAIL"]]
    assert str(answer["masked"]).startswith("to [EMAIL_1.")


def test_a_json_value_is_read_with_its_keys() -> None:
    (answer,) = answers(['{"json": {"customer": {"name": "Rosa"}, "id": "ORD-00001"}}'])
    masked = answer["masked"]
    assert isinstance(masked, dict)
    assert masked["id"] == "ORD-00001"
    assert "Rosa" not in json.dumps(masked)


@pytest.mark.parametrize("line", ["{", "[]", '{"other": 1}', '{"text": 5}'])
def test_another_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(WorkbenchError, match="Line 1 "):
        list(answers([line]))


def test_the_command_reads_lines_and_writes_lines() -> None:
    asked = '{"text": "a"}\n{"text": "x@y.org"}\n'
    done = subprocess.run(
        [sys.executable, "-m", "workbench.privacy"], input=asked, capture_output=True, text=True, timeout=60, check=True
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == {"spans": [], "masked": "a"}
    assert second["spans"] == [[0, 7, "EMAIL"]]


def test_the_values_of_a_json_value_stand_at_pointers() -> None:
    asked = {
        "to/cc": [{"email": "rosa@example.com"}],
        "text": "[EMAIL_1.aaaa] of rosa@example.com",
        "phone": 2025550143,
    }
    (answer,) = answers([json.dumps({"json": asked})])
    assert answer["spans"] == [
        ["/to~1cc/0/email", 0, 16, "EMAIL"],
        ["/text", 18, 34, "EMAIL"],
        ["/phone", 0, 10, "PHONE"],
    ]
