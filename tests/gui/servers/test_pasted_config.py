from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.errors import WorkbenchError
from workbench.gui.servers.pasted_config import read_pasted
from workbench.records import ServerConfig


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("https://e.org/mcp", ServerConfig("", url="https://e.org/mcp")),
        ("npx -y @scope/server-files@1.2 .", ServerConfig("files", "npx", ("-y", "@scope/server-files@1.2", "."))),
        ("$ uvx mcp-server-git", ServerConfig("git", "uvx", ("mcp-server-git",))),
        ("KEY=1 docker run -i --rm img", ServerConfig("run", "docker", ("run", "-i", "--rm", "img"), {"KEY": "1"})),
        ("claude mcp add -s user git -- uvx mcp-server-git", ServerConfig("git", "uvx", ("mcp-server-git",))),
        ("claude mcp add air -e KEY=1 -- npx \\\n -y air", ServerConfig("air", "npx", ("-y", "air"), {"KEY": "1"})),
        (
            "claude mcp add --transport http far https://e.org/mcp --header 'X-Team: blue'",
            ServerConfig("far", url="https://e.org/mcp", transport="http", headers={"X-Team": "blue"}),
        ),
        ("""claude mcp add-json far '{"type": "sse", "url": "https://e.org"}'""",
         ServerConfig("far", url="https://e.org", transport="sse")),
        ('{"mcpServers": {"a": {"command": "x", "args": ["1"], "env": {"K": "v"},},},}',
         ServerConfig("a", "x", ("1",), {"K": "v"})),
        ('{"mcp": {"servers": {"a": {"type": "stdio", "command": "x"}}}}', ServerConfig("a", "x", transport="stdio")),
        ('"a": {"command": "x"},', ServerConfig("a", "x")),
        ('{"command": "x"}', ServerConfig("", "x")),
        ('{"w": {"serverUrl": "https://e.org"}}', ServerConfig("w", url="https://e.org")),
        ('Add:\n\n```json\n{"mcpServers": {"a": {"command": "x"}}}\n```\nThen restart.', ServerConfig("a", "x")),
        ('In your settings: {"a": {"command": "x"}} and that is all.', ServerConfig("a", "x")),
        ('{\n  // the server\n  "a": {"url": "https://e.org/mcp"} // far\n}', ServerConfig("a", url="https://e.org/mcp")),
        ("```sh\nclaude mcp add git -- uvx mcp-server-git\n```", ServerConfig("git", "uvx", ("mcp-server-git",))),
        ("`npx -y @scope/server-files`", ServerConfig("files", "npx", ("-y", "@scope/server-files"))),
        ("""code --add-mcp '{"name": "a", "command": "x"}'""", ServerConfig("a", "x")),
    ],
)  # fmt: skip
def test_what_readmes_offer_is_read(text: str, config: ServerConfig) -> None:
    assert read_pasted(text) == (config,)


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}', "claude mcp add x", "'open", "A=1", '{"a":' * 50_000])
def test_what_is_none_of_these_is_a_sentence(text: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        read_pasted(text)
    assert refused.value.hint


@given(st.text(max_size=60) | st.text(alphabet='{}":,[]ae -=\\n', max_size=40))
def test_no_text_whatever_breaks_it(text: str) -> None:
    with contextlib.suppress(WorkbenchError):
        assert all(isinstance(config, ServerConfig) for config in read_pasted(text))


def test_every_server_of_a_whole_configuration_is_read() -> None:
    whole = {f"s{number}": {"command": "npx", "args": [str(number)]} for number in range(14)}
    configs = tuple(ServerConfig(name, "npx", tuple(entry["args"])) for name, entry in whole.items())
    assert read_pasted(json.dumps({"mcpServers": whole})) == configs
    assert read_pasted(json.dumps(whole)) == configs
    lines = "\n".join(f"claude mcp add s{number} -- npx {number}" for number in range(14))
    assert read_pasted(lines) == configs
