"""Completion process: analyzes programs with jedi and is restricted by the kernel like a sandbox process.

jedi parses and infers; it imports only modules of the standard library that are written in C. Before the first program
arrives, the kernel restricts reading to the standard library, jedi's own stubs, the generated functions and the skills.
Requests and answers are JSON lines over pipes; the process ends when they close.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import sysconfig
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from workbench.editor_completion.program_shortening import shorten
from workbench.sandbox.locks import kernel_calls, landlock, seccomp_filter

INSIDE: Final = Path(__file__).resolve().parents[1] / "sandbox" / "inside"
MEMORY = 1 << 30  # bytes of address space
MOST = 300  # candidates of one answer
_KEPT = 200  # kinds of values whose members are cached
LONGEST = 4_000  # characters of an explanation
PRELUDE = """import asyncio, datetime, json, math, re
from client import ToolError, Image, call_tool, call_mcp_tool
from tool_discovery import search_tools, get_tool_definition
def load_skill(name: str): "The module of a kept skill."
def read_file(path: str) -> str: "The text of a file in the workspace."
def write_file(path: str, content: str) -> None: "Write a file in the workspace."
def list_files(folder: str = "."): "The names of the files in a folder of the workspace."
"""
"""Names that a program in the sandbox can use without importing them."""

_NAME = re.compile(r"(\.?)[ \t]{0,8}([^\W\d]\w{0,200})$")
_OFFSET = PRELUDE.count("\n")
_WARM = "from servers import x\n''.\nopen().\n{}.\n[].\nprint(\n"


def lock(readable: list[str], writable: list[str]) -> bool:
    """Restrict this process to these files and forbid new privileges, network and other programs. Returns False if the
    kernel does not support it."""
    for kind, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 64)):
        resource.setrlimit(kind, (most, most))
    try:
        kernel_calls.gain_nothing()
        version = landlock.restrict(readable, writable, ("/dev/null", "/dev/urandom"))
        kernel_calls.install_filter(seccomp_filter.filter_program())
    except OSError:
        return False
    return version > 0


class Reader:
    """Answers completion requests with jedi, which finds only generated functions and the library and runs no code."""

    def __init__(self, generated: str, cache: str) -> None:
        import jedi
        from jedi.api.environment import InterpreterEnvironment
        from jedi.inference import sys_path

        jedi.settings.cache_directory = cache
        jedi.settings.auto_import_modules = []
        jedi.settings.dynamic_params = False
        jedi.settings.dynamic_array_additions = False
        sys_path.check_sys_path_modifications = lambda context: []  # a program must not extend the search path
        _remember_members()
        self._jedi = jedi
        places = [generated, str(INSIDE), *library()]
        named = {"sys_path": places, "smart_sys_path": False, "load_unsafe_extensions": False}
        self._project = jedi.Project(generated, **named)
        self._environment = InterpreterEnvironment()

    def complete(self, code: str, line: int, column: int) -> Any:  # Any: JSON
        short, others = shorten(code, line)
        found = self._script(short).complete(line + _OFFSET, column)
        rest = [one for one in found if not (one.name.startswith("__") and not _typed_prefix(code, line, column))]
        told = [[one.name_with_symbols, one.type, one.get_completion_prefix_length()] for one in rest[:MOST]]
        before = _NAME.search(code.split("\n")[line - 1][:column])
        word = before[2] if before is not None and not before[1] else ""
        return [*told, *([name, kind, len(word)] for name, kind in others if word and name.startswith(word))][:MOST]

    def shapes(self, code: str, line: int, column: int) -> Any:  # Any: JSON
        return [
            [one.name, [param.to_string() for param in one.params], -1 if one.index is None else one.index,
             one.docstring(raw=True)[:LONGEST]]
            for one in self._script(shorten(code, line)[0]).get_signatures(line + _OFFSET, column)[:5]
        ]  # fmt: skip

    def explain(self, code: str, line: int, column: int) -> Any:  # Any: JSON
        for one in self._script(shorten(code, line)[0]).help(line + _OFFSET, column):
            words = one.docstring()
            if words:
                return [one.full_name or one.name, words[:LONGEST]]
        return ["", ""]

    def warm(self) -> None:
        """Load the stubs of the standard library, so that the first request does not wait for them."""
        for line in range(2, _WARM.count("\n") + 1):
            with suppress(Exception):  # the same error of jedi is reported if a request causes it
                text = _WARM.splitlines()[line - 1]
                self.complete(_WARM, line, len(text))

    def _script(self, code: str) -> Any:  # Any: jedi's
        return self._jedi.Script(PRELUDE + code, project=self._project, environment=self._environment)


def _remember_members() -> None:
    """WORKAROUND(jedi reads all members of str and all builtins again for each answer, 60 ms and more; until it caches
    them itself): cache members that stubs describe, and builtins. Also switch off completion of file names."""
    from jedi.api import completion

    slow: Any = completion.Completion._complete_trailer_for_values  # Any: jedi's
    kept: dict[tuple[str, ...], Any] = {}

    def complete_cached(self: Any, values: Any) -> Any:
        key = _described(values)
        if not key:
            return slow(self, values)
        if key not in kept:
            if len(kept) >= _KEPT:
                kept.clear()
            kept[key] = list(slow(self, values))
        return kept[key]

    builtin: list[Any] = []

    def names_in_sight(self: Any) -> Any:
        """As in jedi, but with the names of builtins, which are the same for every program, from a cache."""
        context = completion.get_user_context(self._module_context, self._position)
        scope = completion.get_flow_scope_node(self._module_node, self._position)
        filters = list(completion.get_global_filters(context, self._position, scope))
        last = len(list(self._inference_state.builtins_module.get_filters()))
        if not builtin:
            builtin.extend(name for one in filters[len(filters) - last :] for name in one.values())
        return [name for one in filters[: len(filters) - last] for name in one.values()] + builtin

    completion.Completion._complete_trailer_for_values = complete_cached
    completion.Completion._complete_global_scope = names_in_sight
    completion.complete_file_name = lambda *words, **named: []


def _described(values: Any) -> tuple[str, ...]:  # Any: jedi's
    """A key for values that stubs describe; empty if any value is not described by a stub."""
    found = []
    for value in values:
        root = value.get_root_context()
        if not root.is_stub():
            return ()
        found.append(f"{type(value).__name__} {root.py__name__()} {value.get_qualified_names()} {value.py__name__()}")
    return tuple(sorted(found))


def library() -> list[str]:
    """The folders of this interpreter's standard library."""
    paths = sysconfig.get_paths()
    wanted = [paths["stdlib"], os.path.join(paths["stdlib"], "lib-dynload"), paths["platstdlib"]]
    return [place for place in dict.fromkeys(wanted) if os.path.isdir(place)]


