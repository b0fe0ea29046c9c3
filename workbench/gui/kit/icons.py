"""Icons from the shipped SVG files, drawn in a colour of the current theme each time they are painted.

The files draw with `currentColor`, which Qt renders black; so the colour is written into the text before rendering.
Because the colour is chosen at painting, nobody has to set icons again when the theme changes.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from workbench.gui.kit.colours import DARK, LIGHT
from workbench.paths import resources

_MISSING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">'
    '<circle cx="12" cy="12" r="5" fill="none" stroke="currentColor" stroke-width="2"/></svg>'
)


@lru_cache(maxsize=512)
def icon(name: str, role: str = "muted") -> QIcon:
    """The named icon in the colour of a role; an open circle for an unknown name."""
    return QIcon(_Engine(name, role))


def pixmap(name: str, role: str, size: int, ratio: float = 1.0) -> QPixmap:
    """An icon as a pixmap for labels; `size` in device-independent pixels."""
    return icon(name, role).pixmap(QSize(size, size), ratio)


def names() -> frozenset[str]:
    """The names of all icon files."""
    return frozenset(file.stem for file in (resources() / "icons").glob("*.svg"))


@lru_cache(maxsize=256)
def _source(name: str) -> str:
    try:
        return (resources() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    except OSError:
        return _MISSING


@lru_cache(maxsize=1024)
def _drawing(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def _colour(role: str, mode: QIcon.Mode) -> str:
    ground = QGuiApplication.palette().color(QPalette.ColorRole.Window)
    colours = DARK if ground.lightness() < 128 else LIGHT
    if mode == QIcon.Mode.Disabled:
        return colours.faint
    return str(getattr(colours, role))


_clones: list[QIconEngine] = []


class _Engine(QIconEngine):
    """Paints an SVG in the current colour of the theme."""

    def __init__(self, name: str, role: str) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        side = min(rect.width(), rect.height())
        square = QRectF(
            rect.x() + (rect.width() - side) / 2, rect.y() + (rect.height() - side) / 2, float(side), float(side)
        )
        _drawing(self._name, _colour(self._role, mode)).render(painter, square)

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        """`size` is in device-independent pixels; the pixmap has `scale` times as many in each direction."""
        if size.isEmpty():
            return QPixmap()
        picture = QPixmap(size * scale)
        picture.setDevicePixelRatio(scale)
        picture.fill(QColor(Qt.GlobalColor.transparent))
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, QRect(QPoint(0, 0), size), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        """WORKAROUND(PySide6 frees an engine that Qt cloned while Qt still uses it; PySide6 > 6.11): keep it."""
        copy = _Engine(self._name, self._role)
        _clones.append(copy)
        return copy


def mime_icon(mime: str) -> str:
    """The icon for a MIME type."""
    kind = mime.split("/")[0].lower()
    return "image" if kind == "image" else "code" if mime.lower().endswith(("json", "xml")) else "file"
