"""Records each step of a sign-in without secrets, so that a failure can be diagnosed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from workbench.records import SignInStep
from workbench.secrets.secret_masking import MASK, SecretMasks

_SHOWN = 4_000  # characters shown of a request or answer
_MOST = 60  # steps of one sign-in; a hostile server could cause more
_HIDDEN_WORDS = """access_token refresh_token id_token token code code_verifier client_secret client_assertion assertion
registration_access_token subject_token device_code"""
_HIDDEN = frozenset(_HIDDEN_WORDS.split())


class SignInLog:
    """The steps of one server's sign-in, oldest first."""

    def __init__(self, masks: SecretMasks, changed: Callable[[], None] = lambda: None) -> None:
        self._masks = masks
        self._changed = changed
        self._all: list[SignInStep] = []

    @property
    def all(self) -> tuple[SignInStep, ...]:
        return tuple(self._all)

    def begin(self) -> None:
        self._all = []

    def note(self, title: str, sentence: str, *, ok: bool = True, url: str = "") -> None:
        """Add a step that is not a request."""
        self._add(SignInStep(title, ok, self._masks.mask(sentence), url=self.shown_url(url)))

    def add_request(
        self, request: Any, status: int, body: bytes, ms: float, trouble: str = ""
    ) -> None:  # Any: httpx2.Request, imported late
        """Add a request and its answer, or the failure when there is no answer."""
        form = _form(request)
        title = _title(request.method, str(request.url), form)
        ok = 200 <= status < 300
        self._add(
            SignInStep(
                title,
                ok,
                self._masks.mask(trouble or _meaning(title, status, body)),
                request.method,
                self.shown_url(str(request.url)),
                status,
                self._display(form),
                self._display(_parsed(body)),
                ms,
            )
        )

    def shown_url(self, url: str) -> str:
        """Return a URL with the secrets in its query masked."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return self._masks.mask(url[:_SHOWN])
        pairs = [f"{key}={MASK if key in _HIDDEN else value}" for key, value in parse_qsl(parts.query)]
        return self._masks.mask(urlunsplit(parts._replace(query="&".join(pairs)))[:_SHOWN])

    def _display(self, value: object) -> str:
        if isinstance(value, str):
            return self._masks.mask(value[:_SHOWN])
        text = json.dumps(_covered(value), indent=2, ensure_ascii=False) if value else ""
        return self._masks.mask(text)[:_SHOWN]

    def _add(self, step: SignInStep) -> None:
        if len(self._all) < _MOST:
            self._all.append(step)
            self._changed()


def _covered(value: Any) -> Any:  # Any: JSON
    if isinstance(value, dict):
        return {key: MASK if key in _HIDDEN and item else _covered(item) for key, item in value.items()}
    return [_covered(item) for item in value] if isinstance(value, list) else value


def _form(request: Any) -> dict[str, Any]:
    """Return the parsed body of a request: JSON or a form."""
    body = bytes(request.content) if request.method == "POST" else b""
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return dict(parse_qsl(body.decode("utf-8", "replace")))
    found = _parsed(body)
    return found if isinstance(found, dict) else {}


def _parsed(body: bytes) -> Any:
    text = body.decode("utf-8", "replace").strip()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _title(method: str, url: str, form: dict[str, Any]) -> str:
    path = urlsplit(url).path
    if "oauth-protected-resource" in path:
        return "Read the server's metadata"
    if "oauth-authorization-server" in path or "openid-configuration" in path:
        return "Read the authorization server's metadata"
    grants = {"refresh_token": "Renew the token", "authorization_code": "Exchange the code for a token"}
    if "grant_type" in form:
        return grants.get(str(form["grant_type"]), "Request a token")
    if "token_type_hint" in form:
        return "Revoke the token"
    if "redirect_uris" in form:
        return "Register this app"
    return "Contact the server" if method in ("POST", "GET") else method


def _meaning(title: str, status: int, body: bytes) -> str:
    if 200 <= status < 300:
        return "The request succeeded."
    found = _parsed(body)
    words = ""
    if isinstance(found, dict):
        named = [found.get(key) for key in ("error", "error_description", "message")]
        words = ": ".join(word for word in named if isinstance(word, str))[:300]
    said = f" The answer says: {words}." if words else ""
    if title == "Contact the server" and status in (401, 403):
        return f"The server requires a sign-in ({status}).{said}"
    if status == 404:
        return f"Nothing was found at this address (404).{said}"
    if 300 <= status < 400:
        return f"The answer is a redirect ({status}). Redirects to a different origin are not followed."
    return f"The request was refused ({status}).{said}" if status < 500 else f"The request failed ({status}).{said}"
