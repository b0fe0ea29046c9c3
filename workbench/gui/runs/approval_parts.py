"""Parts of the approval page: its head, the hosts to tick, a similar allowed program, and the lasting answers."""

from __future__ import annotations

import time
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMenu, QPushButton, QWidget

from workbench.gui.kit.controls import TickBox
from workbench.gui.kit.icons import pixmap
from workbench.gui.kit.layouts import column, row, to_top
from workbench.gui.kit.lists import label, paragraph
from workbench.gui.kit.text import ForeignLabel, LinkedLabel, one_line, plain_tip
from workbench.gui.kit.theme import Theme, mark
from workbench.gui.kit.wording import ago, bounds_words, language_word, risk_word, verdict_word
from workbench.gui.runs.decision_dialog import scrolled
from workbench.gui.runs.effects_view import effect_of_headline, line_link, remark_on
from workbench.records import HeadlinePart, Likeness, Origin, Resemblance, Risk, Run, Span, ValueChange, Verdict
from workbench.records.stated_facts import likeness_sentence

_LONGEST_PURPOSE = 240  # characters of the purpose that are shown; the tooltip has all of it


class ApprovalHead(QFrame):
    """What the program does, how risky it is, who wants to run it, and what its author claims."""

    place_wanted = Signal(object)
    """Carries the `Span` of what the summary says."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._places: list[Span] = []  # of the parts of the sentence
        self.sentence = LinkedLabel(role="title")
        self.sentence.part_chosen.connect(lambda number: self.place_wanted.emit(self._places[number]))
        self._remark = ForeignLabel(role="muted")
        self._remark.setWordWrap(False)
        self._line = QPushButton(self)
        self._line.setAutoDefault(True)
        self._line.clicked.connect(lambda: self.place_wanted.emit(next(one for one in self._places if one.line)))
        mark(self._line, kind="link")
        self.badge = label("", "badge", self)
        self._author = ForeignLabel(role="muted", elide=True)
        self._tag = label("claimed", "badge", self)
        mark(self._tag, tone="muted")
        self.purpose = ForeignLabel(role="muted")
        self.isolation = IsolationLine(theme)
        self._bounds = ForeignLabel(role="muted")
        unit = theme.unit
        facts = (self.badge, self._author, self._remark, self._line)
        author = row(None, *facts, spacing=unit * 2, grows=self._author)
        purpose = row(None, self._tag, self.purpose, spacing=unit * 2, grows=self.purpose)
        texts = column(None, self.sentence, author, purpose, self.isolation, self._bounds, spacing=unit + unit // 2)
        margins = (unit * 4, unit * 4, unit * 4, unit * 3)
        whole = row(self, self._picture, texts, margins=margins, spacing=unit * 3, grows=texts)
        for layout, widget in ((author, self.badge), (purpose, self._tag), (whole, self._picture)):
            to_top(layout, widget)

    def show_run(self, run: Run) -> None:
        verdict = run.verdict
        risk = verdict_word(verdict) if verdict else risk_word(Risk.HIGH)
        self._picture.setPixmap(pixmap(risk.icon, risk.tone, self._theme.unit * 7, self.devicePixelRatioF()))
        self._show_sentence(verdict)
        mark(self.badge, tone=risk.tone)
        self.badge.setText(risk.text if verdict else "Not assessed")
        self._author.setText(_who_wants_what(run))
        purpose = "" if run.proposal.origin is Origin.PERSON else run.proposal.purpose  # the user claims nothing
        self.purpose.setText(f"“{one_line(purpose, _LONGEST_PURPOSE)}”" if purpose else "")
        self.purpose.setToolTip(plain_tip(purpose))
        self._tag.setVisible(bool(purpose))
        self.purpose.setVisible(bool(purpose))
        bounds = bounds_words(verdict) if verdict else ""
        self._bounds.setText(bounds)
        self._bounds.setVisible(bool(bounds))

    def _show_sentence(self, verdict: Verdict | None) -> None:
        """The summary. Each part leads to its place; the line of the only effect, and a remark, are below it."""
        parts = _headline_parts(verdict) if verdict else [("This program has not been assessed yet.", Span(0))]
        self._places = [place for _, place in parts]
        self.sentence.show_parts([(text, f"Go to line {place.line}" if place.line else "") for text, place in parts])
        effect = effect_of_headline(verdict) if verdict else None
        remark = remark_on(effect, verdict.flows) if effect and verdict else ""
        self._remark.setText(remark)
        self._remark.setVisible(bool(remark))
        self._line.setVisible(effect is not None)
        if effect is not None:
            self._line.setText(f"line {effect.line}")
            self._line.setAccessibleName(f"Go to line {effect.line}: {effect.text[:120]}")


_LACKS_LEVEL: Final = "but this machine has"  # in sentences about an isolation level that could be set up


class IsolationLine(QWidget):
    """Says how the sandbox of a run is weaker than its risk requires, with a link to what sets up a stronger one."""

    build_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.text = ForeignLabel(role="muted")
        self.button = QPushButton("Set up a stronger sandbox…")
        self.button.setToolTip("Show the sandboxes of this machine, and how to set up a stronger one")
        self.button.setAutoDefault(True)
        self.button.clicked.connect(self.build_wanted)
        mark(self.button, kind="link")
        whole = row(self, self.text, self.button, spacing=theme.unit * 2, grows=self.text)
        to_top(whole, self.button)

    def show_sentence(self, sentence: str) -> None:
        self.text.setText(sentence)
        self.button.setVisible(_LACKS_LEVEL in sentence)
        self.setVisible(bool(sentence))


def _headline_parts(verdict: Verdict) -> list[tuple[str, Span]]:
    """The texts of the summary with their places in the program; line 0: it leads nowhere."""
    stated = " ".join(part.text for part in verdict.headline)
    before, found, after = verdict.sentence.partition(stated) if stated else ("", "", "")
    if not found:
        return [(verdict.sentence, Span(0))]
    parts = [(before, Span(0))] if before else []
    for number, part in enumerate(verdict.headline):
        parts += [(" ", Span(0))] if number else []
        parts.append((part.text, _place_of(part, verdict)))
    return [*parts, (after, Span(0))] if after else parts


def _place_of(part: HeadlinePart, verdict: Verdict) -> Span:
    spans = (one.span for one in verdict.findings if (one.span.line, one.subject) == (part.line, part.subject))
    return next(spans, Span(part.line))


class TrustStrip(QFrame):
    """Says that a program waits only because the user has not decided about a server, with a button that asks."""

    decision_wanted = Signal(str)
    """Carries the name of the server."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = ForeignLabel()
        self.button = QPushButton("")
        self.button.setAutoDefault(True)
        self._server = ""
        mark(self, kind="strip")
        unit = theme.unit
        row(
            self,
            self.text,
            self.button,
            margins=(unit * 4, unit * 2, unit * 4, unit * 2),
            spacing=unit * 3,
            grows=self.text,
        )
        self.button.clicked.connect(lambda: self.decision_wanted.emit(self._server))
        self.hide()

    def show_run(self, run: Run) -> None:
        servers = run.verdict.waits_for_trust if run.verdict is not None else ()
        self.setVisible(bool(servers))
        if servers:
            self._server, name = servers[0], one_line(servers[0], 60)
            self.text.setText(f"It asks only because you have not decided what programs may do with {name}.")
            self.button.setText(f"Decide about {name}…".replace("&", "&&"))
            self.button.setToolTip("Key: T")


