from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QModelIndex

from workbench.gui.models.audit import PAGE, RISK, WHAT, AuditModel
from workbench.records import EntryQuery


def numbers(model: AuditModel) -> list[int]:
    return [int(model.index(row, 0).data()) for row in range(model.rowCount())]


@pytest.fixture
def model(qapp: Any, make: Any) -> AuditModel:
    model = AuditModel()
    model.answer(EntryQuery(limit=PAGE), [make.entry(seq) for seq in range(1000, 1000 - PAGE, -1)])
    return model


def test_the_model_obeys_qt(model: AuditModel, qtmodeltester: Any, make: Any) -> None:
    model.grow([make.entry(1001)])
    qtmodeltester.check(model)


def test_the_next_page_is_asked_once_and_put_below(model: AuditModel, make: Any) -> None:
    asked: list[EntryQuery] = []
    model.wants.connect(asked.append)
    model.fetchMore(QModelIndex())
    model.fetchMore(QModelIndex())
    assert [query.before for query in asked] == [801]
    model.answer(asked[0], [make.entry(800), make.entry(799)])
    assert numbers(model)[-2:] == [800, 799]
    assert not model.canFetchMore(QModelIndex())  # the page was not full: nothing older exists


def test_live_entries_come_on_top_in_one_insertion_and_never_twice(model: AuditModel, make: Any, qtbot: Any) -> None:
    with qtbot.waitSignal(model.rowsInserted) as inserted:
        model.grow([make.entry(1001), make.entry(1002), make.entry(1000)])
    assert inserted.args[1:] == [0, 1]
    assert numbers(model)[:3] == [1002, 1001, 1000]


def test_a_filter_sifts_at_once_and_asks_for_the_rest(model: AuditModel, make: Any) -> None:
    asked: list[EntryQuery] = []
    model.grow([make.entry(1001, "run.refused", "Refused: too risky")])
    model.wants.connect(asked.append)
    model.filter("RISKY", "run.")
    assert numbers(model) == [1001]
    assert asked == [EntryQuery(text="RISKY", kind="run.", limit=PAGE)]
    model.grow([make.entry(1002), make.entry(1003, "run.done", "risky, but went well")])
    assert numbers(model) == [1003, 1001]


def test_an_answer_to_an_older_filter_is_dropped(model: AuditModel, make: Any) -> None:
    model.filter("new", "")
    model.answer(EntryQuery(text="old", limit=PAGE), [make.entry(5)])
    assert numbers(model) == []


def test_entries_that_came_while_a_page_was_on_its_way_stay_on_top(qapp: Any, make: Any) -> None:
    model = AuditModel()
    model.grow([make.entry(12)])
    model.answer(EntryQuery(limit=PAGE), [make.entry(11), make.entry(10)])
    assert numbers(model) == [12, 11, 10]


def test_failures_and_risks_carry_a_sign_beside_the_word(model: AuditModel, make: Any) -> None:
    model.grow([make.entry(1001, ok=False, risk="high")])
    top = model.index(0, 0)
    from PySide6.QtCore import Qt

    assert top.siblingAtColumn(WHAT).data(Qt.ItemDataRole.DecorationRole) is not None
    assert top.siblingAtColumn(RISK).data(Qt.ItemDataRole.DecorationRole) is not None
    assert top.siblingAtColumn(RISK).data() == "high"
