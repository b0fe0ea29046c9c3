from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.gui.servers.add_server import ADDRESS, AddServer, read_address, read_command
from workbench.records import ServerConfig


def test_a_command_line_is_read_as_a_shell_reads_it() -> None:
    config = read_command(" files ", "npx -y '@acme/my files' .", "/srv", "TOKEN=a=b\n\nEMPTY=")
    assert config == ServerConfig("files", "npx", ("-y", "@acme/my files", "."), {"TOKEN": "a=b", "EMPTY": ""}, "/srv")


def test_an_address_comes_with_its_headers() -> None:
    config = read_address("far", " https://e.org/mcp ", "sse", "X-Team: blue\n\nAuthorization: Bearer ${TOKEN}")
    headers = {"X-Team": "blue", "Authorization": "Bearer ${TOKEN}"}
    assert config == ServerConfig("far", url="https://e.org/mcp", transport="sse", headers=headers)


@pytest.mark.parametrize(
    ("name", "command", "variables", "words"),
    [
        ("", "npx", "", "no name"),
        ("files", "", "", "empty"),
        ("files", "npx 'open", "", "cannot be read"),
        ("files", "npx", "GOOD=1\nnot a variable", "Line 2"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(name: str, command: str, variables: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words) as refused:
        read_command(name, command, "", variables)
    assert refused.value.hint


@pytest.mark.parametrize(("url", "headers", "words"), [("e.org", "", "begin with http"), ("http://e", "bad", "Line 1")])
def test_what_does_not_fit_an_address_too(url: str, headers: str, words: str) -> None:
    with pytest.raises(WorkbenchError, match=words):
        read_address("far", url, "", headers)


def test_a_refusal_of_the_core_keeps_everything_that_was_typed(context: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.name.setText("demo")
    dialog.command.setText("npx thing")
    dialog.button("Add").click()
    qtbot.waitUntil(lambda: dialog.fault.isVisible())
    assert "taken" in dialog.fault.sentence()
    assert dialog.command.text() == "npx thing"
    dialog.name.setText("thing")
    with qtbot.waitSignal(dialog.accepted):
        dialog.button("Add").click()
    assert ("edit_server", ("", ServerConfig("thing", "npx", ("thing",)), True)) in fake_core.asked


def test_what_is_pasted_fills_the_form(context: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.paste.setText('{"mcpServers": {"hub": {"url": "https://e.org/mcp", "headers": {"X": "1"}}}}')
    assert dialog.kind.currentIndex() == ADDRESS
    assert dialog.url.isVisible()
    assert not dialog.command.isVisible()
    assert dialog.read() == ServerConfig("hub", url="https://e.org/mcp", headers={"X": "1"})
    dialog.paste.setText("{ broken")
    assert "cannot be read" in dialog.fault.sentence()
    assert dialog.read().name == "hub"


def test_a_known_server_fills_the_form_and_is_added_as_shown(context: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.known.button.click()
    qtbot.waitUntil(lambda: len(dialog.known.menu.actions()) == 2)
    local, remote = dialog.known.menu.actions()
    local.trigger()
    assert (dialog.command.text(), dialog.variables.toPlainText()) == ("docker run x", "TOKEN=${keyring:github token}")
    remote.trigger()
    dialog.known.menu.close()
    words = dialog.known.facts.text()
    assert all(
        part in words for part in ("hosted by Slack", "internal Slack app", "clientId: ${keyring:slack client id}")
    )
    with qtbot.waitSignal(dialog.accepted):
        dialog.button("Add").click()
    assert ("edit_server", ("", fake_core.known[1].config, True)) in fake_core.asked


def test_another_address_does_not_take_the_way_to_sign_in_along(context: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.known.select(fake_core.known[1])
    dialog.url.setText("https://elsewhere.example/mcp")
    assert dialog.read().oauth == {}


def test_the_time_limit_says_what_it_is_while_none_is_typed(context: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.show()
    text = dialog.time_limit.lineEdit()
    assert text.text() == "Default (from settings)"
    qtbot.waitUntil(lambda: text.width() > text.fontMetrics().horizontalAdvance(text.text()))


def test_an_edited_entry_keeps_what_the_form_does_not_show(context: Any, fake_core: Any, qtbot: Any) -> None:
    before = ServerConfig(
        "files", "npx", ("-y", "x"), {"A": "1"}, "sub", disabled=True, roots=("src",), category="work",
        timeout_seconds=30, description="mine",
    )  # fmt: skip
    dialog = AddServer(context, before=before)
    qtbot.addWidget(dialog)
    dialog.open()
    assert dialog.read() == before
    dialog.name.setText("my files")
    dialog.separate_secrets.setChecked(False)
    with qtbot.waitSignal(dialog.accepted):
        dialog.button("Save").click()
    name, config, keep = next(words for asked, words in fake_core.asked if asked == "edit_server")
    assert (name, config.name, config.roots, config.disabled, keep) == ("files", "my files", ("src",), True, False)


def test_the_form_is_as_high_as_its_content(context: Any, fake_core: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.known.select(fake_core.known[1])
    height, box = dialog.height(), dialog.headers.height()
    facts = dialog.known.facts
    assert facts.height() >= facts.heightForWidth(facts.width()), "the facts are not cut"
    dialog.paste.setText("{ broken")
    qtbot.waitUntil(dialog.fault.isVisible)
    assert dialog.height() > height
    assert dialog.headers.height() == box, "a fault takes no room from the fields"
    dialog.paste.clear()
    dialog.kind.setCurrentIndex(ADDRESS)
    dialog.button("Cancel").click()
