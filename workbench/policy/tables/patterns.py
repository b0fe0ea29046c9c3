"""Texts that tell more than their API: sensitive places, destroying commands, changing SQL, secret names."""

from __future__ import annotations

import re

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
CHANGING_SQL = re.compile(
    r"(?:^|;)\s*(?:--[^\n]*\n\s*)*(?:DROP|DELETE|TRUNCATE|UPDATE|INSERT|ALTER|CREATE|GRANT|REVOKE|REPLACE|MERGE|ATTACH|VACUUM)\b",
    re.IGNORECASE,
)
DESTROYING_SQL = re.compile(r"\b(?:DROP|DELETE|TRUNCATE)\b", re.IGNORECASE)
SECRET_NAME = re.compile(r"TOKEN|SECRET|PASS|API_?KEY|_KEY|CRED|AUTH", re.IGNORECASE)
HOST = re.compile(r"^\w+://(?:[^/\s?#@]{1,200}@)?([^/\s:?#]{1,253})")
BLOB = re.compile(r"[A-Za-z0-9+/=_-]{160,}")
HEX_ESCAPES = re.compile(r"(?:\\x[2-7][0-9a-fA-F]){4,}")
