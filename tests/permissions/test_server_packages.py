"""Which package an entry starts; nothing that could put another program in its place counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.permissions import server_packages
from workbench.permissions.server_packages import package_of
from workbench.records import ServerConfig


@pytest.fixture(autouse=True)
def _tests_are_in_no_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_packages, "temporary_folders", lambda: (str(tmp_path / "temporary"),))


@pytest.mark.parametrize(
    ("command", "args", "package"),
    [
        ("npx", "-y @playwright/mcp@latest --headless", "npm:@playwright/mcp"),
        ("npx", "mcp-server-kubernetes", "npm:mcp-server-kubernetes"),
        ("npm", "exec -- @playwright/mcp", "npm:@playwright/mcp"),
        ("bunx", "@playwright/mcp", "npm:@playwright/mcp"),
        ("uvx", "mcp-server-git --repository .", "pypi:mcp-server-git"),
        ("uvx", "--python 3.12 mcp_server_git==1.0", "pypi:mcp-server-git"),
        ("uvx", "--from excel-mcp-server==1.2 excel_mcp_server", "pypi:excel-mcp-server"),
        ("uv", "tool run mcp-server-time", "pypi:mcp-server-time"),
        ("pipx", "run mcp-server-time", "pypi:mcp-server-time"),
        ("python3", "-m mcp_server_git", "pypi:mcp-server-git"),
        ("uvx", "--from mcp-server-git python evil.py", ""),
        ("uvx", "--from mcp-server-git git -c alias.x=!evil x", ""),
        ("pipx", "run --spec mcp-server-git bash", ""),
        ("uvx", "--python /srv/evil/python mcp-server-git", ""),
        ("npm", "exec @playwright/mcp --package=evil", ""),
        ("node", "--import=./evil.mjs /srv/node_modules/@playwright/mcp/cli.js", ""),
        ("npx", "--registry http://other @playwright/mcp", ""),
        ("npx", "-y ./playwright", ""),
        ("npx", "-y github:evil/mcp", ""),
        ("npx", "-y evil/mcp", ""),
        ("npx", "-y x@npm:@playwright/mcp", ""),
        ("npx", "-p evil @playwright/mcp", ""),
        ("uvx", "--index-url http://other mcp-server-git", ""),
        ("uvx", "--with evil mcp-server-git", ""),
        ("uvx", "git+https://example.org/mcp-server-git", ""),
        ("uv", "run mcp-server-git", ""),
        ("python3", "-c pass -m mcp_server_git", ""),
        ("./mcp-server-git", "", ""),
        ("${HOME}/bin/mcp-server-git", "", ""),
    ],
)
def test_a_package_is_named_by_the_command(command: str, args: str, package: str, tmp_path: Path) -> None:
    assert package_of(ServerConfig("s", command, tuple(args.split())), tmp_path) == package


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "npm_config_registry",
        "NODE_OPTIONS",
        "UV_INDEX_URL",
        "PYTHONPATH",
        "PIP_INDEX_URL",
        "LD_PRELOAD",
        "HOME",
        "XDG_CONFIG_HOME",
        "BASH_ENV",
        "DYLD_INSERT_LIBRARIES",
        "NODE_EXTRA_CA_CERTS",
        "COREPACK_NPM_REGISTRY",
    ],
)
def test_variables_that_load_other_code_leave_the_package_unknown(name: str, tmp_path: Path) -> None:
    assert not package_of(ServerConfig("s", "npx", ("@playwright/mcp",), {name: "x"}), tmp_path)
    assert package_of(ServerConfig("s", "npx", ("@playwright/mcp",), {"API_KEY": "x"}), tmp_path)


@pytest.mark.parametrize(
    "planted",
    ["node_modules/@playwright/mcp/package.json", "node_modules/.bin/@playwright/mcp", ".npmrc", "bunfig.toml"],
)
def test_a_project_that_brings_its_own_copy_or_registry_is_not_the_package(planted: str, tmp_path: Path) -> None:
    (tmp_path / planted).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / planted).write_text("")
    assert not package_of(ServerConfig("s", "npx", ("@playwright/mcp",)), tmp_path)
    (tmp_path / "inside").mkdir()
    assert not package_of(ServerConfig("s", "npx", ("@playwright/mcp",), cwd="inside"), tmp_path)


def test_a_project_whose_own_program_has_the_name_is_not_the_package(tmp_path: Path) -> None:
    described = tmp_path / "package.json"
    described.write_text('{"name": "app"}')
    assert package_of(ServerConfig("s", "npx", ("@playwright/mcp",)), tmp_path) == "npm:@playwright/mcp"
    described.write_text('{"name": "@playwright/mcp", "bin": "./evil.js"}')
    assert not package_of(ServerConfig("s", "npx", ("@playwright/mcp",)), tmp_path)


def test_a_runner_of_the_project_on_the_search_path_is_not_the_runner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = tmp_path / ".venv" / "bin" / "uvx"
    runner.parent.mkdir(parents=True)
    runner.write_text("")
    runner.chmod(0o755)
    monkeypatch.setenv("PATH", str(runner.parent))
    assert not package_of(ServerConfig("s", "uvx", ("mcp-server-git",)), tmp_path)
    assert package_of(ServerConfig("s", "uvx", ("mcp-server-git",)), tmp_path / "elsewhere") == "pypi:mcp-server-git"


def test_a_module_in_the_folder_that_the_package_imports_shadows_it(tmp_path: Path) -> None:
    (tmp_path / "anyio.py").write_text("")
    assert not package_of(ServerConfig("s", "python3", ("-m", "mcp_server_git")), tmp_path)
    assert package_of(ServerConfig("s", "python3", ("-P", "-m", "mcp_server_git")), tmp_path) == "pypi:mcp-server-git"


def test_a_module_in_the_folder_shadows_the_package(tmp_path: Path) -> None:
    (tmp_path / "mcp_server_git").mkdir()
    assert not package_of(ServerConfig("s", "python3", ("-m", "mcp_server_git")), tmp_path)


def test_an_installed_script_is_known_by_where_it_is_outside_the_project(tmp_path: Path) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    script = home / "node_modules" / "@playwright" / "mcp" / "cli.js"
    for folder in (script.parent, home / "bin", project / "bin"):
        folder.mkdir(parents=True)
    script.write_text("")
    (home / "bin" / "playwright").symlink_to(script)
    (home / "bin" / "mcp-server-git").write_text("")
    (project / "bin" / "mcp-server-git").write_text("")
    found = {
        path: package_of(ServerConfig("s", str(path)), project)
        for path in (home / "bin" / "playwright", home / "bin" / "mcp-server-git", project / "bin" / "mcp-server-git")
    }
    assert list(found.values()) == ["npm:@playwright/mcp", "pypi:mcp-server-git", ""]
    assert package_of(ServerConfig("s", "node", (str(script),)), project) == "npm:@playwright/mcp"


def test_a_package_where_others_can_write_or_in_a_temporary_folder_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "project"

    def installed(folder: str) -> list[ServerConfig]:
        script = tmp_path / folder / "node_modules" / "@playwright" / "mcp" / "cli.js"
        program = tmp_path / folder / "bin" / "mcp-server-git"
        for one in (script, program):
            one.parent.mkdir(parents=True)
            one.write_text("")
            one.chmod(0o755)
        (tmp_path / folder / "bin" / "uvx").symlink_to("/bin/true")
        return [ServerConfig("s", str(program)), ServerConfig("s", "node", (str(script),))]

    entries = installed("opt")
    assert all(package_of(one, project) for one in entries)
    for mode, counts in ((0o777, False), (0o1777, True), (0o757, False), (0o755, True)):
        (tmp_path / "opt").chmod(mode)
        assert [bool(package_of(one, project)) for one in entries] == [counts, counts], oct(mode)
    (tmp_path / "opt" / "bin" / "mcp-server-git").chmod(0o757)
    assert not package_of(entries[0], project)
    assert not any(package_of(one, project) for one in installed("temporary"))
    for folder, package in (("opt", "pypi:mcp-server-git"), ("temporary", "")):
        monkeypatch.setenv("PATH", str(tmp_path / folder / "bin"))
        assert package_of(ServerConfig("s", "uvx", ("mcp-server-git",)), project) == package


def test_a_link_to_a_package_counts_where_the_link_and_the_package_are_protected(tmp_path: Path) -> None:
    script = tmp_path / "opt" / "node_modules" / "@playwright" / "mcp" / "cli.js"
    script.parent.mkdir(parents=True)
    script.write_text("")
    (tmp_path / "open").mkdir()
    link = tmp_path / "open" / "playwright"
    link.symlink_to(script)
    assert package_of(ServerConfig("s", str(link)), tmp_path / "project") == "npm:@playwright/mcp"
    (tmp_path / "open").chmod(0o777)
    assert not package_of(ServerConfig("s", str(link)), tmp_path / "project")
    missing = str(tmp_path / "opt" / "node_modules" / "@playwright" / "mcp" / "missing.js")
    assert not package_of(ServerConfig("s", missing), tmp_path / "project")


def test_a_remote_server_is_known_by_its_encrypted_host(tmp_path: Path) -> None:
    assert package_of(ServerConfig("s", url="https://mcp.context7.com/mcp"), tmp_path) == "host:mcp.context7.com"
    assert not package_of(ServerConfig("s", url="http://mcp.context7.com/mcp"), tmp_path)
