"""Parses the `oauth` part of an entry, including the private key of a client that signs its requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError
from workbench.records import ServerConfig

CODE, MACHINE = "authorization_code", "client_credentials"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_METHODS = ("", "none", "client_secret_basic", "client_secret_post", "private_key_jwt")


@dataclass(frozen=True, slots=True)
class OAuthSettings:
    """OAuth settings of an entry. All may be empty: then the server's metadata decides."""

    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    private_key: str = field(default="", repr=False)  # PEM; signs assertions that replace a client secret
    algorithm: str = ""  # signature algorithm of the private key
    metadata_url: str = ""  # URL of a document about this client, used as the client id (CIMD)
    scope: str = ""
    redirect: str = ""  # redirect URI for the browser; empty: 127.0.0.1 and any free port
    grant: str = CODE
    issuer: str = ""  # the authorization server that issued the client id
    method: str = ""  # client authentication method at the token endpoint


def read(config: ServerConfig, metadata_url: str = "") -> OAuthSettings:
    """Parse the OAuth settings of an entry with secrets filled in. `metadata_url` applies when the entry has none."""
    text = _Texts(config)
    wish = OAuthSettings(
        client_id=text("clientId"),
        client_secret=text("clientSecret"),
        private_key=text("privateKey"),
        algorithm=text("signingAlgorithm"),
        metadata_url=text("clientMetadataUrl") or ("" if text("clientId") else metadata_url),
        scope=_scope(config),
        redirect=text("redirectUri") or _by_port(config),
        grant=text("grantType") or text("grant") or CODE,
        issuer=text("issuer"),
        method=text("tokenEndpointAuthMethod"),
    )
    _check(config.name, wish)
    return _with_key(config.name, wish) if wish.private_key else wish


class _Texts:
    """Reads texts from the `oauth` part, in camelCase or snake_case."""

    def __init__(self, config: ServerConfig) -> None:
        self._config = config

    def __call__(self, key: str) -> str:
        value = value_of(self._config.oauth, key)
        if value is not None and not isinstance(value, str):
            raise _wrong(self._config.name, key, "is not a string")
        return (value or "").strip()


def value_of(oauth: Mapping[str, Any], key: str) -> Any:  # Any: JSON
    """Return a value by its name, written as clientId or client_id."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    return oauth.get(key, oauth.get(snake))


def _scope(config: ServerConfig) -> str:
    value = value_of(config.oauth, "scope") or value_of(config.oauth, "scopes") or ""
    if isinstance(value, list) and all(isinstance(scope, str) for scope in value):
        return " ".join(value)
    if not isinstance(value, str):
        raise _wrong(config.name, "scope", "is neither a string nor a list of strings")
    return value


def _by_port(config: ServerConfig) -> str:
    """Return the redirect URI for a port. Other clients configure only a port; their redirect URI is
    http://localhost:PORT/callback."""
    port = value_of(config.oauth, "callbackPort") or 0
    if not isinstance(port, int) or not 0 <= port < 65_536:
        raise _wrong(config.name, "callbackPort", "is not a port")
    return f"http://localhost:{port}/callback" if port else ""


def _check(server: str, wish: OAuthSettings) -> None:
    if wish.grant not in (CODE, MACHINE):
        raise _wrong(server, "grantType", f"is neither {CODE} nor {MACHINE}")
    _check_proof(server, wish)
    if wish.redirect:
        _check_redirect(server, wish.redirect)
    if wish.metadata_url:
        parts = _parts(server, "clientMetadataUrl", wish.metadata_url)
        if parts.scheme != "https" or parts.path in ("", "/"):
            raise _wrong(server, "clientMetadataUrl", "is not an https address with a path")
    if wish.issuer and _parts(server, "issuer", wish.issuer).scheme not in ("http", "https"):
        raise _wrong(server, "issuer", "is not an address")


def _check_proof(server: str, wish: OAuthSettings) -> None:
    """Check the client authentication settings."""
    if wish.grant == MACHINE and not (wish.client_id and (wish.client_secret or wish.private_key)):
        raise _wrong(server, "clientId and clientSecret or privateKey", f"are required for {MACHINE}")
    if wish.private_key and (wish.grant != MACHINE or wish.client_secret):
        raise _wrong(server, "privateKey", f"is allowed only with {MACHINE} and without clientSecret")
    if wish.algorithm not in ("", *ALGORITHMS):
        raise _wrong(server, "signingAlgorithm", f"must be one of {', '.join(ALGORITHMS)}")
    if wish.method not in _METHODS:
        raise _wrong(server, "tokenEndpointAuthMethod", f"must be one of {', '.join(_METHODS[1:])}")
    if wish.method and bool(wish.private_key) != (wish.method == "private_key_jwt"):
        raise _wrong(server, "tokenEndpointAuthMethod", "must be private_key_jwt with a privateKey, and only then")


