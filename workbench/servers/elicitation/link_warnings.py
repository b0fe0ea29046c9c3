"""Checks a URL that a server asks the user to visit: its real target, and what makes it deceptive.

The host is shown and opened in the ASCII form that a browser sends, so that two parsers cannot read it differently. A
URL without such a form is refused.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

LONGEST = 4_096  # characters
_PORTS = {"http": 80, "https": 443}
_FAMILIAR = frozenset({"com", "org", "net", "gov", "edu", "io", "dev", "app"})
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?\.?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|\d+)")
_UNLIKE = frozenset("ßς\u200c\u200d")  # browsers and Python convert these to different hosts
_TWINS = frozenset("аеорсухіјѕһԁԛԝкмтвнοαεικνρτυχωɡɑı")  # letters of other scripts that look like a to z
_TOGETHER = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"})


@dataclass(frozen=True, slots=True)
class CheckedLink:
    """A checked URL as the user is shown it, its host, and warnings about it."""

    url: str
    host: str
    shown: str = ""  # the host in its own script, if not only a to z
    warnings: tuple[str, ...] = ()


def look(url: str) -> CheckedLink:
    """Check a URL. Raises ValueError with a sentence for a URL that must not be opened."""
    if len(url) > LONGEST:
        raise ValueError(f"The address has more than {LONGEST:,} characters.")
    if any(letter.isspace() or not letter.isprintable() or letter == "\\" for letter in url):
        raise ValueError("The address contains spaces, control characters or backslashes.")
    try:
        parts = urlsplit(url)
    except ValueError as fault:
        raise ValueError("The address has an invalid host.") from fault
    if parts.scheme not in _PORTS:
        raise ValueError("Only http and https addresses can be visited.")
    try:
        parts.port  # noqa: B018  # raises for a port that is not a number from 0 to 65535
    except ValueError as fault:
        raise ValueError("The address has an invalid port.") from fault
    name = parts.hostname or ""
    if not name or "%" in parts.netloc:
        raise ValueError("The address has no readable host.")
    host = _ascii(name)
    shown = _letters(host, name)
    warnings = tuple(_warnings(parts, host, shown))
    return CheckedLink(_rebuilt(parts, host), host, shown, warnings)


def _ascii(name: str) -> str:
    """Return the host as a browser sends it."""
    if ":" in name:
        try:
            return str(ipaddress.IPv6Address(name))
        except ValueError as fault:
            raise ValueError("The address has an invalid host.") from fault
    if _UNLIKE & set(name):
        raise ValueError("The host contains letters that programs interpret differently.")
    try:
        host = name.encode("idna").decode("ascii").lower() if not name.isascii() else name.lower()
    except UnicodeError as fault:
        raise ValueError("The host cannot be written as a domain name.") from fault
    if not _HOST.fullmatch(host):
        raise ValueError("The host cannot be written as a domain name.")
    return host


def _letters(host: str, name: str) -> str:
    """Return the host in its own script; "" when it has only letters a to z."""
    if not name.isascii():
        return unicodedata.normalize("NFKC", name).lower() if "xn--" in host else ""
    if "xn--" not in host:
        return ""
    try:
        return ".".join(
            label.encode().decode("idna") if label.startswith("xn--") else label for label in host.split(".")
        )
    except UnicodeError:
        return ""


def _rebuilt(parts: SplitResult, host: str) -> str:
    """Rebuild the URL with an ASCII host and the rest escaped as ASCII. A login in the URL stays visible."""
    place = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port is not None else ""
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    return urlunsplit(
        (parts.scheme, f"{user}{place}{port}", _plain(parts.path), _plain(parts.query), _plain(parts.fragment))
    )


def _plain(text: str) -> str:
    return "".join(letter if letter.isascii() else "".join(f"%{b:02X}" for b in letter.encode()) for letter in text)


def _warnings(parts: SplitResult, host: str, shown: str) -> Iterator[str]:
    if "@" in parts.netloc:
        user = parts.netloc.rpartition("@")[0]
        yield f"The part before the @ ({user:.60}) is not the target: the link leads to {host}."
    if parts.scheme == "http" and not _here(host):
        yield "The connection is not encrypted (http)."
    yield from _script_warnings(host, shown)
    yield from _number_warnings(host)
    yield from _label_warnings(host)
    if parts.port is not None and parts.port != _PORTS[parts.scheme] and not _here(host):
        yield f"It uses the unusual port {parts.port}."


def _script_warnings(host: str, shown: str) -> Iterator[str]:
    if not shown:
        if "xn--" in host:
            yield "Its host is marked as encoded (xn--) but cannot be decoded."
        return
    yield f"Its host contains letters other than a to z; a browser sends {host}."
    for label in shown.split("."):
        scripts = {unicodedata.name(letter, "?").split()[0] for letter in label if letter.isalpha()}
        if len(scripts - _TOGETHER - {"LATIN"}) > (0 if "LATIN" in scripts else 1):
            yield f"“{label:.60}” mixes letters of different scripts, a sign of an imitated name."
        elif label and all(letter in _TWINS or not letter.isalpha() for letter in label) and not label.isascii():
            yield f"“{label:.60}” is written in letters of another script that look like a to z."


def _number_warnings(host: str) -> Iterator[str]:
    last = host.rstrip(".").rpartition(".")[2]
    if ":" not in host and not _NUMBER.fullmatch(last):
        if _here(host):
            yield "It leads to this machine."
        return
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        yield "Its host is a disguised IP address."
        return
    yield "It leads to this machine." if address.is_loopback else "Its host is an IP address instead of a name."
    if address.is_private and not address.is_loopback:
        yield "It leads into a private network."


def _label_warnings(host: str) -> Iterator[str]:
    labels = host.rstrip(".").split(".")
    early = next((at for at, label in enumerate(labels[:-2]) if at > 0 and label in _FAMILIAR), 0)
    if early:
        yield f"Its host begins like {'.'.join(labels[: early + 1]):.60} but belongs to {'.'.join(labels[-2:])}."
    if len(host) > 60:
        yield "Its host is unusually long."


def _here(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")
