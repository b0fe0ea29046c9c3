"""The functions, classes and headings of a text, also of one that does not parse at the moment."""

from __future__ import annotations

import asyncio
import difflib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.errors import WorkbenchError
from workbench.gui.code import colour_schemes as schemes
from workbench.gui.code.assessment import AssessmentStrip, of_text, of_verdict
from workbench.gui.code.chooser import Chooser
from workbench.gui.code.code_view import marks_of
from workbench.gui.code.colour_schemes import Looks
from workbench.gui.code.completion import Completing
from workbench.gui.code.diff_view import DifferenceDialog
from workbench.gui.code.find_bar import EditorFindBar
from workbench.gui.code.program_editor import ProgramEditor
from workbench.gui.editor.drafts import Draft, Drafts, print_of
from workbench.gui.editor.program_files import read_text
from workbench.gui.kit.controls import CalmCombo
from workbench.gui.kit.faults import FaultCard, Question
from workbench.gui.kit.rows import Row
from workbench.gui.kit.text import one_line, plain_tip, visible
from workbench.gui.kit.wording import language_word
from workbench.gui.shell.context import Context
from workbench.gui.shell.long_text import fetch_whole
from workbench.records import Fault, Finding, Profiles, Run, RunProfile, Verdict
from workbench.records.runs import ENDS

MOST = 5_000
_PYTHON = re.compile(r"(?P<lead>[ \t]{0,200})(?:async[ \t]{1,8})?(?P<kind>def|class)[ \t]{1,8}(?P<name>\w{1,200})")
_SCRIPT = re.compile(
    r"(?P<lead>[ \t]{0,200})(?:export[ \t]{1,8})?(?:default[ \t]{1,8})?(?:async[ \t]{1,8})?"
    r"(?P<kind>function|class|interface|type|enum|const|let)[ \t]{1,8}(?P<name>[\w$]{1,200})"
)
_MARKDOWN = re.compile(r"(?P<kind>#{1,6})[ \t]{1,8}(?P<name>.{1,200})")
_TOML = re.compile(r"(?P<kind>\[{1,2})(?P<name>[^\[\]]{1,200})\]")
_JSON = re.compile(r'(?P<lead>[ ]{2}|\t)"(?P<name>[^"\\]{1,200})"[ \t]{0,8}:')
_PATTERNS = {"python": _PYTHON, "typescript": _SCRIPT, "markdown": _MARKDOWN, "toml": _TOML, "json": _JSON}
_STRINGS = re.compile(r'"""|\'\'\'')


@dataclass(frozen=True, slots=True)
class Symbol:
    """Something one may want to go to."""

    name: str
    kind: str  # def, class, the sign of a heading
    line: int  # from 1
    depth: int  # how far it is indented, in letters


