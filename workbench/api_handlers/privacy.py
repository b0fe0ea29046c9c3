"""API methods about personal data: masked values, PII tokens, marks and kinds; every look at a value is audited."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import to_builtins
from msgspec.structs import replace

from workbench import offload
from workbench.api.marker import api
from workbench.api_handlers.permissions import SettingsHandler
from workbench.api_handlers.request_handler import BY, RequestHandler
from workbench.broker.agent_sessions import PERSON, PREVIEW, Session
from workbench.broker.services import Services
from workbench.errors import WorkbenchError
from workbench.events import PrivacyChanged
from workbench.privacy.detector_preview import preview_masking
from workbench.privacy.detectors.json_fields import parsed
from workbench.privacy.detectors.kinds import BY_NAME, SEALED
from workbench.privacy.masking_explanation import AROUND, ReasonSentences, explain_text, explain_token, place_of
from workbench.privacy.pii_tokens import LOOKALIKE, count_tokens, unmask_with_spans
from workbench.privacy.strictness import OFF, TITLES, measure_effects, read_server_steps, with_server_step
from workbench.privacy.user_marks import IN_PROJECT, rules_from_marks, with_kind_switched, with_threshold
from workbench.privacy.value_index import fold
from workbench.privacy.value_store import StoredValue
from workbench.recordings.comparison import answer_text
from workbench.records import (
    AgentInfo,
    HiddenValue,
    JsonObject,
    JsonValue,
    KindCount,
    MaskingExplanation,
    MaskingRemedy,
    ModelView,
    Note,
    Origin,
    PastQuery,
    PrivacyMark,
    PrivacyQuery,
    PrivacyReport,
    PrivacyRules,
    PrivacySession,
    Revealed,
    StrictnessReport,
    Trial,
)
from workbench.settings import change

_LONGEST = 4_000_000  # characters of a text to preview
_LONGEST_EXPLAINED = 400  # characters of a text to explain
_DETECTIONS = 16  # passes of the detectors that an explanation takes at most
_ANSWERS = 20  # last answers of a server in which the steps of strictness are compared
_LONGEST_ANSWER = 20_000  # characters of each that are read
_REMEMBERED = 20_000  # values that previews may store before they are dropped


class PrivacyHandler(RequestHandler):
    """Shows masked values to the user; every look at a value is written to the audit."""

    def __init__(self, services: Services, agents: Callable[[], Sequence[AgentInfo]]) -> None:
        """`agents`: returns the connected agents."""
        super().__init__(services)
        self._agents = agents

    @api
    async def privacy_sessions(self) -> tuple[PrivacySession, ...]:
        """The user's own session first, then sessions of agents that have tokens or are connected, newest first."""
        await asyncio.to_thread(self._services.vault_persistence.bring_back)
        here = {agent.session for agent in self._agents()}
        person, *agents = self._services.sessions.all()
        agents = [*self._services.sessions.past.values(), *agents]
        found = [self._session_summary(one, one.id in here) for one in reversed(agents)]
        return (self._session_summary(person, True), *(one for one in found if one.tokens or one.here))

    @api
    async def privacy_report(self, query: PrivacyQuery) -> PrivacyReport:
        session = await self._registered_session(query.session)
        summary, enabled = self._session_summary(session, True), self._services.settings().privacy_enabled
        return await asyncio.to_thread(report_of, session, summary, query, enabled)

    @api
    async def privacy_export(self, session: str) -> str:
        """Everything about a session's values except the values, as JSON."""
        found = await self._registered_session(session)
        values = await asyncio.to_thread(hidden_values, found)
        self._note_view("privacy.exported", f"You exported the tokens of {found.author}, without values", found)
        whole = {"session": found.id, "author": found.author, "values": [to_builtins(one) for one in values]}
        return json.dumps(whole, indent=2, ensure_ascii=False)

    @api
    async def reveal(self, session: str, token: str, copied: bool = False) -> Revealed:
        """The value of one token; that the user looked at it, or copied it, is written to the audit."""
        if self._services.sessions.get(session) is None:
            await asyncio.to_thread(self._services.vault_persistence.bring_back)
        found = self._session(session)
        answer = revealed(found, token)
        deed = "copied" if copied else "viewed"
        kind = "privacy.copied" if copied else "privacy.revealed"
        self._note_view(kind, f"You {deed} the value of {answer.token}", found, {"token": answer.token})
        return answer

    @api
    async def explain_masking(self, session: str, text: str, around: str = "", start: int = 0) -> MaskingExplanation:
        """Why a model of this session reads a text, or a token instead of it, with what can be done about it. The text
        is a token or is at `start` in the text `around` it; without a session it is judged for the user's own calls."""
        if len(text) > _LONGEST_EXPLAINED:
            raise WorkbenchError(
                "The selected text is too long to explain.",
                f"Select one value of at most {_LONGEST_EXPLAINED} characters.",
            )
        if session and self._services.sessions.get(session) is None:
            await asyncio.to_thread(self._services.vault_persistence.bring_back)
        found = await self._registered_session(session or PERSON)
        settings = self._services.settings()
        marks = self._services.privacy_marks.marks()
        size = _DETECTIONS * min(len(around), 2 * AROUND)
        enabled = settings.privacy_enabled
        return await offload.MASKING.run(size, explain_in_session, found, marks, text, around, start, enabled)

    @api(decides=True)
    async def forget_values(self, session: str) -> int:
        """Delete all values of a session and return their number; earlier tokens no longer have a value then."""
        found = await self._registered_session(session)
        count = found.forget()
        await asyncio.to_thread(self._services.vault_persistence.drop, session)
        self._note_view("privacy.forgotten", f"You deleted the values of this session: {count}", found)
        return count

    @api
    async def model_view(self, text: str, server: str, session_id: str = "") -> ModelView:
        """What an agent would see of a text from this server, or of what a program of this session has printed; nothing
        is sent."""
        if len(text) > _LONGEST:
            raise WorkbenchError("The text is too long for a preview of what a model would see.", "Use a part of it.")
        if session_id and self._services.sessions.get(session_id) is not None:
            of_run, is_on = await self._registered_session(session_id), self._services.settings().privacy_enabled
            return await offload.MASKING.run(len(text), preview_in_session, of_run, text, is_on)
        session = self._services.sessions.preview
        if len(session.vault.issued()) > _REMEMBERED:
            session.forget()
        enabled = self._services.settings().privacy_enabled
        return await offload.MASKING_PREVIEW.run(len(text), _preview_view, session, text, server, enabled)

    @api
    async def try_privacy(self, text: str) -> Trial:
        """What the detector finds in a text and how it would be masked; nothing is stored."""
        if len(text) > _LONGEST:
            raise WorkbenchError("The text is too long to try the detector on.", "Use a part of it.")
        following = self._services.privacy_marks.following(self._services.settings())
        return await offload.MASKING_PREVIEW.run(len(text), preview_masking, text, following.rules, following.known)

    async def _registered_session(self, name: str) -> Session:
        """Return a session after all pending registrations of its answers are done."""
        session = self._session(name)
        await session.registrations.wait_until_done()
        return session

    def _session(self, name: str) -> Session:
        sessions = self._services.sessions
        found = sessions.preview if name == PREVIEW else sessions.get(name) or sessions.past.get(name)
        if found is None:
            raise WorkbenchError(
                "The values of this session are no longer stored.",
                "They end with the core or some time after the agent leaves. To keep them, set privacy.keep_days.",
            )
        return found

    def _session_summary(self, session: Session, here: bool) -> PrivacySession:
        count = sum(session.vault.counts_by_kind().values())
        return PrivacySession(session.id, session.author, session.origin is Origin.AGENT, count, here)

    def _note_view(self, kind: str, summary: str, session: Session, detail: JsonObject | None = None) -> None:
        """Write an audit entry. Not through `_note`, which would mask a token of a different session because it
        looks like a value."""
        self._services.journal.append(Note(kind, summary, BY, session.id, detail=detail or {}))


