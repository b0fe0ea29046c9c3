"""Checks whether a window can be opened here, before Qt is loaded: Qt would abort the process."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from workbench.errors import WorkbenchError


def check_window(environ: Mapping[str, str], python: tuple[int, int], qt: str) -> None:
    """Refuse what would end in an abort inside Qt: no display, or a Qt that does not work with this Python."""
    if sys.platform == "linux" and not any(environ.get(n) for n in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")):
        raise WorkbenchError(
            "There is no display to open a window on.",
            "Run it in a desktop session. Without one, `mcp-workbench serve` and the other commands work.",
        )
    if not qt:
        raise WorkbenchError(
            "PySide6 is not installed.", 'Install it with: pip install "PySide6-Essentials>=6.10,<6.12"'
        )
    if python < (3, 12) and _numbers(qt) >= (6, 12):
        raise WorkbenchError(
            f"PySide6 {qt} crashes on Python {python[0]}.{python[1]}.",
            'Install one that works: pip install "PySide6-Essentials>=6.10,<6.12"',
        )


def qt_version() -> str:
    """The version of the installed Qt; empty when there is none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("PySide6-Essentials")
    except PackageNotFoundError:
        return ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
