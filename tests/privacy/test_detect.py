"""All kinds together: nothing overlaps and everything found is covered."""

from __future__ import annotations

from workbench.privacy.detect import detect


def found(text: str) -> list[str]:
    return [text[part.start : part.end] for part in detect(text)]


def test_addresses_side_by_side_are_all_found() -> None:
    assert found("a@b.co,c@d.de;e@f.org") == ["a@b.co", "c@d.de", "e@f.org"]


def test_each_stretch_has_its_kind() -> None:
    assert [part.kind for part in detect("a@b.co or 415-555-0132")] == ["EMAIL", "PHONE"]
