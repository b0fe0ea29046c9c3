"""Says which files tools on a person's machine run or obey by their name alone. Nothing here is forbidden: it is told.

A workspace is a folder like any other for git, editors, shells and other agents. What a program puts there is inert for
the workbench, and not for them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_RULES: Final = (
    (r"(^|/)\.git/hooks/", "git runs it at the next commit, checkout or merge made here."),
    (r"(^|/)\.git/(config|info/attributes|modules/)", "git takes commands to run from it."),
    (r"(^|/)\.gitattributes$|(^|/)\.gitmodules$", "git may run filters that it names."),
    (r"(^|/)\.husky/|(^|/)\.githooks/", "git hooks are often kept here and run at commits."),
    (r"(^|/)\.vscode/(tasks|settings|launch|extensions)\.json$", "VS Code runs tasks and programs that it names."),
    (r"(^|/)\.(idea|fleet|zed|nova)/", "an editor that opens this folder may run what it names."),
    (r"(^|/)\.devcontainer(/|\.json$)", "an editor builds and runs a container from it."),
    (r"(^|/)\.(claude|cursor|windsurf|gemini|codex|continue|roo|clinerules)(/|$)",
     "agents obey it, and run its hooks."),
    (r"(^|/)(CLAUDE|AGENTS|GEMINI)\.md$|(^|/)\.(cursorrules|windsurfrules|goosehints)$", "agents take it for orders."),
    (r"(^|/)\.?mcp\.json$", "MCP clients start the commands in it."),
    (r"(^|/)\.envrc$|(^|/)(\.?mise|\.tool-versions)(\.toml)?$", "a shell with direnv or mise runs it on entering."),
    (r"(^|/)\.(bash|zsh|fish|k|c)?(rc|_profile|_login|_logout|profile|shrc)$|(^|/)\.(zshenv|zprofile|inputrc)$",
     "a shell runs it when it starts here as a home."),
    (r"(^|/)\.github/workflows/|(^|/)\.gitlab-ci\.yml$|(^|/)(Jenkinsfile|azure-pipelines\.yml)$",
     "a build server runs it once it is pushed."),
    (r"(^|/)(GNUm|m|M)akefile$|(^|/)justfile$|(^|/)Taskfile\.ya?ml$", "make and its like run it by name."),
    (r"(^|/)(setup|conftest|sitecustomize|usercustomize|noxfile|manage)\.py$|\.pth$",
     "Python tools run it without being asked to."),
    (r"(^|/)(pyproject|tox|pytest)\.(toml|ini)$|(^|/)setup\.cfg$", "Python tools load what it names."),
    (r"(^|/)(\.?n?vimrc|\.exrc|_vimrc|\.nvim\.lua|\.gdbinit|\.lldbinit|\.dir-locals\.el)$",
     "an editor or debugger that starts here may run it."),
    (r"(^|/)(gulpfile|Gruntfile)\.[cm]?[jt]s$|(^|/)[\w.-]+\.config\.[cm]?[jt]s$|(^|/)\.\w+rc\.[cm]?js$",
     "JavaScript tools run it by name."),
    (r"(^|/)(Rakefile|Vagrantfile|CMakeLists\.txt)$", "a build runs it."),
    (r"(^|/)package\.json$|(^|/)\.(npmrc|yarnrc(\.yml)?|pnpmfile\.cjs)$",
     "npm and its like run scripts that it names."),
    (r"(^|/)(build|settings)\.gradle(\.kts)?$|(^|/)build\.rs$|(^|/)\.cargo/", "a build runs it."),
    (r"(^|/)\.pre-commit-config\.yaml$|(^|/)lefthook\.ya?ml$", "commits run the programs that it names."),
    (r"\.(desktop|service|timer|lnk|command|scpt|bat|cmd|ps1|vbs|hta)$", "a double click on it may run something."),
)  # fmt: skip


@cache
def _any_rule() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern, _ in _RULES))


def danger(path: str, rights: int = 0) -> str:
    """What tools of the person would do with a file of this name; empty where nothing is known."""
    for pattern, words in _RULES if _any_rule().search(path) else ():
        if re.search(pattern, path):
            return words
    return "it may be run: it is marked as a program." if rights & 0o111 else ""
