"""Dialog Phones: whether the review page is open, pairing a phone with a code, and the paired devices."""

from __future__ import annotations

import time

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPixmap
from PySide6.QtWidgets import QLabel, QWidget

from workbench.gui.kit.dialogs import Dialog
from workbench.gui.kit.layouts import column, row
from workbench.gui.kit.list_pane import ListPane, menu_action
from workbench.gui.kit.lists import EmptyState, label, paragraph
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import visible
from workbench.gui.kit.wording import ago, countdown
from workbench.gui.shell.context import Context
from workbench.records import PairingOffer, ReviewDevice, ReviewPageState

_LOOK_MS = 1_000
_HOW_TO_TURN_ON = "“Turn on” opens the page. Then “Pair a phone” shows a code for one device."
_HOW_TO_PAIR = "“Pair a phone” shows a code for one device."
_HOW_TO_SCAN = "Scan it with the phone, or open the page there and type the code."
_HERE_ONLY = (
    "This address opens only in browsers of this machine: type the code there."
    " For a phone, set review.page_address first."
)
_QUIET = 4  # modules of white around a QR code, as its standard asks for
_CODE_UNITS = 34  # side of the QR code, in units of the theme


def device_row(device: ReviewDevice, now: float) -> Row:
    """Return the row of a paired device."""
    used = f" · last used {ago(device.used, now)} ago" if now - device.used >= 60 else " · in use"
    return Row(
        key=device.id,
        title=visible(device.name),
        detail=f"paired {time.strftime('%d %b %Y', time.localtime(device.paired))}{used}",
        icon="shield-check",
        tone="muted",
    )


def qr_image(text: str, side: int) -> QImage:
    """Return a QR code of about this side in pixels, dark on white in every theme, as cameras expect."""
    import segno

    modules = [list(line) for line in segno.make(text, error="m").matrix_iter(scale=1, border=_QUIET)]
    image = QImage(len(modules), len(modules), QImage.Format.Format_RGB32)
    for y, line in enumerate(modules):
        for x, dark in enumerate(line):
            image.setPixelColor(x, y, QColor("black" if dark else "white"))
    scale = max(1, side // len(modules))
    return image.scaled(len(modules) * scale, len(modules) * scale)


class PairedPhonesDialog(Dialog):
    """Shows a pairing code, and follows devices that are paired and revoked while it is open."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        intro = (
            "A paired phone answers approval requests of low and medium risk on a page of this machine. To reach it "
            "from the phone you need a tunnel of your own that offers https; put its address into review.page_address."
        )
        super().__init__(context.theme, "Phones", intro, parent)
        self._context = context
        self._state = ReviewPageState()
        self._offer: PairingOffer | None = None
        unit = context.theme.unit
        self.setMinimumWidth(unit * 130)
        self.resize(unit * 130, unit * 125)
        self.where = paragraph("", "muted")
        self.where.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.picture = QLabel()
        self.picture.setAccessibleName("QR code with the address and the pairing code")
        self.code, self._time_left = label("", "title"), paragraph("", "muted")
        self.code.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.pairing = QWidget()
        words = column(None, self.code, self._time_left)
        row(self.pairing, self.picture, words, spacing=unit * 4, grows=words)
        self.pairing.hide()
        self.list = ListPane(context.theme, "Paired devices", EmptyState(context.theme, "shield", "", ""))
        self.list.setMinimumHeight(unit * 30)
        self.body.addWidget(self.where)
        self.body.addWidget(self.pairing)
        self.body.addWidget(self.list, 1)
        self.revoke_button = self.add_button("Revoke…", self._revoke, "quiet", left=True)
        self.revoke_button.setAccessibleName("Revoke the selected device")
        self.switch_button = self.add_button("Turn on", self._switch, "quiet", left=True)
        self.pair_button = self.add_button("Pair a phone", self._pair)
        self.add_close()
        self.list.selection_changed.connect(self._update_buttons)
        revoke = menu_action(self, "Revoke…", self._revoke)
        self.list.set_menu(lambda _key: (revoke,))
        timer = QTimer(self, interval=_LOOK_MS)
        timer.timeout.connect(self._load)
        timer.start()
        self._load()
        self._update_buttons()

    # internal

    def _load(self) -> None:
        self._context.tasks.run("read paired phones", self._context.api.review_page(), self._show)

    def _show(self, state: ReviewPageState) -> None:
        paired = len(state.devices) > len(self._state.devices)
        self._state = state
        if self._offer is not None and (paired or not state.url or time.time() > self._offer.expires):
            self._offer = None
        self.where.setText(state.fault or (f"The page is open at {state.url}." if state.url else "The page is closed."))
        self.list.empty.say("No phones", _HOW_TO_PAIR if state.url else _HOW_TO_TURN_ON)
        self.list.show_rows([device_row(device, time.time()) for device in state.devices])
        self.pairing.setVisible(self._offer is not None)
        if self._offer is not None:
            left = countdown(self._offer.expires, time.time())
            how = _HERE_ONLY if state.url.startswith("http://localhost") else _HOW_TO_SCAN
            self._time_left.setText(f"{how} {left} left.")
        self._update_buttons()

    def _update_buttons(self) -> None:
        self.revoke_button.setEnabled(self._selected() is not None)
        self.switch_button.setText("Turn off" if self._state.url else "Turn on")
        self.pair_button.setEnabled(bool(self._state.url))

    def _selected(self) -> ReviewDevice | None:
        return next((device for device in self._state.devices if device.id == self.list.key()), None)

    def _switch(self) -> None:
        self.run(self._context.tasks, "switch the review page", self._set_page(not self._state.url))

    async def _set_page(self, on: bool) -> None:
        await self._context.api.change_setting("review.page", on)
        self._show(await self._context.api.review_page())

    def _pair(self) -> None:
        self.run(self._context.tasks, "pair a phone", self._offer_pairing())

    async def _offer_pairing(self) -> None:
        self._offer = await self._context.api.offer_pairing()
        side = self._context.theme.unit * _CODE_UNITS
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap.fromImage(qr_image(self._offer.url, round(side * ratio)))
        pixmap.setDevicePixelRatio(ratio)
        self.picture.setPixmap(pixmap)
        self.code.setText(self._offer.code)
        self._show(self._state)

    def _revoke(self) -> None:
        if (device := self._selected()) is not None:
            self._context.tasks.run("revoke a phone", self._ask_and_revoke(device))

    async def _ask_and_revoke(self, device: ReviewDevice) -> None:
        sentence = "It sees and answers nothing from now on. To use it again, pair it again."
        title = f"Revoke “{visible(device.name)}”?"
        if await self._context.ask(title, sentence, "Revoke", danger=True, parent=self):
            self.run(self._context.tasks, "revoke a phone", self._send_revocation(device))

    async def _send_revocation(self, device: ReviewDevice) -> None:
        self._show(await self._context.api.revoke_device(device.id))
