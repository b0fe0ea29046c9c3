"""Rules that explain the last stderr lines of a server that exited, with a remedy.

They cover the runners that start most servers (npx, uvx, python, node, docker) and their network layers. The first
matching rule wins, so narrow rules come first.
"""

from __future__ import annotations

import re

_RULES: tuple[tuple[str, str, str], ...] = (
    (
        r"npm (?:ERR!|error).*\b404\b|E404",
        "npm knows no package of that name.",
        "Check the package's name in args: a letter, the scope (@…/), the version.",
    ),
    (
        r"No solution found|not found in the package registry|because .* was not found",
        "The Python package does not exist, or not for this Python.",
        "Check the package's name and version in args.",
    ),
    (
        r"ENOTFOUND|EAI_AGAIN|Temporary failure in name resolution|failed to lookup address",
        "A name could not be resolved: there is no network, or DNS does not answer.",
        "Check the network, or the proxy variables in the server's env.",
    ),
    (
        r"SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERTIFICATE_VERIFY_FAILED",
        "A certificate was not trusted.",
        "Behind a company proxy give its CA: NODE_EXTRA_CA_CERTS or SSL_CERT_FILE in the server's env.",
    ),
    (
        r"EADDRINUSE|[Aa]ddress already in use",
        "The port it wants is taken.",
        "End the other program, or give the server another port.",
    ),
    (
        r"docker daemon.*(?:running|connect)|docker\.sock",
        "The Docker daemon cannot be reached.",
        "Start Docker, and see that you may use it (group docker).",
    ),
    (
        r"(?:ERR_REQUIRE_ESM|Unexpected token '(?:\?|\.)|Unsupported engine|requires? Node(?:\.js)?|node: bad option)",
        "The Node.js here is too old for it, or too new.",
        "Install the version it asks for; node --version says what is here.",
    ),
    (
        r"requires-python|Requires-Python|requires a different Python",
        "It wants another version of Python.",
        "With uvx: add --python 3.12 (or what it asks for) before the package's name.",
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
        "There is no file {0}.",
        "Give its full path in args, or set cwd.",
    ),
    (
        r"error while loading shared libraries: (\S+):",
        "The system library {0} is missing.",
        "Install the package that brings it.",
    ),
    (
        r"([A-Z][A-Z0-9_]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD|URL))\b.{0,60}"
        r"(?:required|missing|not set|must be|undefined|provide)",
        "It wants the environment variable {0}.",
        "Add it under env of this server; write ${{keyring:…}} for a secret.",
    ),
    (
        r"(?:[Mm]issing|[Rr]equired?|[Pp]lease (?:set|provide)|not set).{0,60}\b"
        r"([A-Z][A-Z0-9_]*_(?:API_)?(?:KEY|TOKEN|SECRET|PASSWORD|URL))\b",
        "It wants the environment variable {0}.",
        "Add it under env of this server; write ${{keyring:…}} for a secret.",
    ),
    (
        r"EACCES|[Pp]ermission denied",
        "It was not allowed to open something.",
        "Look in its last lines for which file, and at that file's permissions.",
    ),
    (r"ENOSPC|No space left on device", "The disk is full.", "Free some space."),
    (r"JavaScript heap out of memory|MemoryError|Killed", "It ran out of memory.", "Give it less to do."),
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
