"""The one stylesheet: Fusion made flat and dense, with the named colours and the spacing unit.

What widgets may call themselves (see `workbench.gui.kit.theme.mark`):
QLabel role: title, heading, muted, faint, mono, error, warning, success, badge (with tone), key.
QPushButton kind: primary, danger, quiet (text only), chip (checkable filter). QToolButton is flat by itself.
QFrame kind: card, banner (with tone info, warning, danger, success), strip (header row of a pane), line.
QPlainTextEdit/QTextEdit/QTreeView… kind: code (sunken ground).
"""

from __future__ import annotations

from collections.abc import Sequence

from workbench.gui.kit.colours import Colours, blend

TONES = ("accent", "info", "success", "warning", "danger", "critical", "muted")


def stylesheet(colours: Colours, unit: int, points: int, mono: Sequence[str]) -> str:
    """The stylesheet of the application."""
    return "\n".join(
        (
            _frame(colours, unit),
            _labels(colours, unit, points, mono),
            _buttons(colours, unit),
            _inputs(colours, unit),
            _lists(colours, unit),
            _bars(colours, unit, points),
            _tones(colours, unit),
        )
    )


def _frame(c: Colours, u: int) -> str:
    return f"""
QMainWindow, QMainWindow::separator {{ background: {c.background}; }}
QMainWindow::separator {{ width: 1px; height: 1px; background: {c.border}; }}
QMainWindow::separator:hover {{ background: {c.accent}; }}
QDockWidget {{ color: {c.muted}; font-weight: 600; }}
QDockWidget > QWidget {{ background: {c.surface}; }}
QSplitter::handle {{ background: {c.border}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}
QSplitter::handle:hover {{ background: {c.accent}; }}
QDialog {{ background: {c.surface}; }}
QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
QDialog#palette {{ background: {c.raised}; border: 1px solid {c.edge}; }}
QDialog#palette QListView {{ background: transparent; }}
QToolTip {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.edge}; padding: {u}px {u * 2}px; }}
QFrame[kind="card"] {{ background: {c.raised}; border: 1px solid {c.border}; border-radius: {u * 2}px; }}
QFrame[kind="strip"] {{ background: {c.surface}; border: none; border-bottom: 1px solid {c.border}; }}
QFrame[kind="line"] {{ background: {c.border}; border: none; max-height: 1px; }}
QFrame[kind="dock-title"] {{ background: {c.background}; border: none; border-bottom: 1px solid {c.border}; }}
QWidget[kind="page"] {{ background: {c.surface}; }}
QFrame[kind="reveal"] {{ background: {c.raised}; border: 1px solid {c.edge}; }}
QFrame[kind="side"] {{ background: {c.surface}; border: none; border-left: 1px solid {c.border}; }}
QFrame[kind="foot"] {{ background: {c.raised}; border: none; border-top: 1px solid {c.border}; }}
QFrame[kind="banner"] {{ border: none; border-bottom: 1px solid {c.border}; }}
QScrollArea {{ border: none; background: transparent; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}
QGroupBox {{ border: 1px solid {c.border}; border-radius: {u}px; margin-top: {u * 4}px; padding: {u * 2}px; }}
QGroupBox::title {{ subcontrol-origin: margin; left: 0; color: {c.muted}; }}
"""


