"""Dangerous texts: patterns of sensitive paths, destructive commands, changing SQL, secrets; what commands do."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct, field

from workbench.analysis.tables.word_sets import names

SENSITIVE_PATH = re.compile(
    r"""(?:^|/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.config/gcloud|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.bash_history
    |\.bashrc|\.bash_profile|\.zshrc|\.zsh_history|\.profile|\.env(?:\.\w+)?|id_rsa|id_ed25519|id_ecdsa|authorized_keys|known_hosts
    |shadow|gshadow|passwd|sudoers|crontab|cron\.[a-z]+|rc\.local|Login\ Data|Cookies|wallet\.dat|keychain|credentials
    |Local\ State|leveldb|docker\.sock)(?:/|$)|^/(?:etc|proc|sys|root|boot|dev|var/log|var/spool|var/run|run)(?:/|$)
    |\.(?:pem|key|pfx|p12|kdbx)$|^[A-Za-z]:[\\/]+Windows|AppData""",
    re.IGNORECASE | re.VERBOSE,
)
DESTRUCTIVE_COMMAND = re.compile(
    r"""\brm\s+-\w*[rf]|\bdd\s+if=|\bmkfs|\bsudo\b|chmod\s+(?:-R\s+)?[0-7]*7[0-7]{2}\b|\bshutdown\b|\breboot\b|:\(\)\s*\{
    |\b(?:curl|wget)\b[^|;&]*[|;&]+\s*(?:ba|z|da)?sh|\bnc\b\s.*-e|/dev/tcp/|\bkillall\b|\bcrontab\b|\biptables\b
    |\buseradd\b|\bmkfifo\b|>\s*/dev/sd|base64\s+-d[^|]*\|""",
    re.IGNORECASE | re.VERBOSE,
)
_SQL_START = r"(?:^|;)\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*)*(?:EXPLAIN\s+ANALYZE\s+)?"
_SQL_CHANGE = r"""(?:DELETE\s+FROM|INSERT\s+(?:OR\s+\w+\s+)?INTO|UPDATE\s+[^\s;]+\s+SET|MERGE\s+INTO
    |TRUNCATE\s+(?:TABLE\s+)?\S|DROP\s+(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX|USER|ROLE|FUNCTION|TRIGGER|SEQUENCE)\b)"""
_SQL_REACH = r"""\bINTO\s+(?:OUT|DUMP)FILE\b|\bTO\s+PROGRAM\b|\bFROM\s+PROGRAM\b
    |\b(?:pg_read_file|pg_ls_dir|pg_terminate_backend|lo_import|lo_export|dblink\w*|xp_cmdshell|sys_exec|load_extension
    |load_file|setval)\s*\("""
# In an argument that holds SQL: the first word of a statement is enough.
CHANGING_SQL = re.compile(
    rf"""{_SQL_START}(?:DROP|DELETE|TRUNCATE|UPDATE|INSERT|ALTER|CREATE|GRANT|REVOKE|REPLACE|MERGE|ATTACH|VACUUM|CALL|DO
    |EXEC|EXECUTE|COPY|LOAD|LOCK|RENAME|REINDEX|REFRESH|SET\s+ROLE)\b|\(\s*{_SQL_CHANGE}|{_SQL_REACH}""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# In an argument that may also be words to search for: the shape of a whole statement is needed.
SHAPED_SQL = re.compile(
    rf"{_SQL_START}(?:{_SQL_CHANGE}|ALTER\s+TABLE\s|GRANT\s+\w+\s+ON\s)|\(\s*{_SQL_CHANGE}|{_SQL_REACH}",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
INNER_ADDRESS = re.compile(
    r"""^(?:file|gopher|dict|ftp|ldap|jar):|^\w+://(?:[^/@]*@)?(?:localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|169\.254\.
    |172\.(?:1[6-9]|2\d|3[01])\.|\[?(?:::1|fe80:|fd)|metadata\.|[^/:]*\.(?:internal|local)(?:[:/]|$)|\d{8,10}(?:[:/]|$)|0x)""",
    re.IGNORECASE | re.VERBOSE,
)
DESTROYING_SQL = re.compile(r"\b(?:DROP|DELETE|TRUNCATE)\b", re.IGNORECASE)
SECRET_NAME = re.compile(r"TOKEN|SECRET|PASS|API_?KEY|_KEY|CRED|AUTH", re.IGNORECASE)
HOST = re.compile(r"^\w+://(?:[^/\s?#@]{1,200}@)?([^/\s:?#]{1,253})")
SHORTEST_BLOB = 160
BLOB = re.compile(rf"[A-Za-z0-9+/=_-]{{{SHORTEST_BLOB},}}")
HEX_ESCAPES = re.compile(r"(?:\\x[2-7][0-9a-fA-F]){4,}")
# A value that says where something goes: a mailbox, an address, a host, a path away from here.
ADDRESS = re.compile(
    r"""[^\s@]{1,64}@[^\s@.]{1,64}\.|^\w{1,20}://|^(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?$|^\d{1,3}(?:\.\d{1,3}){3}
    |^[/~]|^\.\./""",
    re.IGNORECASE | re.VERBOSE,
)


# ── shell commands, by name and first argument ────────────────────────────────────────────────────────
class CommandClass(StrEnum):
    """What running a command comes to, and the words a person reads."""

    READ = "it only looks"
    WORKSPACE = "it changes files of the workspace"
    ASK = "it can change or send more than the workspace, or cannot be taken back"
    CODE = "it runs further code, which is not read here"
    UNKNOWN = "nothing is known of this command"


class Command(Struct, frozen=True):
    """One program: its class, those of its subcommands, and options that make it worse."""

    kind: CommandClass
    subcommands: dict[str, CommandClass] = field(default_factory=dict)
    asking: frozenset[str] = frozenset()  # options with which it asks, whatever the subcommand
    running: frozenset[str] = frozenset()  # options that make it run another program
    wordy: frozenset[str] = frozenset()  # options before the subcommand that take a word of their own


_READ, _WORKSPACE, _ASK, _CODE = CommandClass.READ, CommandClass.WORKSPACE, CommandClass.ASK, CommandClass.CODE


def _words(read: str = "", workspace: str = "", ask: str = "", code: str = "") -> dict[str, CommandClass]:
    kinds = ((read, _READ), (workspace, _WORKSPACE), (ask, _ASK), (code, _CODE))
    return {word: kind for every, kind in kinds for word in every.split()}


def _every(programs: str, kind: CommandClass) -> dict[str, Command]:
    return dict.fromkeys(programs.split(), Command(kind))


COMMANDS: dict[str, Command] = {
    **_every("ls cat head tail wc file stat du df pwd echo basename dirname realpath readlink cmp diff", _READ),
    **_every(
        "cut tr nl tac md5sum sha1sum sha256sum sha512sum cksum column comm join paste whoami id uname grep jq", _READ
    ),
    **_every("true false", _READ),
    **_every("mkdir touch cp uniq zip unzip gzip gunzip bzip2 xz", _WORKSPACE),
    **_every("mv ln tee patch truncate split rm rmdir shred dd chmod chown chgrp mkfs mount umount kill killall", _ASK),
    **_every("pkill sudo su doas curl wget nc ncat ssh scp sftp rsync ftp telnet socat dig nslookup host ping", _ASK),
    **_every("apt apt-get dpkg yum dnf pacman brew snap systemctl service crontab at useradd passwd", _ASK),
    **_every("sh bash dash zsh fish ksh python node deno bun ruby perl php lua Rscript java go", _CODE),
    **_every("awk gawk mawk sed xargs env nohup nice timeout time watch parallel make cmake ninja gdb vim vi", _CODE),
    **_every("pytest tox nox npx uvx pipx busybox script expect setsid stdbuf", _CODE),
    "date": Command(_READ, asking=names("-s --set")),
    "rg": Command(_READ, running=names("--pre --hostname-bin")),
    "sort": Command(_READ, asking=names("-o --output"), running=names("--compress-program")),
    "find": Command(_READ, asking=names("-delete -fprint -fprintf -fls"), running=names("-exec -execdir -ok -okdir")),
    "fd": Command(_READ, running=names("-x --exec -X --exec-batch")),
    "tree": Command(_READ, asking=names("-o")),
    "tar": Command(_ASK, running=names("--to-command --checkpoint-action -I --use-compress-program -F --info-script")),
    "git": Command(
        _ASK,
        _words(
            read="status log diff show blame describe rev-parse ls-files ls-tree shortlog cat-file grep",
            workspace="add commit init tag mv",
            ask="push pull fetch clone clean reset restore stash rebase merge checkout rm branch remote config gc",
            code="bisect difftool mergetool submodule hook filter-branch",
        ),
        asking=names("--force -f --hard --output -o --exec-path --git-dir --work-tree -C -d --delete -D"),
        running=names("-c --config-env --ext-diff --textconv --open-files-in-pager -O"),
        wordy=names("-C -c --git-dir --work-tree --namespace --config-env"),
    ),
    "pip": Command(_ASK, _words(read="list show freeze check")),
    "npm": Command(_CODE, _words(read="ls list view outdated", ask="install uninstall publish ci update")),
    "cargo": Command(_CODE, _words(read="tree metadata search", ask="install publish")),
    "docker": Command(_ASK, _words(read="ps images version info logs")),
    "podman": Command(_ASK, _words(read="ps images version info logs")),
    "kubectl": Command(_ASK, _words(read="get describe logs version")),
}
