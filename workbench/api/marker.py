"""The decorator that makes a method of a core object callable by clients: `@api`.

The registry (`registry.py`) collects the marked methods when a core starts, and `tools/write_docs.py` writes the typed
stub of the client (`client_stub.py`) from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])  # Any: methods of every signature are marked
_ATTRIBUTE: Final = "__api__"


@dataclass(frozen=True, slots=True)
class ApiMark:
    """What `@api` says about a method."""

    name: str
    decides: bool
    consent: bool
    in_thread: bool


@overload
def api(function: Function, /) -> Function: ...
@overload
def api(
    *, name: str = "", decides: bool = False, consent: bool = False, in_thread: bool = False
) -> Callable[[Function], Function]: ...
def api(
    function: Function | None = None,
    /,
    *,
    name: str = "",
    decides: bool = False,
    consent: bool = False,
    in_thread: bool = False,
) -> Function | Callable[[Function], Function]:
    """Mark a method as callable by clients. Its annotations are the types of the message.

    `name`: the method's name for clients, if it differs. `decides`: the method changes something, so it runs to its
    end even when its client disconnects or cancels it. `consent`: the call is a consent of the user, so processes that
    an agent's client started may not make it. `in_thread`: a plain function that blocks, run on a worker thread.
    """

    def mark(marked: Function) -> Function:
        setattr(marked, _ATTRIBUTE, ApiMark(name or marked.__name__, decides, consent, in_thread))
        return marked

    return mark if function is None else mark(function)


def mark_of(function: object) -> ApiMark | None:
    """Return the mark of a function; None if clients may not call it."""
    found = getattr(function, _ATTRIBUTE, None)
    return found if isinstance(found, ApiMark) else None
