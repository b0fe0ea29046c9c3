"""Applies the network rules to the hosts that a program names: allowed, waiting for the user, or refused.

Without rules and without named hosts, all connections stay refused, as the sandbox does it. A host that a rule allows
is reached. A host that is named but not allowed is shown to the user, who may allow it for this run. This module opens
no connection: the package `network` decides at each connection.
"""

from __future__ import annotations

import ast
import ipaddress
import re
import sys
from collections.abc import Sequence

from msgspec.structs import replace

from workbench.analysis.host_names import host_name, is_address, place, protocols_for, split_place
from workbench.analysis.interpreter.program_report import NotedFinding, ProgramReport
from workbench.analysis.interpreter.values import HOLE, Value
from workbench.analysis.tables.dangerous_texts import HOST
from workbench.errors import WorkbenchError
from workbench.records import EffectKind, HostRule, Risk
from workbench.records.common_types import at_least

MOST_NAMED = 12  # maximum number of hosts of one program in an approval request
_PORT = re.compile(r"^\w+://[^/?#]{0,500}?:([0-9]{1,5})(?:[/?#]|$)")
_SCHEMES = {"https": 443, "wss": 443, "http": 80, "ws": 80, "ftp": 21}
_CLASSES = {
    "HTTPSConnection": 443,
    "HTTPConnection": 80,
    "SMTP": 25,
    "SMTP_SSL": 465,
    "FTP": 21,
    "FTP_TLS": 21,
    "IMAP4": 143,
    "IMAP4_SSL": 993,
    "POP3": 110,
    "POP3_SSL": 995,
}


def named_place(text: str, node: ast.AST, address: Value) -> str:
    """Return the place that a call names, as `host:port`; empty if host or port is known only at run time."""
    match = HOST.match(text)
    name, _, port_text = (match.group(1), "", "") if match else text.partition(":")
    if HOLE in (text.split("/")[2] if match else text):
        return ""
    port = _url_port(text) if match else _plain_port(port_text, node, address)
    try:
        host = host_name(name)
    except WorkbenchError:
        return ""
    return place(host, port) if 0 < port < 65536 and _could_be_public(host) else ""


def apply_host_rules(report: ProgramReport, rules: Sequence[HostRule]) -> None:
    """Rewrite the network findings for these rules. Hosts that are not allowed yet go to `report.wanted`."""
    calls = {key: note for key, note in report.notes.items() if note.finding.rule == "network"}
    named = {key: where for key in calls if (where := report.places.get((key[1], key[2])))}
    if not (named or (calls and rules)) or not _can_work(report) or _refused_otherwise(report):
        return
    closed = [where for where in dict.fromkeys(named.values()) if not _is_open(where, rules)]
    report.wanted = closed[:MOST_NAMED]
    report.opened = True
    for key, note in calls.items():
        report.notes[key] = _noted_connection(note, named.get(key, ""), key[1] in report.onward, closed, rules)
    for key, note in report.notes.items():
        if note.finding.rule in ("network.import", "network.mention"):
            report.notes[key] = _changed_note(note, EffectKind.MAY, Risk.LOW, note.finding.message)


def _noted_connection(
    note: NotedFinding, where: str, onward: bool, closed: Sequence[str], rules: Sequence[HostRule]
) -> NotedFinding:
    if where and where not in closed:
        return _changed_note(note, EffectKind.WILL, Risk.MEDIUM, f"Will connect to {where}, which is allowed")
    if where:
        return _changed_note(note, EffectKind.MAY, Risk.HIGH, f"Contacts {where}, if you allow it for this run")
    if onward:
        risk = Risk.HIGH if closed else Risk.MEDIUM
        return _changed_note(note, EffectKind.MAY, risk, "Exchanges data with hosts it is already connected to")
    if rules:
        words = "Contacts a host that is only known at run time: allowed hosts can be reached, others are refused"
        return _changed_note(note, EffectKind.MAY, Risk.HIGH, words)
    return note


def _changed_note(note: NotedFinding, kind: EffectKind, risk: Risk, words: str) -> NotedFinding:
    finding = replace(note.finding, risk=risk, message=words)
    effect = replace(note.effect, kind=kind, text=words, risk=risk) if note.effect else None
    return replace(note, finding=finding, effect=effect)


def _is_open(where: str, rules: Sequence[HostRule]) -> bool:
    return bool(protocols_for(rules, *split_place(where)))


def _can_work(report: ProgramReport) -> bool:
    """Return whether a network library of the program exists in the sandbox.

    Otherwise the program fails before it connects."""
    notes = [note.finding.subject.split(".")[0] for note in report.notes.values() if _imports(note)]
    return not notes or any(name in sys.stdlib_module_names for name in notes)


def _imports(note: NotedFinding) -> bool:
    return note.finding.rule == "network.import"


def _refused_otherwise(report: ProgramReport) -> bool:
    """Return whether the sandbox refuses every risky effect, and not only because of the network."""
    risky = [note for note in report.notes.values() if at_least(note.finding.risk, Risk.MEDIUM)]
    if any(not _is_refused(note) for note in risky):
        return False
    return any(note.finding.rule.split(".")[0] != "network" for note in risky)


def _is_refused(note: NotedFinding) -> bool:
    return note.effect is not None and note.effect.kind is EffectKind.REFUSED


def _url_port(text: str) -> int:
    found = _PORT.match(text)
    return int(found.group(1)) if found else _SCHEMES.get(text.split(":")[0].lower(), 0)


def _plain_port(port_text: str, node: ast.AST, address: Value) -> int:
    """Return the port of a host without a scheme.

    It follows a colon, is the next argument, or is the default port of the class."""
    if port_text:
        return int(port_text) if port_text.isascii() and port_text.isdigit() and len(port_text) < 6 else 0
    if address.items and len(address.items) > 1:
        beside = address.items[1].const
        return beside if type(beside) is int and 0 < beside < 65536 else 0
    if not isinstance(node, ast.Call):
        return 0
    given = [word.value for word in node.keywords if word.arg == "port"] or node.args[1:2]
    if given:
        known = given[0]
        return known.value if isinstance(known, ast.Constant) and type(known.value) is int else 0
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return _CLASSES.get(called, 0)


def _could_be_public(host: str) -> bool:
    """Return whether a rule can allow the host. Others are not worth an approval request."""
    if is_address(host):
        return ipaddress.ip_address(host).is_global
    return "." in host and host.rpartition(".")[2] not in ("localhost", "local", "internal", "invalid")