def _labels(c: Colours, u: int, points: int, mono: Sequence[str]) -> str:
    families = ", ".join(f'"{family}"' for family in mono)
    return f"""
QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {points + 5}pt; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: {points + 1}pt; font-weight: 600; }}
QLabel[role="section"] {{ color: {c.muted}; font-size: {points - 1}pt; font-weight: 600; }}
QLabel[role="muted"] {{ color: {c.muted}; }}
QLabel[role="faint"] {{ color: {c.faint}; }}
QLabel[role="dock"] {{ color: {c.text}; }}
QLabel[role="palette-foot"] {{ color: {c.muted}; font-size: {points - 1}pt; padding: {u}px {u * 4}px;
    border-top: 1px solid {c.border}; }}
QLabel[role="mono"] {{ font-family: {families}; }}
QLabel[role="error"] {{ color: {c.danger}; }}
QLabel[role="warning"] {{ color: {c.warning}; }}
QLabel[role="success"] {{ color: {c.success}; }}
QLabel[role="badge"] {{ font-size: {points - 1}pt; font-weight: 600; border-radius: {u}px; padding: 0 {u + 1}px; }}
QPlainTextEdit[kind="code"], QTextEdit[kind="code"], QTreeView[kind="code"] {{ font-family: {families}; }}
QLabel[role="key"] {{ font-family: {families}; font-size: {points - 1}pt; color: {c.muted}; background: {c.hover};
    border: 1px solid {c.edge}; border-radius: {u}px; padding: 0 {u + 1}px; }}
"""


def _buttons(c: Colours, u: int) -> str:
    return f"""
QPushButton {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.edge}; border-radius: {u + 1}px;
    padding: {u}px {u * 3}px; icon-size: {u * 4}px; }}
QPushButton:hover {{ background: {c.hover}; }}
QPushButton:pressed {{ background: {c.border}; }}
QPushButton:focus {{ border: 1px solid {c.accent}; outline: none; background: {blend(c.accent, c.raised, 0.12)}; }}
QPushButton:disabled {{ color: {c.faint}; background: {c.surface}; border-color: {c.border}; }}
QPushButton[kind="primary"] {{ background: {c.accent_fill}; color: {c.on_accent}; border: 1px solid {c.accent_fill};
    font-weight: 600; }}
QPushButton[kind="primary"]:hover {{ background: {blend("#ffffff", c.accent_fill, 0.08)}; }}
QPushButton[kind="primary"]:focus {{ border: 1px solid {c.text}; }}
QPushButton[kind="danger"] {{ background: {c.danger_fill}; color: #ffffff; border: 1px solid {c.danger_fill};
    font-weight: 600; }}
QPushButton[kind="danger"]:focus {{ border: 1px solid {c.text}; }}
QPushButton[kind="primary"]:disabled, QPushButton[kind="danger"]:disabled {{ background: {c.hover}; color: {c.faint};
    border-color: {c.border}; }}
QPushButton[kind="quiet"] {{ background: transparent; border: 1px solid transparent; color: {c.accent};
    padding: {u}px {u * 2}px; }}
QPushButton[kind="quiet"]:hover {{ background: {c.hover}; }}
QPushButton[kind="quiet"]:focus {{ border: 1px solid {c.accent}; }}
QPushButton[kind="quiet"]:disabled {{ color: {c.faint}; }}
QPushButton[kind="link"] {{ background: transparent; border: none; border-bottom: 1px solid transparent;
    border-radius: 0; color: {c.accent}; padding: 0; }}
QPushButton[kind="link"]:hover, QPushButton[kind="link"]:focus {{ border-bottom: 1px solid {c.accent}; }}
QPushButton[kind="command"] {{ background: {c.surface}; color: {c.muted}; border: 1px solid {c.border};
    padding: 1px {u * 3}px; margin: 2px {u * 2}px; }}
QPushButton[kind="command"]:hover {{ border-color: {c.edge}; color: {c.text}; }}
QPushButton[kind="command"]:focus {{ border-color: {c.accent}; }}
QPushButton[kind="chip"] {{ background: transparent; color: {c.muted}; border: 1px solid {c.border};
    border-radius: {u * 2}px; padding: 1px {u * 2}px; }}
QPushButton[kind="chip"]:hover {{ color: {c.text}; background: {c.hover}; }}
QPushButton[kind="chip"]:checked {{ color: {c.accent}; background: {c.selected}; border-color: {c.selected}; }}
QPushButton[kind="chip"]:focus {{ border-color: {c.accent}; }}
QToolButton {{ background: transparent; border: 1px solid transparent; border-radius: {u}px; padding: {u - 1}px;
    color: {c.muted}; }}
QToolButton:hover {{ background: {c.hover}; color: {c.text}; }}
QToolButton:pressed, QToolButton:checked {{ background: {c.selected}; color: {c.text}; }}
QToolButton:focus {{ border: 1px solid {c.accent}; }}
QToolButton:disabled {{ color: {c.faint}; }}
QToolButton::menu-indicator {{ image: none; width: 0; }}
QToolButton[kind="status"] {{ padding: 0 {u * 2}px; border-radius: 0; }}
QCheckBox, QRadioButton {{ spacing: {u * 2}px; background: transparent; }}
QCheckBox:focus, QRadioButton:focus {{ color: {c.accent}; }}
"""


