"""The two fonts that are part of the application; the system's fonts are the fallback."""

from __future__ import annotations

import logging
from functools import cache

from PySide6.QtGui import QFontDatabase

from workbench.paths import resources

log = logging.getLogger(__name__)

UI_FAMILIES = ("Inter", "Inter Variable", "Cantarell", "Noto Sans", "DejaVu Sans")
MONO_FAMILIES = ("JetBrains Mono", "Noto Sans Mono", "DejaVu Sans Mono", "monospace")


@cache
def load_fonts() -> tuple[str, ...]:
    """Register the shipped font files with Qt, once. Returns the families."""
    families: list[str] = []
    folder = resources() / "fonts"
    for file in sorted((*folder.glob("*.ttf"), *folder.glob("*.otf"))):
        number = QFontDatabase.addApplicationFont(str(file))
        if number < 0:
            log.warning("the font %s cannot be read", file.name)
            continue
        families.extend(QFontDatabase.applicationFontFamilies(number))
    return tuple(dict.fromkeys(families))
