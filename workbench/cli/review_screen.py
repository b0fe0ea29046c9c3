"""The full-screen review: the list of requests, the facts of one, and the keys that answer it.

Text of agents and servers is drawn cell by cell without markup; control, direction, blank and stacked characters are
escaped, and long lines are wrapped, so that no text can forge or hide a part of the screen.
"""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from workbench.cli.approval_requests import TYPED, CallRequest, GroupRequest, ProgramRequest, Request
from workbench.cli.review import Item, ReviewQueue
from workbench.cli.terminal_answers import LATER, unlock
from workbench.cli.terminal_output import visible
from workbench.cli.waiting_requests import (
    EditedCall,
    EditedProgram,
    open_editor,
    read_draft,
    remove_draft,
    write_draft,
)
from workbench.errors import WorkbenchError
from workbench.records import RequestKind

SETTLE_SECONDS = 0.7  # nothing can be allowed for this long after it appeared
TICK_SECONDS = 1.0
NARROW = 72  # columns; in a narrower terminal the list is above the facts
_STACK = 3  # combining marks on one letter; more are escaped, because they cover other lines
_BLANKS = 40  # spaces in a row; more are counted instead, because they push code out of sight
_LOOKS_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f")
_RISKS = {"low": "low", "medium": "medium", "high": "HIGH", "critical": "CRITICAL"}
_HELP = (
    "J K       next and previous request (also the arrows, and the mouse)",
    "A Enter   allow; for high risk you type a name instead of Enter",
    "S         how long an allow applies, where that is offered",
    "D         deny at once;  U  undo that, until the agent is told",
    "R         deny with a reason;  X X  deny everything of this agent",
    "L         later: it keeps waiting;  E  edit the program in $EDITOR",
    "O         list the programs of a group singly",
    "W         go to the line that makes it risky;  G  end of the text",
    "Space B   page down and up;  Q  close: everything keeps waiting",
)


def plain_cells(text: str) -> str:
    """One line of foreign text in which every character is visible and has its own place."""
    shown, stacked = list[str](), 0
    for sign in visible(text.expandtabs(4)):
        stacked = stacked + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        is_odd = sign in _LOOKS_BLANK or "\ufe00" <= sign <= "\ufe0f" or stacked > _STACK
        shown.append(sign.encode("unicode_escape").decode("ascii") if is_odd else sign)
    line = "".join(shown)
    start = len(line) - len(line.lstrip(" "))
    while (at := line.find(" " * _BLANKS, start)) >= 0:
        end = at + len(line[at:]) - len(line[at:].lstrip(" "))
        line = f"{line[:at]} ‹{end - at:,} spaces› {line[end:]}"
    return line


