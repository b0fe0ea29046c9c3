"""Says what a command does: effects as sentences with a risk, for each program that it may start.

Commands of clients' agents (`client_hooks`) and of programs (`analysis/interpreter`) are both read here.
`command_handlers.py` knows single programs. A program that it does not know, an argument that only the shell knows, and
a script that was not understood are never low.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from workbench.analysis.interpreter.values import HOLE
from workbench.analysis.shell.command_places import (
    DELETE_RISK,
    READ_RISK,
    WRITE_RISK,
    ClientPlaces,
    CommandPlace,
)
from workbench.analysis.shell.shell_parser import CommandPosition, SimpleCommand, Word, parse_script
from workbench.analysis.tables.modules import STANDARD
from workbench.permissions.word_sets import names
from workbench.records import EffectKind, Risk
from workbench.records.common_types import at_least, rank, worst

if TYPE_CHECKING:
    from workbench.analysis.reading import Reading

_MESSAGES = names("-m --message -name -iname -path -e -k")  # options that take the next word, whatever it is
_SHOWN = 3  # effects and paths that a sentence names
_MOST_DETAILS = 10
_MOST_COMMANDS = 3_000  # commands that are read for one script
_MOST_WORDS = 10_000  # words of all its commands together
_DEEPEST = 6  # commands inside commands
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl|php|lua)[0-9][0-9.]{0,8}", re.ASCII)
# programs that show something, but start or change more with certain options or subcommands
_CHANGED_BY_OPTIONS = names("date rg sort find fd tree tar git pip npm cargo docker podman kubectl")
_BINARIES = re.compile(r"/(?:usr/(?:local/)?|opt/(?:homebrew|local)/)?s?bin/[^/]+")
# variables that make programs load code, read other settings, or reach other hosts
_LOADING = re.compile(
    r"""(?:LD|DYLD|GLIBC|BASH_FUNC|NPM_CONFIG|XDG_CONFIG|XDG_DATA|PNPM|RUSTC|RIPGREP|DELTA|OPENSSL|CURL|WGET|SSL|SSH)_?.*
    |(?:GIT|PYTHON|PYTEST|PERL5?|RUBY|NODE|CARGO|BUN|YARN|UV|PIP|LESS|GO|JAVA|JDK|_JAVA|GRADLE|MAVEN|TAR|ZIP|UNZIP|RSYNC|MAN)
        (?=.).*
    |PS[0-4]|SHELLOPTS|BASHOPTS|BASH_ENV|BASH_XTRACEFD|ENV|PATH|CDPATH|HOME|SHELL|HISTFILE|ZDOTDIR|PROMPT_COMMAND
    |(?:DOTNET|CORECLR|COMPLUS|BUNDLE|GEM|PHP|JULIA|ERL|LUA|GTK|QT|ANSIBLE|HELM|TF_CLI|PKG_CONFIG|R_PROFILE|JUPYTER)_.*
    |AWK(?:LIB)?PATH|CLASSPATH|PHPRC|INPUTRC|FPATH|(?:CMAKE_)?TOOLCHAIN.*
    |GCONV_PATH|LESS|GNUPGHOME|GZIP|UNZIP|LOCPATH|TERMINFO.*|CC|CXX|RUSTC|BROWSER|EDITOR|VISUAL|VIMINIT|EXINIT|VIRTUAL_ENV|MYPYPATH|MAKEFILES
    |KUBECONFIG|DOCKER_(?:HOST|CONFIG|CONTEXT)|GH_(?:HOST|PAGER|EDITOR|BROWSER|CONFIG_DIR)|PSQLRC|PGSERVICEFILE
    |.*(?:PAGER|EDITOR|_OPTS|_OPTIONS|FLAGS|_RC|_RSH|_ASKPASS|_WRAPPER|_COMMAND|LIBRARY_PATH|_PROXY)""",
    re.VERBOSE | re.I,
)
# for the program that gets them, often where it takes settings or code from
_STEERING = re.compile(
    r"""[A-Z][A-Z0-9_]*(?:PATH|HOME|RC|INIT|CONFIG|CONFIG_FILE|CONFIG_DIR|PRELOAD|MODULES?|PLUGINS?|LIBS?|HOOKS?|FILE
    |DEFAULTS|_OPT|PROFILER?|STARTUP|INCLUDES?|_COMMANDS?|_PROGRAM|_EXECUTABLE)""",
    re.VERBOSE,
)
_HARMLESS = re.compile(
    r"""GIT_(?:TERMINAL_PROMPT|AUTHOR_.*|COMMITTER_.*|OPTIONAL_LOCKS|MERGE_AUTOEDIT|LFS_SKIP_SMUDGE|TAG|SHA|COMMIT|BRANCH)
    |PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|IOENCODING|UTF8|FAULTHANDLER|ASYNCIODEBUG|OPTIMIZE|DEVMODE|TRACEMALLOC)
    |NODE_(?:ENV|DEBUG)|GO(?:OS|ARCH|MAXPROCS|DEBUG|111MODULE|TRACEBACK|GC|ARM)|CARGO_(?:TERM_.*|INCREMENTAL|NET_OFFLINE)
    |PIP_(?:DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR|NO_INPUT|QUIET)|UV_(?:NO_PROGRESS|OFFLINE|FROZEN|NO_CACHE|CACHE_DIR)
    |DOTNET_(?:NOLOGO|CLI_TELEMETRY_OPTOUT|SKIP_.*|ENVIRONMENT)|QT_(?:QPA_PLATFORM|SCALE_FACTOR|LOGGING_RULES)
    |YARN_ENABLE_.*|GOOGLE_.*|GOAL.*|MANAGE.*|TARGET.*|UVICORN_.*|GIT(?:HUB|LAB)_.*|NO_PROXY""",
    re.VERBOSE | re.I,
)
_QUIET = frozenset({"cat", "", "true", ":", "0"})  # a pager or editor that does nothing
# options of any program with which it starts another one or loads code
_STARTING_OPTIONS = re.compile(
    r"""--?(?:(?!no-)[a-z]+-)*(?:exec|toolexec|vettool|modfile|pager|editor|browser|viewer|plugin|preload|shell|rsh|wrapper
    |node-options|post-renderer|require|loader|engine|init-file|ext-diff|hostname-bin|lesskey-src|rmt-command)(?:=.*)?""",
    re.VERBOSE | re.S,
)
# options of any program with a file, as the rest of the word or as the next one
_FILE_OPTION = re.compile(
    r"-{1,2}[a-z0-9-]*(?:file|files|from|list|input|path|key|cert|config|template)(?:=(.*))?$", re.S
)
# letters of options that take the rest of the word, or the next one, as their value
_LETTERS_WITH_VALUE = {
    "curl": "XHdFTouAebcxmwKEDCrtQyYz", "wget": "oaeiBtOTwQPUlARDIX", "sort": "kotSTj", "cp": "tS", "mv": "tS",
    "ln": "tS", "install": "tSmgo", "unzip": "dxP", "patch": "piodrBFDYzVg", "tar": "fCTXbgIFHVKLN",
    "bsdtar": "fCTXbgIFHVKLN", "fd": "etdESoxXc", "fdfind": "etdESoxXc", "split": "abClnt", "git": "mF",
}  # fmt: skip
_OWN_OPTIONS = names("find fd fdfind npx env test [ [[ echo printf")  # whose options mean something else
# options with a folder or file that decides what code runs
_PLACE_OPTIONS = names("""-C --cwd --dir --directory --prefix --project --manifest-path --rootdir --confcutdir
    --chdir -chdir --config --config-file --kubeconfig --makefile --globaldir --userconfig --globalconfig""")
# Node code that only shows constants, versions of Node and JSON files of the project
_NODE_QUIET = re.compile(
    r"""(?:[\s\d+\-*/%(),;]|'[^'\\]{0,80}'|"[^"\\]{0,80}"|console\.log(?=\()|JSON\.stringify(?=\()|Object\.keys(?=\()
    |process\.(?:version|versions|platform|arch)(?![\w(])|require\((?:'\./[\w./-]{1,80}\.json'|"\./[\w./-]{1,80}\.json")\)
    |\.[A-Za-z_]\w{0,40}(?!\w|\s*\())+""",
    re.VERBOSE,
)
_NODE_FILE = re.compile(r"require\(['\"]([^'\"]+)")
# modules of Python that act when they are imported, or import others by name
_ACTING_MODULES = names("antigravity idlelib turtledemo test importlib pkgutil runpy zipimport doctest unittest pydoc")
_ADDRESS = re.compile(r"(?:https?|ftps?|s3|gs)://", re.I)
_SHORTENED = 100  # the analysis shortens longer paths
_SUBSTITUTED = "/dev/fd/63"  # the file of `<(…)`
FROM_NETWORK: Final = names("curl wget http https xh aria2c nc ncat socat ssh scp ftp sftp telnet lynx w3m fetch")
DECODERS: Final = names("base64 base32 xxd openssl gpg uudecode gunzip zcat bzcat xzcat unzip rev tr hexdump od")


class CommandEffect(Struct, frozen=True):
    """One thing that a command does."""

    text: str
    risk: Risk
    reach: str = ""  # network: it sends or receives; secret: it reads what is secret


class CommandUnit(Struct, frozen=True):
    """One command of a script as rules see it: its text, those of the commands that it starts, and its risk."""

    text: str
    inner: tuple[str, ...] = ()
    risk: Risk = Risk.LOW
    known: bool = True  # no part of it is known only at run time
    redirects: bool = False  # a redirection of it changes more than a file of the project


class CommandReading(Struct, frozen=True):
    """What a script does."""

    effects: tuple[CommandEffect, ...] = ()  # the riskiest first
    units: tuple[CommandUnit, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def risk(self) -> Risk:
        found = worst(one.risk for one in self.effects)
        return worst((found, Risk.HIGH)) if self.problems else found

    @property
    def notable(self) -> tuple[CommandEffect, ...]:
        """The effects that matter: those that are not low, else all."""
        return tuple(one for one in self.effects if one.risk is not Risk.LOW) or self.effects

    @property
    def details(self) -> tuple[str, ...]:
        """The problems and notable effects that the sentence does not name."""
        left = (*self.problems[1:], *(one.text for one in self.notable[_SHOWN:]))
        return tuple(f"{one[:1].upper()}{one[1:]}." for one in left[:_MOST_DETAILS])

    @property
    def sentence(self) -> str:
        """What it does, in one line: the riskiest effects, or what it reads."""
        texts = [f"Cannot be read completely: {one}" for one in self.problems[:1]]
        texts += [one.text for one in self.notable[:_SHOWN]]
        more = len(self.notable) - _SHOWN
        texts += [f"{more} more effect{'s' * (more > 1)}"] if more > 0 else []
        return "; ".join([*texts[:1], *map(lower_first, texts[1:])]) + "." if texts else "Only reads."


ReadCode = Callable[[str], "Reading"]


class ScriptProgress(Struct):
    """What the readers of one script and of the scripts in it share."""

    commands: int = 0
    words: int = 0
    writes: bool = False  # it writes files
    deletes: bool = False  # it deletes or moves files
    downloads: set[str] = field(default_factory=set)  # files that it downloads


def read_command(text: str, places: ClientPlaces, read_code: ReadCode | None = None) -> CommandReading:
    """Read a script that runs in the folders of `places`. `read_code` reads Python code in it."""
    reader = CommandReader(places, read_code)
    reader.read_script(text)
    return reader.result()


def read_arguments(arguments: Sequence[str], places: ClientPlaces) -> CommandReading:
    """Read a program with its arguments that is started without a shell. HOLE: known only at run time."""
    reader = CommandReader(places)
    words = tuple(Word(one, quoted=True) for one in arguments)
    reader.read_words(words, SimpleCommand(words))
    return reader.result()


class CommandReader:
    """Reads one script and the scripts inside it. Handlers add effects with its methods."""

    def __init__(
        self,
        places: ClientPlaces,
        read_code: ReadCode | None = None,
        depth: int = 0,
        progress: ScriptProgress | None = None,
    ) -> None:
        self._read_program = read_code
        self._progress = progress if progress is not None else ScriptProgress()
        self.places = places
        # scope → the folders in which later commands may run, and those in which one after `&&` runs
        self._folders: dict[tuple[int, ...], tuple[ClientPlaces, ClientPlaces]] = {(): (places, places)}
        self.depth = depth
        self._calls_function = False  # the command calls a function of the script, whose commands are read anyway
        self.effects: list[CommandEffect] = []
        self.inner: list[str] = []
        self._units: list[CommandUnit] = []
        self._problems: list[str] = []

    # ── scripts ──────────────────────────────────────────────────────────────────────────────────
    def read_script(self, text: str) -> None:
        script = parse_script(text, self.depth)
        self._problems += script.problems
        for command, position in zip(script.commands, script.positions, strict=True):
            self._read_in_its_folder(command, position)
        self._conclude()

    def result(self) -> CommandReading:
        found = {(one.text, one.risk): one for one in self.effects}
        ordered = sorted(found.values(), key=lambda one: -rank(one.risk))
        return CommandReading(tuple(ordered), tuple(self._units), tuple(dict.fromkeys(self._problems)))

    def _read_in_its_folder(self, command: SimpleCommand, position: CommandPosition) -> None:
        """Read a command in the folders in which it may run. After `cd`, commands joined by `&&` run in the new folder,
        later ones too only if `cd` certainly ran and worked."""
        scope = position.scope
        around = next(one for end in range(len(scope), -1, -1) if (one := self._folders.get(scope[:end])) is not None)
        lasting, joined = around
        self.places = before = joined if position.after_and else lasting
        self._calls_function = position.calls_function
        self._read_unit(command)
        if self.places is not before:
            certain = position.certain and not self._progress.deletes and self.places.exist()
            lasting = self.places if certain else self.places.or_else(lasting)
        self._folders[scope] = (lasting, self.places)

    def _read_unit(self, command: SimpleCommand) -> None:
        before, inner, problems = len(self.effects), len(self.inner), len(self._problems)
        self.read_assignments(command.assignments, passed_on=bool(command.words))
        changing = self._read_redirections(command)
        if any(_program(one) in FROM_NETWORK for one in (command, *_sources(command))):
            self.note_downloads(_written_files(command))
        self.read_words(command.words, command)
        risks = [one.risk for one in self.effects[before:]] + [Risk.HIGH] * (len(self._problems) > problems)
        known = all(word.known for word in command.words) and all(word.known for _, word in command.assignments)
        inside = tuple(self.inner[inner:])
        self._units.append(CommandUnit(command.text, inside, worst(risks), known, changing))

    def _conclude(self) -> None:
        """Add what the effects mean together."""
        reach = {one.reach for one in self.effects}
        if {"secret", "network"} <= reach:
            self.add("May send secrets over the network", Risk.CRITICAL)

    def read_assignments(self, assignments: Iterable[tuple[str, Word]], *, passed_on: bool = False) -> None:
        """Read what is assigned to variables. `passed_on`: to those of a program, also if it does not have them yet."""
        for name, value in assignments:
            quiet = name.upper().endswith(("PAGER", "EDITOR")) and value.text in _QUIET
            if HOLE in name:
                self.add("Sets a variable that is known only at run time", Risk.HIGH)
            elif loads_code(name) and not quiet:
                self.add(f"Sets {name}, which can make other programs run code or reach other hosts", Risk.HIGH)
            elif passed_on and _STEERING.fullmatch(name) and not _HARMLESS.fullmatch(name):
                self.add(f"Sets {name}, which may decide where a program takes settings or code from", Risk.MEDIUM)
            if re.search(r"\[[^\]]*[$`]", value.text.replace(HOLE, "")):  # arithmetic runs it
                self.add(f"Stores a command in {name} as the index of an array", Risk.HIGH)

    def _read_redirections(self, command: SimpleCommand) -> bool:
        """Add the effects of redirections; returns whether one changes more than a file of the project."""
        changing = False
        for one in command.redirections:
            if one.operator in (">", ">>", "<>"):
                before = len(self.effects)
                self.write([one.target.text])
                changing = changing or any(effect.risk is not Risk.LOW for effect in self.effects[before:])
            elif one.operator == "<":
                self.read([one.target.text])
        return changing

    # ── commands ─────────────────────────────────────────────────────────────────────────────────
    def read_words(self, words: Sequence[Word], command: SimpleCommand) -> None:
        """Read a program with its arguments."""
        if not words:
            return
        self._progress.commands += 1
        self._progress.words += len(words)
        if self._progress.words > _MOST_WORDS:
            self.problem("it has too many words")
            return
        if self.depth > _DEEPEST or self._progress.commands > _MOST_COMMANDS:
            self.problem(
                "commands in it are nested too deeply" if self.depth > _DEEPEST else "it starts too many commands"
            )
            return
        program, arguments = words[0].text, [word.text for word in words[1:]]
        if HOLE in program or (
            not words[0].quoted and any(one in program for one in "*?[") and program not in ("[", "[[")
        ):
            self.add("Runs a program that is known only at run time", Risk.HIGH)
            return
        if "/" in program and not _BINARIES.fullmatch(program):
            self.run_file(program)
            return
        name = plain_name(program.rpartition("/")[2])
        from workbench.analysis.shell.command_handlers import HANDLERS

        if (handler := HANDLERS.get(name)) is not None:
            handler(self, CommandCall(name, arguments, list(words[1:]), command))
        elif not self._calls_function:
            self.add(f"Runs {shorten(name)}, which is not known", Risk.HIGH)
        self._read_options(name, arguments)
        if name in _CHANGED_BY_OPTIONS and _hides_options(words):
            self.add(f"Runs {name} with options that are known only at run time", Risk.MEDIUM)

    def _read_options(self, name: str, arguments: Sequence[str]) -> None:
        """Read options that mean the same for many programs."""
        if name in _OWN_OPTIONS:
            return
        own = list(itertools.takewhile(lambda one: one != "--", arguments))
        if (starting := next((one for one in own if _STARTING_OPTIONS.fullmatch(one)), "")) != "":
            self.add(f"Runs {shorten(name)} with an option that starts other programs: {shorten(starting)}", Risk.HIGH)
        named = [
            match[1] or after for one, after in itertools.pairwise([*own, ""]) if (match := _FILE_OPTION.match(one))
        ]
        self.read(one for one in named if self.places.classify(one) is CommandPlace.SECRET)

    def read_inner(self, words: Sequence[str], command: SimpleCommand) -> None:
        """Read a command that another one starts: `sudo …`, `xargs …`."""
        if not words:
            return
        self.inner.append(" ".join(words))
        self._calls_function = False
        self.depth += 1
        try:
            self.read_words([Word(word, quoted=word in ("[", "[[")) for word in words], command)
        finally:
            self.depth -= 1

    def read_inner_script(self, text: str) -> None:
        """Read a script in an argument: `sh -c '…'`."""
        if self.depth > _DEEPEST:
            self.problem("commands in it are nested too deeply")
            return
        nested = CommandReader(self.places, self._read_program, self.depth + 1, self._progress)
        nested.read_script(text)
        self.effects += nested.effects
        self._problems += nested._problems
        self.inner += [one for unit in nested._units for one in (unit.text, *unit.inner)]

    # ── effects ──────────────────────────────────────────────────────────────────────────────────
    def add(self, text: str, risk: Risk, reach: str = "") -> None:
        self.effects.append(CommandEffect(text, risk, reach))

    def problem(self, text: str) -> None:
        self._problems.append(text)

    def read(self, paths: Iterable[str], verb: str = "Reads") -> None:
        paths = list(paths)
        addresses = [one for one in paths if _ADDRESS.match(one)]
        for address in addresses:
            self.add(f"May fetch {shorten(address)}", Risk.MEDIUM, "network")
        self._touch(verb, (one for one in paths if one not in addresses), self._read_risk)

    def write(self, paths: Iterable[str], verb: str = "Writes") -> None:
        paths = list(paths)
        written = (self.places.classify(one) is not CommandPlace.NOTHING for one in paths)
        self._progress.writes = self._progress.writes or any(written)
        self._touch(verb, paths, self._write_risk)

    def note_downloads(self, paths: Iterable[str]) -> None:
        """Note files that come from the network, so that running them is noticed."""
        self._progress.downloads.update(place for path in paths for place in self.places.resolve(path))

    def delete(self, paths: Iterable[str], verb: str = "Deletes {}") -> None:
        self._progress.deletes = True
        self._touch(verb, paths, self._delete_risk)

    def write_unnamed(self, folder: str, what: str) -> None:
        """Add the effect of writing files whose names something else decides, such as an archive."""
        place = self.places.classify(folder)
        where = self.places.show(folder)
        text = f"Writes all files of {what} into {'the current folder' if folder == '.' else where}"
        if place in (CommandPlace.PROJECT, CommandPlace.SCRATCH):
            self.add(text, Risk.MEDIUM)
        else:
            self.add(f"{text}, perhaps git hooks and settings that start programs", Risk.HIGH)

    def run_file(self, path: str, verb: str = "Runs the program") -> None:
        place = self.places.classify(path)
        if self._progress.downloads.intersection(self.places.resolve(path)):
            self.add(f"Downloads {self.places.show(path)} and runs it", Risk.CRITICAL, "network")
        own = place is CommandPlace.ROOT and set(self.places.resolve(path)) <= set(self.places.roots)
        inside = own or place is CommandPlace.PROJECT
        self.add(f"{verb} {self.places.show(path)}{_where(place)}", Risk.MEDIUM if inside else Risk.HIGH)

    def evaluate(self, text: str | None, command: SimpleCommand, what: str, *, shell: bool) -> None:
        """Read text that an interpreter runs. None: it comes from the command's input."""
        sources = list(_sources(command))
        heredoc = next((one.target.text for one in command.redirections if one.operator in ("<<", "<<<")), None)
        text = heredoc if text is None else text
        if (text is None or HOLE in text) and any(_program(one) in FROM_NETWORK for one in sources):
            self.add("Runs text from the network", Risk.CRITICAL, "network")
        elif (text is None or HOLE in text) and any(_program(one) in DECODERS for one in sources):
            self.add("Runs text that was decoded or unpacked", Risk.CRITICAL)
        elif text is None and (known := _printed(sources)) is not None and shell:
            self.read_inner_script(known)
        elif text is None and sources:
            self.add(f"Runs {what} that other commands print", Risk.HIGH)
        elif text is None:
            file = next((one.target.text for one in command.redirections if one.operator == "<"), None)
            if file is not None:
                self.run_file(file)
            else:  # of a loop, a group, a function or the shell around it
                self.add(f"Runs {what} from an input that is given elsewhere", Risk.HIGH)
        elif HOLE in text and (not shell or text.strip() == HOLE):
            self.add(f"Runs {what}, known only at run time", Risk.HIGH)
        elif HOLE in text:  # the shell reads the value as commands too
            self.add(f"Runs {what}, partly known only at run time", Risk.HIGH)
            self.read_inner_script(text.replace(HOLE, "${_}"))
        elif shell:
            self.read_inner_script(text)
        else:
            self._read_code(text, what)

    def _read_code(self, text: str, what: str) -> None:
        if what == "node code" and _NODE_QUIET.fullmatch(text):
            self.read(_NODE_FILE.findall(text))
            return
        if what != "Python code" or self._read_program is None:
            self.add(f"Runs {what}: {shorten(text)}", Risk.HIGH)
            return
        reading = self._read_program(text)
        verdict = reading.verdict
        if verdict.risk is Risk.LOW and self.takes_from_python(reading.modules) and all(
            one.rule == "file.read" and one.kind is EffectKind.WILL and len(one.subject) < _SHORTENED
            for one in verdict.effects
        ):  # fmt: skip
            self.read(one.subject for one in verdict.effects)
            return
        words = "; ".join(
            dict.fromkeys(one.text.partition(" (")[0] for one in verdict.effects if one.risk is not Risk.LOW)
        )
        self.add(f"Runs Python code{f': {shorten(words)}' if words else ''}", worst((verdict.risk, Risk.MEDIUM)))

    def takes_from_python(self, modules: Iterable[str]) -> bool:
        """Whether these modules come from Python itself: nothing in the current folder has their names."""
        names_ = [one.partition(".")[0] for one in modules]
        if not names_:
            return True
        if self._progress.writes or not self.places.cwds or not (STANDARD - _ACTING_MODULES).issuperset(names_):
            return False
        beside = (f"{cwd}/{name}{end}" for cwd in self.places.cwds for name in names_ for end in ("", ".py", ".pyc"))
        return not (self.places.follow_links and any(map(os.path.lexists, beside)))

    def _touch(self, verb: str, paths: Iterable[str], risk_of: Callable[[str, CommandPlace], Risk]) -> None:
        """Add one effect for the paths of each risk."""
        found: dict[Risk, list[str]] = {}
        secret = False
        for path in paths:
            place = self.places.classify(path)
            if place is CommandPlace.NOTHING and verb != "Deletes":
                continue
            secret = secret or place is CommandPlace.SECRET
            found.setdefault(risk_of(path, place), []).append(f"{self._displayed_path(path)}{_where(place)}")
            if place is CommandPlace.NETWORK:
                self.add("Opens a network connection through /dev", Risk.CRITICAL, "network")
        for risk, shown in found.items():
            phrase = verb if "{}" in verb else f"{verb} {{}}"
            reach = "secret" if secret and at_least(risk, Risk.HIGH) else ""
            self.add(phrase.format(_listed(shown)), risk, reach)

    def _displayed_path(self, path: str) -> str:
        return "a file chosen at run time" if path == HOLE else self.places.show(path)

    def _read_risk(self, path: str, place: CommandPlace) -> Risk:
        if place is CommandPlace.ROOT and not set(self.places.resolve(path)) <= set(self.places.roots):
            return Risk.MEDIUM
        return READ_RISK.get(place, Risk.LOW)

    def _write_risk(self, path: str, place: CommandPlace) -> Risk:
        if place is CommandPlace.ROOT and not set(self.places.resolve(path)) <= set(self.places.roots):
            return Risk.HIGH  # any file of a folder above the project
        return WRITE_RISK.get(place, Risk.HIGH)

    def _delete_risk(self, path: str, place: CommandPlace) -> Risk:
        everything = re.fullmatch(r"(.*?)/*(?:\*|\.\*|\.\[!\.\]\*)/*", path) if not path.startswith(HOLE) else None
        if everything is not None:  # everything in a folder
            folder = everything[1] or ("/" if path.startswith("/") else ".")
            return self._delete_risk(folder, self.places.classify(folder))
        if place is CommandPlace.ROOT and not set(self.places.resolve(path)) <= set(self.places.roots):
            return Risk.CRITICAL
        return DELETE_RISK.get(place, Risk.HIGH)


def plain_name(name: str) -> str:
    """Return the program name without its version: `python3.11` is python."""
    match = _VERSIONED.fullmatch(name)
    return match.group(1) if match else name


def loads_code(name: str) -> bool:
    """Whether a variable of this name makes programs load code, read other settings, or reach other hosts."""
    return _LOADING.fullmatch(name) is not None and _HARMLESS.fullmatch(name) is None


def code_folders(call: CommandCall) -> list[str]:
    """The values of options that decide which folder or settings a program takes its code from."""
    return call.values(*_PLACE_OPTIONS)


class CommandCall(Struct, frozen=True):
    """A program with its arguments, as a handler gets it."""

    name: str
    arguments: list[str]
    words: list[Word]
    command: SimpleCommand

    @property
    def text(self) -> str:
        return shorten(" ".join([self.name, *self.arguments]))

    def has(self, *options: str) -> bool:
        """Whether one of the options occurs, also as `--name=value`, shortened, and among joined letters (`-rf`)."""
        for argument in itertools.takewhile(lambda one: one != "--", self.arguments):
            letters, name = self._letters(argument), argument.partition("=")[0]
            for option in options:
                if argument == option or name == option or (_is_letter(option) and option[1] in letters):
                    return True
                # GNU programs accept any unambiguous beginning of a long option
                if option.startswith("--") and len(name) > 3 and option.startswith(name):
                    return name.startswith("--")
        return False

    def certainly(self, *options: str, taking: Iterable[str] = ()) -> bool:
        """Whether one of the options certainly applies, for those that make a command harmless: written out, not taken
        back by `--no-…`, and not the value of another one. `taking`: options that take the next word."""
        taking = frozenset(taking)
        ends = "".join(one[1] for one in taking if _is_letter(one))
        found, left = False, iter(self.arguments)
        for argument in left:
            if argument == "--":
                break
            if argument.startswith("--no-") and f"--{argument[5:]}" in options:
                return False
            letters = self._letters(argument, ends)
            found = found or argument in options or any(_is_letter(one) and one[1] in letters for one in options)
            if argument in taking or (letters and letters[-1] in ends and argument.endswith(letters)):
                next(left, None)
        return found

    def _letters(self, argument: str, ends: str = "") -> str:
        """The options among joined letters: until one takes the rest as its value."""
        match = re.match(r"-([A-Za-z0-9]+)", argument)
        if match is None:
            return ""
        taking = ends + _LETTERS_WITH_VALUE.get(self.name, "")
        end = next((at for at, one in enumerate(match[1], 1) if one in taking), len(match[1]))
        return match[1][:end]

    def value(self, *options: str) -> str | None:
        """The value of the first of these options, also after joined letters: `-so FILE`, `-soFILE`."""
        return next(self._values(options), None)

    def values(self, *options: str) -> list[str]:
        """All values of these options."""
        return list(self._values(options))

    def _values(self, options: Sequence[str]) -> Iterator[str]:
        for argument, after in itertools.pairwise([*self.arguments, ""]):
            if argument[:1] == "-" and (value := self._value_in(argument, after, options)) is not None:
                yield value

    def _value_in(self, argument: str, after: str, options: Sequence[str]) -> str | None:
        name, given, value = argument.partition("=")
        letters = self._letters(argument)
        for option in options:
            if argument == option:
                return after
            if option.startswith("--"):
                if name == option or (len(name) > 4 and option.startswith(name)):
                    return value if given else after
            elif argument.startswith(option) and len(argument) > 2:
                return argument[2:]
            elif _is_letter(option) and option[1] in argument:
                if _ends_with_letter(argument, option):
                    return after
                if letters.endswith(option[1]):
                    return argument[argument.index(option[1]) + 1 :] or after
                if path := _joined_path(argument, option[1]):
                    return path
        return None

    def operands(self, value_options: Iterable[str] = ()) -> list[str]:
        """The arguments that are no options; `value_options` take the next word."""
        taking, found, ended = frozenset(value_options), list[str](), False
        left = iter(self.arguments)
        for argument in left:
            if ended or not argument.startswith("-") or argument == "-":
                found.append(argument)
            elif argument == "--":
                ended = True
            elif argument in taking or any(_ends_with_letter(argument, option) for option in taking):
                next(left, None)
        return found

    def after_options(self, value_options: Iterable[str] = (), operands: int = 0) -> list[str]:
        """What follows the program's own options and first operands: the command that it starts."""
        taking, at = frozenset(value_options), 0
        while at < len(self.arguments) and self.arguments[at].startswith("-"):
            if self.arguments[at] == "--":
                at += 1
                break
            at += 2 if self.arguments[at] in taking else 1
        return self.arguments[at + operands :]


def _ends_with_letter(argument: str, option: str) -> bool:
    """Whether joined letters end with an option that takes the next word: `-so` for `-o`."""
    ends = _is_letter(option) and len(argument) > 2 and argument[-1] == option[1]
    return ends and re.fullmatch(r"-[A-Za-z]+", argument) is not None


def _is_letter(option: str) -> bool:
    return len(option) == 2 and option[0] == "-" and option[1] != "-"


def _joined_path(argument: str, letter: str) -> str:
    """The path after joined letters: `/x` of `-uo/x` for `-o`."""
    match = re.match(rf"-[A-Za-z]{{1,4}}?{re.escape(letter)}([^=\s]*/.*)", argument, re.S)
    return match[1] if match else ""


def paths_of(arguments: Iterable[str]) -> list[str]:
    """The arguments that may be paths, also as values of options: `--file=/etc/x`, `-f/etc/x`."""
    found: list[str] = []
    for argument in arguments:
        if not argument.startswith("-") or argument == "-":
            found += [argument] if argument not in ("-", "") else []
            continue
        value = argument.partition("=")[2] if argument.startswith("--") else argument[2:]
        if value.startswith(("/", "~", "..", ".")) or "/" in value:
            found.append(value)
    return found


def lower_first(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


def shorten(text: str, limit: int = 90) -> str:
    text = " ".join(text.replace(HOLE, "…").replace(_SUBSTITUTED, "<(…)").split())
    return text if len(text) <= limit else f"{text[:limit]}…"


def _hides_options(words: Sequence[Word]) -> bool:
    """Whether a word that is known only at run time may be an option."""
    pairs = itertools.pairwise(words)
    return any(word.text.startswith(HOLE) and not (word.quoted and before.text in _MESSAGES) for before, word in pairs)


def _where(place: CommandPlace) -> str:
    told = (CommandPlace.OUTSIDE, CommandPlace.SECRET, CommandPlace.STARTUP, CommandPlace.SYSTEM)
    return f" ({place.value})" if place in told else ""


def _listed(texts: Sequence[str]) -> str:
    texts = list(dict.fromkeys(texts))
    if len(texts) > _SHOWN:
        return f"{', '.join(texts[:_SHOWN])} and {len(texts) - _SHOWN} more"
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else texts[0]


def _sources(command: SimpleCommand) -> Iterable[SimpleCommand]:
    """The commands whose output reaches this one, directly or through others."""
    waiting, seen = list(command.input_from), set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += one.input_from


def _written_files(command: SimpleCommand) -> list[str]:
    """The files that get the output or, by `tee`, the input of a command."""
    found = [one.target.text for one in command.redirections if one.operator in (">", ">>", "<>")]
    if command.words and command.words[0].text == "tee":
        found += [word.text for word in command.words[1:] if not word.text.startswith("-")]
    return found


def _program(command: SimpleCommand) -> str:
    names_ = [word.text.rpartition("/")[2] for word in command.words]
    return next((one for one in names_ if one in FROM_NETWORK or one in DECODERS), names_[0] if names_ else "")


def _printed(sources: Sequence[SimpleCommand]) -> str | None:
    """The text that `echo` or `printf` prints, if nothing else feeds the command."""
    if len(sources) != 1 or not sources[0].words or sources[0].words[0].text not in ("echo", "printf"):
        return None
    words = [word.text for word in sources[0].words[1:]]
    words = [word for number, word in enumerate(words) if number or word not in ("-n", "-e", "-ne", "-en")]
    text = " ".join(words).replace("\\n", "\n")
    return None if HOLE in text or "\\" in text or "%" in text else text


Handler = Callable[[CommandReader, CommandCall], None]
Handlers = Mapping[str, Handler]
