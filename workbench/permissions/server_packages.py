"""Finds the published package that a server's entry starts, or the host that it connects to.

Reviewed annotations apply to packages of public registries. An entry counts only if nothing in it or in its folder can
put another program in the package's place: a local copy, another registry, or variables that load code.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

from workbench.records import ServerConfig

_NPM = re.compile(r"((?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*)(?:@[A-Za-z0-9.^~+-]+)?")
_PYPI = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[A-Za-z0-9,._-]*\])?(?:(?:==|@|~=|>=)[A-Za-z0-9.+!-]+)?")
_NODE_RUNNERS = {"npx": (), "bunx": (), "pnpx": (), "npm": ("exec",), "pnpm": ("dlx",), "yarn": ("dlx",)}
_PYTHON_RUNNERS = {"uvx": (), "uv": ("tool", "run"), "pipx": ("run",)}
_PLAIN_FLAGS = frozenset({"-y", "--yes", "-q", "--quiet", "--silent", "--prefer-offline", "--no-cache", "--"})
_SPECS = ("--from", "--spec")  # followed by the package; the next argument is the command
_PYTHON = re.compile(r"(?:python|pypy)(?:3(?:\.\d+)?)?|py")
_PYTHON_FLAGS = frozenset({"-u", "-P", "-I", "-E", "-s", "-B"})
_FOLDER_FILES = (".npmrc", "bunfig.toml", ".yarnrc", ".yarnrc.yml")  # may name another registry
_VARIABLES = re.compile(
    r"npm_config_.*|node_options|node_path|path|uv_.*|pip_.*|pipx_.*|python.*|ld_.*|bun_.*|yarn_.*|virtual_env", re.I
)


def package_of(config: ServerConfig, project: Path) -> str:
    """Return `npm:<name>`, `pypi:<name>` or `host:<name>`; empty if the entry does not say for certain what it runs.
    Looks at a few file names: may block briefly."""
    if config.remote:
        address = urlsplit(config.url)
        return f"host:{address.hostname}" if address.scheme == "https" and address.hostname else ""
    if any(_VARIABLES.fullmatch(name) for name in config.env) or "$" in config.command + config.cwd:
        return ""
    command, folder = config.command, project / Path(config.cwd).expanduser()
    if os.sep not in command:
        name = command.lower().removesuffix(".exe").removesuffix(".cmd")
        if name in _NODE_RUNNERS:
            return _node_package(_after(config.args, _NODE_RUNNERS[name]), folder)
        if name in _PYTHON_RUNNERS:
            return _python_package(_after(config.args, _PYTHON_RUNNERS[name]))
        if _PYTHON.fullmatch(name):
            return _module_package(config.args, folder)
        if name == "node":
            script = next((one for one in config.args if not one.startswith("-")), "")
            return _installed(script, project)
        found = shutil.which(command) or ""
        return _installed(found, project) or (f"pypi:{_normal(name)}" if _outside(found, project) else "")
    if _PYTHON.fullmatch(Path(command).name) and _outside(command, project):
        return _module_package(config.args, folder)
    in_bin = Path(command).parent.name == "bin" and _outside(command, project)
    return _installed(command, project) or (f"pypi:{_normal(Path(command).name)}" if in_bin else "")


def _after(args: tuple[str, ...], words: tuple[str, ...]) -> tuple[str, ...] | None:
    return args[len(words) :] if args[: len(words)] == words else None


def _node_package(args: tuple[str, ...] | None, folder: Path) -> str:
    for arg in args or ():
        if arg in _PLAIN_FLAGS:
            continue
        found = _NPM.fullmatch(arg)
        if found is None or arg.startswith("-"):
            return ""
        local = [folder / "node_modules" / found[1], *(folder / name for name in _FOLDER_FILES)]
        return "" if any(map(os.path.lexists, local)) else f"npm:{found[1]}"
    return ""


def _python_package(args: tuple[str, ...] | None) -> str:
    rest = iter(args or ())
    for arg in rest:
        if arg in _PLAIN_FLAGS:
            continue
        if arg in ("--python", "-p"):
            next(rest, "")
            continue
        found = _PYPI.fullmatch(next(rest, "") if arg in _SPECS else arg)
        return f"pypi:{_normal(found[1])}" if found is not None else ""
    return ""


def _module_package(args: tuple[str, ...], folder: Path) -> str:
    for place, arg in enumerate(args):
        if arg in _PYTHON_FLAGS:
            continue
        if arg != "-m" or len(args) <= place + 1 or not re.fullmatch(r"[A-Za-z0-9_]+", args[place + 1]):
            return ""
        module = args[place + 1]
        shadowed = any(os.path.lexists(folder / name) for name in (module, f"{module}.py"))
        return "" if shadowed else f"pypi:{_normal(module)}"
    return ""


def _installed(path: str, project: Path) -> str:
    """Return the npm package that a file is installed in; empty if it is none, or in the project."""
    if not _outside(path, project):
        return ""
    parts = Path(os.path.realpath(path)).parts
    if "node_modules" not in parts:
        return ""
    inner = parts[len(parts) - 1 - parts[::-1].index("node_modules") + 1 :]
    name = "/".join(inner[:2]) if inner and inner[0].startswith("@") else inner[0] if inner else ""
    return f"npm:{name}" if _NPM.fullmatch(name) else ""


def _outside(path: str, project: Path) -> bool:
    if not os.path.isabs(path):
        return False
    root = os.path.realpath(project)
    return os.path.commonpath([os.path.realpath(path), root]) != root and os.path.commonpath([path, root]) != root


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
