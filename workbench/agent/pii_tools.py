"""The two tools about personal data: an agent may have a text's values replaced by tokens, and never the other way."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from workbench import offload
from workbench.agent.tool_answers import ToolAnswer
from workbench.broker.agent_sessions import Session
from workbench.errors import WorkbenchError
from workbench.privacy.pii_tokens import find_tokens

LONGEST: Final = 400_000  # characters of a text
_CALLS: Final = "Tokens stay tokens here: pass them on to a tool, and its server gets the values it may have."


async def sanitized(session: Session, text: str) -> str:
    """The text as the model may see it."""
    if not session.hides:
        raise WorkbenchError(
            "The user has turned the replacing of personal data off.", "The text can be used as it is."
        )
    return await _looked_through(session.mask, text)


async def checked(session: Session, text: str) -> ToolAnswer:
    """The same text, and whether its tokens will do: an agent learns no value, whatever it asks."""
    return ToolAnswer(text, note=await _looked_through(partial(_tokens_of, session), text))


async def _looked_through(look: Callable[[str], str], text: str) -> str:
    if len(text) > LONGEST:
        raise WorkbenchError(f"The text is longer than {LONGEST:,} characters.", "Give it in parts.")
    return await offload.MASKING.run(len(text), look, text)


def _tokens_of(session: Session, text: str) -> str:
    """Which of the tokens in a text are valid here."""
    tokens = dict.fromkeys(match.group() for match in find_tokens(text))
    unknown = [token for token in tokens if not _is_known(session, token)]
    words = ["", "", _CALLS if tokens else "There are no tokens in it."]
    if unknown:
        words.append(f"{len(unknown)} of {len(tokens)} are none of this session and will be refused.")
    return "\n".join(words)


def _is_known(session: Session, token: str) -> bool:
    try:
        session.vault.restorations(token, "")
    except WorkbenchError:
        return False
    return True