def _preview_view(session: Session, text: str, server: str, enabled: bool) -> ModelView:
    """Mask a text as the answer of a call: registered with its keys, then masked as everything sent to a model."""
    session.vault.register(_json_or_text(text), server)
    masked = session.mask(text)
    whole, hidden = unmask_with_spans(masked, session.vault.restore)
    return ModelView(masked, session.id, hidden if whole == text else (), count_tokens(masked), enabled)


def preview_in_session(session: Session, text: str, enabled: bool) -> ModelView:
    """Mask a text as the output of a program of this session."""
    masked = session.mask_output(text)
    return ModelView(masked, session.id, counts=count_tokens(masked), enabled=enabled)


def _json_or_text(text: str) -> JsonValue:
    found = parsed(text)
    return text if found is None else found


def report_of(session: Session, summary: PrivacySession, query: PrivacyQuery, enabled: bool) -> PrivacyReport:
    """Return a page of values and the counts of a session; reads up to tens of thousands of values, so call it on a
    thread."""
    issued = session.vault.issued()
    fitting = _matching(session, issued, query)
    counts = Counter(held.kind for _, held in issued)
    kinds = tuple(KindCount(kind, count) for kind, count in sorted(counts.items()))
    shown = fitting[query.after : query.after + query.limit]
    reasons = ReasonSentences(session.vault)
    values = tuple(_hidden_value(session, *one, reasons) for one in shown)
    return PrivacyReport(summary, values, len(fitting), kinds, enabled)


