"""Replaces sockets for programs with network access: they behave as usual, and the core opens the connections.

Programs use `urllib`, `http.client`, `ssl` or `asyncio` as usual. No name is resolved and no packet sent here:
`getaddrinfo` returns a placeholder address, and `connect` asks the core, which decides and passes a connected socket.
Uses only the standard library. This module provides no protection.
"""

from __future__ import annotations

import base64
import contextlib
import errno
import os
import socket
import struct
import threading
from asyncio.selector_events import BaseSelectorEventLoop
from collections.abc import Callable
from typing import Any, cast

from workbench.sandbox.inside.frame_channel import FrameChannel

_INTERNET = (socket.AF_INET, socket.AF_INET6)
_PLACEHOLDERS = 0xC6120001  # 198.18.0.1: a reserved range for benchmarks
_SERVICES = {"http": 80, "https": 443, "ftp": 21, "ssh": 22, "smtp": 25, "domain": 53}
_OPTIONS_OF_OTHERS = (socket.IPPROTO_TCP, socket.IPPROTO_IP, socket.IPPROTO_IPV6)
_PIECE = 1 << 18
_CERTIFICATES = "/.certificates.pem"  # path below the program's home
_FAULTS: dict[str, Callable[[str], OSError]] = {
    "blocked": lambda words: PermissionError(errno.EACCES, words),
    "timeout": lambda words: TimeoutError(errno.ETIMEDOUT, words),
    "unknown": lambda words: socket.gaierror(socket.EAI_NONAME, words),
}
_installed: list[ProxiedSockets] = []
Address = tuple[Any, ...]  # Any: host and port as the program passes them


