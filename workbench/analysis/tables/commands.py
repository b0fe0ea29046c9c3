"""What other programs do, by name and first argument: which only look, which change the workspace, which run code."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from workbench.analysis.tables.word_sets import names


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
