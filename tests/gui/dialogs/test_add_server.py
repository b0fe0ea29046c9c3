from __future__ import annotations

from typing import Any

import pytest

from workbench.errors import WorkbenchError
from workbench.gui.dialogs.add_server import AddServer, read_config
from workbench.records import ServerConfig


def test_a_command_line_is_read_as_a_shell_reads_it() -> None:
    config = read_config(" files ", "npx -y '@acme/my files' .", "/srv", "TOKEN=a=b\n\nEMPTY=")
    assert config == ServerConfig("files", "npx", ("-y", "@acme/my files", "."), {"TOKEN": "a=b", "EMPTY": ""}, "/srv")


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
        read_config(name, command, "", variables)
    assert refused.value.hint


def test_a_refusal_of_the_core_keeps_everything_that_was_typed(context: Any, paper: Any, qtbot: Any) -> None:
    dialog = AddServer(context)
    qtbot.addWidget(dialog)
    dialog.open()
    dialog.name.setText("demo")
    dialog.command.setText("npx thing")
    dialog.add.click()
    qtbot.waitUntil(lambda: dialog.fault.isVisible())
    assert "taken" in dialog.fault.text()
    assert dialog.command.text() == "npx thing"
    dialog.name.setText("thing")
    with qtbot.waitSignal(dialog.accepted):
        dialog.add.click()
    assert "thing" in paper.server_states