class ProxiedSockets:
    """Requests connections from the core and keeps track of their descriptors."""

    def __init__(self, line: FrameChannel, passing: int) -> None:
        self._line = line
        self._passing: socket.socket | None = None
        self.renew(passing)
        self._taking = threading.Lock()
        self._arrived: dict[int, int] = {}
        self._names: dict[str, str] = {}  # placeholder → name
        self._numbers: dict[str, str] = {}  # name → placeholder
        self.peers: dict[int, Address | None] = {}  # descriptors of replaced sockets → address they are connected to

    def renew(self, passing: int) -> None:
        """Use the descriptor socket of the next program of a REPL session."""
        self._passing = socket.socket(fileno=passing) if passing >= 0 else None

    def numbered(self, name: str) -> str:
        """The placeholder address of a host name in this run."""
        if name not in self._numbers:
            number = socket.inet_ntoa(struct.pack(">I", _PLACEHOLDERS + len(self._numbers)))
            self._numbers[name], self._names[number] = number, name
        return self._numbers[name]

    def connect(self, sock: socket.socket, address: Address) -> None:
        """Connect from code that does not await. Blocks only this thread."""
        self._adopt_descriptor(
            sock, address, self._ask_core(lambda wish: self._line.ask_now("connect", **wish), address, sock)
        )

    async def connect_later(self, sock: socket.socket, address: Address) -> None:
        wish = self._request(address, sock)
        try:
            answer = await self._line.ask("connect", **wish)
        except Exception as fault:
            raise _os_error(fault) from None
        self._adopt_descriptor(sock, address, answer)

    def _ask_core(
        self, ask: Callable[[dict[str, Any]], Any], address: Address, sock: socket.socket
    ) -> Any:  # Any: JSON
        try:
            return ask(self._request(address, sock))
        except OSError:
            raise
        except Exception as fault:
            raise _os_error(fault) from None

    def _request(self, address: Address, sock: socket.socket) -> dict[str, Any]:  # Any: JSON
        host, port = str(address[0]), address[1]
        if self.peers.get(sock.fileno()):
            raise OSError(errno.EISCONN, os.strerror(errno.EISCONN))
        return {"host": self._names.get(host, host), "port": port, "seconds": sock.gettimeout() or 0}

    def _adopt_descriptor(self, sock: socket.socket, address: Address, answer: Any) -> None:  # Any: JSON
        """Replace the socket's placeholder descriptor with the connected one."""
        number = int(answer["number"])
        end = self._receive_descriptor(number) if self._passing is not None else self._relay_by_threads(number)
        timeout, place = sock.gettimeout(), sock.fileno()
        try:
            os.dup2(end, place, inheritable=False)
        finally:
            os.close(end)
        sock.settimeout(timeout)  # dup2 changed the blocking mode
        self.peers[place] = tuple(address)

    def _receive_descriptor(self, number: int) -> int:
        """Receive the descriptor of a connection. The core sends it before the answer."""
        assert self._passing is not None
        with self._taking:
            while number not in self._arrived:
                data, given, _, _ = socket.recv_fds(self._passing, 8, 1)
                if not given:
                    raise OSError(errno.EMFILE, "Too many connections are open.")
                self._arrived[int.from_bytes(data, "big")] = given[0]
            return self._arrived.pop(number)

    def _relay_by_threads(self, number: int) -> int:
        """Relay bytes as requests and answers in two threads, if no descriptor can be passed."""
        near, target = socket.socketpair()
        for carry in (self._carry_out, self._carry_in):
            threading.Thread(target=carry, args=(target, number), daemon=True).start()
        return near.detach()

    def _carry_out(self, target: socket.socket, number: int) -> None:
        with contextlib.suppress(Exception):  # the core closed the connection, and the other thread ends it
            data = b"-"
            while data:
                data = target.recv(_PIECE)
                self._line.ask_now("send", number=number, data=base64.b64encode(data).decode())

    def _carry_in(self, target: socket.socket, number: int) -> None:
        with contextlib.suppress(Exception):
            while data := base64.b64decode(self._line.ask_now("receive", number=number)["data"]):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def install(line: FrameChannel) -> None:
    """Patch the standard library's sockets. Uses the descriptors that arrived with the first frame."""
    given, line.given = line.given, []
    passing = given[0] if given else -1
    if len(given) > 1:
        _trust(given[1])
    if _installed:
        _installed[0].renew(passing)
        return
    outside = ProxiedSockets(line, passing)
    _installed.append(outside)
    _change_sockets(outside)
    _change_lookups(outside)
    _change_loops(outside)


def _trust(file: int) -> None:
    """Write the system's CA certificates to a file, because OpenSSL requires a path."""
    place = os.environ.get("HOME", "/tmp") + _CERTIFICATES
    with open(file, "rb") as source, open(place, "wb") as target:
        target.write(source.read())
    os.environ["SSL_CERT_FILE"] = place


def _os_error(fault: Exception) -> OSError:
    """Convert an error of the core to the OSError that socket code expects."""
    words, code = str(fault), str(getattr(fault, "code", ""))
    make = _FAULTS.get(code.removeprefix("network."))
    return make(words) if make else ConnectionRefusedError(errno.ECONNREFUSED, words)


def _is_stream(kind: int) -> bool:
    return kind == -1 or kind & 0xF == socket.SOCK_STREAM


def _change_sockets(outside: ProxiedSockets) -> None:
    kind = cast(Any, socket.socket)  # Any: its methods are replaced
    _change_making(kind, outside)
    _change_connecting(kind, outside)
    _change_names(kind, outside)
    _change_options(kind, outside)


def _change_making(kind: Any, outside: ProxiedSockets) -> None:  # Any: as above
    """Make each internet socket one end of a socket pair until it is connected, and forget it when it is closed."""
    begin, closing = kind.__init__, kind._real_close

    def create_socket(self: Any, family: int = -1, type: int = -1, proto: int = -1, fileno: int | None = None) -> None:
        if fileno is not None or family not in (-1, *_INTERNET) or not _is_stream(type):
            begin(self, family, type, proto, fileno)
            return
        held, other = socket.socketpair()
        other.close()
        begin(self, socket.AF_INET if family == -1 else family, socket.SOCK_STREAM, max(proto, 0), held.detach())
        outside.peers[self.fileno()] = None
        if type != -1 and type & getattr(socket, "SOCK_NONBLOCK", 0):
            self.setblocking(False)

    def really_close(self: Any, *words: Any) -> None:
        outside.peers.pop(self.fileno(), None)
        closing(self, *words)

    kind.__init__, kind._real_close = create_socket, really_close


