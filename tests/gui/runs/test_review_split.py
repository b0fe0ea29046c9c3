"""In a small window the code is what one sees: the effects scroll in what ten lines of it leave."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt

from workbench.gui.kit.text import ForeignLabel
from workbench.gui.runs.approval_page import ApprovalPage
from workbench.gui.runs.effects_view import EffectsView
from workbench.records import Effect, EffectKind, Finding, Flow, Gate, Risk, Span, Verdict

TOOL = "organisation-wide-customer-relationship-platform.send_invoice_reminder_to_customer_with_attachment"
CODE = "".join(f"await send_invoice_reminder(customer={number})\n" for number in range(60))


@pytest.fixture
def dialog(context: Any, fake_core: Any, make: Any, qtbot: Any) -> Any:
    """A program with thirty effects of a tool with a long name."""
    findings = (Finding("mail.send", Risk.HIGH, "Sends.", Span(41)),)
    effects = tuple(Effect(EffectKind.WILL, f"Sends through {TOOL}", line, Risk.MEDIUM, False) for line in range(1, 31))
    run = make.run("w")
    run = replace(run, proposal=replace(run.proposal, code=CODE))
    made = ApprovalPage(
        context, replace(run, verdict=Verdict("a" * 64, Risk.HIGH, Gate.ASK, f"Calls {TOOL}.", findings, effects))
    )
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(made)
    yield made
    made.done(0)


@pytest.mark.parametrize(("width", "height"), [(900, 600), (680, 640)])
def test_the_worst_line_is_seen_without_scrolling_and_no_link_is_cut_off(
    dialog: Any, qtbot: Any, width: int, height: int
) -> None:
    dialog.resize(width, height)
    dialog.open()
    qtbot.waitUntil(lambda: dialog.program.worst_seen)
    reader = dialog.program.reader
    assert reader.viewport().height() >= reader.fontMetrics().lineSpacing() * 10
    assert dialog.allow_button.isVisible()
    port = dialog.effects.viewport()
    link = dialog.effects.links()[0]
    assert QRect(QPoint(), port.size()).contains(QRect(link.mapTo(port, QPoint()), link.size()))


def test_arguments_of_one_call_that_the_same_data_goes_to_are_one_row(context: Any, qtbot: Any) -> None:
    view = EffectsView(context.theme)
    qtbot.addWidget(view)
    sinks = ("mail.send.to", "mail.send.body", "chat.post")
    flows = tuple(Flow("private", "shop.list", 3, sink, 7) for sink in sinks)
    view.show_verdict(Verdict("a" * 64, Risk.HIGH, Gate.ASK, "Sends.", flows=(*flows, replace(flows[0], line=4))))
    words = [one.full_text() for one in view.findChildren(ForeignLabel) if "→" in one.full_text()]
    assert words == [
        "line 3 shop.list → line 7 mail.send.to, .body",
        "line 3 shop.list → line 7 chat.post",
        "line 4 shop.list → line 7 mail.send.to",
    ]


def test_a_border_that_a_person_moved_stays(dialog: Any, qtbot: Any) -> None:
    dialog.resize(680, 700)
    dialog.open()
    split = dialog.split
    qtbot.waitUntil(lambda: split.orientation() is Qt.Orientation.Vertical and split.height() > 300)
    first = split.sizes()[0]
    split.setSizes([90, split.height() - 90])
    split.splitterMoved.emit(90, 1)
    dialog.resize(690, 700)
    assert split.sizes()[0] < first
