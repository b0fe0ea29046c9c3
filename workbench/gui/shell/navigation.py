"""Navigation requests: what a pane may ask the window to show or do, one frozen record each."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from workbench.records import JsonObject, Outcome, SavedCall


class ShowTool(Struct, frozen=True):
    """Open a tool."""

    server: str
    tool: str
    follow: bool = False  # only where a tool is in front already: somebody walks through the list
    enter: bool = False  # the keyboard goes into its form: somebody chose it by a key
    then: str = ""  # the id of an action to trigger once the tool is open


class ShowServer(Struct, frozen=True):
    """Open a page of a server."""

    server: str
    page: str = ""  # an id of `PAGES` in `gui/servers/server_pane.py`; empty: the page that was last looked at
    item: str = ""  # what to go to on that page: a resource's address, a prompt's name


class ConnectServers(Struct, frozen=True):
    """Start these servers; the user is asked once about all that start for the first time."""

    servers: tuple[str, ...]
    restart: bool = False  # stop them first


class ShowCode(Struct, frozen=True):
    """Open a program in the editor; with `start`, run it at once."""

    code: str
    purpose: str = ""
    skill: str = ""  # the skill this program is a test of
    start: bool = False
    language: str = "python"


class ShowRun(Struct, frozen=True):
    """Show a run: its approval while it waits, else its output."""

    run_id: str


class DoAction(Struct, frozen=True):
    """Do an action of the action table, by its id."""

    action: str


class FollowRun(Struct, frozen=True):
    """Show the output of a run that the user has just started."""

    run_id: str


class KeepProgram(Struct, frozen=True):
    """Make a skill of a program; with `skill`, the next version of that skill."""

    code: str
    skill: str = ""


class ShowSkill(Struct, frozen=True):
    """Open a skill in the editor."""

    name: str


class ShowSkillPage(Struct, frozen=True):
    """Open a skill's page in the centre; with `run`, ask for its arguments at once; with `test`, run its tests; with
    `versions`, show that page."""

    name: str
    run: bool = False
    test: bool = False
    versions: bool = False


class RecordRun(Struct, frozen=True):
    """Record a run for the tests of a skill."""

    run_id: str


class KeepRun(Struct, frozen=True):
    """Make a skill of a run's program."""

    run_id: str


class KeepSkill(Struct, frozen=True):
    """Keep a draft as a skill."""

    name: str


class ShowAsk(Struct, frozen=True):
    """Open an elicitation or sampling request of a server."""

    ask_id: str


class ShowAudit(Struct, frozen=True):
    """Show what the audit finds, in the syntax of its search box, such as "run:1a2b"."""

    search: str


class ShowHeldCall(Struct, frozen=True):
    """Open a held call."""

    held_call_id: str  # or the id of the call


class ShowCall(Struct, frozen=True):
    """Open a tool with these arguments in its form; with `start`, call it at once."""

    server: str
    tool: str
    arguments: JsonObject
    withheld: tuple[str, ...] = ()  # arguments that were not kept because they are secret
    start: bool = False


class SaveCall(Struct, frozen=True):
    """Ask for name and expectations of a call, and save it in the project."""

    call: SavedCall
    outcome: Outcome | None = None


class ShowPlan(Struct, frozen=True):
    """Show the plan of a dry run as soon as it has ended."""

    run_id: str


class StartDryRun(Struct, frozen=True):
    """Start a dry run of a program that waits for approval."""

    run_id: str


class FindAnything(Struct, frozen=True):
    """Open the palette with this text."""

    words: str


class FilterServers(Struct, frozen=True):
    """Filter the list of servers and tools."""

    words: str


class ShowPrivacy(Struct, frozen=True):
    """Open a page about personal data."""

    page: str = "hidden"  # or try, marks, kinds
    session: str = ""  # whose values; empty: whoever has some


class ShowSettings(Struct, frozen=True):
    """Open the page Settings, at a setting if there is a name."""

    name: str = ""


class ShowFile(Struct, frozen=True):
    """Show a file of the workspace."""

    path: str


HELD = "held:"  # starts the id of changes that wait for the user


class ShowChanges(Struct, frozen=True):
    """Show changed files of the workspace: of a run, of the user, of an undo, or those that wait for approval."""

    id: str  # of the run, where a run did it; what waits for the user begins with "held:"


Request: TypeAlias = (
    ShowTool
    | ShowServer
    | ConnectServers
    | ShowCode
    | ShowRun
    | ShowSkill
    | ShowSkillPage
    | RecordRun
    | KeepRun
    | KeepSkill
    | ShowAsk
    | ShowAudit
    | ShowHeldCall
    | ShowCall
    | SaveCall
    | ShowPlan
    | StartDryRun
    | FindAnything
    | FilterServers
    | ShowPrivacy
    | ShowSettings
    | ShowFile
    | ShowChanges
    | FollowRun
    | DoAction
    | KeepProgram
)