def main(generated: str, cache: str) -> None:
    """Restrict this process, then answer requests until stdin ends."""
    warnings.simplefilter("ignore")
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    reader = Reader(generated, cache)
    import jedi
    import parso

    own = [str(Path(str(module.__file__)).parent) for module in (jedi, parso)]
    locked = lock([*library(), *own, str(INSIDE), generated], [cache])
    known: dict[str, Callable[[str, int, int], Any]]  # Any: JSON
    known = {"complete": reader.complete, "shapes": reader.shapes, "explain": reader.explain}
    reader.warm()
    _write_answer(out, {"ready": True, "locked": locked})
    for told in sys.stdin.buffer:
        wish = json.loads(told)
        try:
            answer = {"answer": known[wish["what"]](wish["code"], wish["line"], wish["column"])}
        except Exception as fault:  # jedi fails on unusual programs in many ways; the next request may work
            answer = {"fault": f"{type(fault).__name__}: {fault}"[:300]}
        _write_answer(out, answer)


def _write_answer(out: Any, answer: dict[str, Any]) -> None:  # Any: a binary stream, JSON
    out.write(json.dumps(answer).encode() + b"\n")
    out.flush()


def _typed_prefix(code: str, line: int, column: int) -> bool:
    """Whether two underscores are typed already; only then names with two underscores are offered."""
    text = code.split("\n")[line - 1][:column]
    return text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789").endswith("__")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
