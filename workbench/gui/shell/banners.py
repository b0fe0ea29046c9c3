"""Banners above everything else: faults with hint and detail, and the state of the core.

A banner never takes the keyboard and never covers anything. It stays until it is closed or no longer true.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from workbench.events import Noticed
from workbench.gui.kit.faults import hint_action
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.lists import label, tool_button
from workbench.gui.kit.plain_edit import PlainEdit
from workbench.gui.kit.text import visible
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.shell.bridge import NOT_CONNECTED, Link, LinkState
from workbench.gui.shell.context import Context, Pane
from workbench.records import Fault, SecretStore, ServerState, ServerStatus

AT_ONCE = 3
"""Banners beyond this number push out the oldest: a storm of faults must not fill the window."""
_REMEMBERED = 10  # faults that a problem report lists


class Banner(QFrame):
    """An icon, a sentence, a hint, buttons, and the details of the fault on request."""

    def __init__(self, theme: Theme, tone: str, fault: Fault, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fault = fault
        self._theme = theme
        self._tone = tone
        mark(self, kind="banner", tone=tone)
        self._picture = QLabel()
        self._words = label(visible(fault.message))
        self._words.setWordWrap(True)
        self._hint = label(visible(fault.hint), "muted", self)  # without a parent, showing it would open a window
        self._hint.setWordWrap(True)
        self._hint.setVisible(bool(fault.hint))
        self._buttons = QHBoxLayout()
        self._buttons.setSpacing(theme.unit)
        self._lay_out(theme.unit)
        own = tone == "warning"  # the core's words; a failed task may quote a server
        if (action := hint_action(fault, message=own)) is not None:
            self.offer(*action, "quiet")
        if fault.detail:
            self._offer_detail(fault.detail)
        self._draw()
        theme.changed.connect(self._draw)

    def offer(self, text: str, act: Callable[[], object], kind: str = "") -> QPushButton:
        button = QPushButton(text)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: act())  # without `clicked`'s own argument
        if kind:
            mark(button, kind=kind)
        self._buttons.addWidget(button)
        return button

    def closable(self) -> None:
        close = tool_button("close", "Close this message", self._theme)
        close.clicked.connect(self.deleteLater)
        self._buttons.addWidget(close)

    def say(self, sentence: str, hint: str = "") -> None:
        self._words.setText(visible(sentence))
        self._hint.setText(visible(hint))
        self._hint.setVisible(bool(hint))

    def _lay_out(self, unit: int) -> None:
        row = QHBoxLayout()
        row.setSpacing(unit * 2)
        row.addWidget(self._picture, alignment=Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self._words)
        words.addWidget(self._hint)
        row.addLayout(words, 1)
        row.addLayout(self._buttons)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(unit * 3, unit * 2, unit * 2, unit * 2)
        self._column.addLayout(row)

    def _offer_detail(self, detail: str) -> None:
        box = PlainEdit(visible(detail))
        box.setReadOnly(True)
        box.setFont(self._theme.mono(-1))
        box.setFixedHeight(self._theme.unit * 36)
        box.setAccessibleName("Detail")
        mark(box, kind="code")
        box.hide()
        more = QPushButton("Details")
        more.setCheckable(True)
        more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        more.toggled.connect(box.setVisible)
        mark(more, kind="quiet")
        self._buttons.addWidget(more)
        self._column.addWidget(box)

    def _draw(self) -> None:
        name = {"danger": "alert", "warning": "alert", "success": "check"}.get(self._tone, "info")
        self._picture.setPixmap(pixmap(name, self._tone, self._theme.unit * 4, self.devicePixelRatioF()))


class Banners(Pane):
    """The stack of banners."""

    def __init__(self, context: Context, again: QAction, secrets: QAction, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._again = again
        self._secrets = secrets
        self._link: Banner | None = None
        self._store: Banner | None = None  # secrets are not where one would expect them
        self._faults: deque[Fault] = deque(maxlen=_REMEMBERED)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        store = context.store
        store.on(Noticed, self._show_notice)
        store.status_loaded.connect(self._show_notices)
        store.server_removed.connect(self._drop_faults_of)
        store.server_changed.connect(self._server_changed)
        store.secrets_changed.connect(self._show_secrets)

    def faults(self) -> tuple[Fault, ...]:
        """The latest faults, closed ones included."""
        return tuple(self._faults)

    def _show_notice(self, event: Noticed) -> None:
        self.show_fault(event.fault, "warning")

    def _server_changed(self, state: ServerState) -> None:
        if state.status is ServerStatus.READY:
            self._drop_faults_of(state.config.name)

    def _show_notices(self) -> None:
        """What is wrong with the project may have been found before this window was opened."""
        for fault in self.context.store.status.notices if self.context.store.status else ():
            self.show_fault(fault, "warning")

    def _show_secrets(self) -> None:
        if self.context.store.secrets is not None:
            self.show_store(self.context.store.secrets)

    def shown(self) -> list[Banner]:
        """Oldest first, without the one about the core."""
        found = self.findChildren(Banner, options=Qt.FindChildOption.FindDirectChildrenOnly)
        return [banner for banner in found if banner not in (self._link, self._store) and not banner.isHidden()]

    def show_fault(self, fault: Fault, tone: str = "danger") -> None:
        """Show a fault, once."""
        shown = self.shown()
        if any(banner.fault == fault for banner in shown):
            return
        for banner in shown[: max(0, len(shown) - AT_ONCE + 1)]:
            self._drop(banner)
        banner = Banner(self.context.theme, tone, fault, self)
        banner.closable()
        self._faults.append(fault)
        self._column.addWidget(banner)
        banner.show()

    def _drop_faults_of(self, server: str) -> None:
        """Once a server is ready or removed, why it did not start before is no longer true."""
        for banner in self.shown():
            if banner.fault.message.startswith(f"{server}: "):  # as the list of servers words it
                self._drop(banner)

    def show_link(self, link: Link) -> None:
        """The core was lost, is coming back, or the user has to start it."""
        if self._link is not None:
            self._drop(self._link)
            self._link = None
        for banner in self.shown():
            if link.state is LinkState.LINKED and banner.fault == NOT_CONNECTED:
                self._drop(banner)
        if link.state is LinkState.LINKED and link.restarted:
            self.context.say("The core was restarted. Runs that were under way are shown as interrupted.")
        if link.state is LinkState.LOST:
            sentence = "The core stopped unexpectedly; restarting…"
            hint = "Nothing you typed is lost. Runs that were under way will be shown as interrupted."
            self._put(Banner(self.context.theme, "warning", Fault(sentence, hint), self))
        elif link.state is LinkState.BROKEN:
            fault = link.fault or Fault("The core cannot be reached.")
            banner = Banner(self.context.theme, "danger", fault, self)
            banner.offer("Try again", self._again.trigger, "primary")
            self._put(banner)

    def show_store(self, store: SecretStore) -> None:
        """Where secrets are, when that is no keyring and there are some."""
        fault = Fault(store.sentence, store.hint)
        wanted = store.kind in ("memory", "locked") and bool(store.secrets)
        if self._store is not None and not (wanted and self._store.fault == fault):
            self._drop(self._store)
            self._store = None
        if wanted and self._store is None:
            self._store = Banner(self.context.theme, "warning", fault, self)
            self._store.offer("Secrets…", self._secrets.trigger)
            self._column.addWidget(self._store)
            self._store.show()

    def _put(self, banner: Banner) -> None:
        self._link = banner
        self._column.insertWidget(0, banner)
        banner.show()

    def _drop(self, banner: Banner) -> None:
        self._column.removeWidget(banner)
        banner.hide()
        banner.deleteLater()
