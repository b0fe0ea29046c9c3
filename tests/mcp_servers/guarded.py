"""An MCP server that wants a sign-in, and the authorization server that grants it: both real, on one loopback port.

`async with Guarded() as guarded:` serves the MCP server at `guarded.url`. Its knobs may be turned while it runs:

register      whether clients may register        consent   whether the person allows it
metadata      whether both kinds are published    cimd      whether a client id may be an address
seconds       how long an access token lives      granted   the scope it gives; empty: what was asked for
token_status  what the token endpoint answers     renews    whether refresh tokens are taken
issuer        what the metadata says of itself    state     what comes back; empty: what was sent
iss           what the return says of its issuer; empty: nothing
proofs        how clients may prove themselves at the token endpoint; empty: nothing is said, and all is taken
revokes       whether tokens may be revoked; `keys` are the public keys of clients, by client id
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
import socket
import ssl
import time
from typing import Any
from urllib.parse import urlencode

import httpx2
import jwt
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

PLAIN = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # nothing here speaks TLS, and the real one takes a while to load
TOOLS = [
    {"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
    for name in ("look", "change")
]


class Guarded:
    """Both servers, and everything they were asked."""

    def __init__(self, **knobs: Any) -> None:
        self.register = self.consent = self.metadata = self.renews = True
        self.cimd = self.revokes = False
        self.proofs: list[str] = []
        self.keys: dict[str, Any] = {}
        self.seconds = 3600
        self.granted = ""
        self.token_status = 200
        self.issuer = self.state = self.iss = ""
        for name, value in knobs.items():
            assert hasattr(self, name), name
            setattr(self, name, value)
        self.asked: list[tuple[str, dict[str, Any]]] = []  # path and what it carried
        self.clients: dict[str, dict[str, Any]] = {
            "given": {"redirect_uris": None, "client_secret": "given-" + "secret"}
        }
        self.codes: dict[str, dict[str, Any]] = {}
        self.tokens: dict[str, tuple[str, float]] = {}  # token → scope and when it ends
        self.refreshers: dict[str, str] = {}  # refresh token → scope

    async def __aenter__(self) -> Guarded:
        listening = socket.create_server(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self.url = f"{self.base}/mcp"
        config = uvicorn.Config(
            self._app(), log_level="critical", loop="none", lifespan="off", timeout_graceful_shutdown=1
        )
        self._server = uvicorn.Server(config)
        self._server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]  # the tests keep theirs
        self._serving = asyncio.get_running_loop().create_task(self._server._serve([listening]))
        while not self._server.started:
            await asyncio.sleep(0.005)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        await self._serving

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def age(self) -> None:
        """Every access token ends now."""
        self.tokens = {token: (scope, 0.0) for token, (scope, _) in self.tokens.items()}

    def _app(self) -> Starlette:
        known = "/.well-known"
        return Starlette(
            routes=[
                Route("/mcp", self._mcp, methods=["GET", "POST", "DELETE"]),
                Route(f"{known}/oauth-protected-resource/mcp", self._resource),
                Route(f"{known}/oauth-authorization-server", self._authorization),
                Route("/register", self._registration, methods=["POST"]),
                Route("/authorize", self._page),
                Route("/token", self._token, methods=["POST"]),
                Route("/revoke", self._revoke, methods=["POST"]),
            ]
        )

    # the MCP server

    async def _mcp(self, request: Request) -> Response:
        message = await request.json() if request.method == "POST" else {}
        self.asked.append(("/mcp", {"message": message, "auth": request.headers.get("authorization", "")}))
        scope, ends = self.tokens.get(request.headers.get("authorization", "").removeprefix("Bearer "), ("", 0.0))
        where = f'resource_metadata="{self.base}/.well-known/oauth-protected-resource/mcp"' if self.metadata else ""
        if time.time() >= ends:
            return Response(status_code=401, headers={"www-authenticate": f"Bearer {where}".strip()})
        params = message.get("params") or {}
        if message.get("method") == "tools/call" and params.get("name") == "change" and "write" not in scope.split():
            challenge = f'Bearer error="insufficient_scope", scope="write", {where}'
            return Response(status_code=403, headers={"www-authenticate": challenge})
        if request.method != "POST":
            return Response(status_code=405)
        return _answer(message)

    async def _resource(self, request: Request) -> Response:
        self.asked.append((request.url.path, {}))
        if not self.metadata:
            return Response(status_code=404)
        known = {"resource": self.url, "authorization_servers": [self.base], "scopes_supported": ["read"]}
        return JSONResponse(known)

    # the authorization server

    async def _authorization(self, request: Request) -> Response:
        self.asked.append((request.url.path, {}))
        if not self.metadata:
            return Response(status_code=404)
        known: dict[str, Any] = {
            "issuer": self.issuer or self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": self.cimd,
            "authorization_response_iss_parameter_supported": bool(self.iss),
        }
        if self.register:
            known["registration_endpoint"] = f"{self.base}/register"
        if self.revokes:
            known["revocation_endpoint"] = f"{self.base}/revoke"
        if self.proofs:
            known["token_endpoint_auth_methods_supported"] = self.proofs
        return JSONResponse(known)

    async def _registration(self, request: Request) -> Response:
        given = await request.json()
        self.asked.append(("/register", given))
        if not self.register:
            return Response(status_code=404)
        name = f"client-{len(self.clients)}"
        self.clients[name] = given
        return JSONResponse({**given, "client_id": name}, status_code=201)

    async def _page(self, request: Request) -> Response:
        """Stands for the page where the person signs in, and for the person."""
        given = dict(request.query_params)
        self.asked.append(("/authorize", given))
        client = self.clients.get(
            given["client_id"], {} if self.cimd and given["client_id"].startswith("https") else None
        )
        allowed = (client or {}).get("redirect_uris")
        if client is None or (allowed and given["redirect_uri"] not in allowed):
            return JSONResponse({"error": "invalid_request"}, status_code=400)
        back = {"state": self.state or given["state"], **({"iss": self.iss} if self.iss else {})}
        if self.consent:
            code = secrets.token_urlsafe(12)
            self.codes[code] = given
            back["code"] = code
        else:
            back |= {"error": "access_denied", "error_description": "You said no <b>twice</b>."}
        return RedirectResponse(f"{given['redirect_uri']}?{urlencode(back)}", status_code=302)

    async def _token(self, request: Request) -> Response:
        form = {key: str(value) for key, value in (await request.form()).items()}
        self.asked.append(("/token", {**form, "auth": request.headers.get("authorization", "")}))
        if self.token_status != 200:
            return Response("down", status_code=self.token_status)
        if self.proofs and self._proof(form, request) not in self.proofs:
            return JSONResponse({"error": "invalid_client"}, status_code=401)
        match form.get("grant_type"):
            case "authorization_code":
                scope = self._scope_of_code(form)
            case "refresh_token":
                scope = self.refreshers.pop(form.get("refresh_token", ""), None) if self.renews else None
            case "client_credentials":
                scope = form.get("scope", "read") if self._proof(form, request) not in ("", "none") else None
            case _:
                scope = None
        return self._grant(scope) if scope is not None else JSONResponse({"error": "invalid_grant"}, status_code=400)

    def _proof(self, form: dict[str, str], request: Request) -> str:
        """How the client has proved itself; empty: it has not."""
        secret = "given-" + "secret"
        if request.headers.get("authorization") == "Basic " + base64.b64encode(f"given:{secret}".encode()).decode():
            return "client_secret_basic"
        if (form.get("client_id"), form.get("client_secret")) == ("given", secret):
            return "client_secret_post"
        if "client_assertion" in form:
            return "private_key_jwt" if self._signed(form["client_assertion"]) else ""
        return "none" if "client_id" in form else ""

    def _signed(self, assertion: str) -> bool:
        said = jwt.decode(assertion, options={"verify_signature": False})
        try:
            jwt.decode(
                assertion,
                self.keys.get(said["sub"]),
                algorithms=["ES256", "RS256", "EdDSA"],
                audience=[self.base, f"{self.base}/"],
                issuer=said["sub"],
            )
        except (jwt.PyJWTError, TypeError):
            return False
        return True

    async def _revoke(self, request: Request) -> Response:
        form = {key: str(value) for key, value in (await request.form()).items()}
        self.asked.append(("/revoke", form | {"proof": self._proof(form, request)}))
        self.tokens.pop(form.get("token", ""), None)
        self.refreshers.pop(form.get("token", ""), None)
        return Response(status_code=200 if self.token_status == 200 else self.token_status)

    def _scope_of_code(self, form: dict[str, str]) -> str | None:
        asked = self.codes.pop(form.get("code", ""), None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        fits = asked is not None and asked["code_challenge"] == proof.decode().rstrip("=")
        same = (
            fits and asked["redirect_uri"] == form.get("redirect_uri") and form.get("resource") == asked.get("resource")
        )
        return asked.get("scope", "") if same and asked is not None else None

    def _grant(self, scope: str) -> Response:
        scope = self.granted or scope
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.tokens[access] = (scope, time.time() + self.seconds)
        self.refreshers[refresh] = scope
        granted = {"access_token": access, "token_type": "bearer", "expires_in": self.seconds, "scope": scope}
        return JSONResponse({**granted, "refresh_token": refresh})


def _answer(message: dict[str, Any]) -> Response:
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "guarded", "version": "1"}
            result: dict[str, Any] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            result = {"tools": TOOLS}
        case "tools/call":
            result = {"content": [{"type": "text", "text": f"did {message['params']['name']}"}]}
        case "ping":
            result = {}
        case _:
            if "id" not in message:
                return Response(status_code=202)
            error = {"code": -32601, "message": "no such method"}
            return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "error": error})
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": result})


async def browse(url: str) -> httpx2.Response:
    """The browser of a person who signs in: it goes where it is sent, and shows what is there in the end."""
    async with httpx2.AsyncClient(follow_redirects=True, trust_env=False, timeout=20, verify=PLAIN) as client:
        return await client.get(url)
