"""How a configuration names a secret instead of holding it: `${keyring:name}`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.errors import WorkbenchError

REFERENCE = re.compile(r"\$\{keyring:([^{}]*)\}")
KEPT_VALUES = "privacy:values"  # the name of the key under which values behind tokens are kept
SIGN_IN = "oauth:"  # what the names of stored sign-ins begin with
_NAME = re.compile(r"[^\x00-\x1f\x7f{}-][^\x00-\x1f\x7f{}]{0,199}")  # `${NAME:-default}` begins with a dash there


def reference(name: str) -> str:
    return f"${{keyring:{name}}}"


def names_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The names that some texts refer to, each once, in their order."""
    return tuple(dict.fromkeys(name for text in texts for name in REFERENCE.findall(text)))


def check_name(name: str) -> None:
    """A name that can be written into a reference, or a sentence."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise WorkbenchError("This is no name for a secret.", "Use 1 to 200 visible characters, without { and }.")


def reserved(name: str) -> bool:
    """Whether a name is reserved for our own entries (OAuth tokens, keys), which no configuration may refer to."""
    return name.strip().casefold().startswith((SIGN_IN, KEPT_VALUES.partition(":")[0] + ":"))


def missing(name: str) -> WorkbenchError:
    """A server needs a secret that is not stored."""
    return WorkbenchError(
        f"The secret {name!r:.200} is not stored.",
        "Press Connect and enter it, or open Secrets… in the Workbench menu.",
    )
