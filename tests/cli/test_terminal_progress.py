"""The line that moves is for terminals alone, and leaves nothing behind."""

from __future__ import annotations

import io
import sys

from workbench.cli.terminal_output import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_nothing(monkeypatch):
    pipe = io.StringIO()
    monkeypatch.setattr(sys, "stderr", pipe)
    progress = Progress()
    progress.show("working", 1, 2)
    progress.clear()
    assert pipe.getvalue() == ""


def test_a_terminal_gets_a_bar_that_is_gone_at_the_end(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    progress = Progress()
    progress.show("a\x1b[2Jb", 1, 2)
    assert "[############............] 1/2 a\\x1b[2Jb" in terminal.getvalue()
    progress.clear()
    assert terminal.getvalue().endswith("\r\x1b[K")