def _inputs(c: Colours, u: int) -> str:
    return f"""
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QDateTimeEdit {{ background: {c.raised}; color: {c.text};
    border: 1px solid {c.edge}; border-radius: {u + 1}px; padding: {u}px {u * 2}px;
    selection-background-color: {c.accent_fill}; selection-color: {c.on_accent}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QDateTimeEdit:focus {{
    border: 1px solid {c.accent}; }}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 0;
    border: none; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled {{ color: {c.faint}; background: {c.surface};
    border-color: {c.border}; }}
QLineEdit[kind="search"] {{ border-color: {c.border}; background: {c.sunken}; }}
QLineEdit[kind="search"]:focus {{ border-color: {c.accent}; }}
QLineEdit[kind="palette"] {{ border: none; border-radius: 0; background: transparent; padding: {u * 3}px {u * 4}px; }}
QLineEdit[tone="danger"], QPlainTextEdit[tone="danger"] {{ border: 1px solid {c.danger}; }}
QComboBox {{ combobox-popup: 0; }}
QComboBox QAbstractItemView {{ background: {c.raised}; border: 1px solid {c.edge}; padding: {u}px; outline: 0;
    selection-background-color: {c.selected}; selection-color: {c.text}; }}
QPlainTextEdit, QTextEdit {{ background: {c.raised}; color: {c.text}; border: 1px solid {c.edge};
    border-radius: {u + 1}px; selection-background-color: {blend(c.accent_fill, c.raised, 0.45)};
    selection-color: {c.text}; }}
QPlainTextEdit:focus, QTextEdit:focus {{ border: 1px solid {c.accent}; }}
QPlainTextEdit[kind="code"], QTextEdit[kind="code"] {{ background: {c.sunken}; color: {c.code_text};
    border: 1px solid {c.border}; }}
QPlainTextEdit[kind="code"]:focus, QTextEdit[kind="code"]:focus {{ border: 1px solid {c.accent}; }}
QProgressBar {{ background: {c.hover}; border: none; border-radius: 2px; max-height: {u}px; }}
QProgressBar::chunk {{ background: {c.accent}; border-radius: 2px; }}
"""


