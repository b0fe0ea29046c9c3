"""Command and webhook: what leaves the machine, to whom, and what happens when they fail."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from msgspec.structs import replace

from tests.runs.steps import waiting
from workbench.notifications.outgoing import may_be_used
from workbench.records import CheckState, EntryQuery
from workbench.settings import read

HANG = 30
DELETES = "import os\nos.remove('workspace/maria.txt')\n"


class Webhook(ThreadingHTTPServer):
    """A webhook on a free port that keeps what it receives; `statuses` are its next answers."""

    def __init__(self):
        self.received, self.statuses = [], []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/topic"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.received.append((self.path, dict(self.headers), body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 200)
        self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def webhook():
    server = Webhook()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def agent(core):
    return core.services.sessions.open("test agent")


def configure(core, **values):
    core.services.settings.set(replace(core.settings, notify_desktop=False, notify_after_seconds=0, **values))


async def until(condition):
    async with asyncio.timeout(HANG):
        while not condition():
            await asyncio.sleep(0.02)


async def test_a_waiting_program_is_posted_once_and_without_content(core, agent, webhook):
    configure(core, notify_url=webhook.url)
    await waiting(core, core.run_manager.submit(DELETES, agent))
    await waiting(core, core.run_manager.submit(DELETES + "# again\n", agent))
    await until(lambda: webhook.received)
    path, headers, body = webhook.received[0]
    assert path == "/topic"
    assert headers["Title"] == "MCP Workbench"
    assert headers["Priority"] in "345"
    assert "test agent" in body or "programs wait" in body
    assert "maria" not in body
    assert "remove" not in body.lower()
    assert len(webhook.received) == 1, "no second message within the pause"


async def test_formats_and_content_follow_the_settings(core, agent, webhook):
    configure(core, notify_url=webhook.url, notify_format="slack", notify_content="sentence")
    odd = core.services.sessions.open("<!channel> & co")
    await waiting(core, core.run_manager.submit(DELETES, odd))
    await until(lambda: webhook.received)
    text = json.loads(webhook.received[0][2])["text"]
    assert "&lt;!channel&gt; &amp; co" in text
    assert "Deletes workspace/maria.txt" in text
    configure(core, notify_url=webhook.url, notify_format="json")
    await core.api.test_notifications()
    assert json.loads(webhook.received[1][2])["title"] == "Test of notifications"


async def test_a_failing_webhook_is_tried_twice_not_redirected_and_named_by_the_doctor(core, webhook, monkeypatch):
    monkeypatch.setattr("workbench.notifications.outgoing.RETRY_SECONDS", 0.0)
    configure(core, notify_url=webhook.url + "?auth=hunter2hunter2")
    webhook.statuses = [503, 200]
    assert (await core.api.test_notifications())[2].state is CheckState.GOOD
    webhook.statuses = [302]
    failed = (await core.api.test_notifications())[2]
    assert failed.state is CheckState.DOUBT
    assert "302" in failed.sentence
    assert "hunter2" not in failed.sentence
    assert len(webhook.received) == 3, "one retry after 503, none after a redirect"
    assert failed in await core.api.diagnose_machine()


async def test_the_command_reads_json_and_is_ended_when_it_hangs(core, agent, tmp_path, monkeypatch):
    told = tmp_path / "told with a space.json"
    code = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read())"
    configure(core, notify_command=f'{sys.executable} -c "{code}" "{told}"')
    await waiting(core, core.run_manager.submit(DELETES, agent))
    await until(lambda: told.exists() and told.read_text())
    message = json.loads(told.read_text())
    assert message["count"] == 1
    assert message["risk"]
    assert "maria" not in message["message"]
    monkeypatch.setattr("workbench.notifications.outgoing.SECONDS", 0.3)
    configure(core, notify_command=f"{sys.executable} -c 'import time; time.sleep(600)'")
    assert "did not end" in (await core.api.test_notifications())[1].sentence
    configure(core, notify_command="/no/such/program; rm -rf ~")
    assert "cannot be started" in (await core.api.test_notifications())[1].sentence


def test_only_encrypted_addresses_and_this_machine_are_used():
    for address in ("https://ntfy.example/t", "http://127.0.0.1:80/t", "http://localhost/t", "http://[::1]:8/t"):
        assert may_be_used(address), address
    for address in ("http://ntfy.example/t", "http://10.0.0.1/", "file:///etc/passwd", "https:///x", "http://[::1/"):
        assert not may_be_used(address), address


async def test_a_project_cannot_set_them_and_the_audit_does_not_show_the_address(core, paths):
    paths.project_settings.write_text('[notify]\nurl = "https://evil.example/x"\ncommand = "evil"\n')
    found = read(paths.project_settings, paths.user_settings)
    assert found.settings.notify_url == "" == found.settings.notify_command
    assert len(found.notices) == 2
    await core.api.change_setting("notify.url", "https://hooks.example/services/T0/B0/hunter2hunter2")
    entries = [one.note.summary for one in core.journal.entries(EntryQuery())]
    assert any("You set notify.url" in one for one in entries)
    assert not any("hunter2" in one for one in entries)
