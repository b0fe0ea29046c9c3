"""Writes resources/privacy/secret_rules.json from the rules of Betterleaks and from tools/secret_rules.toml.

    apt-get download golang-github-betterleaks-betterleaks-dev
    dpkg-deb -x golang-github-betterleaks-betterleaks-dev_*.deb betterleaks
    python tools/convert_secret_rules.py $(find betterleaks -name betterleaks.toml)

Betterleaks (MIT) continues Gitleaks; Debian unstable has the package. The present file was made from version 1.4.1-1.
Its patterns are written for RE2; here they get bounded repetitions, scoped flags and boundaries, because Python
searches by backtracking. The same input gives the same file.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OWN = ROOT / "tools" / "secret_rules.toml"
TARGET = ROOT / "resources" / "privacy" / "secret_rules.json"
Rule = dict[str, Any]  # Any: values of TOML

# What Betterleaks writes around the value in a rule that looks for `vendor_token = "value"`.
_ASSIGNMENT = re.compile(
    re.escape(r"""(?:[ \t\w.-]{0,20})[\s'"]{0,3}""")
    + r"\)?"
    + re.escape(r"""(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}""")
)
_END = r"""(?:\\?['"\x60]|[\s;]|\\[nr]|$)"""
_NOT_IN_CLASS = re.compile(r"\(\?:\[\^((?:\\.|[^\]\\])+)\]\|\\z\)")
_ENTROPY = re.compile(r"""entropy\(finding\["secret"\]\) <= ([\d.]+)""")
_WORDS = {
    "ai": "AI", "api": "API", "aws": "AWS", "ca": "CA", "cicd": "CI/CD", "id": "ID", "oauth": "OAuth", "sdk": "SDK",
    "url": "URL", "org": "organization", "pat": "personal access token", "rrt": "runner registration token",
    "v1": "", "v2": "",
}  # fmt: skip
_MOST = 400  # repetitions where RE2 allows any number


def main(path: str) -> None:
    own = tomllib.loads(OWN.read_text(encoding="utf-8"))
    upstream = tomllib.loads(Path(path).read_text(encoding="utf-8"))["rules"]
    gone = sorted(set(own["drop"]) - {rule["id"] for rule in upstream})
    if gone:
        print("No longer in Betterleaks, remove from [drop]:", *gone, file=sys.stderr)
    rules = [_own(rule) for rule in own["rules"]]
    rules += [_converted(rule, own) for rule in upstream if rule["id"] not in own["drop"]]
    rules.sort(key=lambda rule: (rule["vendor"].lower(), rule["reason"], rule["regex"]))
    lines = ",\n".join(json.dumps(rule, ensure_ascii=False) for rule in rules)
    TARGET.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(rules)} rules of {len({rule['vendor'] for rule in rules} - {''})} vendors")


def _own(rule: Rule) -> Rule:
    reason = f"{rule['vendor']} {rule['reason']}".strip()
    return _checked({**rule, "reason": reason, "form": rule.get("form", "prefix"), "entropy": rule.get("entropy", 0.0)})


def _converted(rule: Rule, own: Rule) -> Rule:
    vendor, reason = _title(rule["id"], own["vendors"])
    entropy = _ENTROPY.search(rule.get("filter", ""))
    head = _ASSIGNMENT.search(rule["regex"])
    form = "named" if head else "scan" if rule["id"] in own["scan"] else "prefix"
    return _checked(
        {
            "vendor": vendor,
            "reason": reason,
            "form": form,
            "keywords": sorted(word.lower() for word in rule["keywords"]),
            "regex": _value(rule["regex"], head) if head else _token(rule["regex"]),
            "entropy": float(entropy[1]) if entropy else 0.0,
        }
    )


def _checked(rule: Rule) -> Rule:
    order = ("vendor", "reason", "form", "keywords", "regex", "entropy")
    re.compile(rule["regex"], re.ASCII)
    return {name: rule[name] for name in order if rule[name] or name in ("vendor", "reason")}


def _title(name: str, vendors: dict[str, str]) -> tuple[str, str]:
    """The vendor, and "Atlassian API token" for "atlassian-api-token"."""
    prefix = max((one for one in vendors if name.startswith(one + "-") or name == one), key=len, default="")
    vendor = vendors[prefix] if prefix else name.split("-")[0].capitalize()
    rest = name.removeprefix(prefix or name.split("-")[0]).strip("-").split("-")
    return vendor, " ".join(filter(None, [vendor, *(_WORDS.get(word, word) for word in rest)]))


def _value(regex: str, head: re.Match[str]) -> str:
    """The pattern of the value alone; the name before it and the end after it are the detector's."""
    ignores_case = regex.startswith("(?i)")
    value = _in_python(regex[head.end() :].removesuffix(_END))
    return f"(?i:{value})" if ignores_case else value


def _token(regex: str) -> str:
    """The pattern of a token that begins where no word goes on and ends where its last part cannot go on."""
    ignores_case = regex.startswith("(?i)")
    bare = regex.removeprefix("(?i)")
    token = _in_python(bare.removeprefix(r"\b").replace(_END, r"(?!\w)"))
    token = f"(?i:{token})" if ignores_case else token
    return rf"(?<!\w){token}" if bare.startswith((r"\b", "(?:^")) else rf"(?<![A-Za-z0-9]){token}"


# The parts of a pattern: escapes, character classes, groups, repetitions without upper bound, anything else.
_PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?i\)|\(\?P<\w+>|\(\??|\)|[+*]|\{\d+,\}|.", re.DOTALL)


def _in_python(regex: str) -> str:
    """RE2's syntax in Python's, without capturing groups and unbounded repetitions."""
    regex = _NOT_IN_CLASS.sub(r"(?![\1])", regex).replace(r"\z", r"\Z").replace("[[:alnum:]]", "[A-Za-z0-9]")
    out: list[str] = []
    open_flags = [0]  # how many `(?i)` hold until the end of each open group
    for part in _PART.findall(regex):
        if part == "(?i)":
            out.append("(?i:")
            open_flags[-1] += 1
        elif part == ")":
            out.append(")" * (open_flags.pop() + 1))
        elif part.startswith("("):
            out.append("(?" if part == "(?" else "(?:")
            open_flags.append(0)
        else:
            out.append(_bounded(part))
    return "".join(out) + ")" * open_flags[0]


def _bounded(part: str) -> str:
    """A repetition with an upper bound; other parts unchanged."""
    if part in ("+", "*"):
        return f"{{{int(part == '+')},{_MOST}}}"
    if len(part) > 2 and part.startswith("{") and part.endswith(",}"):
        least = int(part[1:-2])
        return f"{{{least},{max(_MOST, 4 * least)}}}"
    return part


if __name__ == "__main__":
    main(*sys.argv[1:])
