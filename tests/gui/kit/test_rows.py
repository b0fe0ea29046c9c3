from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt

from workbench.gui.kit.rows import KEY, Row, RowsModel


def keys(model: RowsModel) -> list[str]:
    return [str(model.index(row).data(KEY)) for row in range(model.rowCount())]


def test_the_model_obeys_qt(qtmodeltester: Any) -> None:
    model = RowsModel()
    model.show_rows([Row("section", "Part", section=True), Row("a", "A"), Row("b", "B", detail="more")])
    qtmodeltester.check(model)


@settings(max_examples=60)
@given(
    first=st.lists(st.sampled_from("abcdefgh"), unique=True), then=st.lists(st.sampled_from("abcdefghij"), unique=True)
)
def test_any_list_becomes_any_other_and_kept_rows_keep_their_place_in_the_selection(
    qapp: Any, first: list[str], then: list[str]
) -> None:
    model = RowsModel()
    model.show_rows([Row(key, key) for key in first])
    held = {key: QPersistentModelIndex(model.find(key)) for key in first}
    model.show_rows([Row(key, key.upper()) for key in then])
    assert keys(model) == then
    for key, index in held.items():
        assert index.isValid() == (key in then)
        assert not index.isValid() or index.data() == key.upper()


def test_nothing_is_reset_when_one_row_changes(qtbot: Any) -> None:
    model = RowsModel()
    model.show_rows([Row("a", "A"), Row("b", "B")])
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged) as changed:
        model.show_rows([Row("a", "A"), Row("b", "Other")])
    assert changed.args[0].row() == 1


def test_a_heading_cannot_be_chosen(qapp: Any) -> None:
    model = RowsModel()
    model.show_rows([Row("section", "Part", section=True), Row("a", "A")])
    assert not model.index(0).flags() & Qt.ItemFlag.ItemIsSelectable
    assert model.index(1).flags() & Qt.ItemFlag.ItemIsSelectable


def test_a_tooltip_never_reads_foreign_text_as_markup(qapp: Any) -> None:
    model = RowsModel()
    model.show_rows([Row("a", "A", tip="<img src=x> & co")])
    assert "&lt;img" in str(model.index(0).data(Qt.ItemDataRole.ToolTipRole))


def test_many_rows_are_reordered_and_shown_again_at_once(qapp: Any) -> None:
    rows = [Row(str(number), "x") for number in range(5_000)]
    model = RowsModel()
    model.show_rows(rows)
    changes: list[str] = []
    for name in ("rowsInserted", "rowsRemoved", "rowsMoved", "layoutChanged"):
        getattr(model, name).connect(lambda *_, name=name: changes.append(name))
    model.show_rows(rows[::-1])
    assert keys(model)[:2] == ["4999", "4998"]
    assert changes == ["layoutChanged"]
    model.show_rows(rows[::3])
    model.show_rows(rows)
    assert keys(model) == [row.key for row in rows]
