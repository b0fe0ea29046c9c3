"""What is copied works: the pipe and the curl are run by a real shell against real servers."""

from __future__ import annotations

import http.server
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.cli.main import main
from workbench.errors import WorkbenchError
from workbench.records import ServerConfig, ServerState, Tool
from workbench.wrappers.call_snippets import ShellCommand, call_text, quoted

NASTY = {"a": 'it\'s "$(touch x)" `y`\n$HOME \\ ü', "limit": 2}
DEMO = ServerConfig("demo", sys.executable, ("-P", "-m", "workbench.demo"), builtin=True)


def test_a_json_rpc_message_is_the_call(tmp_path):
    message = json.loads(call_text("json-rpc", ServerState(DEMO), Tool("demo", "x y"), NASTY, tmp_path))
    assert (message["method"], message["params"]) == ("tools/call", {"name": "x y", "arguments": NASTY})


def test_an_unknown_form_is_a_sentence(tmp_path):
    with pytest.raises(WorkbenchError, match="There is no form"):
        call_text("wget", ServerState(DEMO), Tool("demo", "x"), {}, tmp_path)


@pytest.mark.parametrize(("server", "tool"), [("demo", "list_orders"), ("-odd", "--tool 'x'")])
def test_the_command_line_gives_our_own_parser_the_same_call(tmp_path, monkeypatch, server, tool):
    seen = []
    monkeypatch.setattr("workbench.cli.tool_calls.talk", lambda paths, talk: seen.append(paths) or sys.exit(0))
    monkeypatch.setattr("workbench.cli.tool_calls.parse_arguments", lambda text: seen.append(json.loads(text)))
    words = shlex.split(call_text("command", ServerState(DEMO), Tool(server, tool), NASTY, tmp_path))
    assert words[0] == "mcp-workbench"
    with pytest.raises(SystemExit):
        main(words[1:])
    assert seen[0] == NASTY
    assert seen[1].project == tmp_path
    assert {server, tool} <= set(words)


def test_the_pipe_speaks_to_a_server_of_its_own(tmp_path):
    text = call_text("curl", ServerState(DEMO), Tool("demo", "list_orders"), {"limit": 2}, tmp_path)
    assert text.startswith("# curl cannot reach a server over stdio.")
    done = subprocess.run(["sh", "-c", text.replace("sleep 5", "sleep 1")], capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "demo"
    assert len(answers[-1]["result"]["structuredContent"]["orders"]) == 2


def test_secrets_of_an_entry_are_variables_in_the_pipe(tmp_path):
    config = ServerConfig("s", "prog", ("--key", "${keyring:k}"), {"API_TOKEN": "plain" + "secret", "MODE": "a b"})
    text = call_text("curl", ServerState(config), Tool("s", "t"), {}, tmp_path)
    assert "plainsecret" not in text
    assert "# Set first: API_TOKEN, K\n" in text
    assert "API_TOKEN=\"$API_TOKEN\" MODE='a b'" in text


class Server(http.server.ThreadingHTTPServer):
    """Notes what it is asked, and answers like a server with sessions."""

    daemon_threads = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[dict[str, str], dict[str, object]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/mcp"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(200)
        if body["method"] == "initialize":
            self.send_header("Mcp-Session-Id", "session-7")
        answer = json.dumps({"jsonrpc": "2.0", "id": body.get("id"), "result": {"echo": body.get("params")}}).encode()
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    thread = threading.Thread(target=one.serve_forever)
    thread.start()
    yield one
    one.shutdown()
    thread.join()
    one.server_close()


needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


@needs_curl
def test_curl_makes_a_session_and_the_call(server, tmp_path):
    config = ServerConfig("far", url=server.url, headers={"Authorization": "Bearer real" + "secret", "X-Mode": "a 'b'"})
    text = call_text("curl", ServerState(config, era="legacy"), Tool("far", "tool"), NASTY, tmp_path)
    assert "realsecret" not in text
    assert text.startswith("# Set first: AUTHORIZATION\n")
    done = subprocess.run(["sh", "-c", f"AUTHORIZATION='Bearer x'\n{text}"], capture_output=True, text=True, check=True)
    assert [body["method"] for _, body in server.asked] == ["initialize", "notifications/initialized", "tools/call"]
    headers, body = server.asked[-1]
    assert body["params"]["arguments"] == NASTY
    sent = [headers[name] for name in ("authorization", "x-mode", "mcp-session-id")]
    assert sent == ["Bearer x", "a 'b'", "session-7"]
    assert '"id": 2' in done.stdout


@needs_curl
def test_a_modern_server_is_asked_once(server, tmp_path):
    state = ServerState(ServerConfig("far", url=server.url), era="modern", sign_in="done")
    text = call_text("curl", state, Tool("far", "wörter"), NASTY, tmp_path)
    subprocess.run(["sh", "-c", f"ACCESS_TOKEN=t\n{text}"], capture_output=True, check=True)
    ((headers, body),) = server.asked
    assert headers["authorization"] == "Bearer t"
    assert headers["mcp-protocol-version"] == body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"]
    assert headers["mcp-name"].startswith("=?base64?")
    assert body["params"]["arguments"] == NASTY


def test_the_old_transport_says_why_not_and_what_instead(tmp_path):
    state = ServerState(ServerConfig("far", url="http://127.0.0.1:1/sse", transport="sse"))
    text = call_text("curl", state, Tool("far", "t"), {}, tmp_path)
    assert "old SSE transport" in text
    assert "\nmcp-workbench call " in text


# ── nothing in a quoted word is ever run; tried in a real shell ──────────────────────────────────────
def through(*words: str, **environment: str) -> list[str]:
    """What a program is given by a shell for these words."""
    script = "".join(f"printf '%s\\0' {word}\n" for word in words)
    done = subprocess.run(
        ["sh", "-c", script], capture_output=True, check=True, env={"PATH": os.environ["PATH"], **environment}
    )
    return [part.decode("utf-8", "surrogateescape") for part in done.stdout.split(b"\0")[:-1]]


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXTS, min_size=5, max_size=30))
def test_every_text_arrives_as_it_is(texts):
    assert through(*(quoted(text) for text in texts)) == texts


