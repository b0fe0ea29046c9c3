"""Finds the system libraries that Qt's wheels need but do not contain, and names their Debian packages."""

from __future__ import annotations

import subprocess
from pathlib import Path

from trouble import Trouble

# Shared library → the Debian and Ubuntu package that contains it.
PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
# What the window loads: the imported modules and the two platform plugins.
LOADED = (
    "lib/libQt6Widgets.so.6",
    "lib/libQt6Svg.so.6",
    "plugins/platforms/libqxcb.so",
    "plugins/platforms/libqoffscreen.so",
)

_TRY = """
import ctypes, sys
for name in sys.argv[1:]:
    try:
        ctypes.CDLL(name)
    except OSError as fault:
        print(name, fault, sep="\\t")
"""


def missing_packages(python: Path) -> list[str]:
    """Every package with a library that cannot be loaded, sorted."""
    return sorted({PACKAGES[name] for name, _ in _unloadable(python, *PACKAGES)})


def prove(python: Path) -> None:
    """Load what the window will load. A library that is not in the table is reported by its own name."""
    folder = Path(
        _ask(python, "import importlib.util as u; print(u.find_spec('PySide6').submodule_search_locations[0])")
    )
    faults = _unloadable(python, *(str(folder / "Qt" / name) for name in LOADED))
    if faults:
        raise Trouble(
            f"Qt cannot be loaded: {faults[0][1]}\nInstall the package of your system that brings it, then start again."
        )


def _unloadable(python: Path, *names: str) -> list[tuple[str, str]]:
    lines = _ask(python, _TRY, *names).splitlines()
    return [(name, fault) for name, _, fault in (line.partition("\t") for line in lines)]


def _ask(python: Path, program: str, *arguments: str) -> str:
    command = [str(python), "-c", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
