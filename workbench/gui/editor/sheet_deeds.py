"""What one does with the program in front: going to places, comparing, earlier runs, colours."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.errors import WorkbenchError
from workbench.gui.context import Context
from workbench.gui.dialogs.difference import DifferenceDialog
from workbench.gui.editor import schemes
from workbench.gui.editor.chooser import Chooser
from workbench.gui.editor.files import read_text
from workbench.gui.editor.looks import Looks
from workbench.gui.editor.sheet import Sheet
from workbench.gui.editor.symbols import symbols
from workbench.gui.rows import Row
from workbench.gui.text import one_line
from workbench.gui.whole import fetch_whole
from workbench.records import Run

_RUNS = 100  # earlier runs one chooses from
_COMPARED = 8  # of them, those that a program is compared with
_LONGEST = 400_000  # characters of a text that is compared


class SheetDeeds(QObject):
    """Belongs to the pane of programs; does nothing where no program is open."""

    opened = Signal(str, str, str)
    """Carries title, text and language of a program to show in a tab."""
    said = Signal(str)

    def __init__(
        self, context: Context, looks: Looks, pane: QWidget, front: Callable[[], Sheet | None],
        others: Callable[[], list[Sheet]],
    ) -> None:  # fmt: skip
        super().__init__(pane)
        self._context = context
        self._looks = looks
        self._pane = pane
        self._front = front
        self._others = others

    # in the text

    def go_to(self) -> None:
        """A line by its number, a symbol by its letters."""
        if (sheet := self._front()) is None:
            return
        found = symbols(sheet.text(), sheet.language)
        rows = [
            Row(
                f"{one.line}",
                "  " * (one.depth // 4) + one.name,
                aside=f"{one.kind} · {one.line}",
                icon="code",
                mono=True,
            )
            for one in found
        ]
        words = "Type a line's number, such as 120; this text has no functions, classes or headings to go to."
        chooser = self._chooser("Line or symbol", rows, words)
        chooser.add(partial(self._line_rows, sheet.editor.line_count()))
        chooser.chosen.connect(partial(self._go, sheet))
        chooser.open()

    def comment(self) -> None:
        if (sheet := self._front()) is not None:
            sheet.editor.toggle_comment()

    def propose(self) -> None:
        if (sheet := self._front()) is not None:
            sheet.completing.propose()

    def show_call(self) -> None:
        if (sheet := self._front()) is not None:
            sheet.completing.show_call()

    def explain(self) -> None:
        if (sheet := self._front()) is not None:
            sheet.completing.explain()

    def problem(self, step: int) -> None:
        """Go there and say it: whoever cannot see the line hears it, too."""
        if (sheet := self._front()) is not None:
            words = sheet.editor.next_problem(step)
            self.said.emit(one_line(words, 200) or "No problems in this program.")
            sheet.editor.setFocus()
            if words:
                sheet.completing.card.say(words)

    def all_problems(self) -> None:
        if (sheet := self._front()) is None:
            return
        rows = [
            Row(f"{one.line}", one_line(one.words, 160), aside=f"line {one.line}", icon="alert",
                tone=one.tone)
            for one in sheet.editor.problems()
        ]  # fmt: skip
        chooser = self._chooser("Problems", rows, "No problems in this program.")
        chooser.chosen.connect(partial(self._go, sheet))
        chooser.open()

    # with other texts

    def compare(self) -> None:
        if (sheet := self._front()) is not None:
            self._context.tasks.run("compare a program", self._offer_texts(sheet))

    def earlier_runs(self) -> None:
        self._context.tasks.run("list earlier runs", self._offer_runs())

    async def _offer_runs(self) -> None:
        runs = await self._context.api.runs()
        known = {run.id: run for run in runs[:_RUNS]}
        words = "Programs that ran appear here; Ctrl+Enter runs the one in front."
        chooser = self._chooser("Open the program of a run", [_row(run) for run in known.values()], words)
        chooser.chosen.connect(partial(self._open_run, known))
        chooser.open()

    def _open_run(self, known: dict[str, Run], key: str) -> None:
        self._context.tasks.run("open a run's program", self._fetch_run(known[key]))

    async def _fetch_run(self, run: Run) -> None:
        (code,) = await fetch_whole(self._context.fetch, [run.proposal.code])
        title = one_line(run.proposal.purpose, 40) or f"Run of {run.proposal.author}"
        self.opened.emit(title, code, run.proposal.language)

    async def _offer_texts(self, sheet: Sheet) -> None:
        """Everything this program may be meant to be like."""
        texts: dict[str, tuple[str, str]] = {}
        rows: list[Row] = []

        def offer(title: str, text: str, aside: str, icon: str) -> None:
            key = f"text-{len(rows)}"
            texts[key] = (title, text)
            rows.append(Row(key, title, aside=aside, icon=icon))

        if sheet.file:
            try:
                offer("The file on disk", read_text(Path(sheet.file)).text, Path(sheet.file).name, "file")
            except WorkbenchError as fault:
                self.said.emit(fault.message)
        offer("As it was opened or saved last", sheet.original, "", "history")
        if sheet.skill:
            try:
                page = await self._context.api.skill_page(sheet.skill)
                drafts = (page.draft,) if page.draft is not None else ()
                for one in (page.skill, *drafts, *page.versions[::-1]):
                    (code,) = await fetch_whole(self._context.fetch, [one.code])
                    aside = f"{one.state}, version {one.version}"
                    offer(f"The skill {one.name}", code, aside, "book")
            except WorkbenchError as fault:
                self.said.emit(fault.message)
        for other in self._others():
            if other is not sheet:
                offer(one_line(other.title, 60), other.text(), "tab", "code")
        for run in (await self._context.api.runs())[:_COMPARED]:
            (code,) = await fetch_whole(self._context.fetch, [run.proposal.code])
            offer(_row(run).title, code, _row(run).aside, "play")
            if run.proposal.original and run.proposal.original != run.proposal.code:
                author = run.proposal.author
                offer(f"What {one_line(author, 40)} proposed", run.proposal.original, "", "agent")
        chooser = self._chooser("Compare with", rows)
        chooser.chosen.connect(partial(self._show_difference, sheet, texts))
        chooser.open()

    def _show_difference(self, sheet: Sheet, texts: dict[str, tuple[str, str]], key: str) -> None:
        title, before = texts[key]
        after = sheet.text()
        signs = f"− {title}   + this program"
        if max(len(before), len(after)) > _LONGEST:
            self.said.emit("These texts are too long to be compared line by line.")
            return
        alike = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"), autojunk=False).quick_ratio()
        words = f"{sheet.title} and {title}: {alike:.0%} of the lines are the same"
        dialog = DifferenceDialog(self._context, words, before, after, self._pane.window(), signs=signs)
        dialog.setWindowTitle("Compare")
        dialog.diff.setAccessibleName("Differences, line by line")
        dialog.open()

    # looks

    def choose_scheme(self) -> None:
        """Each is shown in the editor while one goes through the list; Escape keeps the one from before."""
        before = self._looks.scheme_name
        names = schemes.names(dark=self._context.theme.dark)
        own = Row("own", "Workbench", aside="its own colours", icon="app")
        rows = [own, *(Row(f"of-{name}", name, icon="sun") for name in names)]
        chooser = self._chooser("Colours of code", rows)
        chooser.choose(f"of-{before}" if before else "own")
        chooser.looked_at.connect(self._wear)
        chooser.rejected.connect(partial(self._looks.choose, before))
        chooser.open()

    def _wear(self, key: str) -> None:
        self._looks.choose("" if key == "own" else key.removeprefix("of-"))

    def _chooser(self, title: str, rows: list[Row], empty: str = "") -> Chooser:
        return Chooser(self._context.theme, title, rows, self._pane, empty)

    def _line_rows(self, most: int, words: str) -> list[Row]:
        wanted = words.strip().lstrip(":")
        if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 9):
            return []
        line = max(1, min(int(wanted), most))
        return [Row(f"{line}", f"Line {line:,}", aside=f"of {most:,}", icon="list")]

    def _go(self, sheet: Sheet, key: str) -> None:
        sheet.editor.go_to(int(key))
        sheet.editor.setFocus()


def _row(run: Run) -> Row:
    at = time.strftime("%d.%m. %H:%M", time.localtime(run.proposal.at))
    title = one_line(run.proposal.purpose or run.proposal.code, 70)
    return Row(run.id, title, detail=f"{run.proposal.author} · {run.state}", aside=at, icon="history")