@settings(max_examples=25, deadline=None)
@given(st.lists(TEXTS.filter(lambda text: "${" not in text), min_size=5, max_size=30))
def test_words_without_references_are_quoted_the_same_way(texts):
    assert through(*(ShellCommand().shell_word(text) for text in texts)) == texts


@pytest.mark.parametrize(
    "text", ["'", '"', "$(touch x)", "`touch x`", "a\nb", "$HOME", "!!", "\\", "-n", "~", "*", "a;b", "", "\t", "ü"]
)
def test_what_shells_act_on_stays_text(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert through(quoted(text), ShellCommand().shell_word(text)) == [text, text]
    assert list(tmp_path.iterdir()) == []


def test_references_become_variables_that_have_to_be_set():
    words = ShellCommand()
    word = words.shell_word("Bearer ${keyring:git hub}, ${HOST:-a 'b' $x `c`} and ${USER_NAME}; $(no)")
    given = {"GIT_HUB": "s3 cr'et", "USER_NAME": "ada"}
    assert through(word, **given) == ["Bearer s3 cr'et, a 'b' $x `c` and ada; $(no)"]
    assert list(words.needed) == ["GIT_HUB", "USER_NAME"]
    assert through(word, **given, HOST="h")[0].startswith("Bearer s3 cr'et, h and")


@pytest.mark.parametrize("name", ["Authorization", "X-Api-Key", "GITHUB_TOKEN", "Cookie", "DB_PASSWORD", "key"])
def test_a_value_under_a_telling_name_is_never_written_out(name):
    words = ShellCommand()
    assert "s3cret" not in words.shell_word_or_variable(name, "s3cret")
    assert len(words.needed) == 1


def test_a_value_under_another_name_is_written_out():
    words = ShellCommand()
    assert words.shell_word_or_variable("X-Trace", "on") == "on"
    assert words.shell_word_or_variable("monkey", "a") == "a"
    assert not words.needed


def test_a_nul_is_left_out_because_no_shell_can_pass_it_on():
    assert through(quoted("a\0b")) == ["ab"]