def symbols(text: str, language: str) -> list[Symbol]:
    """In the order of the text. Lines inside a string of several lines are passed over in Python."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return []
    found: list[Symbol] = []
    inside = ""  # the quotes that are open
    for number, line in enumerate(text.split("\n"), 1):
        if not inside and (match := pattern.match(line)) is not None and len(found) < MOST:
            told = match.groupdict()
            lead = (told.get("lead") or "").expandtabs(4)
            found.append(Symbol(told["name"].strip(), told.get("kind") or "key", number, len(lead)))
        if language == "python":
            for quotes in _STRINGS.findall(line):
                inside = "" if inside == quotes else inside or quotes
    return found


LANGUAGES = ("python", "typescript")
"""What can be run."""
TEXTS = ("json", "markdown", "toml")
"""What is written beside programs."""


class LanguageChoice(CalmCombo):
    """Python, which is read before it runs, or TypeScript, which always asks."""

    chosen = Signal(str)

    def __init__(self, language: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        for name in (*LANGUAGES, *TEXTS):
            self.addItem(language_word(name), name)
        self.setCurrentIndex(max(0, self.findData(language)))
        self.setAccessibleName("Language of the program")
        self.setToolTip("Python is analyzed before it runs. TypeScript is not, so it always needs approval.")
        self.currentIndexChanged.connect(self._tell)

    def _tell(self, _number: int) -> None:
        self.chosen.emit(str(self.currentData()))


class ProfileChoice(CalmCombo):
    """Empty stands for the default; what one allows is in its tip. One of the project may have to be accepted first."""

    chosen = Signal(str)

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._known = Profiles()
        self.setAccessibleName("Profile of the run")
        self.setMinimumContentsLength(12)
        self.addItem("Usual bounds", "")
        self.activated.connect(self._tell)

    def refresh(self) -> None:
        """Read which there are; the chosen one stays."""
        self._context.tasks.run("read the profiles", self._read())

    @property
    def profile(self) -> str:
        return str(self.currentData() or "")

    def show_profiles(self, known: Profiles) -> None:
        """Those that there are; one that is not accepted asks when it is chosen."""
        before = self.profile
        self.clear()
        self.addItem("Usual bounds", "")
        self._explain(0, known.default)
        for one in known.all:
            words = visible(one.name) if one.accepted else f"Accept {visible(one.name)}…"
            self.addItem(words, one.name)
            self._explain(self.count() - 1, one.sentence)
        self._known = known
        self.setCurrentIndex(max(0, self.findData(before)))
        self._say()

    async def _read(self) -> None:
        self.show_profiles(await self._context.api.profiles())

    async def _accept(self, one: RunProfile) -> None:
        """A profile of the project that allows more than its base counts after a person read what it allows."""
        words = f"This project's workbench.toml names a profile that allows more than {one.base}."
        question = Question(self._context.theme, "Accept a profile", words, self.window())
        question.show_text(f"{one.name}: {one.sentence}", "What it allows")
        self.setCurrentIndex(0)
        if await question.ask("Accept it"):
            self.show_profiles(await self._context.api.accept_profile(one.sha))
            self.setCurrentIndex(max(0, self.findData(one.name)))
        self._say()
        self.chosen.emit(self.profile)

    def _tell(self, _row: int) -> None:
        if (one := next((one for one in self._known.all if one.name == self.profile), None)) and not one.accepted:
            self._context.tasks.run("accept a profile", self._accept(one))
            return
        self._say()
        self.chosen.emit(self.profile)

    def _explain(self, row: int, words: str) -> None:
        """A project's profile may hold anything, so none of it is taken for HTML."""
        self.setItemData(row, plain_tip(words), Qt.ItemDataRole.ToolTipRole)
        self.setItemData(row, words, Qt.ItemDataRole.AccessibleDescriptionRole)

    def _say(self) -> None:
        words = self.itemData(self.currentIndex(), Qt.ItemDataRole.AccessibleDescriptionRole) or ""
        told = f"The bounds of the run. {words}".strip()
        self.setToolTip(plain_tip(told))
        self.setAccessibleDescription(told)


_ASSESS_MS = 350
_KEEP_MS = 700  # from the first letter that is not kept yet: who types on and on is kept, too


