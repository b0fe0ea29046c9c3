"""Exception that refuses a server's request: the JSON-RPC code and a sentence for the server."""

from __future__ import annotations

INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601
NOT_NOW = -32600  # nobody is there, or too much is asked at once
REJECTED = -1  # a person said no to sampling; the number is the protocol's own example


class ElicitationRefusal(Exception):
    """Why a server's question is not answered."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
