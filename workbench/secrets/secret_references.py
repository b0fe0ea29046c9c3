"""References to secrets in configuration files: `${keyring:name}` stands for a stored value."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workbench.errors import WorkbenchError

REFERENCE = re.compile(r"\$\{keyring:([^{}]*)\}")
KEPT_VALUES = "privacy:values"  # name of the key that encrypts stored personal values of PII tokens
SIGN_IN = "oauth:"  # prefix of the names of stored OAuth sign-ins
# no leading dash, because `${NAME:-default}` means a default value in these files
_NAME = re.compile(r"[^\x00-\x1f\x7f{}-][^\x00-\x1f\x7f{}]{0,199}")


def reference(name: str) -> str:
    return f"${{keyring:{name}}}"


def find_names(texts: Iterable[str]) -> tuple[str, ...]:
    """Names of the secrets that the texts refer to, in order, without duplicates."""
    return tuple(dict.fromkeys(name for text in texts for name in REFERENCE.findall(text)))


def check_name(name: str) -> None:
    """Raise an error unless the name can be used in a reference and in a message."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise WorkbenchError(
            "This cannot be the name of a secret.", "Use 1 to 200 visible characters, no { or }, no leading dash."
        )


def is_reserved(name: str) -> bool:
    """Whether a name is reserved for our own entries (OAuth tokens, keys), which no configuration may refer to."""
    return name.strip().casefold().startswith((SIGN_IN, KEPT_VALUES.partition(":")[0] + ":"))


def missing_secret_error(name: str) -> WorkbenchError:
    """Error for a server that needs a secret that is not stored."""
    return WorkbenchError(
        f"The secret {name!r:.200} is not stored.",
        "Press Connect and enter it, or open Secrets… in the File menu.",
    )
