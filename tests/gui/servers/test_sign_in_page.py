"""A person signs in: sees whose page opens, opens it themselves, and reads each step when it fails."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel

from workbench.events import SignInChanged, SignInWanted
from workbench.gui.servers.sign_in import SignInPage
from workbench.records import Fault, ServerConfig, ServerState, ServerStatus, SignIn, SignInStep

URL = "https://login.example.com/authorize?client_id=me&state=s"
ASKED = SignInStep(
    "Contact the server", False, "The server requires a sign-in (401).", "POST", "https://far.example", 401
)
KNOWN = SignInStep(
    "Read the server's metadata", True, "The request succeeded.", "GET", "https://far.example/x", 200, "", "{}", 9
)
TOKEN = SignInStep(
    "Exchange the code for a token", False, "The request failed (500).", "POST", "https://as/token", 500, "a", "b"
)
STEPS = (ASKED, KNOWN, TOKEN)


@pytest.fixture
def asked(fake_core: Any) -> list[tuple[str, ...]]:
    """What the core was asked; `fake_core.sign_in_now` is what it tells."""
    words: list[tuple[str, ...]] = []
    fake_core.sign_in_now = SignIn("far")

    async def sign_in(server: str) -> SignIn:
        words.append(("sign_in", server))
        return fake_core.sign_in_now

    async def sign_in_report(server: str) -> SignIn:
        return fake_core.sign_in_now

    async def cancel_sign_in(server: str) -> SignIn:
        words.append(("cancel", server))
        fake_core.sign_in_now = SignIn("far", "cancelled")
        return fake_core.sign_in_now

    async def sign_out(server: str) -> SignIn:
        words.append(("sign_out", server))
        fake_core.sign_in_now = SignIn("far")
        return fake_core.sign_in_now

    async def complete_sign_in(server: str, address: str) -> None:
        words.append(("bring", server, address))

    for question in (sign_in, sign_in_report, cancel_sign_in, sign_out, complete_sign_in):
        setattr(fake_core, question.__name__, question)
    return words


@pytest.fixture
def page(window: Any, fake_core: Any, asked: Any, settled: Any) -> SignInPage:
    """The page of a server that wants a sign-in, opened from its card."""
    fault = Fault("far.example requires you to sign in.", "Press Sign in… for this server.")
    config = ServerConfig("far", url="https://far.example/mcp")
    fake_core.put(ServerState(config, ServerStatus.FAILED, allowed=True, sign_in="needed", fault=fault))
    fake_core.sign_in_now = SignIn("far", "waiting", URL, "login.example.com", STEPS[:2])
    settled()
    window.servers.show_tool("far")
    window.commands.do("server.sign_in")
    settled()
    found = window.centre.server.sheet().page()
    assert isinstance(found, SignInPage)
    return found


def words_in(widget: Any) -> str:
    return "\n".join(found.text() for found in widget.findChildren(QLabel) if found.isVisible())


def test_the_card_offers_to_sign_in_and_the_page_names_whose_page_will_open(
    page: Any, window: Any, asked: Any, monkeypatch: Any
) -> None:
    assert asked == [("sign_in", "far")]
    assert window.servers.card.keys.isVisible()
    assert page.browser.isVisible()
    assert "login.example.com" in words_in(page.browser)
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url) or True)
    assert opened == []  # no browser opens by itself
    page.browser.open.click()
    assert [url.toString() for url in opened] == [URL]
    page.browser.copy.click()
    assert QGuiApplication.clipboard().text() == URL
    assert window.status.message() == "Copied the address."


def test_an_address_that_is_no_web_page_is_not_opened(page: Any, window: Any) -> None:
    window.context.store.handle(SignInWanted("far", "file:///etc/passwd", "nowhere"))
    assert not page.browser.open.isEnabled()


def test_the_last_address_can_be_brought_from_another_machine(page: Any, asked: Any, settled: Any) -> None:
    page.browser.field.setText(" http://127.0.0.1:5/callback?code=c&state=s ")
    page.browser.use.click()
    settled()
    assert asked[-1] == ("bring", "far", "http://127.0.0.1:5/callback?code=c&state=s")


def test_a_failure_is_read_step_by_step(page: Any, fake_core: Any, window: Any, settled: Any) -> None:
    fake_core.sign_in_now = SignIn(
        "far", "failed", steps=STEPS, fault=Fault("The token endpoint issued no token.", "See below.")
    )
    window.context.store.handle(SignInChanged("far", "failed"))
    settled()
    assert not page.browser.isVisible()
    assert "The token endpoint issued no token." in words_in(page)
    assert [page.list.model.index(row).data() for row in range(3)] == [step.title for step in STEPS]
    assert page.list.key() == "2"  # where it went wrong
    assert "https://as/token" in page.detail.toPlainText()
    assert "HTTP 500" in page.detail.toPlainText()


def test_it_is_cancelled_and_begun_again(page: Any, asked: Any, settled: Any) -> None:
    page.cancel.click()
    settled()
    assert asked[-1] == ("cancel", "far")
    page.begin.click()
    settled()
    assert asked[-1] == ("sign_in", "far")


def test_who_is_signed_in_can_sign_out(page: Any, fake_core: Any, window: Any, asked: Any, settled: Any) -> None:
    fake_core.sign_in_now = SignIn("far", "done", stored=True, scope="read", expires=time.time() + 60, steps=STEPS[:2])
    fake_core.put(ServerState(page.state.config, ServerStatus.READY, allowed=True, sign_in="done"))
    settled()
    assert "You are signed in. Scope: read." in words_in(page)
    assert not window.servers.card.keys.isVisible()
    page.sign_out.click()
    settled()
    assert asked[-1] == ("sign_out", "far")
    assert "You are not signed in." in words_in(page)


def test_a_server_on_this_machine_has_nowhere_to_sign_in(window: Any, fake_core: Any, asked: Any, settled: Any) -> None:
    window.servers.show_tool("files")
    window.centre.server.show_server("files", "sign_in")
    window.centre.setCurrentWidget(window.centre.server)
    settled()
    assert "needs no sign-in" in words_in(window.centre.server)
    assert not window.commands["server.sign_in"].isEnabled()