def _with_key(server: str, wish: OAuthSettings) -> OAuthSettings:
    pem, algorithm = read_key(wish.private_key, wish.algorithm, lambda what: _wrong(server, "privateKey", what))
    return replace(wish, private_key=pem, algorithm=algorithm)


def _check_redirect(server: str, redirect: str) -> None:
    parts = _parts(server, "redirectUri", redirect)
    if parts.scheme != "http" or parts.hostname not in _LOOPBACK or parts.query or parts.fragment:
        raise _wrong(
            server, "redirectUri", "must be an http address on this machine, such as http://127.0.0.1:8123/callback"
        )


def _parts(server: str, key: str, url: str) -> Any:  # Any: SplitResult of text
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise _wrong(server, key, "is not an address") from None
    return parts


def _wrong(server: str, key: str, what: str) -> WorkbenchError:
    return WorkbenchError(f"{key} in the oauth part of {server!r:.100} {what}.", "Correct it in .mcp.json.")


_FITTING = {
    "RSA": ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    "P-256": ("ES256",),
    "P-384": ("ES384",),
    "P-521": ("ES512",),
    "Edwards": ("EdDSA",),
}
ALGORITHMS = tuple(name for names in _FITTING.values() for name in names)
_FEWEST_BITS = 2048  # bits of an RSA key; signatures of shorter keys can be forged
_PEM = re.compile(r"\s*-----BEGIN ([A-Z0-9 ]{1,40})-----(.{1,60000}?)-----END \1-----\s*", re.DOTALL)
_MAKE = (
    "Create one: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256. "
    "Give the public key to the operator of the server."
)


def read_key(text: str, algorithm: str, wrong: Callable[[str], WorkbenchError]) -> tuple[str, str]:
    """Return the key as PEM and its algorithm, by default the usual one for the key. `wrong` builds the error."""
    pem = _lines(text, wrong)
    fitting = _FITTING.get(_kind(pem, wrong), ())
    if not fitting:
        raise wrong(f"is a key of a type that supports none of {', '.join(ALGORITHMS)}")
    if algorithm and algorithm not in fitting:
        raise wrong(f"does not support {algorithm}; it supports {' or '.join(fitting)}")
    return pem, algorithm or fitting[0]


def _lines(text: str, wrong: Callable[[str], WorkbenchError]) -> str:
    r"""Restore the line ends of a PEM: a one-line field or a variable turns them into spaces or `\n`."""
    match = _PEM.fullmatch(text.replace("\\n", "\n"))
    if match is None:
        fault = wrong("is not a private key in PEM format with its BEGIN and END lines")
        raise WorkbenchError(fault.message, _MAKE)
    label, body = match.groups()
    if ":" in body or "ENCRYPTED" in label:
        fault = wrong("is protected by a passphrase")
        raise WorkbenchError(
            fault.message, "Remove the passphrase: openssl pkey -in key.pem. The keyring protects the key."
        )
    packed = "".join(body.split())
    rows = (packed[start : start + 64] for start in range(0, len(packed), 64))
    return "\n".join((f"-----BEGIN {label}-----", *rows, f"-----END {label}-----", ""))


def _kind(pem: str, wrong: Callable[[str], WorkbenchError]) -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa

    try:
        key: Any = serialization.load_pem_private_key(pem.encode(), None)  # Any: one of many key types
    except Exception:  # the message may quote the key, and OpenSSL raises many types
        raise wrong("cannot be read as a private key") from None
    if isinstance(key, rsa.RSAPrivateKey):
        if key.key_size < _FEWEST_BITS:
            raise wrong(f"has {key.key_size} bits; at least {_FEWEST_BITS} are required")
        return "RSA"
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return {"secp256r1": "P-256", "secp384r1": "P-384", "secp521r1": "P-521"}.get(key.curve.name, "")
    return "Edwards" if isinstance(key, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey)) else ""