class Sheet(QWidget):
    """Text is kept on disk a moment after each change."""

    settled = Signal()
    """The run of this sheet began or ended."""
    kept = Signal()
    """The text changed a moment ago, and is on disk."""

    def __init__(
        self, context: Context, drafts: Drafts, draft: Draft, looks: Looks, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._context = context
        self._drafts = drafts
        self.key, self.title, self.skill = draft.key, draft.title, draft.skill
        self.original = draft.code
        self.saved = draft.saved or print_of(draft.code)
        self.file, self.ends = draft.file, draft.ends
        self.language = draft.language
        self.run_id = ""
        self._asked = 0
        self.editor = ProgramEditor(context.theme, looks)
        self.finder = EditorFindBar(self.editor, context.theme)
        self.completing = Completing(context, self.editor)
        self._languages = LanguageChoice(draft.language, self)
        self._profiles = ProfileChoice(context, self)
        self.strip = AssessmentStrip(context.theme)
        self.fault = FaultCard(context.theme)
        self._assess_pause = QTimer(self, singleShot=True, interval=_ASSESS_MS)
        self._keep_pause = QTimer(self, singleShot=True, interval=_KEEP_MS)
        self._build(draft)

    def text(self) -> str:
        return self.editor.text()

    @property
    def profile(self) -> str:
        """The bounds that a person chose for it; empty: the usual ones."""
        return self._profiles.profile

    def keep(self) -> None:
        """Write the text to disk now; where that fails, say so beside the text."""
        self._keep_pause.stop()
        try:
            self._drafts.keep(self.draft())
        except WorkbenchError as fault:
            self._not_kept(fault)

    def _not_kept(self, fault: WorkbenchError) -> None:
        words = f"This text could not be kept on disk: {fault.message}"
        self.fault.show_fault(Fault(words, "Copy it somewhere safe before you close the window."))

    def draft(self) -> Draft:
        """All of it, as it is kept."""
        place, steps = self.editor.textCursor().position(), self.editor.past.told()
        named = (self.key, self.title, self.text(), self.skill, place, self.language)
        return Draft(*named, self.file, self.saved, steps, self.ends, self.editor.past.ahead())

    def touched(self) -> bool:
        """Whether a person changed the text since it was opened or saved."""
        return print_of(self.text()) != self.saved

    def _keep_aside(self) -> None:
        """On a thread: a busy disk must not hold up a key."""
        self.kept.emit()
        self._context.tasks.run("keep a program", self._keep_there(self._drafts.keeper(self.draft())))

    async def _keep_there(self, keep: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(keep)
        except WorkbenchError as fault:
            self._not_kept(fault)

    def _keep_soon(self) -> None:
        if not self._keep_pause.isActive():
            self._keep_pause.start()

    def assess(self) -> None:
        """Ask what policy says; only the answer to the latest question is shown. A tab nobody sees waits."""
        self._assess_pause.stop()
        if not self.isVisible():
            return
        code = self.text()
        self._asked += 1
        if not code.strip() or self.language not in LANGUAGES:
            self._look(code)
            return
        self._context.tasks.run("assess a program", self._assess(code, self.language, self._asked))

    def _look(self, code: str) -> None:
        """What is not run is not assessed, but read."""
        problems = of_text(code, self.language)
        self.editor.show_marks({})
        self.editor.show_problems(problems)
        if not code.strip():
            self.strip.say("Nothing to assess yet.")
        elif problems:
            self.strip.say(problems[0].words)
        else:
            self.strip.say(f"{language_word(self.language)} is not run, so it is not assessed.")

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._profiles.refresh()
        self._assess_pause.start()

    def follow(self, run: Run) -> None:
        """The run of this sheet took a step."""
        if run.state in ENDS:
            self.run_id = ""
            self.settled.emit()

    async def _assess(self, code: str, language: str, number: int) -> None:
        try:
            verdict = await self._context.api.assess(code, language, self.profile)
        except WorkbenchError as fault:
            if number == self._asked:
                self.strip.say(f"Not assessed: {fault.message}")
            return
        more = await self._checked(code) if language == "python" and number == self._asked else ()
        if number == self._asked:
            self._show(verdict, more)

    async def _checked(self, code: str) -> tuple[Finding, ...]:
        """What the check before a run would say of its calls; that it cannot say anything is no news."""
        try:
            return await self._context.api.check_code(code)
        except WorkbenchError:
            return ()

    def _show(self, verdict: Verdict, more: tuple[Finding, ...]) -> None:
        self.strip.show_verdict(verdict)
        self.editor.show_marks(marks_of(verdict))
        self.editor.show_problems(of_verdict(verdict, more))

    def _build(self, draft: Draft) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.strip)
        self.strip.add(self._languages)
        self.strip.add(self._profiles)
        layout.addWidget(self.fault)
        layout.addWidget(self.finder)
        layout.addWidget(self.editor, 1)
        self.editor.setAccessibleName(f"Program {draft.title}")
        self._speak(draft.language)
        self.editor.past.bring_back(draft.code, draft.steps, draft.ahead)
        cursor = self.editor.textCursor()
        cursor.setPosition(min(draft.place, self.editor.document().characterCount() - 1))
        self.editor.setTextCursor(cursor)
        self.strip.line_wanted.connect(self._go)
        self._assess_pause.timeout.connect(self.assess)
        self._keep_pause.timeout.connect(self._keep_aside)
        self.editor.edited.connect(self._assess_pause.start)
        self.editor.edited.connect(self._keep_soon)
        self._languages.chosen.connect(self._choose)
        self._profiles.chosen.connect(self.assess)

    def _choose(self, language: str) -> None:
        self._speak(language)
        self.fault.show_fault(None)
        self.keep()
        self.assess()

    def _speak(self, language: str) -> None:
        self.language = language
        self.editor.speak(language)
        self.editor.setPlaceholderText(
            'Write TypeScript here. Tools are functions: import { … } from "./servers/demo"'
            if language == "typescript"
            else "Write Python here. Tools are functions: from servers.demo import …"
            if language == "python"
            else f"Write {language_word(language)} here."
        )

    def _go(self, line: int) -> None:
        self.editor.go_to(line)
        self.editor.setFocus()


_RUNS = 100  # earlier runs one chooses from
_COMPARED = 8  # of them, those that a program is compared with
_LONGEST = 400_000  # characters of a text that is compared


class SheetDeeds(QObject):
    """Belongs to the pane of programs; does nothing where no program is open."""

    opened = Signal(str, str, str)
    """Carries title, text and language of a program to show in a tab."""

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
            self._context.say(one_line(words, 200) or "No problems in this program.")
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
                self._context.say(fault.message)
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
                self._context.say(fault.message)
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
            self._context.say("These texts are too long to be compared line by line.")
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
