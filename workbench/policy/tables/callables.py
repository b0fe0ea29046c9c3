"""Functions whose call is a deed: dotted name → what it does and which argument names the file, host or command."""

from __future__ import annotations

from msgspec import Struct

from workbench.policy.tables.deeds import WORDS, Deed
from workbench.policy.tables.methods import PATH_KINDS, PATH_METHODS
from workbench.records import Risk


class Rule(Struct, frozen=True):
    """What calling this does."""

    deed: Deed
    subject: int | None  # position of the argument that names the target; None: there is none
    risk: Risk


CALLABLES: dict[str, Rule] = {}


def _rules(deed: Deed, subject: int | None, prefix: str, names: str, risk: Risk | None = None) -> None:
    for name in names.split():
        CALLABLES[prefix + name] = Rule(deed, subject, risk or WORDS[deed].risk)


_rules(
    Deed.PROCESS,
    0,
    "os.",
    "system popen execl execle execlp execlpe execv execve execvp execvpe posix_spawn posix_spawnp startfile",
)
_rules(Deed.PROCESS, 1, "os.", "spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe")
_rules(Deed.PROCESS, 0, "subprocess.", "run Popen call check_call check_output getoutput getstatusoutput")
_rules(Deed.PROCESS, 0, "asyncio.", "create_subprocess_shell create_subprocess_exec")
_rules(Deed.PROCESS, 0, "asyncio.subprocess.", "create_subprocess_shell create_subprocess_exec")
_rules(Deed.PROCESS, 0, "", "pty.spawn commands.getoutput commands.getstatusoutput _posixsubprocess.fork_exec")
_rules(Deed.FORK, None, "os.", "fork forkpty")
_rules(Deed.WORKERS, None, "", "multiprocessing.Process multiprocessing.Pool concurrent.futures.ProcessPoolExecutor")
_rules(Deed.SIGNAL, None, "os.", "kill killpg abort pidfd_open")
_rules(Deed.SIGNAL, None, "signal.", "pthread_kill pidfd_send_signal raise_signal")
_rules(Deed.DELETE, 0, "os.", "remove unlink rmdir removedirs truncate")
_rules(Deed.DELETE, 0, "", "shutil.rmtree send2trash.send2trash")
_rules(Deed.MOVE, 0, "os.", "rename renames replace")
_rules(Deed.MOVE, 0, "shutil.", "move")
_rules(Deed.WRITE, 0, "os.", "mkdir makedirs mkfifo mknod")
_rules(Deed.LINK, 1, "os.", "symlink link")
_rules(Deed.META, 0, "os.", "chmod chown lchown lchmod fchmod fchown chflags setxattr utime")
_rules(Deed.META, 0, "shutil.", "chown copymode copystat")
_rules(Deed.COPY, 0, "shutil.", "copy copyfile copy2 copytree")
_rules(Deed.WRITE, 0, "shutil.", "make_archive")
_rules(Deed.WRITE, 1, "shutil.", "unpack_archive")
_rules(Deed.LIST, 0, "", "os.listdir os.scandir os.walk os.fwalk glob.glob glob.iglob")
_rules(
    Deed.READ, 0, "", "linecache.getline linecache.getlines numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile"
)
_rules(Deed.READ, 0, "pandas.", "read_csv read_excel read_json read_parquet read_feather read_table read_xml read_html")
_rules(Deed.READ, 0, "", "fileinput.input fileinput.FileInput xml.etree.ElementTree.parse xml.dom.minidom.parse")
_rules(Deed.READ, 0, "", "os.readlink netrc.netrc mailbox.mbox mailbox.Maildir wave.open PIL.Image.open numpy.memmap")
_rules(Deed.READ, 0, "polars.", "read_csv read_json read_parquet read_excel scan_csv scan_parquet")
_rules(Deed.WRITE, 0, "", "logging.FileHandler logging.handlers.RotatingFileHandler zipapp.create_archive dbm.open")
_rules(Deed.WRITE, 0, "", "logging.handlers.TimedRotatingFileHandler logging.handlers.WatchedFileHandler")
_rules(Deed.WRITE, 0, "numpy.", "save savez savetxt savez_compressed")
_rules(
    Deed.TEMPORARY,
    None,
    "tempfile.",
    "mkstemp mkdtemp NamedTemporaryFile TemporaryDirectory TemporaryFile SpooledTemporaryFile",
)
_rules(
    Deed.PRIVILEGE,
    None,
    "os.",
    "chroot setuid setgid seteuid setegid setresuid setresgid initgroups setpriority unshare setns",
)
_rules(Deed.RESOURCE, None, "resource.", "setrlimit prlimit")
_rules(Deed.NETWORK, 0, "requests.", "get post put delete patch head options request")
_rules(Deed.NETWORK, 0, "httpx.", "get post put delete patch head options request stream")
_rules(Deed.NETWORK, 0, "urllib.request.", "urlopen urlretrieve Request build_opener OpenerDirector URLopener")
_rules(
    Deed.NETWORK,
    0,
    "",
    "urllib2.urlopen urllib.urlopen urllib.urlretrieve urllib3.request wget.download ssl.wrap_socket",
)
_rules(Deed.NETWORK, None, "socket.", "socket socketpair fromfd")
_rules(
    Deed.NETWORK,
    0,
    "socket.",
    "create_connection gethostbyname gethostbyaddr gethostbyname_ex getaddrinfo create_server",
)
_rules(Deed.NETWORK, 0, "asyncio.", "open_connection start_server open_unix_connection start_unix_server")
_rules(Deed.NETWORK, 0, "webbrowser.", "open open_new open_new_tab get")
_rules(Deed.NETWORK, 0, "logging.handlers.", "HTTPHandler SocketHandler SysLogHandler SMTPHandler DatagramHandler")
_rules(Deed.UNPACK, None, "pickle.", "load loads Unpickler")
_rules(Deed.UNPACK, None, "", "_pickle.load _pickle.loads cPickle.load cPickle.loads shelve.open joblib.load")
_rules(Deed.UNPACK, None, "", "dill.load dill.loads cloudpickle.load cloudpickle.loads marshal.load marshal.loads")
_rules(Deed.UNPACK, None, "", "torch.load pandas.read_pickle jsonpickle.decode jsonpickle.loads numpy.lib.npyio.load")
_rules(Deed.UNPACK, None, "multiprocessing.reduction.", "ForkingPickler.loads loads ForkingPickler.load")
_rules(Deed.UNPACK, None, "yaml.", "load unsafe_load full_load load_all unsafe_load_all")
_rules(Deed.CODE, 0, "builtins.", "exec eval execfile")
_rules(Deed.CODE, 0, "builtins.", "compile", Risk.MEDIUM)
_rules(Deed.CODE, None, "builtins.", "breakpoint help", Risk.MEDIUM)
_rules(
    Deed.CODE,
    0,
    "",
    "runpy.run_path runpy.run_module timeit.timeit timeit.repeat timeit.Timer cProfile.run profile.run pdb.run",
)
_rules(Deed.CODE, 0, "timeit.", "timeit repeat Timer")
_rules(Deed.CODE, None, "code.", "interact InteractiveConsole InteractiveInterpreter compile_command")
_rules(
    Deed.CODE, None, "", "codeop.compile_command types.FunctionType types.CodeType doctest.testmod py_compile.compile"
)
_rules(
    Deed.CODE,
    None,
    "importlib.",
    "reload util.spec_from_file_location machinery.SourceFileLoader util.module_from_spec",
)
_rules(Deed.CODE, None, "", "zipimport.zipimporter imp.load_source imp.load_module trace.Trace compileall.compile_dir")
_rules(Deed.CODE, None, "sys.", "call_tracing")
_rules(Deed.CODE, None, "", "typing.get_type_hints inspect.get_annotations", Risk.MEDIUM)
_rules(Deed.CODE, 0, "cProfile.", "runctx Profile.run Profile.runctx")
_rules(Deed.CODE, 0, "", "profile.runctx bdb.Bdb.run bdb.Bdb.runctx doctest.testfile doctest.run_docstring_examples")
_rules(
    Deed.CODE,
    None,
    "",
    "logging.config.dictConfig logging.config.fileConfig unittest.main site.addsitedir",
    Risk.MEDIUM,
)
_rules(Deed.UNPACK, None, "pandas.", "read_hdf HDFStore compat.pickle_compat.load compat.pickle_compat.loads")
_rules(Deed.UNPACK, None, "pandas.", "io.pickle.read_pickle io.pytables.read_hdf")
for _keras in ("keras.", "tensorflow.keras."):
    _rules(Deed.UNPACK, None, _keras, "models.load_model saving.load_model models.model_from_json")
    _rules(Deed.UNPACK, None, _keras, "models.model_from_yaml models.model_from_config")
