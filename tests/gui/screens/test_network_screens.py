"""Draws the dialog Network and the ticks of the approval dialog, light and dark, narrow and twice as large."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.gui.runs.approval_page import ApprovalPage
from workbench.gui.settings.network import NetworkDialog

FOLDER = Path(__file__).resolve().parents[3] / "screenshots"
OFFER = '[[network.allow]]\ndomain = "*.team.example.org"\nports = [443, 8443]\nprotocols = ["tls", "http"]\n'
OWN = '[[network.allow]]\ndomain = "api.example.org"\n'


def _save(widget: Any, name: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    assert widget.grab().save(str(FOLDER / f"{name}.png"))


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_the_dialog_network(context: Any, fake_core: Any, bus: Any, make: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    fake_core.network_files[0].write_text(OFFER, "utf-8")
    fake_core.network_files[1].write_text(OWN, "utf-8")
    closed = make.entry(
        901,
        "connection.closed",
        "The connection to api.example.org:443 ended: 512 bytes sent, 20,480 received",
        actor="claude-code",
    )
    words = "Blocked: evil.test:443 is not among the hosts that programs may reach."
    fake_core.entry_list[:] = [closed, make.entry(902, "connection.blocked", words, detail={"address": "203.0.113.9"})]
    bus.listen(context.store.handle)
    fake_core.network_changed()
    dialog = NetworkDialog(context)
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.list.model.find("entry:902").isValid())
    dialog.list.view.setCurrentIndex(dialog.list.model.index(1))
    _save(dialog, f"network-{colours}")
    dialog.resize(dialog.minimumSize())
    qtbot.wait(1)
    _save(dialog, f"network-narrow-{colours}")


@pytest.mark.parametrize("colours", ["light", "dark"])
def test_hosts_to_tick_in_the_approval(context: Any, make: Any, qtbot: Any, colours: str) -> None:
    context.theme.choose(colours)
    run = make.run("w", sentence="Contacts api.example.org:443, if you allow it for this run.")
    hosts = ("api.example.org:443", "files.example.net:8443")
    run = replace(run, verdict=replace(run.verdict, hosts=hosts), deadline=time.time() + 200)
    dialog = ApprovalPage(context, run)
    qtbot.addWidget(dialog)
    assert dialog.width() <= dialog.screen().availableSize().width(), "a small screen shows all of its buttons"
    dialog.resize(900, 620)
    dialog.open()
    dialog.hosts.boxes[0].setChecked(True)
    _save(dialog, f"approval-hosts-{colours}")
