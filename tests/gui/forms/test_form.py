"""The form: what is typed is what is sent, in both views, and nothing is lost between them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPlainTextEdit, QPushButton, QScrollArea, QWidget

from workbench.gui.forms.field import Field, repeats_name
from workbench.gui.forms.form import SchemaForm
from workbench.gui.kit.controls import CalmCombo

SCHEMA = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "title": {"type": "string", "examples": ["Hello"]},
        "count": {"type": "integer", "minimum": 1, "maximum": 9},
        "flag": {"type": "boolean", "default": False},
        "kind": {"enum": ["a", 1, 1.5, None]},
        "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "where": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "either": {"oneOf": [{"type": "integer"}, {"type": "object", "properties": {"x": {"type": "number"}}}]},
        "more": {"type": "object", "additionalProperties": {"type": "number"}},
        "self": {"$ref": "#"},
    },
    "required": ["title"],
}


@pytest.fixture
def form(theme: Any, qtbot: Any) -> SchemaForm:
    made = SchemaForm(theme)
    qtbot.addWidget(made)
    made.resize(420, 640)
    made.show()
    made.set_schema(SCHEMA)
    return made


def named(form: QWidget, name: str) -> Any:
    """The visible widget with this name that Tab reaches."""
    reached = (w for w in form.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and not w.isHidden())
    return next(widget for widget in reached if widget.accessibleName() == name)


def editor_place(form: SchemaForm, name: str) -> QPoint:
    """Where the editor of a field is in the field."""
    field = next(one for one in form.findChildren(Field) if one.spec.name == name)
    place: QPoint = named(field, name).mapTo(field, QPoint(0, 0))
    return place


def test_a_low_form_shows_at_least_two_fields(form: SchemaForm, qtbot: Any) -> None:
    assert editor_place(form, "title").y() > 0, "the name is above its editor"
    form.resize(420, 110)
    area = form.findChild(QScrollArea)

    def on_screen(name: str) -> bool:
        widget = named(form, name)
        top = widget.mapTo(area, QPoint(0, 0)).y()
        return top >= 0 and top + widget.height() <= area.height()

    qtbot.waitUntil(lambda: on_screen("title") and on_screen("note"))
    assert editor_place(form, "title").x() > 0, "the name is beside its editor"
    form.resize(420, 640)
    qtbot.waitUntil(lambda: editor_place(form, "title").x() == 0)


def test_an_untouched_optional_field_is_not_sent_and_a_required_one_is_prefilled(form: SchemaForm) -> None:
    assert form.value() == {"title": "Hello"}


def test_typing_sends_a_field_and_the_cross_takes_it_back(form: SchemaForm, qtbot: Any) -> None:
    qtbot.keyClicks(named(form, "note"), "hi")
    assert form.value() == {"title": "Hello", "note": "hi"}
    named(form, "note").clear()
    assert form.value()["note"] == ""  # emptied is not the same as not sent
    named(form, "Do not send note").click()
    assert form.value() == {"title": "Hello"}


def test_null_is_something_else_than_absent(form: SchemaForm) -> None:
    named(form, "Send null for when").click()
    assert form.value() == {"title": "Hello", "when": None}
    named(form, "Do not send when").click()
    assert "when" not in form.value()


def test_an_enum_keeps_real_types(form: SchemaForm) -> None:
    combo = named(form, "kind")
    assert isinstance(combo, CalmCombo)
    combo.setCurrentIndex(1)
    assert form.value()["kind"] == 1
    assert type(form.value()["kind"]) is int


def test_a_number_out_of_bounds_is_reported_with_its_path(form: SchemaForm, qtbot: Any) -> None:
    qtbot.keyClicks(named(form, "count"), "12")
    assert form.faults() == (("count", "must be at most 9."),)
    field = next(f for f in form.findChildren(Field) if f.spec.name == "count")
    below = next(f for f in form.findChildren(Field) if f.spec.name == "flag")
    place = below.y()
    qtbot.waitUntil(lambda: field.fault() == "must be at most 9.")
    qtbot.wait(20)
    assert below.y() == place  # a fault moves no field under the mouse
    assert form.fault_list.isHidden()  # and is shown once


def test_text_in_a_number_field_is_not_lost(form: SchemaForm, qtbot: Any) -> None:
    qtbot.keyClicks(named(form, "count"), "many")
    assert form.value()["count"] == "many"
    assert form.faults() == (("count", "must be a whole number."),)


def test_a_missing_field_is_reported_only_before_sending(form: SchemaForm) -> None:
    form.set_value({})
    field = next(f for f in form.findChildren(Field) if f.spec.name == "title")
    assert form.faults() == (("title", "is required."),)
    assert field.fault() == ""
    assert form.validate() == (("title", "is required."),)
    assert field.fault() == "is required."


def test_rows_of_a_list_are_added_moved_and_removed(form: SchemaForm, qtbot: Any) -> None:
    form.set_value({"title": "t", "tags": ["a", "b", "c"]})
    named(form, "Move entry 1 of tags down").click()
    assert form.value()["tags"] == ["b", "a", "c"]
    named(form, "Remove entry 2 of tags").click()
    assert form.value()["tags"] == ["b", "c"]
    adder = next(b for b in form.findChildren(QPushButton) if b.text() == "Add to tags" and b.isVisible())
    adder.click()
    assert form.value()["tags"] == ["b", "c", ""]


def test_a_schema_that_contains_itself_opens_level_by_level(form: SchemaForm) -> None:
    for depth in range(1, 4):
        openers = [b for b in form.findChildren(QPushButton) if b.text() == "Add self" and b.isVisibleTo(form)]
        openers[-1].click()
        value: Any = form.value()
        for _ in range(depth):
            value = value["self"]
        assert value == {"title": "Hello"}


def test_json_view_and_form_carry_the_value_over(form: SchemaForm) -> None:
    value = {
        "title": "x",
        "either": {"x": 2.5},
        "more": {"k": 1},
        "where": {"city": "Oslo"},
        "unknown": [1, {"a": None}],
    }
    form.set_value(value)
    assert form.value() == value
    form.show_json(True)
    assert form.json_shown()
    form.show_json(False)
    assert not form.json_shown()
    assert form.value() == value


def test_text_that_is_not_json_yet_stays_where_it_is(form: SchemaForm) -> None:
    form.show_json(True)
    raw = named(form, "Arguments as JSON")
    raw.setPlainText('{"title": ')
    form.show_json(False)
    assert form.json_shown()
    assert "not JSON yet" in form.faults()[0][1]
    assert raw.toPlainText() == '{"title": '


def test_a_value_no_field_can_hold_is_shown_as_json_in_its_place(form: SchemaForm) -> None:
    value = {"title": ["not", "text"], "count": "7", "note": "bidi \u202e inside", "kind": 1.0}
    form.set_value(value)
    assert json.dumps(form.value(), sort_keys=True) == json.dumps(value, sort_keys=True)


def test_many_fields_get_a_filter_and_required_ones_come_first(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    names = {f"field_{number}": {"type": "string"} for number in range(205)}
    form.set_schema({"type": "object", "properties": names, "required": ["field_200"]})
    form.show()
    assert form.findChildren(Field)[0].spec.name == "field_200"
    named(form, "Filter fields").setText("field_19")
    shown = [field.spec.name for field in form.findChildren(Field) if not field.isHidden()]
    assert set(shown) == {"field_19", *(f"field_{n}" for n in range(190, 200))}


def test_line_breaks_that_are_pasted_turn_the_line_into_a_box(form: SchemaForm, qtbot: Any) -> None:
    QApplication.clipboard().setText("two\nlines")
    line = named(form, "note")
    assert isinstance(line, QLineEdit)
    line.setFocus()
    qtbot.keyClick(line, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert isinstance(named(form, "note"), QPlainTextEdit)
    assert form.value()["note"] == "two\nlines"


def test_the_arrow_keys_step_a_number_inside_its_bounds(form: SchemaForm, qtbot: Any) -> None:
    line = named(form, "count")
    for _ in range(12):
        qtbot.keyClick(line, Qt.Key.Key_Up)
    assert form.value()["count"] == 9


def test_everything_that_takes_the_keyboard_has_a_name(form: SchemaForm) -> None:
    form.set_value({"title": "t", "tags": ["a"], "more": {"k": 1}, "either": 3, "where": {"city": "x"}, "when": None})
    for widget in form.findChildren(QWidget):
        if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
            face = QAccessible.queryAccessibleInterface(widget)
            assert face.text(QAccessible.Text.Name), f"{type(widget).__name__} has no name"


def test_a_tool_without_arguments_says_so(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    form.set_schema({"type": "object", "properties": {}})
    form.show()
    assert form.value() == {}
    assert form.faults() == ()
    assert "This tool takes no arguments." in [one.text() for one in form.findChildren(QLabel) if one.isVisible()]
    adders = [button for button in form.findChildren(QPushButton) if "Add" in button.text()]
    assert not [button for button in adders if button.isVisible()]
    form.set_value({"given": "all the same"})
    assert form.value() == {"given": "all the same"}
    assert [button for button in adders if button.isVisible()]


def test_the_filter_belongs_to_the_fields_and_faults_of_json_are_listed(theme: Any, qtbot: Any) -> None:
    form = SchemaForm(theme)
    qtbot.addWidget(form)
    names = {f"field_{number}": {"type": "integer"} for number in range(20)}
    form.set_schema({"type": "object", "properties": names})
    form.show()
    assert named(form, "Filter fields").isVisible()
    form.show_json(True)
    assert not any(box.isVisible() for box in form.findChildren(QLineEdit) if box.accessibleName() == "Filter fields")
    named(form, "Arguments as JSON").setPlainText('{"field_1": "x"}')
    qtbot.waitUntil(lambda: form.fault_list.sentences() == ("field_1: must be a whole number.",))


def test_a_description_that_repeats_the_name_is_hidden() -> None:
    assert repeats_name("Repo Path", "repo_path")
    assert repeats_name("The repo path.", "repoPath")
    assert not repeats_name("Path of the repository", "repo_path")


def test_json_is_coloured_without_changing_its_text_or_reporting_an_edit(form: SchemaForm, qtbot: Any) -> None:
    form.show_json(True)
    edit = named(form, "Arguments as JSON")
    edit.setPlainText('{"title": "t",   "count": 1e0}')
    edits: list[None] = []
    form.changed.connect(lambda: edits.append(None))
    qtbot.waitUntil(lambda: len(edit.extraSelections()) == 4)
    assert edit.toPlainText() == '{"title": "t",   "count": 1e0}'
    assert edits == []


def test_a_list_too_long_for_rows_is_edited_as_json(form: SchemaForm) -> None:
    form.set_value({"title": "t", "tags": ["x"] * 500})
    assert form.value()["tags"] == ["x"] * 500
    assert len(form.findChildren(Field)) < 50


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.sampled_from(list(SCHEMA["properties"])) | st.text(max_size=5), JSON, max_size=5))
def test_whatever_json_comes_in_goes_out_unchanged(form: SchemaForm, value: dict[str, Any]) -> None:
    form.set_value(value)
    expected = json.dumps(value, sort_keys=True)
    assert json.dumps(form.value(), sort_keys=True) == expected
    form.show_json(True)
    assert json.dumps(form.value(), sort_keys=True) == expected


OBJECTS = {
    "type": "object",
    "properties": {
        "where": {"type": "object", "properties": {"city": {"type": "string"}, "street": {"type": "string"}}},
        "people": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer"}}},
        },
        **{f"more_{number}": {"type": "string"} for number in range(9)},
    },
}


@pytest.fixture
def active(form: SchemaForm, qtbot: Any) -> SchemaForm:
    """A form with objects inside, in the active window."""
    form.set_schema(OBJECTS)
    form.activateWindow()
    qtbot.waitUntil(form.isActiveWindow)
    return form


def type_keys(text: str) -> None:
    focus = QApplication.focusWidget()
    assert focus is not None
    QTest.keyClicks(focus, text)


def test_adding_an_object_puts_the_keyboard_into_its_first_field(active: SchemaForm) -> None:
    named_button(active, "Add where").setFocus()
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Space)
    type_keys("Oslo")
    assert active.value() == {"where": {"city": "Oslo"}}
    named_button(active, "Add people").click()
    named_button(active, "Add to people").click()
    type_keys("Ada")
    assert active.value() == {"where": {"city": "Oslo"}, "people": [{"name": "Ada"}]}


def test_removing_an_object_from_a_list_keeps_the_keyboard_in_a_field(active: SchemaForm) -> None:
    active.set_value({"people": [{"name": "a"}, {"name": "b"}]})
    named(active, "Remove entry 1 of people").click()
    type_keys("c")
    assert active.value() == {"people": [{"name": "bc"}]}


def named_button(form: QWidget, text: str) -> QPushButton:
    """The button of a form with this text."""
    return next(one for one in form.findChildren(QPushButton) if one.text() == text and not one.isHidden())


def test_the_keyboard_goes_where_it_was_and_the_field_is_scrolled_to(active: SchemaForm, qtbot: Any) -> None:
    active.resize(420, 260)
    last, area = named(active, "more_8"), active.findChild(QScrollArea)
    last.setFocus()
    named_button(active, "JSON").setFocus()
    area.verticalScrollBar().setValue(0)
    assert last.visibleRegion().isEmpty()
    assert active.take_focus()
    assert QApplication.focusWidget() is last
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())


def test_a_form_that_is_shown_again_scrolls_to_the_field_that_gets_the_keyboard(active: SchemaForm, qtbot: Any) -> None:
    active.resize(420, 260)
    area = active.findChild(QScrollArea)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    active.hide()
    active.show()
    first = active.first_field()
    assert first is named(active, "more_0")
    first.setFocus()
    qtbot.waitUntil(lambda: not first.visibleRegion().isEmpty())


def test_while_json_is_shown_its_text_gets_the_keyboard(active: SchemaForm) -> None:
    active.show_json(True)
    assert active.first_field() is named(active, "Arguments as JSON")
    named_button(active, "JSON").setFocus()
    assert active.take_focus()
    assert QApplication.focusWidget() is named(active, "Arguments as JSON")
