"""Navigation requests: what a pane may ask the window to show or do, one frozen record each."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from workbench.records import JsonObject, Outcome, SavedCall


class Request(Struct, frozen=True):
    """Base class of the requests that `Context.go` takes."""


class Search(Request, frozen=True):
    """Put a text into a search: of the palette, of the servers and tools, or of the audit."""

    place: Literal["palette", "servers", "audit"]
    text: str  # for the audit in the syntax of its search box, such as "run:1a2b"


class DoAction(Request, frozen=True):
    """Do an action of the action table, by its id."""

    action: str


class ShowTool(Request, frozen=True):
    """Open a tool."""

    server: str
    tool: str
    follow: bool = False  # only if a tool is in front already: the user moves through the list
    enter: bool = False  # the keyboard goes into its form: the user chose it by a key
    then: str = ""  # the id of an action to trigger once the tool is open


class ShowCall(Request, frozen=True):
    """Open a tool with these arguments in its form; with `start`, call it at once."""

    server: str
    tool: str
    arguments: JsonObject
    withheld: tuple[str, ...] = ()  # arguments that were not kept because they are secret
    start: bool = False


class SaveCall(Request, frozen=True):
    """Ask for name and expectations of a call, and save it in the project."""

    call: SavedCall
    outcome: Outcome | None = None


class ShowSavedCall(Request, frozen=True):
    """Select a saved call in the pane Calls."""

    file: str


class ShowServer(Request, frozen=True):
    """Open a page of a server."""

    server: str
    page: str = ""  # an id of `PAGES` in `gui/servers/server_pane.py`; empty: the page that was shown last
    item: str = ""  # what to go to on that page: a resource's address, a prompt's name


class ConnectServers(Request, frozen=True):
    """Start these servers; the user is asked once about all that start for the first time."""

    servers: tuple[str, ...]
    restart: bool = False  # stop them first


class DecideTrust(Request, frozen=True):
    """Ask what the annotations of a server are worth: which of its tools run without asking."""

    server: str


class ShowCode(Request, frozen=True):
    """Open a program in the editor; with `start`, run it at once."""

    code: str
    purpose: str = ""
    skill: str = ""  # the skill that this program belongs to
    start: bool = False
    language: str = "python"


class ShowRun(Request, frozen=True):
    """Show a run: its approval while it waits, else its output."""

    run_id: str


class ShowReview(Request, frozen=True):
    """Open the Review dialog at the request whose time ends first."""


class FollowRun(Request, frozen=True):
    """Show the output of a run that the user has just started."""

    run_id: str


class StartDryRun(Request, frozen=True):
    """Start a dry run of a program that waits for approval."""

    run_id: str


class ShowPlan(Request, frozen=True):
    """Show the plan of a dry run as soon as it has ended."""

    run_id: str


class RecordRun(Request, frozen=True):
    """Record a run for the tests of a skill."""

    run_id: str


class ShowHeldCall(Request, frozen=True):
    """Open a held call."""

    held_call_id: str  # or the id of the call


class ShowAsk(Request, frozen=True):
    """Open an elicitation or sampling request of a server."""

    ask_id: str


class ShowSkill(Request, frozen=True):
    """Open a skill: its page or its list of versions, its code in the editor; or run or test it on its page."""

    name: str
    view: Literal["page", "versions", "code", "run", "test"] = "page"


class KeepSkill(Request, frozen=True):
    """Keep a skill: a draft by name, with `code` as its next version; or a new one of a program or of a run."""

    name: str = ""
    code: str = ""
    run_id: str = ""


class ShowPrivacy(Request, frozen=True):
    """Open a page about personal data."""

    page: str = "hidden"  # or try, marks, kinds
    session: str = ""  # whose values; empty: the first session that has any


class ShowSettings(Request, frozen=True):
    """Open the page Settings, at a setting if there is a name."""

    name: str = ""


class ShowFile(Request, frozen=True):
    """Show a file of the workspace."""

    path: str


HELD = "held:"  # starts the id of changes that wait for the user


class ShowChanges(Request, frozen=True):
    """Show changed files of the workspace: of a run, of the user, of an undo, or those that wait for approval."""

    id: str  # of the run, where a run did it; what waits for the user begins with "held:"
