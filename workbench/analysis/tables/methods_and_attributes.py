"""Methods with effects, by kind of object or on any object; attributes that give access to the interpreter."""

from __future__ import annotations

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names

PATH_KINDS = names("pathlib.Path pathlib.PosixPath pathlib.WindowsPath pathlib.PurePath pathlib.PurePosixPath")
NETWORK_KINDS = names(
    """requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession
    http.client.HTTPConnection http.client.HTTPSConnection smtplib.SMTP smtplib.SMTP_SSL ftplib.FTP
    ftplib.FTP_TLS socket.socket paramiko.SSHClient telnetlib.Telnet urllib3.PoolManager
    xmlrpc.client.ServerProxy imaplib.IMAP4 imaplib.IMAP4_SSL poplib.POP3 socket.create_connection"""
)
ARCHIVE_KINDS = frozenset({"zipfile.ZipFile", "tarfile.open", "tarfile.TarFile"})
BUFFER_KINDS = frozenset({"io.StringIO", "io.BytesIO"})
RUNNERS = names("cProfile.Profile profile.Profile bdb.Bdb trace.Trace")  # their `run` method takes text
# Package → methods of its objects that evaluate text.
TEXT_METHODS = {
    "pandas": names("query eval"),
    "jinja2": names("from_string compile_expression get_template select_template get_or_select_template"),
    "unittest": names("discover loadTestsFromName loadTestsFromNames"),
}
EVALUATING_METHODS = {method: module for module, methods in TEXT_METHODS.items() for method in methods}
SAFE_TEMPLATES = names("jinja2.sandbox.SandboxedEnvironment jinja2.sandbox.ImmutableSandboxedEnvironment")
FORMATTER = "string.Formatter"
FOREIGN = "foreign"  # text that the program did not write itself: read from a file, or typed in
# Constructors whose results are tracked by kind.
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
    "unlink": ProgramAction.DELETE,
    "rmdir": ProgramAction.DELETE,
    "rename": ProgramAction.MOVE,
    "replace": ProgramAction.MOVE,
    "write_text": ProgramAction.WRITE,
    "write_bytes": ProgramAction.WRITE,
    "touch": ProgramAction.WRITE,
    "mkdir": ProgramAction.FOLDER,
    "symlink_to": ProgramAction.LINK,
    "hardlink_to": ProgramAction.LINK,
    "chmod": ProgramAction.META,
    "read_text": ProgramAction.READ,
    "read_bytes": ProgramAction.READ,
    "iterdir": ProgramAction.LIST,
    "glob": ProgramAction.LIST,
    "rglob": ProgramAction.LIST,
}
# Methods with effects on any object: no harmless method has these names.
METHOD_ACTIONS = {
    "unlink": ProgramAction.DELETE,
    "rmtree": ProgramAction.DELETE,
    "rmdir": ProgramAction.DELETE,
    "write_text": ProgramAction.WRITE,
    "write_bytes": ProgramAction.WRITE,
    "touch": ProgramAction.WRITE,
    "symlink_to": ProgramAction.LINK,
    "hardlink_to": ProgramAction.LINK,
    "chmod": ProgramAction.META,
    "to_sql": ProgramAction.DATABASE,
    "extractall": ProgramAction.WRITE,
    "sendall": ProgramAction.NETWORK,
    "sendto": ProgramAction.NETWORK,
    "sendmail": ProgramAction.NETWORK,
    "send_message": ProgramAction.NETWORK,
    "connect_ex": ProgramAction.NETWORK,
    "urlopen": ProgramAction.NETWORK,
    "create_connection": ProgramAction.NETWORK,
    "create_datagram_endpoint": ProgramAction.NETWORK,
    "create_unix_connection": ProgramAction.NETWORK,
    "create_unix_server": ProgramAction.NETWORK,
    "sock_connect": ProgramAction.NETWORK,
    "sock_sendall": ProgramAction.NETWORK,
    "subprocess_shell": ProgramAction.PROCESS,
    "subprocess_exec": ProgramAction.PROCESS,
    "exec_command": ProgramAction.PROCESS,
    "load_module": ProgramAction.CODE,
    "exec_module": ProgramAction.CODE,
    "fork_exec": ProgramAction.PROCESS,
}
# Methods that write the file that their first argument names; without one they return text.
WRITING_TARGET = names(
    """to_csv to_excel to_parquet to_feather to_pickle to_stata to_hdf to_orc to_file to_netcdf tofile savefig write_csv
    write_parquet write_json write_ndjson write_excel write_ipc write_avro write_html write_image sink_csv sink_parquet
    sink_ipc sink_ndjson dump_stats"""
)
METHOD_ACTIONS |= dict.fromkeys(WRITING_TARGET, ProgramAction.WRITE)
# The same, but methods of these names also do something else: they count if the argument is a written text or a path.
WRITING_NAMED = names("to_json to_html to_xml to_latex to_markdown to_string save dump write_results")
# Methods of file readers, whose argument may be a path.
LOADING = names("read load parse open load_cert_chain load_verify_locations from_file read_file add")
# Methods of a database connection that do more than query.
CONNECTION_METHODS = {
    "backup": ProgramAction.WRITE,
    "deserialize": ProgramAction.DATABASE,
    "load_extension": ProgramAction.NATIVE,
}
SQL_METHODS = frozenset({"execute", "executemany", "executescript"})
# However a program gets the client object, these methods call tools and load skills.
CALLING = {name: f"client.{name}" for name in ("call_tool", "call_mcp_tool", "load_skill")}
# Methods that put data into their receiver, which then carries the sources of the data.
FILLING = names("append extend add update insert put put_nowait setdefault appendleft write")


# ── Special attributes ──────────────────────────────────────────────────────────────────────────────────
WALKS = names(
    """__subclasses__ __globals__ __builtins__ __closure__ __code__ __loader__ __getattribute__ __reduce__
    __reduce_ex__ __import__ __class_getitem__ __subclasshook__ __init_subclass__ gi_frame cr_frame ag_frame
    tb_frame f_globals f_builtins f_locals f_back f_code gi_code cr_code ag_code co_code"""
)
# Also used in harmless code: high risk in a chain or on a module, medium alone.
SOFT = names("__dict__ mro __mro__ __bases__ __base__ __self__ __func__ __traceback__ __wrapped__ __spec__")
SPECIAL = WALKS | SOFT
# Attributes that a class pattern, or a field of a format text, can reach without a dot.
IN_PATTERNS = SPECIAL | {"__class__", "__init__", "__module__"}
# Methods that operators and copying call implicitly; a class made from a dict of names can hide them.
HOOKS = names(
    "__reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __getnewargs_ex__ __copy__ __deepcopy__"
)
# Names that need approval if they are looked up by string on an unknown object.
RISKY_NAMES = names(
    "system popen Popen execv execve posix_spawn fork check_output getoutput eval exec __import__ rmtree"
)
# Attributes that a program must not assign.
FORBIDDEN_WRITES = WALKS | {"__class__", "__bases__", "__dict__"}
