"""OAuth client authentication and client credentials flow, with a secret or a private key. Imports the SDK: import it
late.
"""

from __future__ import annotations

import warnings
from typing import Any

import httpx2
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)

from workbench.servers.oauth.oauth_settings import OAuthSettings

BASIC, POST = "client_secret_basic", "client_secret_post"


def choose_proof(context: Any, wish: OAuthSettings) -> None:  # Any: the SDK's OAuthContext
    """Choose the client authentication method for a client secret in the entry. A registered client got its method at
    registration."""
    client = context.client_info
    if client is None or wish.method or not wish.client_secret or client.client_id != wish.client_id:
        return
    metadata = context.oauth_metadata
    client.token_endpoint_auth_method = proof(metadata.token_endpoint_auth_methods_supported if metadata else None)


def proof(offered: list[str] | None) -> str:
    """Choose the authentication method from those that the metadata offers. Without a list, every authorization server
    must accept client_secret_basic, the standard's default."""
    return POST if offered and POST in offered and BASIC not in offered else BASIC


def machine(url: str, wish: OAuthSettings, storage: TokenStorage) -> OAuthClientProvider:
    """Return the SDK's client credentials provider for an entry."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # suppresses the SDK's warning about a missing issuer: discovery finds it
        return _with_key(url, wish, storage) if wish.private_key else _WithSecret(url, wish, storage)


class _WithSecret(ClientCredentialsOAuthProvider):
    def __init__(self, url: str, wish: OAuthSettings, storage: TokenStorage) -> None:
        method: Any = wish.method if wish.method not in ("", "none") else BASIC  # Any: a literal to the SDK
        super().__init__(
            url, storage, wish.client_id, wish.client_secret, method, wish.scope or None, wish.issuer or None
        )
        self._wish = wish

    async def _exchange_token_client_credentials(self) -> httpx2.Request:
        choose_proof(self.context, self._wish)
        return await super()._exchange_token_client_credentials()


def _with_key(url: str, wish: OAuthSettings, storage: TokenStorage) -> OAuthClientProvider:
    sign = _signing(wish).create_assertion_provider()
    return PrivateKeyJWTOAuthProvider(url, storage, wish.client_id, sign, wish.scope or None, wish.issuer or None)


def _signing(wish: OAuthSettings) -> SignedJWTParameters:
    return SignedJWTParameters(
        issuer=wish.client_id,
        subject=wish.client_id,
        signing_key=wish.private_key,
        signing_algorithm=wish.algorithm,
    )


async def assertion(wish: OAuthSettings, issuer: str) -> dict[str, str]:
    """Return the form fields with a signed assertion that replace a client secret."""
    signed = await _signing(wish).create_assertion_provider()(issuer)
    kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    return {"client_assertion": signed, "client_assertion_type": kind}
