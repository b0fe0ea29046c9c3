"""Patterns of dangerous texts: sensitive paths, destructive commands, changing SQL, internal addresses, secrets."""

from __future__ import annotations

import re

SENSITIVE_PATH = re.compile(
    r"""(?:^|/)(?:\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.config/(?:gcloud|gh|hub|op|rclone|doctl|stripe)|\.netrc|\.azure|\.pgpass|\.my\.cnf|\.vault-token|\.s3cfg|\.boto
    |\.password-store|\.m2/settings\.xml|\.cargo/credentials(?:\.toml)?|\.terraform\.d|\.huggingface|\.kaggle|\.npmrc|\.pypirc|\.git-credentials|\.bash_history
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
# For arguments that hold SQL: the first word of a statement is enough.
CHANGING_SQL = re.compile(
    rf"""{_SQL_START}(?:DROP|DELETE|TRUNCATE|UPDATE|INSERT|ALTER|CREATE|GRANT|REVOKE|REPLACE|MERGE|ATTACH|VACUUM|CALL|DO
    |EXEC|EXECUTE|COPY|LOAD|LOCK|RENAME|REINDEX|REFRESH|SET\s+ROLE)\b|\(\s*{_SQL_CHANGE}|{_SQL_REACH}""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
# For arguments that may also be search terms: a complete statement is needed.
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
# Environment variables that loaders, interpreters, commands, servers or libraries act on.
POWERFUL_VARIABLE = re.compile(
    r"""^(?:LD_|DYLD_|PYTHON|PATH$|HOME$|USER|LOGNAME|TMP|TEMP|SHELL|IFS$|ENV$|BASH|CDPATH|PS\d|PROMPT|EDITOR|VISUAL|PAGER
    |LESS|BROWSER|DISPLAY|WAYLAND|XDG|DBUS|GIT|SSH|GPG|GNUPG|AWS|GOOGLE|GCLOUD|AZURE|KUBE|DOCKER|NODE|NPM|PIP|UV_|CONDA
    |VIRTUAL_ENV|JAVA|_JAVA|CLASSPATH|PERL|RUBY|GEM|R_|LUA|GCONV|LOCPATH|NLSPATH|MALLOC|GLIBC|RES_|HOSTALIASES|OPENSSL
    |SSL|REQUESTS|CURL|HTTP|FTP|QT_|GTK|GDK|GIO|SDL|VK_|MESA|JUPYTER|IPYTHON|NUMBA|CUDA|PYTEST|SQLITE|PG|MYSQL|MCP|WORKBENCH
    |TCL|TK_|CC$|CXX$|CFLAGS|LDFLAGS|MAKE|WINE|COMSPEC|SYSTEMROOT)
    |TOKEN|SECRET|KEY|PASS|CRED|AUTH|PROXY|PRELOAD|STARTUP|CONFIG|PATH|HOOK|PLUGIN|(?:DIR|FILE|HOME|CMD|COMMAND|URL|HOST)$""",
    re.IGNORECASE | re.VERBOSE,
)
HOST = re.compile(r"^\w+://(?:[^/\s?#@]{1,200}@)?([^/\s:?#]{1,253})")
SHORTEST_BLOB = 160
BLOB = re.compile(rf"[A-Za-z0-9+/=_-]{{{SHORTEST_BLOB},}}")
HEX_ESCAPES = re.compile(r"(?:\\x[2-7][0-9a-fA-F]){4,}")
# A value that is a destination: an email address, a URL, a host, a path outside the current folder.
ADDRESS = re.compile(
    r"""[^\s@]{1,64}@[^\s@.]{1,64}\.|^\w{1,20}://|^(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}(?::\d{1,5})?$|^\d{1,3}(?:\.\d{1,3}){3}
    |^[/~]|^\.\./""",
    re.IGNORECASE | re.VERBOSE,
)