class FactsView(ScrollView, can_focus=True):
    """Lines of text, wrapped at the width. It remembers which of them were on the screen."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[str, str, int]] = []  # text, kind, and the number of the line that it is a part of
        self.seen: set[int] = set()  # numbers of lines that were on the screen
        self.worst = -1  # the number of the riskiest line of code; -1: none

    def show_lines(self, lines: Sequence[str], worst: int) -> None:
        """Show lines from the top."""
        width = max(20, self.size.width - 2)
        self._rows, self.seen, self.worst = [], set(), worst
        for number, line in enumerate(lines):
            kind = _kind(line, number, worst)
            pieces = chop_cells(plain_cells(line), width - 2) or [""]
            self._rows.append((pieces[0], kind, number))
            self._rows += [(f"↪ {piece}", kind, number) for piece in pieces[1:]]
        self.virtual_size = Size(width, len(self._rows))
        self.scroll_to(0, 0, animate=False)
        self.refresh()

    def go_to_worst(self) -> None:
        """Bring the riskiest line of code onto the screen."""
        row = next((at for at, one in enumerate(self._rows) if one[2] == self.worst), None)
        if row is not None:
            self.scroll_to(0, max(0, row - self.size.height // 2), animate=False)

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        base = self.rich_style
        if not 0 <= at < len(self._rows):
            return Strip.blank(self.size.width, base)
        text, kind, number = self._rows[at]
        self.seen.add(number)
        style = base + _STYLES[kind]
        return Strip([Segment(f" {text}", style)]).adjust_cell_length(self.size.width, style)


_STYLES = {
    "plain": Style(),
    "heading": Style(bold=True),
    "risky": Style(color="yellow"),
    "worst": Style(reverse=True, bold=True),
    "headline": Style(bold=True),
}


def _kind(line: str, number: int, worst: int) -> str:
    if number == worst:
        return "worst"
    if number == 0:
        return "headline"
    if line.startswith("! "):
        return "risky"
    return "heading" if line and not line.startswith((" ", "!")) else "plain"


def worst_row(lines: Sequence[str], request: Request) -> int:
    """The number of the line that shows the riskiest line of code; -1 if there is none."""
    if not request.worst_line:
        return -1
    return next((at for at, line in enumerate(lines) if line[:1] == "!" and _number(line) == request.worst_line), -1)


def _number(line: str) -> int:
    """The number of a marked line of code."""
    number = line[1:].split(None, 1)[0] if len(line) > 2 else ""
    return int(number) if number.isdigit() else 0


class ReviewApp(App[WorkbenchError | None]):
    """The screen. `run_async` returns the fault that ended it, if any."""

    CSS = """
    #title { height: 1; text-style: reverse; padding: 0 1; }
    #queue { width: 30; border: none; border-right: solid $primary; scrollbar-size-vertical: 1; padding: 0; }
    FactsView { width: 1fr; scrollbar-size-vertical: 1; }
    #body { height: 1fr; }
    #body.narrow { layout: vertical; }
    #body.narrow #queue { width: 1fr; height: 5; border-right: none; border-bottom: solid $primary; }
    #keys { height: auto; padding: 0 1; display: none; }
    #said { height: auto; max-height: 4; padding: 0 1; text-style: bold; }
    #line { height: 1; border: none; padding: 0 1; display: none; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "step(1)", "Next", key_display="J", priority=False),
        Binding("k,up", "step(-1)", "Previous", key_display="K"),
        Binding("a", "allow", "Allow", key_display="A"),
        Binding("enter", "confirm", "Confirm", show=False),
        Binding("d", "deny", "Deny", key_display="D"),
        Binding("r", "deny_with_reason", "Reason", key_display="R"),
        Binding("l", "later", "Later", key_display="L"),
        Binding("e", "edit", "Edit", key_display="E"),
        Binding("u", "undo", "Undo", key_display="U"),
        Binding("s", "scope", "Scope", show=False),
        Binding("x", "deny_agent", "Deny agent", show=False),
        Binding("o", "ungroup", "List singly", show=False),
        Binding("w", "worst", "Risky line", show=False),
        Binding("space,pagedown", "page(1)", "Page down", show=False),
        Binding("b,pageup", "page(-1)", "Page up", show=False),
        Binding("g,end", "end", "End", show=False),
        Binding("question_mark", "keys", "Keys", key_display="?"),
        Binding("q,ctrl+c", "quit", "Quit", key_display="Q"),
    ]

    def __init__(self, queue: ReviewQueue) -> None:
        super().__init__()
        self._queue = queue
        self._current: Item | None = None
        self._version = ""
        self._shown_at = 0.0  # when the current request appeared; 0: its facts are not there yet
        self._began = 0.0
        self._armed = ""  # the key whose second step is awaited
        self._offer = ""  # the lasting answer that A gives; empty: once
        self._wanted = ""  # the request that is opened as soon as it is listed
        self._typed: asyncio.Future[str | None] | None = None
        self._denied: list[Item] = []
        self._busy = False
        self._edits: dict[tuple[str, str, str], EditedProgram | EditedCall] = {}  # changed by the user, not decided yet
        queue.changed = self._take_changes
        queue.say = self.say

    def compose(self) -> ComposeResult:
        yield Static("", id="title", markup=False)
        with Horizontal(id="body"):
            yield OptionList(id="queue", markup=False)
            yield FactsView()
        yield Static("\n".join(_HELP), id="keys", markup=False)
        yield Static("", id="said", markup=False)
        yield Input(id="line")
        yield Footer(compact=True, show_command_palette=False)

    @property
    def _mounted(self) -> bool:
        """Whether the screen is there: changes may arrive before, and while it is being closed."""
        return bool(self.screen_stack) and bool(self.query("#title"))

    def on_mount(self) -> None:
        self.query_one(FactsView).focus()
        self.set_interval(TICK_SECONDS, self._tick)
        self._follow()

    @work
    async def _follow(self) -> None:
        try:
            await self._queue.follow_projects()
        except WorkbenchError as fault:
            self.exit(fault)

    # ── what is shown ────────────────────────────────────────────────────────────────────────────
    def say(self, text: str) -> None:
        """Show a message above the keys."""
        if not self._mounted:
            return
        self.query_one("#said", Static).update(Content("\n".join(plain_cells(line) for line in text.split("\n"))))

    def _take_changes(self) -> None:
        if not self._mounted:
            return
        item = self._current
        now = self._queue.find(item) if item is not None else None
        if item is not None and now is None and not item.ended:
            item.ended = self._queue.end_of(item)
            self._disarm()
            if self._typed is not None:
                self._finish_line(None)
            if not self._busy:  # otherwise the answer that is under way says what became of it
                self.say(item.ended)
        elif now is not None and item is not None:
            if now.version != self._version and not self._busy:
                self._open(now)
                grown = len(now.request.ids) > 1 and now.key != item.key
                self.say("Programs of the same form are one entry." if grown else "The request changed. Read it again.")
            else:
                item.request.deadline, item.request.clock_left = now.request.deadline, now.request.clock_left
        items = self._queue.items
        if self._current is None and items:
            wanted = next((one for one in items if one.request.id == self._wanted), None)
            if wanted is not None or not self._wanted:
                self._wanted = ""
                self._open(wanted or items[0])
        self._draw()

    def _tick(self) -> None:
        self._queue.update()

    def _draw(self) -> None:
        items = self._queue.items
        count = f"{self._queue.waiting} waiting" if items else "Nothing waits for you"
        where = f" in {self._queue.projects} projects" if self._queue.projects > 1 else ""
        stopped = " · time paused" if items and all(one.request.clock_left for one in items) else ""
        self.query_one("#title", Static).update(Content(f"Review · {count}{where}{stopped}"))
        listed = self.query_one("#queue", OptionList)
        width = max(16, listed.size.width - 2)
        place = self._place()
        texts = [_list_text(item, width, chosen=at == place) for at, item in enumerate(items)]
        if [str(option.prompt) for option in listed.options] != texts:
            listed.clear_options()
            listed.add_options([Option(Content(text)) for text in texts])
        with self.prevent(OptionList.OptionHighlighted):
            listed.highlighted = place

    def _place(self) -> int | None:
        """The place of the current request in the list."""
        key = self._current.key if self._current is not None else None
        return next((at for at, item in enumerate(self._queue.items) if item.key == key), None)

    def _open(self, item: Item) -> None:
        self._disarm()
        edit = self._edits.get(item.key)
        version = item.version
        if isinstance(edit, EditedCall) or (isinstance(edit, EditedProgram) and edit.version == version):
            item.request = edit
        self._current, self._version, self._shown_at = item, version, 0.0
        self._began, self._offer = time.monotonic(), ""
        self.say("")
        self._show_facts(item)
        self._draw()

    @work(exclusive=True, group="facts")
    async def _show_facts(self, item: Item) -> None:
        if not self._mounted:
            return
        view = self.query_one(FactsView)
        try:
            lines = [one for line in await self._facts(item, view) for one in line.split("\n")]
        except WorkbenchError as fault:
            self.say(str(fault))
            return
        if self._current is item and self._mounted:
            view.show_lines(lines, worst_row(lines, item.request))
            self._shown_at = time.monotonic()

    async def _facts(self, item: Item, view: FactsView) -> list[str]:
        width = max(38, view.size.width - 6)
        return await item.request.facts(item.core.connection, width)

    def on_resize(self, event: events.Resize) -> None:
        narrow = event.size.width < NARROW
        self.query_one("#body").set_class(narrow, "narrow")
        if self._current is not None and not self._current.ended:
            self.call_after_refresh(self._show_facts, self._current)

    def on_app_focus(self, _event: events.AppFocus) -> None:
        self._queue.look(looking=True)
        self._disarm()
        self._shown_at = time.monotonic() if self._shown_at else 0.0

    def on_app_blur(self, _event: events.AppBlur) -> None:
        self._queue.look(looking=False)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        items = self._queue.items
        if event.option_index < len(items) and items[event.option_index].key != (self._current and self._current.key):
            self._open(items[event.option_index])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        if self._armed:
            self.action_confirm()
        self.query_one(FactsView).focus()

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────
    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a line is typed, letters belong to it."""
        return self._typed is None or action == "quit"

    def action_step(self, by: int) -> None:
        if items := self._queue.items:
            place = self._place()
            at = 0 if place is None else max(0, min(len(items) - 1, place + by))
            if place != at or self._current is None or self._current.ended:
                self._open(items[at])

    def action_later(self) -> None:
        """Leave the request waiting and open the next one."""
        if (place := self._place()) is not None and len(self._queue.items) > 1:
            self._open(self._queue.items[(place + 1) % len(self._queue.items)])
            self.say("The request before this one keeps waiting.")
        else:
            self.say("It keeps waiting. Q closes this screen.")

    def action_page(self, by: int) -> None:
        view = self.query_one(FactsView)
        view.scroll_relative(0, by * max(1, view.size.height - 2), animate=False)

    def action_end(self) -> None:
        self.query_one(FactsView).scroll_end(animate=False)

    def action_worst(self) -> None:
        self.query_one(FactsView).go_to_worst()

    def action_keys(self) -> None:
        table = self.query_one("#keys")
        table.display = not table.display

    def action_scope(self) -> None:
        """Choose how long an allow applies."""
        if (item := self._answerable()) is None:
            return
        offers = ["", *(one.id for one in item.request.offers)]
        if len(offers) == 1:
            self.say("This request can be allowed only once.")
            return
        self._offer = offers[(offers.index(self._offer) + 1) % len(offers)]
        self._disarm()
        self.say(f"A allows it {self._offer_words(item)}.")

    def _offer_words(self, item: Item) -> str:
        """How long an allow would apply."""
        chosen = next((one for one in item.request.offers if one.id == self._offer), None)
        return f"with this rule: {chosen.sentence}".rstrip(".") if chosen is not None else "once"

    def action_allow(self) -> None:
        """Begin to allow; Enter or a typed name finishes it."""
        item, view = self._answerable(), self.query_one(FactsView)
        if item is None:
            return
        if item.request.obstacle:
            self.say(item.request.obstacle)
        elif not self._is_settled():
            self.say("Read it first: it has just appeared.")
        elif item.request.risk in TYPED and view.worst >= 0 and view.worst not in view.seen:
            view.go_to_worst()
            self._shown_at = time.monotonic()
            self.say("This is the line that makes it risky. Press A again to allow.")
        elif item.request.confirmation_word != "allow":
            self._allow_typed(item)
        else:
            self._armed = "a"
            many = len(item.request.ids)
            them = f"all {many} programs once" if many > 1 else f"it {self._offer_words(item)}"
            self.say(f"Enter allows {them}. Any other key does not.")

    def action_confirm(self) -> None:
        """Finish what A or X began."""
        item = self._answerable()
        if self._armed == "a" and item is not None:
            self._disarm()
            self._answer(item, allow=True)

    def action_deny(self) -> None:
        if (item := self._deniable()) is not None:
            self._answer(item, allow=False)

    def action_deny_with_reason(self) -> None:
        if (item := self._deniable()) is not None:
            self._deny_with_reason(item)

    def _deniable(self) -> Item | None:
        item = self._answerable()
        if item is not None and "deny" not in item.request.answers:
            self.say(item.request.obstacle)
            return None
        return item

    def action_deny_agent(self) -> None:
        """Deny everything of one agent, when the key is pressed a second time."""
        if (item := self._answerable()) is None:
            return
        if not item.request.session or item.request.session == "person":
            self.say("This request does not come from an agent.")
        elif self._armed == "x":
            self._disarm()
            self._deny_agent(item)
        else:
            self._armed = "x"
            same = [one for one in self._queue.items if one.request.session == item.request.session]
            many = sum(len(one.request.ids) for one in same)
            self.say(f"Press X again to deny all {many} requests of {item.request.author}.")

    def action_ungroup(self) -> None:
        """List the programs of a group singly."""
        item = self._answerable()
        if item is None or not isinstance(item.request, GroupRequest):
            self.say("This is one request.")
            return
        item.core.list_singly(item.request.ids)
        self._current, self._wanted = None, item.request.ids[0]

    def action_undo(self) -> None:
        if self._denied:
            self._undo(self._denied[-1])
        else:
            self.say("Nothing can be undone.")

    def action_edit(self) -> None:
        item = self._answerable()
        if item is None:
            return
        request = item.request
        if isinstance(request, ProgramRequest) or (isinstance(request, CallRequest) and request.held_call.editable):
            self._edit(item, request)
        else:
            self.say("This request cannot be changed here.")

    def on_key(self, event: events.Key) -> None:
        if self._typed is not None:
            if event.key == "escape":
                self._finish_line(None)
        elif self._armed and event.key not in ("enter", self._armed):
            self._disarm()
            self.say("")

    def _disarm(self) -> None:
        self._armed = ""

    def _answerable(self) -> Item | None:
        item = self._current
        if item is None or self._busy:
            return None
        if item.ended:
            self.say(f"{item.ended} Press J for the next request.")
            return None
        return item

    def _is_settled(self) -> bool:
        return bool(self._shown_at) and time.monotonic() - self._shown_at >= SETTLE_SECONDS

    # ── typed lines ──────────────────────────────────────────────────────────────────────────────
    async def read_line(self, question: str, stop: asyncio.Event | None = None, *, hidden: bool = False) -> str | None:
        """Ask for one line; `None` if the user presses Escape, or the request ends."""
        self.say(f"{question.strip()} (Escape cancels)")
        line = self.query_one("#line", Input)
        line.value, line.password, line.display = "", hidden, True
        line.focus()
        self._typed = asyncio.get_running_loop().create_future()
        try:
            return await self._typed
        finally:
            self._typed = None
            if self._mounted:
                line.display = False
                line.value = ""
                self.query_one(FactsView).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self._finish_line(event.value.strip())

    def _finish_line(self, text: str | None) -> None:
        if self._typed is not None and not self._typed.done():
            self._typed.set_result(text)

    # ── answers ──────────────────────────────────────────────────────────────────────────────────
    @work
    async def _allow_typed(self, item: Item) -> None:
        word = item.request.confirmation_word
        typed = await self.read_line(f"To allow it {self._offer_words(item)}, type {word}")
        if typed == word and not item.ended:
            self._answer(item, allow=True)
        else:
            self.say(item.ended or LATER)

    @work
    async def _deny_with_reason(self, item: Item) -> None:
        reason = await self.read_line("Reason for the agent:")
        if reason is None or item.ended:
            self.say(item.ended or LATER)
        else:
            self._answer(item, allow=False, reason=reason)

    @work
    async def _answer(self, item: Item, *, allow: bool, reason: str = "") -> None:
        request, seconds = item.request, round(time.monotonic() - self._began, 2)
        offer = self._offer if allow else ""
        self._busy = True
        try:
            if allow and isinstance(request, ProgramRequest):
                await request.ask_hosts(self)
            api = item.core.connection.api
            if not await unlock(api, self):
                self.say(LATER)
                return
            if item.ended:
                self.say(f"{item.ended} Your answer was not sent.")
                return
            await request.send(api, allow=allow, reason=reason, seconds=seconds, offer=offer)
        except WorkbenchError as fault:
            self.say(str(fault))
            return
        finally:
            self._busy = False
        if not allow:
            self._denied.append(item)
        place = self._place()
        self._queue.hide_answered(item)
        self._edits.pop(item.key, None)
        self._open_next(place or 0)
        end = " U undoes it until the agent is told." if not allow and request.kind is not RequestKind.FILES else ""
        self.say(f"{'Allowed' if allow else 'Denied'}: {_cut(plain_cells(request.sentence), 60)}{end}")

    @work
    async def _deny_agent(self, item: Item) -> None:
        try:
            api = item.core.connection.api
            if not await unlock(api, self):
                self.say(LATER)
                return
            outcomes = await api.deny_agent(item.request.session, undoable=True)
            done = sum(not one.problem for one in outcomes)
            ids = {one.request_id for one in outcomes if not one.problem}
            denied = [one for one in self._queue.items if ids.intersection(one.request.ids)]
            self._denied += denied
            for one in denied:
                self._queue.hide_answered(one)
            self._open_next(0)
            self.say(f"Denied {done} requests of {item.request.author}. U undoes them one by one.")
        except WorkbenchError as fault:
            self.say(str(fault))

    @work
    async def _undo(self, item: Item) -> None:
        self._denied.remove(item)
        try:
            for request_id in item.request.ids:
                await item.core.connection.api.undo_denial(request_id)
            self._queue.show_again(item)
            self.say("It waits again." if len(item.request.ids) == 1 else "They wait again.")
        except WorkbenchError as fault:
            self.say(str(fault))

    def _open_next(self, place: int) -> None:
        """Open what stands at this place of the list now."""
        if items := self._queue.items:
            self._open(items[min(place, len(items) - 1)])
        else:
            self._current = None
            self.query_one(FactsView).show_lines(["Nothing waits for you. New requests appear here."], -1)
        self._draw()

    @work
    async def _edit(self, item: Item, request: ProgramRequest | CallRequest) -> None:
        """Open the program, or the arguments of the call, in the user's editor. The changed request is shown before it
        can be allowed."""
        self._busy = True
        try:
            connection = item.core.connection
            is_program = isinstance(request, ProgramRequest)
            original = request.run.proposal.code if isinstance(request, ProgramRequest) else item.arguments
            before = await connection.fetch_full_text(original)
            now = request.text if isinstance(request, EditedProgram | EditedCall) else before
            draft = write_draft(".py" if is_program else ".json", now)
            with self.suspend():
                open_editor(draft)
            text = read_draft(draft)
            if text == before:
                self._edits.pop(item.key, None)
            elif isinstance(request, ProgramRequest):
                self._edits[item.key] = await EditedProgram.assess(connection, request.run, before, text)
            else:
                self._edits[item.key] = await EditedCall.assess(connection, request.id, before, text)
            remove_draft(draft)
        except WorkbenchError as fault:
            self.say(str(fault))
            return
        finally:
            self._busy = False
        self._open(next((one for one in self._queue.items if one.key == item.key), item))
        changed = item.key in self._edits
        self.say("This is as you changed it. Nothing is decided yet." if changed else "It is unchanged.")


def _list_text(item: Item, width: int, *, chosen: bool) -> str:
    """Two lines of the list: risk, time and author; then the sentence. A mark shows the chosen one without colours."""
    request, mark = item.request, "▸ " if chosen else "  "
    risk = _RISKS.get(request.risk_text, str(request.kind))
    head = f"{risk} · {request.short_time} · {request.author}"
    first, second = (_cut(plain_cells(line), width - 2) for line in (head, request.sentence))
    return f"{mark}{first}\n  {second}"


def _cut(text: str, width: int) -> str:
    pieces = chop_cells(text, width)
    return text if len(pieces) <= 1 else f"{chop_cells(text, width - 1)[0]}…"
