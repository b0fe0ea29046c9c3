"""Each page of a result: hostile and large results, keys and buttons."""

from __future__ import annotations

import base64
import io
import json
import wave
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, Qt, QUrl
from PySide6.QtGui import QAction, QColor, QGuiApplication, QImage, QPixmap
from PySide6.QtWidgets import QAbstractButton, QLabel, QMainWindow, QPushButton, QWidget

from workbench.gui.kit.text import ForeignLabel
from workbench.gui.results.changes_page import ChangesPage
from workbench.gui.results.contents import ending_of, image_of, seconds_of
from workbench.gui.results.parts_page import PartsPage, PicturePage
from workbench.gui.results.table_page import TablePage
from workbench.gui.results.text_pages import JsonPage, ProsePage, TextPage, reads_as_markdown
from workbench.gui.results.tree_page import TreePage
from workbench.records import Content

ROWS = [{"id": 1, "name": "lamp", "tags": ["a", "b"]}, {"id": 2, "name": "desk", "more": None}]


def png(width: int = 30, height: int = 20) -> str:
    picture = QPixmap(width, height)
    picture.fill(QColor("red"))
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")
    return base64.b64encode(buffer.data().data()).decode()


def shown(page: Any, qtbot: Any) -> Any:
    qtbot.addWidget(page)
    page.resize(500, 400)
    page.show()
    return page


def named(page: QWidget, name: str) -> Any:
    """The button with this text or accessible name."""
    return next(one for one in page.findChildren(QAbstractButton) if name in (one.text(), one.accessibleName()))


def press(page: QWidget, name: str, qtbot: Any) -> None:
    qtbot.mouseClick(named(page, name), Qt.MouseButton.LeftButton)


def labels(page: QWidget) -> list[str]:
    return [label.full_text() for label in page.findChildren(ForeignLabel) if label.isVisible()]


def test_a_long_text_comes_in_portions_and_whole(theme: Any, qtbot: Any) -> None:
    page = shown(TextPage(theme, "text"), qtbot)
    text = "".join(f"line {number} \u202e\n" for number in range(60_000))
    page.show_text(text)
    assert not page.is_complete()
    qtbot.waitUntil(page.is_complete, timeout=60_000)
    assert page.edit.toPlainText() == text.replace("\u202e", "‹U+202E›")


def test_a_line_without_end_is_shown_in_pieces(theme: Any, qtbot: Any) -> None:
    page = shown(TextPage(theme, "text"), qtbot)
    page.show_text("x" * 1_000_000)
    page.finish()
    document = page.edit.document()
    drawn = [document.findBlockByNumber(number).length() for number in range(document.blockCount())]
    assert max(drawn) <= 8_001
    assert page.edit.text() == "x" * 1_000_000


def test_another_text_replaces_one_that_is_still_coming(theme: Any, qtbot: Any) -> None:
    page = shown(TextPage(theme, "text"), qtbot)
    page.show_text("a\n" * 500_000)
    page.show_text("short")
    qtbot.wait(30)
    assert page.edit.toPlainText() == "short"


