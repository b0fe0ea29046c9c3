"""The review page over real HTTP, with a phone that holds a real key: pairing, signed answers, and what is refused."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import secrets
import time

import httpx2
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from msgspec.structs import replace

from workbench.errors import WorkbenchError
from workbench.records import Decision, EntryQuery, RunState
from workbench.review_page import review_requests
from workbench.review_page.paired_devices import PAIRING_SECONDS, PairedDevices

WRITES = "open('workspace/new.py', 'w').write('mail anna.berger@posteo.de')\nresult = 'written'"
DELETES = "import os\nos.remove('workspace/old.txt')"
HANG = 60


class Phone:
    """A phone: a key pair, and requests as the page's script makes them."""

    def __init__(self, client):
        self._client = client
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.id = ""

    @property
    def public_key(self):
        form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        return base64.b64encode(self._key.public_key().public_bytes(*form)).decode()

    def sign(self, *lines):
        r, s = decode_dss_signature(self._key.sign("\n".join(lines).encode(), ec.ECDSA(hashes.SHA256())))
        return base64.b64encode(r.to_bytes(32, "big") + s.to_bytes(32, "big")).decode()

    async def post(self, path, message):
        answer = await self._client.post(path, content=json.dumps(message))
        return answer.status_code, answer.json()

    async def pair(self, code, name="My phone"):
        status, body = await self.post("/pair", {"code": code, "name": name, "public_key": self.public_key})
        self.id = body.get("device", "")
        return status, body

    def listing(self, at=None, nonce=None):
        at, nonce = round((time.time() if at is None else at) * 1000), nonce or secrets.token_urlsafe(12)
        signature = self.sign(review_requests.LIST, self.id, str(at), nonce)
        return {"device": self.id, "at": at, "nonce": nonce, "signature": signature}

    async def requests(self):
        status, body = await self.post("/requests", self.listing())
        assert status == 200, body
        return body["requests"]

    def answer(self, item, allow, reason=""):
        digest = hashlib.sha256(reason.encode()).hexdigest()
        word = "allow" if allow else "deny"
        lines = (self.id, item["id"], item["fingerprint"], item["challenge"], word, digest)
        return {
            "device": self.id,
            "request": item["id"],
            "fingerprint": item["fingerprint"],
            "challenge": item["challenge"],
            "allow": allow,
            "reason": reason,
            "signature": self.sign(review_requests.ANSWER, *lines),
        }


@pytest.fixture
async def page(core):
    """A core whose review page is open, and an HTTP client of it."""
    settings = replace(core.settings, review_page=True, review_page_port=0, approval_auto_mild=False)
    core.services.settings.set(replace(settings, isolation_high="process", isolation_medium="process"))
    assert await core.review_page.follow_settings() is None
    core.services.workspace_files.write("old.txt", "x")
    state = await core.api.review_page()
    async with httpx2.AsyncClient(base_url=state.url, timeout=HANG) as client:
        yield client


@pytest.fixture
async def phone(core, page):
    made = Phone(page)
    code = (await core.api.offer_pairing()).code
    status, _ = await made.pair(f" {code[:5].lower()} {code[5:]}")  # as people type it
    assert status == 200
    return made


async def waiting(core, code, agent="Claude"):
    session = core.services.sessions.open(agent)
    run = core.run_manager.submit(code, session, "a purpose")
    async with asyncio.timeout(HANG):
        while core.run_manager.run(run.id).state is not RunState.WAITING:
            await asyncio.sleep(0.02)
    return core.run_manager.run(run.id)