def _change_connecting(kind: Any, outside: ProxiedSockets) -> None:  # Any: as above
    connect, connect_ex = kind.connect, kind.connect_ex

    def connected(self: Any, address: Any) -> None:
        if self.family in _INTERNET:
            outside.connect(self, address)
        else:
            connect(self, address)

    def connected_ex(self: Any, address: Any) -> int:
        if self.family not in _INTERNET:
            return int(connect_ex(self, address))
        try:
            outside.connect(self, address)
        except OSError as fault:
            return fault.errno or errno.ECONNREFUSED
        return 0

    kind.connect, kind.connect_ex = connected, connected_ex


def _change_names(kind: Any, outside: ProxiedSockets) -> None:  # Any: as above
    peer, own = kind.getpeername, kind.getsockname

    def peer_name(self: Any) -> Any:
        if self.fileno() not in outside.peers:
            return peer(self)
        if outside.peers[self.fileno()] is None:
            raise OSError(errno.ENOTCONN, os.strerror(errno.ENOTCONN))
        return outside.peers[self.fileno()]

    def own_name(self: Any) -> Any:
        return ("0.0.0.0", 0) if self.fileno() in outside.peers else own(self)

    kind.getpeername, kind.getsockname = peer_name, own_name


def _change_options(kind: Any, outside: ProxiedSockets) -> None:  # Any: as above
    """Ignore TCP and IP options, which socket pairs do not have and programs may set."""
    setting, getting = kind.setsockopt, kind.getsockopt

    def set_option(self: Any, level: int, *words: Any) -> None:
        if not (level in _OPTIONS_OF_OTHERS and self.fileno() in outside.peers):
            setting(self, level, *words)

    def get_option(self: Any, level: int, *words: Any) -> Any:
        return 0 if level in _OPTIONS_OF_OTHERS and self.fileno() in outside.peers else getting(self, level, *words)

    kind.setsockopt, kind.getsockopt = set_option, get_option


def _change_lookups(outside: ProxiedSockets) -> None:
    lookup = socket.getaddrinfo

    def look_up(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
        port = _SERVICES.get(port, port) if isinstance(port, str) else port
        name = host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else host
        if not name:
            return lookup(host, port, family, type, proto, flags)
        try:
            return lookup(name, port, family, type, proto, flags | socket.AI_NUMERICHOST)
        except (socket.gaierror, UnicodeError):
            return lookup(outside.numbered(name), port, 0, type, proto, flags & ~socket.AI_CANONNAME)

    def by_name(name: str) -> str:
        return str(look_up(name, 0, socket.AF_INET, socket.SOCK_STREAM)[0][4][0])

    library = cast(Any, socket)  # Any: its functions are replaced
    library.getaddrinfo, library.gethostbyname = look_up, by_name
    library.gethostbyname_ex = lambda name: (name, [], [by_name(name)])


def _change_loops(outside: ProxiedSockets) -> None:
    loop = cast(Any, BaseSelectorEventLoop)  # Any: its methods are replaced
    connect = loop.sock_connect

    async def connected(self: Any, sock: Any, address: Any) -> None:
        if sock.family in _INTERNET:
            await outside.connect_later(sock, address)
        else:
            await connect(self, sock, address)

    async def look_up(self: Any, host: Any, port: Any, **words: Any) -> Any:
        return socket.getaddrinfo(host, port, **words)

    loop.sock_connect, loop.getaddrinfo = connected, look_up
