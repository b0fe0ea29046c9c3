"""A fault made for people has a sentence and a hint, and reads as one text."""

from __future__ import annotations

from workbench.errors import WorkbenchError


def test_an_error_reads_as_its_sentence_and_its_hint() -> None:
    fault = WorkbenchError("The folder is not writable.", "Choose another one.")
    assert (fault.message, fault.hint) == ("The folder is not writable.", "Choose another one.")
    assert str(fault) == "The folder is not writable. Choose another one."


def test_without_a_hint_only_the_sentence_is_left() -> None:
    assert str(WorkbenchError("The folder is not writable.")) == "The folder is not writable."