async def test_a_paired_phone_allows_and_denies_and_the_audit_says_so(core, phone):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    assert (item["id"], item["risk"], item["allowable"]) == (run.id, "medium", True)
    assert "new.py" in item["sentence"]
    assert "anna.berger" not in json.dumps(item), "personal data is masked unless the user wants it there"
    assert await phone.post("/answer", phone.answer(item, True)) == (200, {"message": "Allowed."})
    done = await core.run_manager.wait_until_finished(run.id)
    assert (done.state, done.decision.by) == (RunState.DONE, "you, on My phone")
    second = await waiting(core, WRITES)
    (item,) = await phone.requests()
    assert (await phone.post("/answer", phone.answer(item, False, "Not now.")))[0] == 200
    refused = await core.run_manager.wait_until_finished(second.id)
    assert "Not now." in refused.fault.message
    decided = core.journal.entries(EntryQuery(kind="run.decided", limit=1))[0]
    assert "you, on My phone" in decided.note.summary


async def test_replayed_forged_foreign_and_late_answers_are_refused(core, page, phone, monkeypatch):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    first = phone.answer(item, True)
    forged = {**first, "allow": False}
    assert (await phone.post("/answer", forged))[0] == 403
    stranger = Phone(page)
    stranger.id = phone.id
    assert (await phone.post("/answer", stranger.answer(item, True)))[0] == 403
    other = Phone(page)
    await other.pair((await core.api.offer_pairing()).code, "Other phone")
    assert (await other.post("/answer", other.answer(item, True)))[0] == 403, "the challenge is of another device"
    (item,) = await phone.requests()
    changed = {**item, "fingerprint": "0" * 64}
    assert (await phone.post("/answer", phone.answer(changed, True)))[0] == 403
    assert core.run_manager.run(run.id).state is RunState.WAITING
    monkeypatch.setattr(review_requests, "CHALLENGE_SECONDS", -1.0)
    (item,) = await phone.requests()
    status, body = await phone.post("/answer", phone.answer(item, True))
    assert (status, "too late" in body["error"]) == (403, True)
    monkeypatch.undo()
    (item,) = await phone.requests()
    good = phone.answer(item, True)
    assert (await phone.post("/answer", good))[0] == 200
    status, body = await phone.post("/answer", good)
    assert (status, "already used" in body["error"]) == (403, True)
    assert (await core.run_manager.wait_until_finished(run.id)).state is RunState.DONE


async def test_an_edited_program_needs_a_new_look(core, phone):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    await core.run_manager.edit(run.id, WRITES + "  # more")
    status, body = await phone.post("/answer", phone.answer(item, True))
    assert (status, "changed" in body["error"]) == (403, True)
    await core.run_manager.stop(run.id)


async def test_high_risk_can_be_denied_there_but_not_allowed(core, phone):
    run = await waiting(core, DELETES)
    (item,) = await phone.requests()
    assert (item["risk"], item["allowable"]) == ("high", False)
    status, body = await phone.post("/answer", phone.answer(item, True))
    assert (status, "only in the window" in body["error"]) == (403, True)
    (item,) = await phone.requests()
    assert (await phone.post("/answer", phone.answer(item, False)))[0] == 200
    assert (await core.run_manager.wait_until_finished(run.id)).state is RunState.REFUSED


async def test_the_second_of_two_answers_is_told_who_was_first(core, phone):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    await core.run_manager.stop(run.id)
    status, body = await phone.post("/answer", phone.answer(item, True))
    assert status == 403
    assert "no longer waits" in body["error"]


async def test_a_program_that_is_being_denied_elsewhere_is_not_shown(core, phone):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    core.run_manager.decide(Decision(run.id, run.proposal.sha, False, "you", undoable=True))
    assert await phone.requests() == []
    status, body = await phone.post("/answer", phone.answer(item, True))
    assert (status, "already denied" in body["error"]) == (403, True)


async def test_a_revoked_device_sees_and_decides_nothing(core, phone):
    run = await waiting(core, WRITES)
    (item,) = await phone.requests()
    await core.api.revoke_device(phone.id)
    assert (await phone.post("/requests", phone.listing()))[0] == 403
    assert (await phone.post("/answer", phone.answer(item, True)))[0] == 403
    assert core.run_manager.run(run.id).state is RunState.WAITING
    await core.run_manager.stop(run.id)