_rules(Deed.UNPACK, None, "", "tensorflow.saved_model.load torch.jit.load sklearn.externals.joblib.load nltk.data.load")
_rules(Deed.UNPACK, None, "", "networkx.read_gpickle statsmodels.iolib.smpickle.load_pickle shelve.Shelf")
_rules(Deed.UNPACK, None, "", "shelve.DbfilenameShelf shelve.BsdDbShelf numpy.lib.format.read_array")
_rules(Deed.UNPACK, None, "sqlalchemy.ext.serializer.", "loads load Deserializer")
_rules(Deed.NETWORK, None, "", "torch.hub.load nltk.download")
_rules(Deed.CODE, None, "", "pytest.main doctest.debug doctest.debug_src numpy.testing.runstring numpy.testing.rundocs")
_rules(Deed.CODE, None, "lxml.etree.", "XSLT XSLTExtension")
_rules(Deed.CODE, None, "", "tkinter.Tcl tkinter.Tk _tkinter.create")
_rules(Deed.CODE, None, "site.", "addpackage addsitepackages addusersitepackages execsitecustomize main")
_rules(Deed.CODE, None, "distutils.", "core.run_setup util.execute core.setup")
_rules(Deed.PROCESS, 0, "distutils.spawn.", "spawn")
_rules(Deed.DELETE, 0, "distutils.dir_util.", "remove_tree")
_rules(Deed.PROCESS, 1, "pydoc.", "pipepager tempfilepager")
_rules(Deed.PROCESS, 0, "", "anyio.run_process anyio.open_process click.edit click.launch")
_rules(Deed.PROCESS, None, "sympy.", "preview printing.preview.preview")
_rules(Deed.NATIVE, None, "sympy.utilities.", "autowrap.autowrap autowrap.ufuncify")
_rules(Deed.CODE, None, "imp.", "load_package load_compiled load_dynamic")
_rules(
    Deed.CODE, None, "importlib.", "util.spec_from_loader machinery.SourcelessFileLoader machinery.ExtensionFileLoader"
)
_rules(Deed.CODE, None, "importlib.metadata.", "EntryPoint")
_rules(Deed.CODE, None, "", "pkgutil.walk_packages pkgutil.find_loader pkgutil.get_loader", Risk.MEDIUM)
_rules(Deed.INSTALL, None, "", "pip.main pip._internal.main ensurepip.bootstrap venv.create")
_rules(Deed.TAMPER, None, "sys.", "settrace setprofile addaudithook set_asyncgen_hooks")
_rules(Deed.TAMPER, None, "threading.", "settrace setprofile")
_rules(Deed.TAMPER, None, "unittest.mock.", "patch patch.object patch.dict patch.multiple")
_rules(Deed.RESOURCE, None, "sys.", "setrecursionlimit", Risk.LOW)
_rules(Deed.INTERNALS, None, "sys.", "_getframe _current_frames _current_exceptions")
_rules(Deed.INTERNALS, None, "inspect.", "currentframe stack getouterframes getinnerframes")
_rules(Deed.INTERNALS, None, "gc.", "get_objects get_referrers get_referents")
_rules(Deed.SETTING, 0, "os.", "putenv unsetenv")
_rules(Deed.HOOK, None, "", "signal.signal signal.alarm signal.setitimer")
_rules(Deed.NATIVE, None, "", "fcntl.ioctl")
_rules(Deed.FORK, None, "os.", "register_at_fork", Risk.MEDIUM)
_rules(Deed.INTERNALS, None, "os.", "read pread readv preadv dup dup2 sendfile splice", Risk.MEDIUM)  # any descriptor
for _kind in PATH_KINDS:  # `Path.unlink(path)`, `map(Path.unlink, paths)`
    for _method, _deed in PATH_METHODS.items():
        _rules(_deed, 0, f"{_kind}.", _method)