def test_a_tree_copies_path_and_value_and_opens_level_by_level(theme: Any, qtbot: Any) -> None:
    page = shown(TreePage(theme), qtbot)
    page.show_value({"a": {"b": [{"c": "deep"}]}})
    assert page.seek("deep", 1) == "1 of 1"
    qtbot.keyClick(page, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "deep"
    qtbot.keyClick(page, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.clipboard().text() == "a.b[0].c"
    assert "a.b[0].c" in labels(page)
    press(page, "Collapse all", qtbot)
    first = page.model.index(0, 0)
    assert not page.tree.isExpanded(first)
    page.open_level()
    assert page.tree.isExpanded(first)
    assert not page.tree.isExpanded(page.model.index(0, 0, first))
    page.open_level()
    assert page.tree.isExpanded(page.model.index(0, 0, first))


def test_the_key_that_copies_a_path_is_not_taken_by_the_window(theme: Any, qtbot: Any) -> None:
    window, page = QMainWindow(), TreePage(theme)
    window.setCentralWidget(page)
    action = QAction("Save or copy the open call", window)
    action.setShortcut("Ctrl+Shift+C")
    window.addAction(action)
    shown(window, qtbot)
    page.show_value({"a": {"b": "deep"}})
    assert page.seek("deep", 1) == "1 of 1"
    window.activateWindow()
    page.tree.setFocus()
    qtbot.waitUntil(page.tree.hasFocus)
    with qtbot.assertNotEmitted(action.triggered):
        keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        qtbot.keyClick(page.tree, Qt.Key.Key_C, keys)
    assert QGuiApplication.clipboard().text() == "a.b"


@pytest.mark.parametrize(("value", "text"), [({}, "Empty object"), ([], "Empty list"), ({"a": {}}, "")])
def test_a_tree_without_rows_says_so(theme: Any, qtbot: Any, value: Any, text: str) -> None:
    page = shown(TreePage(theme), qtbot)
    page.show_value(value)
    assert [label.text() for label in page.findChildren(QLabel) if label.isVisible() and "Empty" in label.text()] == [
        text
    ][: bool(text)]
    assert page.tree.isVisible() is not bool(text)


def test_json_has_colours(theme: Any, qtbot: Any) -> None:
    page = shown(JsonPage(theme, "JSON"), qtbot)
    page.show_text('{\n  "a": [1, null, "x"]\n}')
    qtbot.waitUntil(lambda: len(page.edit.extraSelections()) == 4)
    key, number, word, text = (one.format.foreground().color() for one in page.edit.extraSelections())
    assert len({key.name(), number.name(), word.name(), text.name()}) == 4


def test_a_table_filters_copies_and_opens_a_cell(theme: Any, qtbot: Any) -> None:
    page = shown(TablePage(theme), qtbot)
    page.show_value(ROWS)
    assert page.csv([0, 1]) == 'id,name,tags,more\n1,lamp,"[""a"", ""b""]",\n2,desk,,\n'
    assert page.seek("DESK", 1) == "1 of 2 rows"
    page.copy_csv()
    assert QGuiApplication.clipboard().text().startswith("id,name,tags,more\n2,desk")
    page.seek("", 1)
    page.table.setCurrentIndex(page.model.index(0, 2))
    page.table.setFocus()
    qtbot.waitUntil(page.table.hasFocus)
    qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert json.loads(page.detail.edit.toPlainText()) == ["a", "b"]
    named(page, "Choose columns").menu().actions()[1].trigger()
    assert page.table.isColumnHidden(1)
    assert page.csv([0]).startswith("id,tags,more")


def test_a_copied_table_holds_no_formula_and_numbers_stay_numbers(theme: Any, qtbot: Any) -> None:
    page = shown(TablePage(theme), qtbot)
    page.show_value([{"=name": "=1+1", "n": -5}, {"=name": "@SUM(A1)", "n": 0.5}])
    assert page.csv([0, 1]) == "'=name,n\n'=1+1,-5\n'@SUM(A1),0.5\n"


def test_a_filter_stays_right_after_sorting(theme: Any, qtbot: Any) -> None:
    page = shown(TablePage(theme), qtbot)
    page.show_value(ROWS)
    page.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert page.seek("lamp", 1) == "1 of 2 rows"
    assert page.model.value(0, 1) == "lamp"


def test_markdown_is_drawn_without_html_and_without_fetching(theme: Any, qtbot: Any, tmp_path: Any) -> None:
    page = shown(ProsePage(theme), qtbot)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    page.show_markdown(f"# Title\n\n<b>bold</b> ![x]({secret.as_uri()}) [go](https://example.com/a\u202eb)")
    drawn = page.browser.toPlainText()
    assert "Title" in drawn
    assert "<b>bold</b>" in drawn
    assert "secret" not in drawn


@pytest.mark.parametrize("how", ["path", "address", "data"])
def test_a_picture_named_in_markdown_is_never_read(theme: Any, qtbot: Any, tmp_path: Any, how: str) -> None:
    file = tmp_path / "secret.png"
    red = QImage(40, 40, QImage.Format.Format_RGB32)
    red.fill(Qt.GlobalColor.red)
    assert red.save(str(file))
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><image href="{file}"/></svg>'
    targets = {
        "path": str(file),
        "address": file.as_uri(),
        "data": "data:image/svg+xml;base64," + base64.b64encode(drawing.encode()).decode(),
    }
    page = shown(ProsePage(theme), qtbot)
    page.show_markdown(f"# Title\n\n![x]({targets[how]})")
    picture = page.grab().toImage()
    colours = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert "#ff0000" not in colours


def test_a_link_says_where_it_leads_before_it_opens(theme: Any, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "workbench.gui.results.text_pages.QDesktopServices.openUrl", lambda url: opened.append(url.url())
    )
    page = shown(ProsePage(theme), qtbot)
    page.browser.anchorClicked.emit(QUrl("https://example.com/page"))
    assert "Link to example.com: https://example.com/page" in labels(page)
    assert opened == []
    open_link = named(page, "Open in browser")
    press(page, "Open in browser", qtbot)
    assert opened == ["https://example.com/page"]
    page.browser.anchorClicked.emit(QUrl("file:///etc/passwd"))
    assert open_link.isHidden()


@pytest.mark.parametrize(
    ("text", "mime", "prose"),
    [
        ("# Head\n\n* one\n* two", "", True),
        ("plain words", "text/markdown", True),
        ("plain words", "text/plain", False),
        ("# Head", "", False),
        ('# Result\n\n* one\n\n{\n  "a": 1\n}', "", False),
        ('# Result\n\n* one\n\n```json\n{\n  "a": 1\n}\n```', "", True),
        ("# x\n* y\n" * 100_000, "text/markdown", False),
    ],
)
def test_markdown_is_distinguished_from_plain_text(text: str, mime: str, prose: bool) -> None:
    assert reads_as_markdown(text, mime) is prose


def test_pictures_are_shown_one_after_the_other_and_at_full_size(theme: Any, qtbot: Any) -> None:
    page = shown(PicturePage(theme), qtbot)
    blocks = (
        Content("image", mime="image/png", data=png(1200, 20)),
        Content("image", mime="image/png", data="?"),
    )
    page.show_pictures(blocks)
    assert any("1/2 · 1200 × 20 · image/png" in text for text in labels(page))
    assert page.picture.width() < 600
    press(page, "100 %", qtbot)
    assert page.picture.width() == 1200
    press(page, "Next picture", qtbot)
    assert "cannot be shown" in page.picture.text()
    with qtbot.waitSignal(page.save_wanted) as wanted:
        press(page, "Save picture…", qtbot)
    assert wanted.args == [blocks[1]]


def test_a_drawing_that_could_read_files_is_not_drawn() -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/hostname"/></svg>'
    assert image_of(Content("image", mime="image/png", data=base64.b64encode(svg).decode())) is None


def test_a_sound_shows_its_length_and_that_it_cannot_be_played(theme: Any, qtbot: Any, qapp: Any) -> None:
    data = io.BytesIO()
    with wave.open(data, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(1000)
        sound.writeframes(b"\x80" * 2500)
    assert seconds_of(data.getvalue()) == 2.5
    assert seconds_of(b"no sound") == 0.0
    page = shown(PartsPage(theme), qtbot)
    page.show_parts(
        (
            Content("text", "hello\u202e"),
            Content("audio", mime="audio/wav", data=base64.b64encode(data.getvalue()).decode()),
            Content("image", mime="image/png", data=png()),
            Content("link", uri="https://example.com/x", text="The page"),
            Content("resource", uri="file:///a.txt", mime="text/plain", text="body"),
        )
    )
    texts = " ".join(label.full_text() for label in page.findChildren(ForeignLabel))
    assert "2 · audio · audio/wav · 2.5 s" in texts
    assert "cannot be played here" in texts
    assert "Open example.com" in [button.text() for button in page.findChildren(QPushButton)]
    assert any(not label.pixmap().isNull() for label in page.findChildren(QLabel))
    save = next(b for b in page.findChildren(QPushButton) if b.accessibleName() == "Save part 2")
    with qtbot.waitSignal(page.save_wanted) as wanted:
        save.click()
    assert wanted.args[0].kind == "audio"


def test_changes_are_lines_with_signs(theme: Any, qtbot: Any) -> None:
    page = shown(ChangesPage(theme), qtbot)
    page.show_change("a\nb", "a\nc")
    assert page.view.changed_lines() == ("-b", "+c")
    page.show_change('{"b": 1, "a": [1, 2]}', '{"a": [1, 3],\n"b": 1}')
    assert page.view.changed_lines() == ("-    2", "+    3")


@pytest.mark.parametrize(
    ("mime", "ending"),
    [
        ("image/png", ".png"),
        ("audio/mpeg", ".mp3"),
        ("text/plain; charset=utf-8", ".txt"),
        ("x/../etc-passwd", ".bin"),
        ("", ".bin"),
    ],
)
def test_a_file_gets_an_ending_that_is_safe(mime: str, ending: str) -> None:
    assert ending_of(mime) == ending


def test_where_it_is_low_the_buttons_give_way_to_the_content(theme: Any, qtbot: Any) -> None:
    page = shown(TablePage(theme), qtbot)
    page.show_value(ROWS)
    assert page.strip is not None
    assert page.strip.isVisible()
    page.resize(500, 80)
    qtbot.waitUntil(page.strip.isHidden)
