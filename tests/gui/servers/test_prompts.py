"""The page of prompts: found, filled with proposals, shown as a conversation, copied."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTabBar

from tests.gui.fake_core import PICTURE
from workbench.gui.kit.controls import Picture
from workbench.gui.kit.text import ForeignLabel
from workbench.gui.servers.prompts import PromptsPage
from workbench.records import Content, PromptAnswer, PromptMessage


def in_window(window: Any, qtbot: Any) -> Any:
    centre = window.centre.server
    centre.show_server("demo", "prompts")
    window.centre.setCurrentWidget(centre)
    qtbot.waitUntil(lambda: centre.sheet() is not None and isinstance(centre.sheet().page(), PromptsPage))
    made = centre.sheet().page()
    qtbot.waitUntil(lambda: made.list.model.rowCount() == 2)
    return made


@pytest.fixture
def page(show_page: Any, qtbot: Any) -> Any:
    made = show_page(PromptsPage)
    qtbot.waitUntil(lambda: made.list.model.rowCount() == 2)
    return made


def words(page: Any) -> str:
    return "\n".join(found.full_text() for found in page.detail.findChildren(ForeignLabel) if found.isVisible())


def test_enter_leads_to_the_first_blank_and_enter_in_the_last_one_gets_it(
    window: Any, fake_core: Any, qtbot: Any
) -> None:
    page = in_window(window, qtbot)
    page.list.select("answer")
    qtbot.keyClick(page.list.view, Qt.Key.Key_Return)
    arguments = page.detail.arguments
    qtbot.waitUntil(arguments.line("ticket").hasFocus)
    qtbot.keyClicks(arguments.line("ticket"), "TIC-0001")
    qtbot.keyClick(arguments.line("ticket"), Qt.Key.Key_Return)
    qtbot.waitUntil(arguments.line("tone").hasFocus)
    qtbot.keyClick(arguments.line("tone"), Qt.Key.Key_Return)
    qtbot.waitUntil(page.detail.messages.isVisible)
    assert ("prompt", "answer", {"ticket": "TIC-0001"}) in fake_core.offers_asked
    assert "Reply to TIC-0001." in words(page)
    assert "Assistant" in words(page)
    assert page.detail.messages.findChild(Picture) is not None
    assert "3 messages" in page.detail.summary.full_text()
    assert "≈ 40 tokens" in page.detail.summary.full_text()


def test_arguments_are_completed_with_what_is_filled_already(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select("answer")
    arguments = page.detail.arguments
    arguments.line("ticket").setText("TIC-0002")
    qtbot.keyClicks(arguments.line("tone"), "fr")
    qtbot.waitUntil(lambda: arguments.line("tone").suggestions() == ("friendly",))
    assert ("complete", "prompt", "answer", "tone", "fr", {"ticket": "TIC-0002"}) in fake_core.offers_asked


def test_what_is_needed_is_asked_for_before_anything_is_sent(window: Any, fake_core: Any, qtbot: Any) -> None:
    page = in_window(window, qtbot)
    page.list.select("answer")
    window.commands.do("front.start")
    assert page.detail.arguments.is_marked("ticket")
    assert not [one for one in fake_core.offers_asked if one[0] == "prompt"]


def test_a_fault_stands_where_the_messages_would(page: Any, qtbot: Any) -> None:
    page.list.select("answer")
    page.detail.arguments.line("ticket").setText("none")
    page.detail.request()
    qtbot.waitUntil(lambda: page.detail.fault.sentence() == "There is no ticket none.")
    assert not page.detail.messages.isVisible()
    assert not page.detail.copy_json.isEnabled()


def test_a_prompt_without_arguments_is_fetched_at_once_and_copied(page: Any, qtbot: Any) -> None:
    page.list.select("hello")
    qtbot.keyClick(page.list.view, Qt.Key.Key_Return)
    qtbot.waitUntil(page.detail.copy_json.isEnabled)
    page.detail.copy_json.click()
    qtbot.waitUntil(lambda: QGuiApplication.clipboard().text() == '{"messages": []}')


def test_what_was_typed_waits_while_another_prompt_is_looked_at(page: Any) -> None:
    page.list.select("answer")
    page.detail.arguments.line("ticket").setText("TIC-0001")
    page.list.select("hello")
    page.list.select("answer")
    assert page.detail.arguments.values() == {"ticket": "TIC-0001"}


def test_messages_belong_to_the_arguments_and_are_shown_again(page: Any, fake_core: Any, qtbot: Any) -> None:
    page.list.select("answer")
    page.detail.arguments.line("ticket").setText("TIC-0001")
    page.detail.request()
    qtbot.waitUntil(page.detail.messages.isVisible)
    page.detail.arguments.line("ticket").setText("TIC-00012")
    assert not page.detail.messages.isVisible()
    assert not page.detail.copy_json.isEnabled()
    page.list.select("hello")
    page.list.select("answer")
    page.detail.arguments.line("ticket").setText("TIC-0001")
    assert page.detail.messages.isVisible()
    assert len([one for one in fake_core.offers_asked if one[0] == "prompt"]) == 1


def test_a_thousand_messages_and_foreign_text_are_shown_in_bounds(page: Any, fake_core: Any, qtbot: Any) -> None:
    async def get_prompt(server: str, name: str, arguments: Any) -> PromptAnswer:
        odd = PromptMessage("<b>root</b>", Content("text", "<img src=x>\u202e"))
        long = PromptMessage("user", Content("text", "x" * 10_000))
        broken = PromptMessage("user", Content("image", mime="image/png", data="no picture"))
        return PromptAnswer(name, messages=(odd, long, broken, *(odd,) * 997), raw="{}")

    fake_core.get_prompt = get_prompt
    page.list.select("hello")
    page.detail.request()
    qtbot.waitUntil(page.detail.messages.isVisible)
    assert "940 more messages" in words(page)
    assert "‹U+202E›" in words(page)
    labels = page.detail.findChildren(ForeignLabel)
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels)


def test_a_drawing_that_names_a_file_is_not_drawn(page: Any, fake_core: Any, qtbot: Any, tmp_path: Path) -> None:
    named = tmp_path / "private.png"
    named.write_bytes(base64.b64decode(PICTURE))
    xlink = "http://www.w3.org/1999/xlink"
    for link in ("href", "xlink:href"):
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="{xlink}" width="40" height="40">'
            f'<image {link}="{named}" width="40" height="40"/></svg>'
        )
        for mime in ("image/svg+xml", "image/png"):  # what the server calls it decides nothing
            content = Content("image", mime=mime, data=base64.b64encode(svg.encode()).decode())

            async def get_prompt(server: str, name: str, arguments: Any, content: Content = content) -> PromptAnswer:
                return PromptAnswer(name, messages=(PromptMessage("user", content),), raw="{}")

            fake_core.get_prompt = get_prompt
            page.list.select("hello")
            page.detail.request()
            qtbot.waitUntil(lambda mime=mime: mime in words(page))
            assert page.detail.messages.findChild(Picture) is None


def test_a_server_without_prompts_says_so(page: Any, fake_core: Any, qtbot: Any) -> None:
    fake_core.put_offers(prompts=())
    qtbot.waitUntil(lambda: page.empty.accessibleName() == "This server has no prompts")


def test_the_counts_stand_beside_the_titles(fake_core: Any, window: Any, qtbot: Any) -> None:
    in_window(window, qtbot)
    fake_core.put(replace(fake_core.server_states["demo"], resource_count=12, prompt_count=2))
    tabs = window.centre.server.sheet().findChild(QTabBar)
    qtbot.waitUntil(lambda: {"Resources  12", "Prompts  2"} <= {tabs.tabText(at) for at in range(tabs.count())})
