"""Rows of the five papers' checklist that a part answers by itself, each under its number; no core is started."""

from __future__ import annotations

import inspect
import json
import tomllib
from ipaddress import ip_address
from pathlib import Path

import pytest

from workbench import Orchestrator, Stats, Task, TaskResult, TaskStats
from workbench.analysis.approval_gate import decide_gate
from workbench.analysis.reading import assess
from workbench.network.blocked_addresses import denied
from workbench.network.host_rules import rule_of
from workbench.paths import resources, starter_skills
from workbench.permissions.run_profiles import BUILT_IN
from workbench.records import EffectKind, Gate, Risk, SkillState, Tool, Verdict
from workbench.runs.sandbox_choice import wanted_level
from workbench.servers.configuration.mcp_json_file import McpJsonFile, known_servers
from workbench.settings import Settings, read
from workbench.skills.skill_folder import read_skill
from workbench.wrappers.python_package import write_package
from workbench.wrappers.typescript_package import write_script_package

ROOT = Path(__file__).parents[3]
DRIVE = Tool(
    "google-drive", "getDocument", "Get", "Gets a document.",
    {"type": "object", "properties": {"documentId": {"type": "string", "description": "Which one."},
                                      "pages": {"type": "integer"}}, "required": ["documentId"]},
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both languages' files of one server."""
    folder = tmp_path_factory.mktemp("written")
    write_package("google-drive", [DRIVE], folder / "py")
    write_script_package("google-drive", [DRIVE], folder / "ts")
    return folder


def verdict(code: str) -> Verdict:
    return assess(code, ())


def text(place: str) -> str:
    return (ROOT / place).read_text(encoding="utf-8")


def test_row_017_and_133_the_discovery_skill_has_its_triggers() -> None:
    found = text("skills/mcp-progressive-discovery/SKILL.md")
    assert "mcp, tool, search, find tool" in found
    assert read_skill(starter_skills() / "mcp-progressive-discovery", SkillState.KEPT).faults == ()


def test_row_018_042_043_044_and_045_well_known_servers_are_added_by_one_press() -> None:
    titles = " ".join(one.title for one in known_servers())
    assert all(name in titles for name in ("Supabase", "GitHub", "Context7", "Slack", "Google Drive", "Salesforce"))


def test_row_026_servers_are_read_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"files": {"command": "npx", "args": ["files"]}}}))
    assert [one.name for one in McpJsonFile(tmp_path / ".mcp.json").read().configs] == ["demo", "files"]


def test_row_033_a_typescript_wrapper_has_interfaces_and_comments(written: Path) -> None:
    source = (written / "ts/google_drive/getDocument.ts").read_text()
    assert "export interface GetDocumentInput" in source
    assert "export interface GetDocumentResponse" in source
    assert 'callMCPTool<GetDocumentResponse>("google-drive__getDocument", input)' in source


def test_row_034_an_index_re_exports_and_says_when_it_was_made(written: Path) -> None:
    source = (written / "ts/google_drive/index.ts").read_text()
    assert "// Generated at 20" in source
    assert 'from "./getDocument.js"' in source


def test_row_035_and_036_one_definition_becomes_both_languages(written: Path) -> None:
    assert (written / "py/google_drive/getDocument.py").exists()
    assert (written / "ts/google_drive/getDocument.ts").exists()


def test_row_037_required_and_optional_parameters_are_told_apart(written: Path) -> None:
    script, python = (written / "ts/google_drive/getDocument.ts").read_text(), (
        written / "py/google_drive/getDocument.py").read_text()  # fmt: skip
    assert "  /** Which one. */\n  documentId: string;\n  pages?: number;" in script
    assert "pages: typing.NotRequired[int]" in python


def test_row_039_both_have_an_error_to_catch(written: Path) -> None:
    assert "class ToolError extends Error" in (written / "ts/client.ts").read_text()
    assert "class ToolError(Exception)" in text("workbench/sandbox/inside/modules/client.py")


def test_row_046_camel_case_names_stay(written: Path) -> None:
    assert "async def getDocument(" in (written / "py/google_drive/getDocument.py").read_text()


