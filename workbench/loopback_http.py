"""HTTP servers that listen on the local machine only."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Generator
from typing import Final

import uvicorn

from workbench.errors import WorkbenchError

HOST: Final = "127.0.0.1"
LOCAL_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")


class SignalFreeServer(uvicorn.Server):
    """Uvicorn server without signal handlers, because the core's process handles the signals."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def open_listener(port: int, name: str) -> socket.socket:
    """Return a listening socket on this port; 0 selects a free one. `name`: of the server, for the error."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError as fault:
        listener.close()
        hint = "Choose a different port; 0 selects a free one."
        raise WorkbenchError(f"{name} cannot use port {port}: {fault.strerror}.", hint) from fault
    listener.setblocking(False)
    return listener
