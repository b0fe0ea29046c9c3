"""A page of a server alone, as if it were in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QWidget


@pytest.fixture
def show_page(context: Any, fake_core: Any, qtbot: Any) -> Iterator[Callable[[type[Any]], Any]]:
    """Makes a page of the demo server, shows it and lets it load."""
    frame = QWidget()
    qtbot.addWidget(frame)
    frame.resize(1000, 700)

    def show(kind: type[Any]) -> Any:
        page = kind(context, fake_core.server_states["demo"])
        page.setParent(frame)
        page.resize(frame.size())
        fake_core.bus.listen(context.store.handle)
        frame.show()
        frame.activateWindow()
        page.load()
        page.set_seen(seen=True)
        return page

    yield show
    frame.hide()
