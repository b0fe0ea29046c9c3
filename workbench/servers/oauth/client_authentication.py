"""Chooses how a registered OAuth client authenticates at the token endpoint: as its entry says, else as the server's
metadata offers. Works on the SDK's context right before a request is made from it.
"""

from __future__ import annotations

from typing import Any

from workbench.servers.oauth.oauth_settings import OAuthSettings

BASIC, POST = "client_secret_basic", "client_secret_post"


def choose_proof(context: Any, wish: OAuthSettings) -> None:  # Any: the SDK's OAuthContext
    """Only for a client with a secret of the entry: a registered one was told how by the registration."""
    client = context.client_info
    if client is None or wish.method or not wish.client_secret or client.client_id != wish.client_id:
        return
    metadata = context.oauth_metadata
    client.token_endpoint_auth_method = proof(metadata.token_endpoint_auth_methods_supported if metadata else None)


def proof(offered: list[str] | None) -> str:
    """Where nothing is offered, every authorization server has to take the one that the standard names first."""
    return POST if offered and POST in offered and BASIC not in offered else BASIC
