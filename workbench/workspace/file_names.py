"""Checks the names of workspace files, writes unprintable names with escapes, and warns of names that tools execute."""

from __future__ import annotations

import os
import re
import unicodedata
from functools import cache
from typing import Final

from workbench.errors import WorkbenchError

LONGEST_PART = 255  # bytes, the limit of ordinary file systems
LONGEST_PATH = 2_000  # characters
DEEPEST = 40  # levels of nested folders
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # controls, direction marks, surrogates, line separators


def parts_of(path: str) -> list[str]:
    """The components of a relative path. Rejects paths that lead out of the workspace and invalid names."""
    if not path or len(path) > LONGEST_PATH:
        raise _refused(path, "it is empty or too long")
    if path.startswith(("/", "~")):
        raise _refused(path, "it is not relative to the workspace")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts or path.endswith("/"):
        raise _refused(path, "it names no file")
    if ".." in parts:
        raise _refused(path, "it leads out of the workspace")
    if len(parts) > DEEPEST:
        raise _refused(path, "its folders are nested too deeply")
    for part in parts:
        if not _is_name(part):
            raise _refused(path, "a name in it is too long or has invisible characters")
    return parts


def displayed_name(name: str) -> str:
    """A name from the disk for display and JSON: invisible characters and invalid UTF-8 are written as escapes.

    A file is also found by this spelling, so the user can open, rename or delete a file with any name.
    """
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(mark) if unicodedata.category(mark) in _UNSEEN else mark for mark in text)


def _escaped(mark: str) -> str:
    return mark.encode("ascii", "backslashreplace").decode() if ord(mark) > 127 else f"\\x{ord(mark):02x}"


def _is_name(part: str) -> bool:
    """Whether a name has only visible characters and is short enough for the file system."""
    if any(unicodedata.category(mark) in _UNSEEN for mark in part):
        return False
    return len(part.encode()) <= LONGEST_PART


def _refused(path: str, reason: str) -> WorkbenchError:
    cut = path[:80] + ("…" if len(path) > 80 else "")
    return WorkbenchError(f"{cut!r} cannot be used: {reason}.", "Give a path such as reports/summary.txt.")


_RULES: Final = (
    (r"(^|/)\.git/hooks/", "git runs it at the next commit, checkout or merge made here."),
    (r"(^|/)\.git/(config|info/attributes|modules/)", "git runs commands that it names."),
    (r"(^|/)\.gitattributes$|(^|/)\.gitmodules$", "git may run filters that it names."),
    (r"(^|/)\.husky/|(^|/)\.githooks/", "git hooks are often kept here and run at commits."),
    (r"(^|/)\.vscode/(tasks|settings|launch|extensions)\.json$", "VS Code runs tasks and programs that it names."),
    (r"(^|/)\.(idea|fleet|zed|nova)/", "an editor that opens this folder may run what it names."),
    (r"(^|/)\.devcontainer(/|\.json$)", "an editor builds and runs a container from it."),
    (r"(^|/)\.(claude|cursor|windsurf|gemini|codex|continue|roo|clinerules)(/|$)",
     "agents follow its instructions and run its hooks."),
    (r"(^|/)(CLAUDE|AGENTS|GEMINI)\.md$|(^|/)\.(cursorrules|windsurfrules|goosehints)$",
     "agents follow its instructions."),
    (r"(^|/)\.?mcp\.json$", "MCP clients start the commands in it."),
    (r"(^|/)\.envrc$|(^|/)(\.?mise|\.tool-versions)(\.toml)?$",
     "a shell with direnv or mise runs it when it enters this folder."),
    (r"(^|/)\.(bash|zsh|fish|k|c)?(rc|_profile|_login|_logout|profile|shrc)$|(^|/)\.(zshenv|zprofile|inputrc)$",
     "a shell runs it if this folder is a home folder."),
    (r"(^|/)\.github/workflows/|(^|/)\.gitlab-ci\.yml$|(^|/)(Jenkinsfile|azure-pipelines\.yml)$",
     "a build server runs it once it is pushed."),
    (r"(^|/)(GNUm|m|M)akefile$|(^|/)justfile$|(^|/)Taskfile\.ya?ml$", "make and similar tools run it by its name."),
    (r"(^|/)(setup|conftest|sitecustomize|usercustomize|noxfile|manage)\.py$|\.pth$",
     "Python tools run it automatically."),
    (r"(^|/)(pyproject|tox|pytest)\.(toml|ini)$|(^|/)setup\.cfg$", "Python tools load what it names."),
    (r"(^|/)(\.?n?vimrc|\.exrc|_vimrc|\.nvim\.lua|\.gdbinit|\.lldbinit|\.dir-locals\.el)$",
     "an editor or debugger that is started in this folder may run it."),
    (r"(^|/)(gulpfile|Gruntfile)\.[cm]?[jt]s$|(^|/)[\w.-]+\.config\.[cm]?[jt]s$|(^|/)\.\w+rc\.[cm]?js$",
     "JavaScript tools run it by its name."),
    (r"(^|/)(Rakefile|Vagrantfile|CMakeLists\.txt)$", "a build runs it."),
    (r"(^|/)package\.json$|(^|/)\.(npmrc|yarnrc(\.yml)?|pnpmfile\.cjs)$",
     "npm and similar tools run scripts that it names."),
    (r"(^|/)(build|settings)\.gradle(\.kts)?$|(^|/)build\.rs$|(^|/)\.cargo/", "a build runs it."),
    (r"(^|/)\.pre-commit-config\.yaml$|(^|/)lefthook\.ya?ml$", "at each commit, git runs the programs that it names."),
    (r"\.(desktop|service|timer|lnk|command|scpt|bat|cmd|ps1|vbs|hta)$", "a double click on it may run a program."),
)  # fmt: skip


@cache
def _any_rule() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern, _ in _RULES))


def danger(path: str, rights: int = 0) -> str:
    """What the user's tools would do with a file of this name; empty if nothing is known."""
    for pattern, words in _RULES if _any_rule().search(path) else ():
        if re.search(pattern, path):
            return words
    return "it can be run, because it is marked as executable." if rights & 0o111 else ""
