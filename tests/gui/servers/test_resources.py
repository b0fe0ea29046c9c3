"""The page of resources: found, read, filled in, subscribed to, saved."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QToolButton

from workbench.errors import WorkbenchError
from workbench.events import ResourcesUpdated
from workbench.gui.kit.rows import ROW
from workbench.gui.servers.resources import ResourcesPage
from workbench.gui.shell.navigation import ShowServer
from workbench.records import Content, Resource

TEMPLATE = "template\ndemo://customers/{id}{?part}"


def open_page(window: Any, qtbot: Any, server: str = "demo", page: str = "resources", item: str = "") -> Any:
    window.centre.server.show_server(server, page, item)
    window.centre.setCurrentWidget(window.centre.server)
    centre = window.centre.server
    qtbot.waitUntil(lambda: centre.sheet() is not None and centre.sheet().page().server == server)
    qtbot.waitUntil(lambda: window.context.tasks.running() == 0)
    return centre.sheet().page()


@pytest.fixture
def page(show_page: Any, qtbot: Any) -> Any:
    made = show_page(ResourcesPage)
    qtbot.waitUntil(lambda: made.list.model.rowCount() == 4)
    return made


def titles(page: Any) -> list[str]:
    model = page.list.model
    return [model.index(row).data() for row in range(model.rowCount())]


def badges(page: Any, key: str) -> list[str]:
    return [word for word, _ in page.list.model.find(key).data(ROW).badges]


def read(page: Any, qtbot: Any, key: str) -> None:
    page.list.select(key)
    qtbot.keyClick(page.list.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.detail.result.isVisible())


def test_templates_come_first_and_letters_find_the_rest(page: Any, qtbot: Any) -> None:
    assert titles(page) == ["A customer", "About the company", "Orders", "Orders a month"]
    qtbot.keyClicks(page.list.finder, "orders png")
    qtbot.waitUntil(lambda: titles(page) == ["Orders a month"])
    qtbot.keyClick(page.list.finder, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: len(titles(page)) == 4)


def test_moving_looks_and_enter_reads(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select("demo://about")
    assert page.detail.title.full_text() == "About the company"
    assert page.detail.address == "demo://about"
    assert fake_core.offers_asked == []
    qtbot.keyClick(page.list.view, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.detail.result.isVisible())
    assert fake_core.offers_asked == [("read", "demo://about")]
    assert page.detail.summary.full_text().startswith("3 ms")


def test_ctrl_enter_reads_again_and_going_back_shows_what_was_read(window: Any, fake_core: Any, qtbot: Any) -> None:
    page = open_page(window, qtbot)
    read(page, qtbot, "demo://about")
    page.list.select("demo://chart")
    assert not page.detail.result.isVisible()
    page.list.select("demo://about")
    assert page.detail.result.isVisible()
    window.commands.do("front.start")
    qtbot.waitUntil(lambda: len(fake_core.offers_asked) == 2)


def test_a_refusal_stands_above_with_its_hint(page: Any, fake_core: Any, qtbot: Any) -> None:
    del fake_core.contents["demo://about"]
    page.list.select("demo://about")
    page.detail.request()
    qtbot.waitUntil(lambda: page.detail.fault.sentence() == "demo refused to read demo://about.")
    assert not page.detail.result.isVisible()


def test_the_blanks_of_a_template_make_its_address(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select(TEMPLATE)
    qtbot.keyClick(page.list.view, Qt.Key.Key_Return)
    arguments = page.detail.arguments
    page.detail.request()
    assert arguments.is_marked("id")
    assert fake_core.offers_asked == []
    qtbot.keyClicks(arguments.line("id"), "a b")
    assert page.detail.address == "demo://customers/a%20b"
    arguments.line("part").setText("mail")
    assert page.detail.address == "demo://customers/a%20b?part=mail"
    fake_core.contents["demo://customers/a%20b?part=mail"] = Content("text", "found")
    qtbot.keyClick(arguments.line("part"), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.detail.result.isVisible())
    page.list.select("demo://about")
    page.list.select(TEMPLATE)
    assert page.detail.arguments.values() == {"id": "a b", "part": "mail"}


def test_a_subscription_is_marked_when_the_server_took_it_and_a_change_when_it_came(
    page: Any, fake_core: Any, qtbot: Any
) -> None:
    read(page, qtbot, "demo://about")
    page.detail.subscribe.click()
    qtbot.waitUntil(lambda: badges(page, "demo://about") == ["subscribed"])
    assert page.detail.subscribe.isChecked()
    fake_core.bus.tell(ResourcesUpdated("demo", ("demo://about",)))
    qtbot.waitUntil(lambda: badges(page, "demo://about") == ["updated", "subscribed"])
    assert "announced a change" in page.detail.notice.sentence()
    page.detail.request()
    qtbot.waitUntil(lambda: badges(page, "demo://about") == ["subscribed"])
    assert page.detail.notice.sentence() == ""
    page.detail.subscribe.click()
    qtbot.waitUntil(lambda: badges(page, "demo://about") == [])


def test_an_answer_from_before_an_announced_change_is_not_shown_again(page: Any, fake_core: Any, qtbot: Any) -> None:
    read(page, qtbot, "demo://about")
    page.list.select("demo://orders")
    fake_core.bus.tell(ResourcesUpdated("demo", ("demo://about",)))
    page.list.select("demo://about")
    assert not page.detail.result.isVisible()
    assert "announced a change" in page.detail.notice.sentence()
    assert page.detail.notice.hint() == "Read the resource again."
    page.list.select("demo://orders")
    assert page.detail.notice.sentence() == ""
    page.list.select("demo://about")
    page.detail.request()
    qtbot.waitUntil(page.detail.result.isVisible)
    assert page.detail.notice.sentence() == ""


def test_the_notice_of_a_change_stays_after_leaving_and_returning(page: Any, fake_core: Any, qtbot: Any) -> None:
    read(page, qtbot, "demo://about")
    fake_core.bus.tell(ResourcesUpdated("demo", ("demo://about",)))
    assert page.detail.result.isVisible()
    assert "content below is older" in page.detail.notice.hint()
    page.list.select("demo://orders")
    page.list.select("demo://about")
    assert "announced a change" in page.detail.notice.sentence()
    assert not page.detail.result.isVisible()


def test_a_refused_subscription_is_a_sentence_and_no_mark(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.offer_fault = WorkbenchError("demo refused to subscribe.", "It does not change.")
    page.list.select("demo://about")
    page.detail.subscribe.click()
    qtbot.waitUntil(lambda: page.detail.fault.sentence() == "demo refused to subscribe.")
    assert not page.detail.subscribe.isChecked()


def test_a_changed_list_keeps_the_choice(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select("demo://orders")
    fake_core.resource_list.insert(0, Resource("demo", "demo://new", "new"))
    fake_core.put_offers()
    qtbot.waitUntil(lambda: len(titles(page)) == 5)
    assert page.list.key() == "demo://orders"
    assert page.detail.key == "demo://orders"


def test_a_change_while_the_page_is_away_is_loaded_when_it_is_seen(
    window: Any, fake_core: Any, qtbot: Any, settled: Any
) -> None:
    page = open_page(window, qtbot)
    qtbot.waitUntil(lambda: len(titles(page)) == 4)
    window.centre.setCurrentWidget(window.centre.editor)
    fake_core.resource_list.clear()
    fake_core.put_offers()
    settled()
    assert len(titles(page)) == 4
    window.centre.setCurrentWidget(window.centre.server)
    qtbot.waitUntil(lambda: len(titles(page)) == 1)


def test_ten_thousand_resources_are_listed_and_found(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.resource_list = [Resource("demo", f"demo://{at}", f"file {at}") for at in range(10_000)]
    fake_core.put_offers()
    qtbot.waitUntil(lambda: page.list.model.rowCount() == 10_001)
    page.list.finder.setText("9999")
    qtbot.waitUntil(lambda: titles(page) == ["file 9999"])
    assert page.list.count.text() == "1 of 10,001"


def test_nothing_to_show_says_why(window: Any, fake_core: Any, qtbot: Any) -> None:
    page = open_page(window, qtbot, "files")
    assert page.empty.accessibleName() == "This server has not run yet"
    wished: list[Any] = []
    page.context.messages.requested.connect(wished.append)
    qtbot.mouseClick(page.empty.findChild(QPushButton), Qt.MouseButton.LeftButton)
    assert wished == [ShowServer("files", "overview")]
    fake_core.resource_list.clear()
    fake_core.offered = replace(fake_core.offered, templates=())
    page = open_page(window, qtbot)
    qtbot.waitUntil(lambda: page.empty.accessibleName() == "This server has no resources")


def test_left_out_entries_are_told(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_offers(warnings=("Resource number 2 was left out: it has no uri.",))
    qtbot.waitUntil(lambda: page.fault.sentence() == "Some entries are invalid and were left out.")


def test_a_resource_can_be_opened_by_its_address(window: Any, fake_core: Any, qtbot: Any) -> None:
    page = open_page(window, qtbot, item="demo://orders")
    qtbot.waitUntil(lambda: page.detail.result.isVisible())
    assert fake_core.offers_asked == [("read", "demo://orders")]


def test_the_address_can_be_copied(page: Any, qtbot: Any) -> None:
    page.list.select("demo://about")
    qtbot.mouseClick(
        next(one for one in page.findChildren(QToolButton) if one.accessibleName() == "Copy address"),
        Qt.MouseButton.LeftButton,
    )
    assert QGuiApplication.clipboard().text() == "demo://about"


def test_what_a_server_writes_does_not_make_the_page_grow(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select("demo://about")
    qtbot.wait(20)
    wide = page.minimumSizeHint().width()
    endless = Resource("demo", "demo://" + "x" * 8_000, "n" * 500, "t" * 500, "d" * 4_000)
    blanks = "".join(f"{{?{'v' * 150}{at}}}" for at in range(40))
    fake_core.resource_list.append(endless)
    template = replace(fake_core.offered.templates[0], template=f"demo://{blanks}")
    template = replace(template, variables=tuple(f"{'v' * 150}{at}" for at in range(40)))
    fake_core.put_offers(templates=(template,))
    qtbot.waitUntil(lambda: len(titles(page)) == 5)
    for key in (endless.uri, f"template\n{template.template}"):
        page.list.select(key)
        qtbot.wait(20)
        assert page.minimumSizeHint().width() <= wide + 40
        assert page.minimumSizeHint().height() < 700