def hidden_values(session: Session) -> tuple[HiddenValue, ...]:
    """Return every token of a session, without the value."""
    reasons = ReasonSentences(session.vault)
    return tuple(_hidden_value(session, token, held, reasons) for token, held in session.vault.issued())


def explain_in_session(
    session: Session, marks: Sequence[PrivacyMark], text: str, around: str, start: int, enabled: bool
) -> MaskingExplanation:
    """Explain a token of this session, or a text in its surroundings."""
    vault = session.vault
    if LOOKALIKE.fullmatch(text.strip()):
        token, held = vault.canonical(text), _stored_value(session, text)
        value = _hidden_value(session, token, held, ReasonSentences(vault))
        return replace(
            explain_token(vault, text.strip(), held, marks, around),
            sources=value.sources, came=value.came, went=value.went, times=value.times, readers=value.readers,
            runs=value.runs,
        )  # fmt: skip
    if not enabled:
        remedy = MaskingRemedy("enable", "Turn masking on")
        return MaskingExplanation(False, "Masking is off, so a model reads everything.", remedies=(remedy,))
    place = place_of(text, around, start)
    session.look_up((place.around,))  # what kept answers show counts too
    stretches = session.public_texts.stretches(place.around)
    is_public = any(one.start <= place.start and place.end <= one.end for one in stretches)
    explanation = explain_text(vault, place, marks, is_public=is_public)
    sources = vault.origin(fold(place.text))[1]
    return replace(explanation, sources=tuple(sorted(sources)), came=vault.places(place.text))


def _stored_value(session: Session, token: str) -> StoredValue:
    held = session.vault.find_pasted(token)
    if held is None:
        hint = "Values are kept until their session ends or you delete them. Set privacy.keep_days to keep them longer."
        raise WorkbenchError("The value of this token is no longer stored.", hint)
    return held


def revealed(session: Session, token: str) -> Revealed:
    """Return the value of a token of this session, in any spelling that a model used."""
    held = _stored_value(session, token)
    hidden = _hidden_value(session, session.vault.canonical(token), held, ReasonSentences(session.vault))
    return Revealed(
        hidden.token, hidden.kind, held.text, hidden.sources, hidden.came, hidden.went, hidden.times, hidden.why
    )


def _matching(
    session: Session, issued: Sequence[tuple[str, StoredValue]], query: PrivacyQuery
) -> list[tuple[str, StoredValue]]:
    words, reasons = fold(query.text.strip()), ReasonSentences(session.vault)
    return [
        (token, held)
        for token, held in issued
        if (not query.kind or held.kind == query.kind)
        and (not words or words in fold(reasons.of(held)) or _matches(session, token, held, words))
    ]


def _matches(session: Session, token: str, held: StoredValue, words: str) -> bool:
    """Whether a token matches a search. Its value matches only as a whole, because otherwise a search could guess it
    letter by letter."""
    if words in token.lower() or fold(held.text) == words or any(words in source.lower() for source in held.sources):
        return True
    places = (*session.vault.places(held.text), *session.token_history.uses(token).calls.values())
    return any(words in f"{place.server}.{place.tool}".lower() or words in place.run_id for place in places)


def _hidden_value(session: Session, token: str, held: StoredValue, reasons: ReasonSentences) -> HiddenValue:
    uses = session.token_history.uses(token)
    came, went = session.vault.places(held.text), tuple(reversed(uses.calls.values()))
    why = reasons.of(held)
    readers = (session.author,) if uses.times and session.origin is Origin.AGENT else ()
    sources, runs = tuple(sorted(held.sources)), tuple(uses.runs)
    return HiddenValue(token, held.kind, uses.times, sources, came, went, runs, why, readers)


