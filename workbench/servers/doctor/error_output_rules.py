"""Rules that explain the last stderr lines of a server that exited, with a remedy.

They cover the runners that start most servers (npx, uvx, python, node, docker) and their network layers. The first
matching rule wins, so narrow rules come first.
"""

from __future__ import annotations

import re

_RULES: tuple[tuple[str, str, str], ...] = (
    (
        r"npm (?:ERR!|error).*\b404\b|E404",
        "npm found no package of this name.",
        "Check the package name in args: its spelling, scope (@…/) and version.",
    ),
    (
        r"No solution found|not found in the package registry|because .* was not found",
        "The Python package does not exist, or not for this version of Python.",
        "Check the package name and version in args.",
    ),
    (
        r"ENOTFOUND|EAI_AGAIN|Temporary failure in name resolution|failed to lookup address",
        "A host name could not be resolved: there is no network, or DNS does not answer.",
        "Check the network, or the proxy variables in the server's env.",
    ),
    (
        r"SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERTIFICATE_VERIFY_FAILED",
        "A certificate was not trusted.",
        "Behind a company proxy, set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE in the server's env to the proxy's CA.",
    ),
    (
        r"EADDRINUSE|[Aa]ddress already in use",
        "The port that it needs is already in use.",
        "Stop the other program, or configure a different port.",
    ),
    (
        r"docker daemon.*(?:running|connect)|docker\.sock",
        "The Docker daemon cannot be reached.",
        "Start Docker, and check that you may use it (group docker).",
    ),
    (
        r"(?:ERR_REQUIRE_ESM|Unexpected token '(?:\?|\.)|Unsupported engine|requires? Node(?:\.js)?|node: bad option)",
        "The installed Node.js is too old or too new for it.",
        "Install the version that it requires; node --version shows the installed one.",
    ),
    (
        r"requires-python|Requires-Python|requires a different Python",
        "It requires a different version of Python.",
        "With uvx, add --python 3.12 (or the version that it requires) before the package name.",
    ),
    (
        r"ModuleNotFoundError: No module named '([^']+)'",
        "The Python module {0} is not installed where the server runs.",
        "Install it into that Python, or start the server with uvx.",
    ),
    (
        r"Cannot find module '([^']+)'",
        "The file or package {0} is missing.",
        "Check the path in args; run npm install in the server's folder.",
    ),
    (
        r"can't open file '([^']+)'",
        "The file {0} does not exist.",
        "Write its full path in args, or set cwd.",
    ),
    (
        r"error while loading shared libraries: (\S+):",
        "The system library {0} is missing.",
        "Install the package that contains it.",
    ),
    (
        r"([A-Z][A-Z0-9_]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD|URL))\b.{0,60}"
        r"(?:required|missing|not set|must be|undefined|provide)",
        "It needs the environment variable {0}.",
        "Add it to the env of this server; write ${{keyring:…}} for a secret.",
    ),
    (
        r"(?:[Mm]issing|[Rr]equired?|[Pp]lease (?:set|provide)|not set).{0,60}\b"
        r"([A-Z][A-Z0-9_]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD|URL))\b",
        "It needs the environment variable {0}.",
        "Add it to the env of this server; write ${{keyring:…}} for a secret.",
    ),
    (
        r"EACCES|[Pp]ermission denied",
        "It was denied access, usually to a file.",
        "Find the file in its last lines of output, and check the permissions of that file.",
    ),
    (r"ENOSPC|No space left on device", "The disk is full.", "Free some disk space."),
    (r"JavaScript heap out of memory|MemoryError|Killed", "It ran out of memory.",
     "Free some memory, or reduce its workload."),
    (r"^[Uu]sage:|the following arguments are required|Usage: ", "It was started with the wrong arguments.",
     "Compare args with the server's own documentation."),
)  # fmt: skip
_READ = 40_000  # characters at the end of stderr that are searched


def explain(text: str) -> tuple[str, str]:
    """Return the meaning of the stderr text and a remedy, or two empty texts."""
    for pattern, meaning, fix in _RULES:
        if found := re.search(pattern, text[-_READ:], re.MULTILINE):
            words = [f"{group:.100}" for group in found.groups()]
            return meaning.format(*words), fix.format(*words)
    return "", ""