def _lists(c: Colours, u: int) -> str:
    return f"""
QTreeView, QListView, QTableView {{ background: {c.surface}; border: 1px solid transparent; outline: none;
    selection-background-color: {c.selected}; selection-color: {c.text}; alternate-background-color: {c.surface}; }}
QTreeView:focus, QListView:focus, QTableView:focus {{ border: 1px solid {blend(c.accent, c.surface, 0.55)}; }}
QTreeView::item, QListView::item {{ padding: {u - 1}px {u}px; border: none; }}
QTableView::item {{ padding: 0 {u * 2}px; border: none; }}
QTreeView::item:hover, QListView::item:hover, QTableView::item:hover {{ background: {c.hover}; }}
QTreeView::item:selected, QListView::item:selected, QTableView::item:selected {{ background: {c.selected};
    color: {c.text}; }}
QTreeView[kind="code"], QListView[kind="code"], QTableView[kind="code"] {{ background: {c.sunken}; }}
QTreeView[kind="rows"]::item, QTreeView[kind="rows"]::item:hover, QTreeView[kind="rows"]::item:selected,
QListView[kind="rows"]::item, QListView[kind="rows"]::item:hover, QListView[kind="rows"]::item:selected {{
    background: transparent; padding: 0; }}
QTreeView[kind="rows"]::branch, QTreeView[kind="rows"]::branch:hover, QTreeView[kind="rows"]::branch:selected {{
    background: transparent; }}
QTreeView[kind="rows"] {{ show-decoration-selected: 0; selection-background-color: transparent; }}
QHeaderView {{ background: {c.surface}; border: none; }}
QHeaderView::section {{ background: {c.surface}; color: {c.muted}; border: none; border-bottom: 1px solid {c.border};
    padding: {u}px {u * 2 + 3}px; font-weight: 500; }}
QTableCornerButton::section {{ background: {c.surface}; border: none; }}
QScrollBar:vertical {{ background: transparent; width: {u * 3}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {u * 3}px; margin: 0; }}
QScrollBar::handle {{ background: {blend(c.faint, c.surface, 0.45)}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: {u * 6}px; }}
QScrollBar::handle:horizontal {{ min-width: {u * 6}px; }}
QScrollBar::handle:hover {{ background: {c.faint}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; border: none; background: none; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: none; }}
QAbstractScrollArea::corner {{ background: transparent; }}
"""


def _bars(c: Colours, u: int, points: int) -> str:
    return f"""
QMenuBar {{ background: {c.background}; color: {c.muted}; border-bottom: 1px solid {c.border}; padding: 1px {u}px; }}
QMenuBar::item {{ background: transparent; padding: {u}px {u * 2}px; border-radius: {u}px; }}
QMenuBar::item:selected {{ background: {c.hover}; color: {c.text}; }}
QMenu {{ background: {c.raised}; border: 1px solid {c.edge}; padding: {u}px; }}
QMenu::item {{ padding: {u}px {u * 6}px {u}px {u * 2}px; border-radius: {u}px; }}
QMenu::icon {{ padding-left: {u * 2}px; }}
QMenu::item:selected {{ background: {c.selected}; }}
QMenu::item:disabled {{ color: {c.faint}; }}
QMenu::separator {{ height: 1px; background: {c.border}; margin: {u}px {u}px; }}
QStatusBar {{ background: {c.background}; color: {c.muted}; border-top: 1px solid {c.border}; }}
QStatusBar::item {{ border: none; }}
QTabWidget::pane {{ border: none; border-top: 1px solid {c.border}; }}
QTabBar {{ background: {c.background}; qproperty-drawBase: 0; }}
QTabBar[kind="inline"] {{ background: transparent; }}
QTabBar::tab {{ background: transparent; color: {c.muted}; border: none; border-bottom: 2px solid transparent;
    padding: {u}px {u * 3}px; min-height: {u * 5}px; max-height: {u * 5}px; }}
QTabBar::tab:hover {{ color: {c.text}; background: {c.hover}; }}
QTabBar::tab:selected {{ color: {c.text}; border-bottom: 2px solid {c.accent}; }}
QTabBar::tab:focus {{ color: {c.accent}; }}
QTabBar::close-button {{ subcontrol-position: right; }}
QTabBar QToolButton {{ padding: 0; }}
"""


def _tones(c: Colours, u: int) -> str:
    rules = []
    for tone in TONES:
        colour = getattr(c, tone)
        rules.append(
            f'QLabel[role="badge"][tone="{tone}"] {{ color: {colour}; background: {blend(colour, c.surface, 0.15)}; }}'
        )
        rules.append(f'QFrame[kind="banner"][tone="{tone}"] {{ background: {blend(colour, c.surface, 0.13)}; }}')
        rules.append(f'QLabel[tone="{tone}"] {{ color: {colour}; }}')
    return "\n".join(rules)