class PrivacyRulesHandler(RequestHandler):
    """Marks and kinds of personal data."""

    def __init__(self, services: Services, settings: SettingsHandler) -> None:
        super().__init__(services)
        self._settings = settings

    @api
    async def privacy_rules(self) -> PrivacyRules:
        """The marks of the user and of the project, and how each kind is detected."""
        return self._services.privacy_marks.view(self._services.settings())

    @api(decides=True, consent=True)
    async def mark_privacy(self, mark: PrivacyMark) -> PrivacyRules:
        """Always mask a value, or never, in this project or everywhere; applies to every session at once."""
        made = self._services.privacy_marks.add(mark)
        deed = f"masked as {made.kind}" if made.hide else "left unmasked"
        deed += " in this project" if made.scope == IN_PROJECT else ""
        self._note_mark("privacy.marked", f"You marked a {made.what} to be {deed}", made)
        return self._follow()

    @api(decides=True, consent=True)
    async def never_mask_token(self, session: str, token: str, scope: str) -> PrivacyRules:
        """Never mask the value of a token, in this project or everywhere. The value is not shown."""
        sessions = self._services.sessions
        found = sessions.preview if session == PREVIEW else sessions.get(session) or sessions.past.get(session)
        held = found.vault.find_pasted(token) if found is not None else None
        if held is None:
            raise WorkbenchError("The value of this token is no longer stored.", "Mark the value itself instead.")
        return await self.mark_privacy(PrivacyMark(False, "value", held.text, scope=scope))

    @api(decides=True, consent=True)
    async def unmark_privacy(self, mark_id: str) -> PrivacyRules:
        gone = self._services.privacy_marks.remove(mark_id)
        deed = "masked" if gone.hide else "left unmasked"
        self._note_mark("privacy.unmarked", f"You removed the mark that a {gone.what} is {deed}", gone)
        return self._follow()

    @api(decides=True, consent=True)
    async def set_privacy_kind(self, kind: str, on: bool, threshold: float) -> PrivacyRules:
        """Switch the detection of a kind of personal data on or off, and set its threshold in prose; 0 leaves the
        threshold unchanged."""
        if kind not in BY_NAME or kind == SEALED:
            raise WorkbenchError(f"There is no kind of personal data {kind!r:.40}.")
        if threshold and not 0 < threshold <= 1:
            raise WorkbenchError("A threshold must be greater than 0 and at most 1.")
        settings = self._services.settings()
        await self._set("privacy.off", with_kind_switched(settings.privacy_off, kind, on=on))
        if threshold:
            await self._set("privacy.thresholds", with_threshold(settings.privacy_thresholds, kind, threshold))
        return self._follow()

    @api(decides=True, consent=True)
    async def set_strictness(self, server: str, step: str) -> PrivacyRules:
        """Set how much is masked in the answers of a server, or of all servers without one of their own if `server` is
        empty. An empty step removes the server's own strictness."""
        if step not in TITLES and not (server and not step):
            raise WorkbenchError(f"There is no strictness {step!r:.40}.", f"Choose one of {', '.join(TITLES)}.")
        settings = self._services.settings()
        if server:
            if server.split() != [server]:
                raise WorkbenchError("The name of a server with blanks cannot have a strictness of its own.")
            await self._set("privacy.servers", with_server_step(settings.privacy_servers, server, step))
            return self._follow()
        await self._set("privacy.enabled", step != OFF)
        if step != OFF:
            await self._set("privacy.strictness", step)
        return self._follow()

    @api
    async def strictness_report(self, server: str) -> StrictnessReport:
        """What each step would mask in the last answers of a server in the history. Nothing is stored."""
        history, settings = self._services.history, self._services.settings()
        calls = await history.find(PastQuery(server=server, state="ok", limit=_ANSWERS))
        outcomes = [call.outcome for one in calls if (call := await history.get(one.id)).outcome]
        answers = [outcome.structured or answer_text(outcome) for outcome in outcomes if outcome is not None]
        texts = [text[:_LONGEST_ANSWER] for text in answers if text]
        start = rules_from_marks(
            self._services.privacy_marks.marks(), settings.privacy_off, settings.privacy_thresholds
        )
        own = read_server_steps(settings.privacy_servers).get(server)
        current = (own or settings.privacy_strictness) if settings.privacy_enabled else OFF
        effects = await asyncio.to_thread(measure_effects, texts, start.rules, start.known, current)
        return StrictnessReport(server, len(texts), effects)

    async def _set(self, name: str, value: JsonValue) -> None:
        """Change a setting; a setting that already has this value is not noted in the audit."""
        settings = self._services.settings()
        if change(settings, name, value) != settings:
            await self._settings.change_setting(name, value)

    def _note_mark(self, kind: str, summary: str, mark: PrivacyMark) -> None:
        self._services.journal.append(Note(kind, summary, BY, "person", detail={"mark": mark.id}))

    def _follow(self) -> PrivacyRules:
        settings = self._services.settings()
        self._services.sessions.follow(self._services.privacy_marks.following(settings))
        view = self._services.privacy_marks.view(settings)
        self._services.tell(PrivacyChanged(view))
        return view