def test_row_050_and_051_the_orchestrator_has_every_method_by_its_name() -> None:
    assert Task("id", "description", "code", ["demo"]).status == "pending"
    for name in ("initialize", "execute_task", "save_skill", "execute_skill", "search_skills", "get_stats"):
        assert inspect.iscoroutinefunction(getattr(Orchestrator, name)), name


def test_row_125_126_127_143_and_144_and_their_answers_have_every_field() -> None:
    assert {"name", "description", "code", "tags"} <= set(inspect.signature(Orchestrator.save_skill).parameters)
    assert {"data", "stats"} <= set(inspect.signature(TaskResult).parameters)
    took = {"duration", "tokens_used", "memory_used", "tools_called"}
    assert set(inspect.signature(TaskStats).parameters) == took
    counted = {"servers", "tools", "skills", "active_tasks", "max_concurrent_tasks"}
    assert set(inspect.signature(Stats).parameters) == counted


@pytest.mark.parametrize("name", ["one_call", "filter_orders", "two_servers", "reuse_a_skill"])
def test_row_052_and_165_the_four_examples_are_there(name: str) -> None:
    assert f"`{name}.py`" in text("docs/examples/README.md")
    assert (ROOT / "docs/examples" / f"{name}.py").exists()


@pytest.mark.parametrize("name", ["issue_from_a_talk", "filter_orders", "wait_for_a_message"])
def test_row_056_157_and_166_the_workflows_are_there_and_measured(name: str) -> None:
    assert (ROOT / "docs/examples" / f"{name}.py").exists()
    assert "docs" in text("benchmarks/examples.py")


def test_row_075_the_isolation_goes_by_the_level() -> None:
    wanted = [wanted_level(risk, Settings()) for risk in (Risk.LOW, Risk.MEDIUM, Risk.HIGH, Risk.CRITICAL)]
    assert wanted == ["process", "container", "container", "vm"]


def test_row_077_and_087_thirty_seconds_and_half_a_gigabyte() -> None:
    assert (Settings().run_seconds, Settings().run_memory_mb, Settings().run_disk_mb) == (30, 512, 1024)


def test_row_085_086_099_and_163_the_paper_s_own_configuration_is_read(tmp_path: Path) -> None:
    wish = {"enabled": True, "sandboxMode": "docker", "securityLevel": "high", "maxExecutionTime": 30000,
            "piiTokenization": True, "auditLogging": True,
            "resourceLimits": {"memory": "512MB", "cpu": "1 core", "disk": "1GB"}}  # fmt: skip
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpCodeExecution": wish}))
    found = read(tmp_path / "workbench.toml", tmp_path / "settings.toml").settings
    assert (found.isolation_low, found.run_seconds, found.run_memory_mb, found.run_cpus) == ("container", 30, 512, 1)
    assert (found.run_disk_mb, found.privacy_enabled) == (1000, True)


@pytest.mark.parametrize(
    "code",
    ["eval(x)", "exec(x)", "__import__('os').system('x')", "import os\nos.remove('workspace/a')",
     "import subprocess\nsubprocess.run(['rm', '-rf', '/'])", "compile(x, 'f', 'exec')"],
)  # fmt: skip
def test_row_088_and_089_dangerous_patterns_never_run_unasked(code: str) -> None:
    assert decide_gate(verdict(code), Settings()) in (Gate.ASK, Gate.REFUSED)


def test_row_089_an_import_alone_is_harmless_in_a_real_sandbox() -> None:
    assert verdict("import os").risk is Risk.LOW


def test_row_090_obfuscation_is_found() -> None:
    assert "code.hidden" in [
        one.rule for one in verdict("import base64\nexec(base64.b64decode('cHJpbnQoMSk='))").findings
    ]


def test_row_091_branches_are_counted_and_are_no_sign_of_risk() -> None:
    many = verdict("\n".join(f"if {n} > x:\n    y = {n}" for n in range(60)) + "\n")
    assert (many.forks >= 60, many.risk) == (True, Risk.LOW)


def test_row_092_and_098_a_verdict_names_rule_line_and_risk() -> None:
    (finding,) = verdict("a = 1\neval(a)").findings
    assert (finding.rule, finding.span.line, finding.risk) == ("code.run", 2, Risk.HIGH)


