"""Methods that are deeds: by the kind of the object where that is known, and a few that are telling on anything."""

from __future__ import annotations

from workbench.policy.tables.deeds import Deed
from workbench.policy.tables.names import names

PATH_KINDS = names("pathlib.Path pathlib.PosixPath pathlib.WindowsPath pathlib.PurePath pathlib.PurePosixPath")
NETWORK_KINDS = names(
    """requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession
    http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP
    ftplib.FTP_TLS socket.socket paramiko.SSHClient telnetlib.Telnet urllib3.PoolManager
    xmlrpc.client.ServerProxy imaplib.IMAP4 imaplib.IMAP4_SSL poplib.POP3 socket.create_connection"""
)
ARCHIVE_KINDS = frozenset({"zipfile.ZipFile", "tarfile.open", "tarfile.TarFile"})
BUFFER_KINDS = frozenset({"io.StringIO", "io.BytesIO"})
RUNNERS = names("cProfile.Profile profile.Profile bdb.Bdb trace.Trace")  # whose `run` takes text
# Methods that evaluate text, of objects from these packages.
TEXT_METHODS = {
    "pandas": names("query eval"),
    "jinja2": names("from_string compile_expression get_template select_template get_or_select_template"),
    "unittest": names("discover loadTestsFromName loadTestsFromNames"),
}
SAFE_TEMPLATES = names("jinja2.sandbox.SandboxedEnvironment jinja2.sandbox.ImmutableSandboxedEnvironment")
FORMATTER = "string.Formatter"
FOREIGN = "foreign"  # text that the program did not write itself: of a file, or typed in
# Constructors whose result is worth remembering.
KINDS = (
    PATH_KINDS
    | NETWORK_KINDS
    | ARCHIVE_KINDS
    | BUFFER_KINDS
    | RUNNERS
    | SAFE_TEMPLATES
    | {FORMATTER, "sqlite3.connect", "sqlite3.Connection", "tempfile.TemporaryDirectory"}
)

PATH_METHODS = {
    "unlink": Deed.DELETE,
    "rmdir": Deed.DELETE,
    "rename": Deed.MOVE,
    "replace": Deed.MOVE,
    "write_text": Deed.WRITE,
    "write_bytes": Deed.WRITE,
    "touch": Deed.WRITE,
    "mkdir": Deed.WRITE,
    "symlink_to": Deed.LINK,
    "hardlink_to": Deed.LINK,
    "chmod": Deed.META,
    "read_text": Deed.READ,
    "read_bytes": Deed.READ,
    "iterdir": Deed.LIST,
    "glob": Deed.LIST,
    "rglob": Deed.LIST,
}
# On any receiver: nothing harmless carries these names.
TELLING = {
    "unlink": Deed.DELETE,
    "rmtree": Deed.DELETE,
    "rmdir": Deed.DELETE,
    "write_text": Deed.WRITE,
    "write_bytes": Deed.WRITE,
    "touch": Deed.WRITE,
    "symlink_to": Deed.LINK,
    "hardlink_to": Deed.LINK,
    "chmod": Deed.META,
    "to_csv": Deed.WRITE,
    "to_sql": Deed.DATABASE,
    "to_excel": Deed.WRITE,
    "to_parquet": Deed.WRITE,
    "to_feather": Deed.WRITE,
    "to_pickle": Deed.WRITE,
    "savefig": Deed.WRITE,
    "extractall": Deed.WRITE,
    "sendall": Deed.NETWORK,
    "sendto": Deed.NETWORK,
    "sendmail": Deed.NETWORK,
    "send_message": Deed.NETWORK,
    "connect_ex": Deed.NETWORK,
    "urlopen": Deed.NETWORK,
    "create_connection": Deed.NETWORK,
    "create_datagram_endpoint": Deed.NETWORK,
    "create_unix_connection": Deed.NETWORK,
    "create_unix_server": Deed.NETWORK,
    "sock_connect": Deed.NETWORK,
    "sock_sendall": Deed.NETWORK,
    "subprocess_shell": Deed.PROCESS,
    "subprocess_exec": Deed.PROCESS,
    "exec_command": Deed.PROCESS,
    "load_module": Deed.CODE,
    "exec_module": Deed.CODE,
    "fork_exec": Deed.PROCESS,
}
# Methods of any reader of files; what they are given may be a path.
LOADING = names("read load parse open load_cert_chain load_verify_locations from_file read_file add")
# Methods of a database connection that do more than ask.
CONNECTION_METHODS = {"backup": Deed.WRITE, "deserialize": Deed.DATABASE, "load_extension": Deed.NATIVE}
SQL_METHODS = frozenset({"execute", "executemany", "executescript"})
# However a program got hold of our client, these call tools and load skills.
CALLING = {name: f"client.{name}" for name in ("call_tool", "call_mcp_tool", "load_skill")}
# Methods that put data into their receiver, so it carries the data's origin from then on.
FILLING = names("append extend add update insert put put_nowait setdefault appendleft write")
