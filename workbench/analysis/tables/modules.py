"""Modules whose every use is an action, modules known to be harmless, and aliases of names."""

from __future__ import annotations

import string
import sys

from workbench.analysis.tables.program_actions import ProgramAction
from workbench.permissions.word_sets import names

MODULES: dict[str, ProgramAction] = {}


def _modules(action: ProgramAction, names: str) -> None:
    MODULES.update(dict.fromkeys(names.split(), action))


_modules(ProgramAction.NATIVE, "ctypes _ctypes cffi _cffi_backend")
_modules(ProgramAction.PROCESS, "pty _posixsubprocess pexpect sh plumbum fabric invoke commands popen2")
_modules(
    ProgramAction.NETWORK,
    """paramiko pysftp ftplib smtplib telnetlib poplib imaplib nntplib xmlrpc.client
    xmlrpc.server""",
)
_modules(
    ProgramAction.NETWORK,
    "http.client http.server socketserver asyncore asynchat urllib3 aiohttp httpx requests websocket",
)
_modules(
    ProgramAction.NETWORK,
    "websockets pycurl boto3 botocore discord telegram telebot tweepy slack_sdk openai anthropic dns",
)
_modules(
    ProgramAction.NETWORK,
    "scapy selenium playwright mechanize redis pymongo psycopg2 pymysql mysql kafka zmq nmap shodan",
)
_modules(
    ProgramAction.NETWORK,
    "sendgrid twilio pyrogram telethon cloudscraper requests_html dhooks discord_webhook wget grpc",
)
_modules(
    ProgramAction.DRIVE, "pynput keyboard mouse pyautogui pyperclip mss pyscreenshot clipboard win32clipboard win32gui"
)
_modules(
    ProgramAction.DRIVE,
    "win32api winreg _winreg wmi Xlib evdev browser_cookie3 sounddevice pyaudio PIL.ImageGrab pyscreeze",
)
_modules(ProgramAction.WATCH, "psutil watchdog pyudev inotify pyinotify GPUtil cpuinfo")
_modules(ProgramAction.CODE, "pdb bdb code codeop asteval")
_modules(ProgramAction.CODE, "_xxsubinterpreters _interpreters concurrent.interpreters test.support.interpreters")
_modules(
    ProgramAction.NATIVE, "numpy.f2py numpy.distutils numpy.ctypeslib torch.utils.cpp_extension pyximport Cython cython"
)
_modules(ProgramAction.INSTALL, "pip ensurepip")
_modules(ProgramAction.HOOK, "crontab schedule apscheduler")

STANDARD = frozenset(sys.stdlib_module_names)
# Packages that only compute; importing them has no effects.
HARMLESS = names(
    """numpy pandas scipy sklearn matplotlib seaborn PIL cv2 yaml ujson orjson dateutil pytz tqdm rich pydantic
    attr attrs jinja2 bs4 lxml openpyxl xlrd xlwt docx sympy networkx nltk statsmodels pyarrow polars tabulate
    regex click jsonschema markdown chardet cryptography sqlalchemy torch tensorflow keras transformers shapely
    faker xmltodict texttable prettytable holidays plotly pytest typing_extensions anyio tomli tomli_w
    simplejson more_itertools toolz humanize charset_normalizer"""
)
# Packages that the sandbox itself provides to a program.
OURS = names("servers client skills runtime tool_discovery")
# Modules that malicious programs reach through an attribute of another module.
REACHED = names(
    "os sys subprocess socket shutil builtins ctypes importlib pty threading inspect multiprocessing posix io"
)
ALIASES = {
    "posix": "os",
    "sys.modules.maps": "sys.modules",  # of a ChainMap
    "sys.modules.data": "sys.modules",  # of a UserDict
    "nt": "os",
    "_pyio.open": "builtins.open",
    "_pyio.FileIO": "builtins.open",
    "io.open_code": "builtins.open",
    "_io.open_code": "builtins.open",
    "gzip.GzipFile": "builtins.open",
    "bz2.BZ2File": "builtins.open",
    "lzma.LZMAFile": "builtins.open",
    "_operator": "operator",
    "_functools": "functools",
    "_signal": "signal",
    "posixpath": "os.path",
    "_io.open": "builtins.open",
    "io.open": "builtins.open",
    "codecs.open": "builtins.open",
    "gzip.open": "builtins.open",
    "bz2.open": "builtins.open",
    "lzma.open": "builtins.open",
    "tokenize.open": "builtins.open",
    "aiofiles.open": "builtins.open",
    "io.FileIO": "builtins.open",
    "_io.FileIO": "builtins.open",
    "os.fdopen": "builtins.open",
    "_socket": "socket",
    "__builtin__": "builtins",
    "__builtins__": "builtins",
    "operator.__call__": "operator.call",
    "importlib.__import__": "builtins.__import__",
    "importlib._bootstrap._gcd_import": "importlib.import_module",
    "six.moves.urllib.request.urlopen": "urllib.request.urlopen",
    "_pickle": "pickle",
    "client._client": "client",
}
# String constants of modules; malicious programs build names from them.
TEXTS = {
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.path.curdir": ".",
    "os.pardir": "..",
    "os.path.pardir": "..",
    "os.extsep": ".",
    "string.ascii_lowercase": string.ascii_lowercase,
    "string.ascii_uppercase": string.ascii_uppercase,
    "string.ascii_letters": string.ascii_letters,
    "string.digits": string.digits,
    "string.punctuation": string.punctuation,
    "string.printable": string.printable,
}
# Functions of the sandbox's `client`, which a program can also use without importing them.
CLIENT = names(
    "call_tool call_mcp_tool search_tools get_tool_definition load_skill list_skills save_skill"
    " read_file write_file list_files"
)