def _who_wants_what(run: Run) -> str:
    language, state = run.proposal.language, run.proposal.state
    program = "this program" if language == "python" else f"this {language_word(language)} program"
    own = run.proposal.origin is Origin.PERSON
    who = "You want" if own else f"The agent “{run.proposal.author}” wants"
    session = f" It continues the REPL session “{state}”." if state else ""
    return f"{who} to run {program}.{session}"


_HOSTS_VISIBLE = 4  # without scrolling
_LONGEST_HOST = 100  # characters of a host that are shown; the tooltip has all of it


class HostTicks(QFrame):
    """Hosts that the program names and no rule allows, to tick. Hidden where there are none."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._hosts: tuple[str, ...] = ()
        self.boxes: list[TickBox] = []
        mark(self, kind="strip")
        head = paragraph("The program names hosts that no rule allows. It can reach only those that you tick.", "muted")
        self._area = scrolled(QWidget())
        unit = theme.unit
        column(self, head, self._area, margins=(unit * 4, unit * 2, unit * 4, unit * 2), spacing=unit)
        self.hide()

    def show_hosts(self, hosts: tuple[str, ...]) -> None:
        """No host is ticked, even if an earlier text named the same ones."""
        self._hosts = hosts
        self.boxes = [self._box(host) for host in hosts]
        inner = QWidget()
        column(inner, *self.boxes, None, spacing=self._theme.unit)
        self._area.setWidget(inner)
        line = self.fontMetrics().lineSpacing() + self._theme.unit * 3
        self._area.setFixedHeight(line * min(len(hosts), _HOSTS_VISIBLE) + self._theme.unit)
        self.setVisible(bool(hosts))

    def ticked(self) -> tuple[str, ...]:
        return tuple(host for host, box in zip(self._hosts, self.boxes, strict=True) if box.isChecked())

    def _box(self, host: str) -> TickBox:
        box = TickBox(self._theme, f"Allow {one_line(host, _LONGEST_HOST)} for this run")
        box.setToolTip(plain_tip(one_line(host, 300)))
        return box


_CHANGES_SHOWN = 6  # changed values; the difference shows all of them


class LikenessStrip(QFrame):
    """What the user decided about this program or a similar one before, and the values that differ. Hidden where there
    is no such decision."""

    line_wanted = Signal(int)
    compare_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        unit = theme.unit
        mark(self, kind="strip")
        self._picture = QLabel(self)
        self._sentence_label = ForeignLabel()
        self.compare = QPushButton("Compare", self)
        self.compare.setToolTip("Show how it differs from the program that you allowed, line by line")
        self.compare.setAutoDefault(True)
        mark(self.compare, kind="chip")
        self.compare.clicked.connect(self.compare_wanted)
        parts = (self._picture, self._sentence_label, self.compare)
        top = row(None, *parts, spacing=unit * 2, grows=self._sentence_label)
        to_top(top, self._picture, self.compare)
        self._table = QWidget(self)
        margins = (unit * 4, unit * 2, unit * 4, unit * 2)
        self._column = column(self, top, self._table, margins=margins, spacing=unit)
        self.hide()

    def show_history(self, like: Resemblance | None, denied: float) -> None:
        """`denied`: when the user last denied exactly this program; 0: never. Of two decisions about exactly this
        program only the later one is shown.
        """
        if like is not None and like.likeness is Likeness.TEXT:
            like, denied = (None, denied) if denied > like.at else (like, 0.0)
        sentences = [f"You denied exactly this program {_when(denied)}."] if denied else []
        sentences += [likeness_sentence(like, _when(like.at))] if like is not None else []
        self.setVisible(bool(sentences))
        self._picture.setPixmap(pixmap("history", "accent", self._theme.unit * 4, self.devicePixelRatioF()))
        self._sentence_label.setText(" ".join(sentences))
        self.compare.setVisible(like is not None and like.likeness is not Likeness.TEXT)
        self._show_changes(like.changes if like is not None else ())

    def sentence(self) -> str:
        return "" if self.isHidden() else self._sentence_label.full_text()

    def _show_changes(self, changes: tuple[ValueChange, ...]) -> None:
        """Old and new values beside each other, changed destinations first."""
        self._column.removeWidget(self._table)
        self._table.deleteLater()
        self._table = QWidget(self)
        grid = QGridLayout(self._table)
        grid.setContentsMargins(self._theme.unit * 6, 0, 0, 0)
        grid.setHorizontalSpacing(self._theme.unit * 2)
        grid.setVerticalSpacing(self._theme.unit)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for place, change in enumerate(sorted(changes, key=lambda change: not change.destination)[:_CHANGES_SHOWN]):
            self._add(grid, place, change)
        if len(changes) > _CHANGES_SHOWN:
            grid.addWidget(label(f"and {len(changes) - _CHANGES_SHOWN} more", "muted"), _CHANGES_SHOWN, 0, 1, 4)
        self._column.addWidget(self._table)
        self._table.setVisible(bool(changes))

    def _add(self, grid: QGridLayout, place: int, change: ValueChange) -> None:
        link = line_link(change.line, "where a value changed", self.line_wanted)
        grid.addWidget(link, place, 0, Qt.AlignmentFlag.AlignTop)
        for number, text in enumerate((f"− {change.before}", f"+ {change.after}"), 1):
            value = ForeignLabel(one_line(text, 90), role="mono", breaks=True)  # long values widen no page
            grid.addWidget(value, place, number, Qt.AlignmentFlag.AlignTop)
        if change.destination:
            remark = ForeignLabel("a different destination", role="warning")
            remark.setWordWrap(False)
            grid.addWidget(remark, place, 3, Qt.AlignmentFlag.AlignTop)


def _when(at: float) -> str:
    return "just now" if time.time() - at < 60 else f"{ago(at)} ago"


ONCE: Final = "once"
_LONGEST_RULE = 200  # characters of a rule in the menu
_REACHES: Final = {"session": "This session", "client": "This agent", "always": "From now on"}


class OfferButton(QPushButton):
    """What Allow means: this run only, or a rule. Choosing decides nothing; a different text starts with “Once”."""

    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offer = ""
        """The id of the chosen lasting answer; empty: this run only."""
        self._names: dict[str, str] = {}
        self._sentences: dict[str, str] = {}
        self.setAutoDefault(True)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self.setMenu(self._menu)

    def show_run(self, run: Run) -> None:
        self._menu.clear()
        self._group = QActionGroup(self._menu)
        self._names = {}
        self._add(ONCE, "Once", "Once: only this run")
        for offer in run.offers:
            self._add(offer.id, _REACHES.get(offer.reach, "Rule"), one_line(offer.sentence, _LONGEST_RULE))
        if run.offers_limit:
            self._menu.addSeparator()
            self._menu.addAction(run.offers_limit).setEnabled(False)
        self._choose(ONCE)

    def actions_by_offer(self) -> dict[str, QAction]:
        """The choices: lasting answers by their id, and “once”."""
        return {str(action.data()): action for action in self._menu.actions() if action.data()}

    def rule(self) -> str:
        """The rule that an approval makes, as it will read later; empty for “Once”."""
        return self._sentences[self.offer] if self.offer else ""

    def _add(self, key: str, name: str, sentence: str) -> None:
        room = self.screen().availableGeometry().width() - self.fontMetrics().averageCharWidth() * 12
        # the end of a rule says for whom it is
        shown = self._menu.fontMetrics().elidedText(sentence, Qt.TextElideMode.ElideMiddle, room)
        action = self._menu.addAction(shown.replace("&", "&&"))
        action.setData(key)
        action.setCheckable(True)
        action.setToolTip(plain_tip(sentence))
        self._group.addAction(action)
        self._names[key], self._sentences[key] = name, sentence
        action.triggered.connect(partial(self._choose, key))

    def _choose(self, key: str, _checked: bool = True) -> None:
        self.offer = "" if key == ONCE else key
        name, action = self._names[key], self.actions_by_offer()[key]
        action.setChecked(True)
        self.setText(name)
        self.setAccessibleName(f"Scope of the approval: {name}")
        self.setToolTip(plain_tip(self._sentences[key]))
        self.chosen.emit()
