"""The editors for files, dates, secrets, tuples, folds and faults, used by mouse and keyboard."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDate, Qt
from PySide6.QtWidgets import (
    QApplication,
    QCalendarWidget,
    QDialog,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from workbench.gui.forms.field import Field
from workbench.gui.forms.form import SchemaForm
from workbench.gui.forms.simple_editors import BytesEditor
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.text import ForeignLabel

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "format": "date"},
        "moment": {"type": "string", "format": "date-time"},
        "id": {"type": "string", "format": "uuid"},
        "api_key": {"type": "string"},
        "file_path": {"type": "string"},
        "photo": {"type": "string", "contentEncoding": "base64"},
        "size": {"oneOf": [{"const": 1, "title": "Small"}, {"const": 2}]},
        "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"price": {"minimum": 0}}}},
        "step": {"type": "number", "multipleOf": 0.1},
    },
}  # fmt: skip


@pytest.fixture
def form(theme: Any, qtbot: Any) -> SchemaForm:
    made = SchemaForm(theme)
    qtbot.addWidget(made)
    made.resize(420, 900)
    made.show()
    made.set_schema(SCHEMA)
    return made


def named(form: QWidget, name: str) -> Any:
    reached = (w for w in form.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.isHidden())
    return next(widget for widget in reached if widget.accessibleName() == name)


def field(form: SchemaForm, name: str) -> Field:
    return next(one for one in form.findChildren(Field) if one.spec.name == name)


def test_a_calendar_writes_a_date_and_keeps_the_time_of_day(form: SchemaForm, qtbot: Any) -> None:
    form.set_value({"moment": "2026-01-31T08:15:00Z"})
    named(form, "Choose a date and time for moment").click()
    calendar = form.findChildren(QCalendarWidget)[0]
    assert calendar.selectedDate() == QDate(2026, 1, 31)
    calendar.activated.emit(QDate(2027, 2, 3))
    assert form.value() == {"moment": "2027-02-03T08:15:00Z"}
    named(form, "Choose a date for day").click()
    next(one for one in form.findChildren(QCalendarWidget) if one.isVisible()).activated.emit(QDate(2027, 2, 4))
    assert form.value()["day"] == "2027-02-04"
    assert form.faults() == ()


def test_a_new_uuid_fits_its_format(form: SchemaForm) -> None:
    named(form, "Insert a random UUID into id").click()
    assert len(form.value()["id"]) == 36
    assert form.faults() == ()


def test_a_secret_is_hidden_until_it_is_shown(form: SchemaForm, qtbot: Any) -> None:
    line = named(form, "api_key")
    qtbot.keyClicks(line, "abc")
    assert line.echoMode() == QLineEdit.EchoMode.Password
    named(form, "Show api_key").click()
    assert line.echoMode() == QLineEdit.EchoMode.Normal
    assert form.value() == {"api_key": "abc"}


def test_a_picked_file_is_its_path(form: SchemaForm, qtbot: Any, tmp_path: Path) -> None:
    named(form, "Choose a file for file_path").click()
    qtbot.waitUntil(lambda: bool(form.findChildren(QFileDialog)))
    dialog = form.findChildren(QFileDialog)[0]
    dialog.fileSelected.emit(str(tmp_path / "a.txt"))
    dialog.close()
    assert form.value() == {"file_path": str(tmp_path / "a.txt")}


def test_a_loaded_file_is_base64_and_a_missing_one_says_so(form: SchemaForm, tmp_path: Path) -> None:
    (tmp_path / "p.bin").write_bytes(bytes(range(256)) * 40)
    editor = form.findChildren(BytesEditor)[0]
    editor.load(str(tmp_path / "p.bin"))
    assert base64.b64decode(form.value()["photo"]) == bytes(range(256)) * 40
    assert any("p.bin · 10.2 kB" in label.full_text() for label in editor.findChildren(ForeignLabel))
    editor.load(str(tmp_path / "none"))
    assert "No such file" in form.faults()[0][1]


def test_a_choice_shows_its_title_and_sends_its_value(form: SchemaForm) -> None:
    combo = named(form, "size")
    assert isinstance(combo, CalmCombo)
    assert [combo.itemText(row) for row in range(combo.count())] == ["Small  ·  1", "2"]
    combo.setCurrentIndex(0)
    assert form.value() == {"size": 1}


def test_a_tuple_has_its_places_and_grows_no_further(form: SchemaForm) -> None:
    next(b for b in form.findChildren(QPushButton) if b.text() == "Add pair").click()
    assert form.value() == {"pair": ["", ""]}
    assert next(b for b in form.findChildren(QPushButton) if b.text() == "Add to pair").isHidden()
    form.set_value({"pair": ["a", 1]})
    assert form.value() == {"pair": ["a", 1]}
    assert form.faults() == ()


def test_alt_and_an_arrow_move_a_row(form: SchemaForm, qtbot: Any) -> None:
    form.set_value({"rows": [{"price": 1}, {"price": 2}]})
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    form.focus_path(("rows", 0, "price"))
    focus = QApplication.focusWidget()
    assert focus is not None
    qtbot.keyClick(focus, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert form.value() == {"rows": [{"price": 2}, {"price": 1}]}


def test_a_press_on_a_fault_goes_to_its_field(form: SchemaForm, qtbot: Any) -> None:
    form.set_value({"rows": [{"price": 1}, {"price": -2}]})
    assert form.validate() == (("rows[1].price", "must be at least 0."),)
    field(form, "rows").fold(True)
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    form.show_first_fault()
    focus = QApplication.focusWidget()
    assert isinstance(focus, QLineEdit)
    assert focus.text() == "-2"
    focus.setText("2")
    qtbot.waitUntil(lambda: form.validate() == ())


def test_a_folded_field_shows_its_value_in_one_line(form: SchemaForm) -> None:
    form.set_value({"rows": [{"price": 1.50}]})
    rows = field(form, "rows")
    named(rows, "Fold rows").click()
    assert rows.summary() == '[{"price": 1.5}]'
    assert not any(inner.isVisible() for inner in rows.findChildren(Field))
    assert form.value() == {"rows": [{"price": 1.5}]}


def test_a_number_steps_by_what_it_must_be_a_multiple_of(form: SchemaForm, qtbot: Any) -> None:
    form.set_value({"step": 0.2})
    qtbot.keyClick(named(form, "step"), Qt.Key.Key_Up)
    assert form.value() == {"step": 0.3}


def test_optional_fields_of_a_large_tool_are_shown_by_a_button(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    names = {f"field_{number}": {"type": "string"} for number in range(40)}
    form.set_schema({"type": "object", "properties": names, "required": ["field_7"]})
    form.show()
    assert [one.spec.name for one in form.findChildren(Field)] == ["field_7"]
    form.set_value({"field_3": "x"})
    button = next(b for b in form.findChildren(QPushButton) if "optional" in b.text())
    assert button.text() == "38 more optional fields"
    assert {one.spec.name for one in form.findChildren(Field)} == {"field_7", "field_3"}
    button.click()
    qtbot.waitUntil(lambda: len(form.findChildren(Field)) == 40)


def test_order_and_spelling_survive_between_form_and_json(form: SchemaForm) -> None:
    form.paste('{"step": 1e5,   "size": 2, "other": 12345678901234567890, "day": "2026-01-31"}')
    assert not form.json_shown()
    assert list(form.value()) == ["step", "size", "other", "day"]
    form.show_json(True)
    text = named(form, "Arguments as JSON").toPlainText()
    assert '"step": 1e5' in text
    assert "12345678901234567890" in text


def test_json_keeps_its_layout_while_its_meaning_stays(form: SchemaForm) -> None:
    form.show_json(True)
    raw = named(form, "Arguments as JSON")
    raw.setPlainText('{ "size":2 }')
    form.show_json(False)
    form.show_json(True)
    assert raw.toPlainText() == '{ "size":2 }'


def test_a_pasted_request_gives_its_arguments_and_rubbish_is_kept_to_be_mended(form: SchemaForm) -> None:
    form.paste('{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "t", "arguments": {"size": 1}}}')
    assert form.value() == {"size": 1}
    form.paste('{"size": ')
    assert form.json_shown()
    assert named(form, "Arguments as JSON").toPlainText() == '{"size": '
    assert "line 1, column 10" in form.faults()[0][1]


def test_reset_gives_the_first_values_back(form: SchemaForm) -> None:
    form.set_value({"size": 1})
    form.reset()
    assert form.value() == {}


SELF = {"$ref": "#"}
HOSTILE: dict[str, dict[str, Any]] = {
    "needs itself three times": {
        "type": "object",
        "properties": {"a": SELF, "b": SELF, "c": SELF},
        "required": ["a", "b", "c"],
    },
    "a tuple of itself": {
        "type": "object",
        "properties": {"t": {"type": "array", "prefixItems": [SELF, SELF, SELF]}},
        "required": ["t"],
    },
    "is one of itself": {"anyOf": [SELF, SELF, {"type": "object", "properties": {"x": SELF}, "required": ["x"]}]},
    "ten thousand names": {
        "type": "object",
        "properties": {f"n{number}": {"type": "string"} for number in range(10_000)},
        "required": [f"n{number}" for number in range(10_000)],
    },
    "ten thousand values": {"type": "object", "properties": {"e": {"enum": list(range(10_000))}}},
    "ten thousand shapes": {
        "type": "object",
        "properties": {"s": {"oneOf": [{"type": "object", "title": f"{number}"} for number in range(10_000)]}},
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_schema_that_wants_too_much_still_gives_a_form(theme: Any, qtbot: Any, name: str) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema(HOSTILE[name])
    form.show()
    form.validate()
    assert len(form.findChildren(Field)) < 600
    form.set_value({"a": {"b": {"c": 1}}, "e": 5, "s": {}})
    assert form.value()["a"] == {"b": {"c": 1}}


@pytest.mark.parametrize("points", [8, 10, 13, 20])
def test_the_calendar_shows_all_weeks_and_the_names_of_the_days(theme: Any, qtbot: Any, points: int) -> None:
    theme.choose("dark", points)
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema(SCHEMA)
    form.show()
    named(form, "Choose a date for day").click()
    dialog = form.findChild(QDialog)
    table = dialog.findChild(QTableView)
    last = table.model().index(table.model().rowCount() - 1, 1)
    qtbot.waitUntil(lambda: table.visualRect(last).height() > 0)
    assert table.visualRect(last).bottom() <= table.viewport().height()
    padding = theme.unit * 4  # of `QTableView::item`, left and right
    for column in range(table.model().columnCount()):
        cell = table.model().index(0, column)
        width = table.fontMetrics().horizontalAdvance(str(cell.data() or ""))
        assert width + padding <= table.visualRect(cell).width() or table.isColumnHidden(column)
    assert dialog.width() > dialog.fontMetrics().horizontalAdvance(dialog.windowTitle())
    dialog.close()
