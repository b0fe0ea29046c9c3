"""How the window looks: named colours, two fonts, one spacing unit; `changed` says that light became dark.

Widgets say what they are with the dynamic properties `role` (labels) and `kind` (buttons, frames); the stylesheet
knows how that looks. `mark()` sets one. No pane sets a colour or a pixel by itself.
"""

from __future__ import annotations

import logging
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from workbench.gui.kit.colours import DARK, LIGHT, RISK_ROLES, Colours, blend
from workbench.gui.kit.stylesheet import stylesheet
from workbench.paths import resources
from workbench.records import Risk

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


class Theme(QObject):
    """The look of the application. `setting` is "system", "light" or "dark"."""

    changed = Signal()

    def __init__(self, setting: str = "system", points: int = 10, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._setting = setting
        self._points = points
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._follow)

    @property
    def setting(self) -> str:
        return self._setting

    @property
    def dark(self) -> bool:
        if self._setting == "system":
            return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self._setting == "dark"

    @property
    def colours(self) -> Colours:
        return DARK if self.dark else LIGHT

    @property
    def unit(self) -> int:
        """The step of all spacing, about a third of a line; margins are multiples of it."""
        return max(3, round(self._points * 0.4))

    def colour(self, role: str) -> QColor:
        return QColor(getattr(self.colours, role))

    def soft(self, role: str, share: float = 0.14) -> QColor:
        """A pale background in the colour of a role, for badges, banners and marked lines."""
        return QColor(blend(getattr(self.colours, role), self.colours.surface, share))

    def risk(self, risk: Risk) -> QColor:
        return self.colour(RISK_ROLES[risk])

    def ui(self, steps: int = 0, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
        """The font of the window, `steps` points larger or smaller."""
        return self._font(UI_FAMILIES, steps, weight)

    def mono(self, steps: int = 0) -> QFont:
        """The font of code, identifiers and machine output."""
        font = self._font(MONO_FAMILIES, steps, QFont.Weight.Normal)
        font.setStyleHint(QFont.StyleHint.Monospace)
        font.setFixedPitch(True)
        return font

    def choose(self, setting: str, points: int | None = None) -> None:
        """Switch to another setting and show it at once."""
        if (setting, points or self._points) == (self._setting, self._points):
            return
        self._setting, self._points = setting, points or self._points
        self.apply()

    def apply(self) -> None:
        """Apply palette, font and stylesheet to the application."""
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        app.setFont(self.ui())
        app.setPalette(_palette(self.colours))
        app.setStyleSheet("")  # Qt replaces one style sheet by another in 250 ms, but clears and sets it in 50 ms
        app.setStyleSheet(stylesheet(self.colours, self.unit, self._points, self.mono().families()))
        self.changed.emit()

    def _font(self, families: tuple[str, ...], steps: int, weight: QFont.Weight) -> QFont:
        font = QFont(list(families), self._points + steps)
        font.setWeight(weight)
        return font

    def _follow(self) -> None:
        if self._setting == "system":
            self.apply()


def mark(widget: QWidget, **words: str) -> None:
    """Set the properties `role`, `kind` and `tone` that the stylesheet selects by."""
    for name, word in words.items():
        widget.setProperty(name, word)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)


def _palette(colours: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for place, colour in (
        (role.Window, colours.surface),
        (role.WindowText, colours.text),
        (role.Base, colours.surface),
        (role.AlternateBase, colours.sunken),
        (role.Text, colours.text),
        (role.PlaceholderText, colours.muted),
        (role.Button, colours.raised),
        (role.ButtonText, colours.text),
        (role.BrightText, colours.danger),
        (role.ToolTipBase, colours.raised),
        (role.ToolTipText, colours.text),
        (role.Highlight, colours.selected),
        (role.HighlightedText, colours.text),
        (role.Link, colours.accent),
        (role.LinkVisited, colours.accent),
        (role.Accent, colours.accent),
        (role.Light, colours.hover),
        (role.Midlight, colours.border),
        (role.Mid, colours.edge),
        (role.Dark, colours.border),
        (role.Shadow, colours.background),
    ):
        palette.setColor(place, QColor(colour))
    for place in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, place, QColor(colours.faint))
    return palette