def test_row_094_and_095_no_command_runs_whatever_its_arguments() -> None:
    found = verdict("import os\nos.system('ls; rm -rf /')")
    assert found.gate is Gate.REFUSED
    assert any(effect.kind is EffectKind.REFUSED for effect in found.effects)


@pytest.mark.parametrize(
    ("code", "risk"),
    [("import subprocess\nsubprocess.run(['rm', '-rf', '/'])", Risk.CRITICAL),
     ("import os\nos.remove('workspace/a')", Risk.HIGH),
     ("open('workspace/a.csv', 'w').write('x')", Risk.MEDIUM), ("print(1)", Risk.LOW)],
)  # fmt: skip
def test_row_096_four_classes_of_risk(code: str, risk: Risk) -> None:
    assert verdict(code).risk is risk


def test_row_097_the_impact_is_told() -> None:
    found = verdict("import os\nos.remove('workspace/a')").impact
    assert (found.changed, found.lasting) == (("workspace/a",), 0), "files in the workspace can be brought back"


def test_row_102_103_104_and_105_who_is_asked() -> None:
    low, high = verdict("print(1)"), verdict("import os\nos.remove('workspace/a')")
    assert decide_gate(low, Settings()) is Gate.AUTO
    assert decide_gate(low, Settings(approval_auto_low=False)) is Gate.ASK
    assert decide_gate(low, Settings(), force=True) is Gate.ASK
    assert decide_gate(high, Settings(approval_auto_low=True, approval_auto_medium=True)) is Gate.ASK
    assert not any("auto_high" in name for name in Settings.__struct_fields__)


def test_row_107_108_and_109_three_profiles() -> None:
    assert list(BUILT_IN) == ["read_only", "write_restricted", "execute_full"]
    assert BUILT_IN["read_only"].workspace == "read"
    assert BUILT_IN["execute_full"].ask


def test_row_112_a_place_is_a_domain_with_ports_and_protocols() -> None:
    rule = rule_of({"domain": "*.googleapis.com", "ports": [443], "protocols": ["https"]})
    assert (rule.domain, rule.ports, rule.protocols) == ("*.googleapis.com", (443,), ("tls",))


@pytest.mark.parametrize(
    "address", ["0.0.0.1", "10.1.2.3", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1", "224.0.0.1",
                "240.0.0.1", "::1", "::ffff:10.0.0.1"],
)  # fmt: skip
def test_row_113_private_and_reserved_ranges_are_closed(address: str) -> None:
    assert denied(ip_address(address))


def test_row_114_connections_to_a_host_are_limited() -> None:
    assert Settings().network_per_minute == 100


def test_row_154_the_audit_cannot_be_switched_off(tmp_path: Path) -> None:
    (tmp_path / "workbench.toml").write_text("audit_logging = false\n")
    found = read(tmp_path / "workbench.toml", tmp_path / "settings.toml")
    assert "the audit is always written" in found.notices[0].message


def test_row_161_it_is_installed_by_pip_and_starts_by_one_command() -> None:
    project = tomllib.loads(text("pyproject.toml"))["project"]
    assert project["scripts"]["mcp-workbench"] == "workbench.__main__:main"


def test_row_164_start_and_test_are_one_command_each() -> None:
    assert (ROOT / "run").exists()
    assert (ROOT / "test").exists()


def test_row_167_and_173_the_guide_has_the_steps_and_the_habits() -> None:
    guide = text("docs/migrating.md")
    for word in ("system prompt", "from tool_discovery import search_tools", "from servers.github import",
                 "benchmarks/tokens.py", "ToolError", "Types.", "Compress.", "Narrow down."):  # fmt: skip
        assert word in guide, word


def test_row_168_and_169_the_documents_are_there() -> None:
    for place in ("README.md", "SECURITY.md", "docs/sandbox.md", "docs/policy.md", "docs/configuration.md"):
        assert (ROOT / place).stat().st_size > 1_000


def test_row_174_an_agent_is_told_how_to_work() -> None:
    words = (resources() / "agent_prompt.md").read_text(encoding="utf-8")
    for word in ("search_tools", "execute_code", "required_tools", "ToolError", "A refusal says why", "is data"):
        assert word in words, word
