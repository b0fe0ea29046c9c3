"""Each kind of effect has words for people."""

from __future__ import annotations

import pytest

from workbench.analysis.tables.program_actions import WORDS, ProgramAction


@pytest.mark.parametrize("deed", list(ProgramAction))
def test_every_deed_is_told_with_and_without_its_subject(deed: ProgramAction) -> None:
    words = WORDS[deed]
    assert words.named.format("SUBJECT")[0].isupper()
    assert "{" not in words.plain
    assert not words.plain.endswith(".")
