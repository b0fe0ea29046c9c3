"""A long list filters itself, and makes rows only of what is looked at."""

from __future__ import annotations

from typing import Any

from workbench.gui.kit.rows import KEY, Row
from workbench.gui.servers.offers import OfferEntry, OfferModel


def entries(count: int, made: list[str]) -> list[OfferEntry]:
    def row(key: str) -> Row:
        made.append(key)
        return Row(key, f"File {key}")

    return [OfferEntry(str(at), f"file {at}", lambda key=str(at): row(key)) for at in range(count)]


def test_it_keeps_to_the_rules_of_models(qtmodeltester: Any, qtbot: Any) -> None:
    model = OfferModel()
    model.show_entries(entries(20, []))
    qtmodeltester.check(model)
    model.filter("file 1")
    qtmodeltester.check(model)
    assert model.rowCount() == 11
    assert model.total() == 20


def test_rows_are_made_when_they_are_looked_at(qtbot: Any) -> None:
    made: list[str] = []
    model = OfferModel()
    model.show_entries(entries(10_000, made))
    model.filter("99 file")
    index = model.find("9999")
    assert index.data(KEY) == "9999"
    assert made == []
    assert index.data() == "File 9999"
    assert made == ["9999"]


def test_what_does_not_fit_is_not_found(qtbot: Any) -> None:
    model = OfferModel()
    model.show_entries(entries(3, []))
    model.filter("2")
    assert not model.find("1").isValid()
    model.filter("")
    assert model.find("1").isValid()