async def test_a_list_is_shown_once_for_each_signature_and_never_without_one(core, phone):
    listing = phone.listing()
    assert (await phone.post("/requests", listing))[0] == 200
    assert (await phone.post("/requests", listing))[0] == 403, "replayed"
    assert (await phone.post("/requests", phone.listing(nonce="a" * 101)))[0] == 403, "too long to be remembered"
    assert (await phone.post("/requests", phone.listing(time.time() - 3_600)))[0] == 403, "an old one"
    assert (await phone.post("/requests", {**phone.listing(), "signature": "AAAA"}))[0] == 403
    for wrong in ({}, {"device": phone.id}, [], "x" * 100_000):
        assert (await phone.post("/requests", wrong))[0] in (403, 413)


async def test_pairing_needs_the_code_that_the_user_sees(core, page):
    phone = Phone(page)
    assert (await phone.pair("ABCDEFGHJK"))[0] == 403, "no pairing is open"
    offer = await core.api.offer_pairing()
    for _ in range(5):
        assert (await phone.pair("ABCDEFGHJK"))[0] == 403
    assert (await phone.pair(offer.code))[0] == 403, "closed after five wrong codes"
    offer = await core.api.offer_pairing()
    assert offer.url.endswith(f"/#{offer.code}")
    bad = {"code": offer.code, "name": "x", "public_key": "AAAA"}
    assert (await phone.post("/pair", bad))[0] == 403
    assert (await phone.pair(offer.code.lower(), "My\nphone\u202e" + "x" * 500))[0] == 200
    (device,) = (await core.api.review_page()).devices
    assert device.name.startswith("My phone")
    assert len(device.name) <= 60
    assert (await Phone(page).pair(offer.code))[0] == 403, "a code pairs one device"


def test_a_code_expires_and_devices_survive_a_restart(tmp_path):
    now = [1_000.0]
    devices = PairedDevices(tmp_path / "devices.json", lambda: now[0])
    code, _ = devices.offer_pairing()
    now[0] += PAIRING_SECONDS + 1
    key = Phone(None).public_key
    with pytest.raises(WorkbenchError, match="No pairing"):
        devices.pair(code, "a", key)
    device = devices.pair(devices.offer_pairing()[0], "a", key)
    assert PairedDevices(tmp_path / "devices.json").all() == (device,)
    assert (tmp_path / "devices.json").stat().st_mode & 0o077 == 0
    (tmp_path / "devices.json").write_text("{", encoding="utf-8")
    assert PairedDevices(tmp_path / "devices.json").all() == (), "a damaged file lets nobody in"


async def test_the_page_is_served_to_its_own_names_only_and_lets_nothing_foreign_in(core, page):
    found = await page.get("/")
    assert found.status_code == 200
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert (await page.get("/page.js")).status_code == 200
    assert (await page.get("/../settings.toml")).status_code == 404
    assert (await page.get("/", headers={"host": "evil.example"})).status_code == 421
    assert (await page.get("/", headers={"origin": "https://evil.example"})).status_code == 421
    core.services.settings.set(replace(core.settings, review_page_address="https://review.example.net"))
    assert (await page.get("/", headers={"host": "review.example.net"})).status_code == 200
    assert (await core.api.review_page()).url == "https://review.example.net"


async def test_it_is_closed_unless_switched_on(core):
    assert (await core.api.review_page()).url == ""
    with pytest.raises(WorkbenchError, match="closed"):
        await core.api.offer_pairing()
    core.services.settings.set(replace(core.settings, review_page=True, review_page_port=0))
    assert await core.review_page.follow_settings() is None
    assert (await core.api.review_page()).url.startswith("http://localhost:")
    core.services.settings.set(replace(core.settings, review_page=False))
    await core.review_page.follow_settings()
    assert (await core.api.review_page()).url == ""
