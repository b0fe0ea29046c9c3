"""Functions with effects: dotted name → kind of action, and the argument that names the file, host or command."""

from __future__ import annotations

from msgspec import Struct

from workbench.analysis.tables.methods_and_attributes import PATH_KINDS, PATH_METHODS
from workbench.analysis.tables.program_actions import WORDS, ProgramAction
from workbench.records import Risk


class CallableRule(Struct, frozen=True):
    """The action of a function, and the argument that names its subject."""

    action: ProgramAction
    subject: int | None  # position of the argument that names the target, if any
    risk: Risk


CALLABLES: dict[str, CallableRule] = {}


def _rules(action: ProgramAction, subject: int | None, prefix: str, names: str, risk: Risk | None = None) -> None:
    for name in names.split():
        CALLABLES[prefix + name] = CallableRule(action, subject, risk or WORDS[action].risk)


_rules(
    ProgramAction.PROCESS,
    0,
    "os.",
    "system popen execl execle execlp execlpe execv execve execvp execvpe posix_spawn posix_spawnp startfile",
)
_rules(ProgramAction.PROCESS, 1, "os.", "spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe")
_rules(ProgramAction.PROCESS, 0, "subprocess.", "run Popen call check_call check_output getoutput getstatusoutput")
_rules(ProgramAction.PROCESS, 0, "asyncio.", "create_subprocess_shell create_subprocess_exec")
_rules(ProgramAction.PROCESS, 0, "asyncio.subprocess.", "create_subprocess_shell create_subprocess_exec")
_rules(ProgramAction.PROCESS, 0, "", "pty.spawn commands.getoutput commands.getstatusoutput _posixsubprocess.fork_exec")
_rules(ProgramAction.FORK, None, "os.", "fork forkpty")
_rules(
    ProgramAction.WORKERS,
    None,
    "",
    "multiprocessing.Process multiprocessing.Pool concurrent.futures.ProcessPoolExecutor",
)
_rules(ProgramAction.SIGNAL, None, "os.", "kill killpg abort pidfd_open")
_rules(ProgramAction.SIGNAL, None, "signal.", "pthread_kill pidfd_send_signal raise_signal")
_rules(ProgramAction.DELETE, 0, "os.", "remove unlink rmdir removedirs truncate")
_rules(ProgramAction.DELETE, 0, "", "shutil.rmtree send2trash.send2trash")
_rules(ProgramAction.MOVE, 0, "os.", "rename renames replace")
_rules(ProgramAction.MOVE, 0, "shutil.", "move")
_rules(ProgramAction.FOLDER, 0, "os.", "mkdir makedirs")
_rules(ProgramAction.WRITE, 0, "os.", "mkfifo mknod")
_rules(ProgramAction.LINK, 1, "os.", "symlink link")
_rules(ProgramAction.META, 0, "os.", "chmod chown lchown lchmod fchmod fchown chflags setxattr utime")
_rules(ProgramAction.META, 0, "shutil.", "chown copymode copystat")
_rules(ProgramAction.COPY, 0, "shutil.", "copy copyfile copy2 copytree")
_rules(ProgramAction.WRITE, 0, "shutil.", "make_archive")
_rules(ProgramAction.WRITE, 1, "shutil.", "unpack_archive")
_rules(ProgramAction.LIST, 0, "", "os.listdir os.scandir os.walk os.fwalk glob.glob glob.iglob")
_rules(
    ProgramAction.READ,
    0,
    "",
    "linecache.getline linecache.getlines numpy.load numpy.loadtxt numpy.genfromtxt numpy.fromfile",
)
_rules(
    ProgramAction.READ,
    0,
    "pandas.",
    "read_csv read_excel read_json read_parquet read_feather read_table read_xml read_html",
)
_rules(
    ProgramAction.READ, 0, "", "fileinput.input fileinput.FileInput xml.etree.ElementTree.parse xml.dom.minidom.parse"
)
_rules(
    ProgramAction.READ,
    0,
    "",
    "os.readlink netrc.netrc mailbox.mbox mailbox.Maildir wave.open PIL.Image.open numpy.memmap",
)
_rules(ProgramAction.READ, 0, "polars.", "read_csv read_json read_parquet read_excel scan_csv scan_parquet")
_rules(
    ProgramAction.WRITE,
    0,
    "",
    "logging.FileHandler logging.handlers.RotatingFileHandler zipapp.create_archive dbm.open",
)
_rules(ProgramAction.WRITE, 0, "", "logging.handlers.TimedRotatingFileHandler logging.handlers.WatchedFileHandler")
_rules(
    ProgramAction.WRITE,
    0,
    "",
    """matplotlib.pyplot.savefig matplotlib.pyplot.imsave matplotlib.image.imsave imageio.imwrite imageio.imsave
    imageio.mimsave cv2.imwrite scipy.io.savemat scipy.io.wavfile.write soundfile.write skimage.io.imsave""",
)
_rules(ProgramAction.WRITE, 1, "torch.", "save")
_rules(ProgramAction.WRITE, 1, "pyarrow.", "parquet.write_table csv.write_csv feather.write_feather")
_rules(ProgramAction.WRITE, 1, "joblib.", "dump")
_rules(ProgramAction.WRITE, 2, "sklearn.datasets.", "dump_svmlight_file")
for _format in ("gml", "graphml", "gexf", "edgelist", "adjlist", "pajek", "weighted_edgelist", "multiline_adjlist"):
    _rules(ProgramAction.WRITE, 1, "networkx.", f"write_{_format}")
_rules(ProgramAction.UNPACK, None, "", "statsmodels.api.load statsmodels.iolib.smpickle.load_pickle")
_rules(ProgramAction.WRITE, 0, "numpy.", "save savez savetxt savez_compressed")
_rules(
    ProgramAction.TEMPORARY,
    None,
    "tempfile.",
    "mkstemp mkdtemp NamedTemporaryFile TemporaryDirectory TemporaryFile SpooledTemporaryFile",
)
_rules(
    ProgramAction.PRIVILEGE,
    None,
    "os.",
    "chroot setuid setgid seteuid setegid setresuid setresgid initgroups setpriority unshare setns",
)
_rules(ProgramAction.RESOURCE, None, "resource.", "setrlimit prlimit")
_rules(ProgramAction.NETWORK, 0, "requests.", "get post put delete patch head options request")
_rules(ProgramAction.NETWORK, 0, "httpx.", "get post put delete patch head options request stream")
_rules(ProgramAction.NETWORK, 0, "urllib.request.", "urlopen urlretrieve Request build_opener OpenerDirector URLopener")
_rules(
    ProgramAction.NETWORK,
    0,
    "",
    "urllib2.urlopen urllib.urlopen urllib.urlretrieve urllib3.request wget.download ssl.wrap_socket",
)
_rules(ProgramAction.NETWORK, None, "socket.", "socket socketpair fromfd")
_rules(
    ProgramAction.NETWORK,
    0,
    "socket.",
    "create_connection gethostbyname gethostbyaddr gethostbyname_ex getaddrinfo create_server",
)
_rules(ProgramAction.NETWORK, 0, "asyncio.", "open_connection start_server open_unix_connection start_unix_server")
_rules(ProgramAction.NETWORK, 0, "webbrowser.", "open open_new open_new_tab get")
_rules(
    ProgramAction.NETWORK, 0, "logging.handlers.", "HTTPHandler SocketHandler SysLogHandler SMTPHandler DatagramHandler"
)
_rules(ProgramAction.UNPACK, None, "pickle.", "load loads Unpickler")
_rules(ProgramAction.UNPACK, None, "", "_pickle.load _pickle.loads cPickle.load cPickle.loads shelve.open joblib.load")
_rules(
    ProgramAction.UNPACK, None, "", "dill.load dill.loads cloudpickle.load cloudpickle.loads marshal.load marshal.loads"
)
_rules(
    ProgramAction.UNPACK,
    None,
    "",
    "torch.load pandas.read_pickle jsonpickle.decode jsonpickle.loads numpy.lib.npyio.load",
)
_rules(ProgramAction.UNPACK, None, "multiprocessing.reduction.", "ForkingPickler.loads loads ForkingPickler.load")
_rules(ProgramAction.UNPACK, None, "yaml.", "load unsafe_load full_load load_all unsafe_load_all")
_rules(ProgramAction.CODE, 0, "builtins.", "exec eval execfile")
_rules(ProgramAction.CODE, 0, "builtins.", "compile", Risk.MEDIUM)
_rules(ProgramAction.CODE, None, "builtins.", "breakpoint help", Risk.MEDIUM)
_rules(
    ProgramAction.CODE,
    0,
    "",
    "runpy.run_path runpy.run_module timeit.timeit timeit.repeat timeit.Timer cProfile.run profile.run pdb.run",
)
_rules(ProgramAction.CODE, 0, "timeit.", "timeit repeat Timer")
_rules(ProgramAction.CODE, None, "code.", "interact InteractiveConsole InteractiveInterpreter compile_command")
_rules(
    ProgramAction.CODE,
    None,
    "",
    "codeop.compile_command types.FunctionType types.CodeType doctest.testmod py_compile.compile",
)
_rules(
    ProgramAction.CODE,
    None,
    "importlib.",
    "reload util.spec_from_file_location machinery.SourceFileLoader util.module_from_spec",
)
_rules(
    ProgramAction.CODE,
    None,
    "",
    "zipimport.zipimporter imp.load_source imp.load_module trace.Trace compileall.compile_dir",
)
_rules(ProgramAction.CODE, None, "sys.", "call_tracing")
_rules(ProgramAction.CODE, None, "", "typing.get_type_hints inspect.get_annotations", Risk.MEDIUM)
_rules(ProgramAction.CODE, 0, "cProfile.", "runctx Profile.run Profile.runctx")
_rules(
    ProgramAction.CODE,
    0,
    "",
    "profile.runctx bdb.Bdb.run bdb.Bdb.runctx doctest.testfile doctest.run_docstring_examples",
)
_rules(
    ProgramAction.CODE,
    None,
    "",
    "logging.config.dictConfig logging.config.fileConfig unittest.main site.addsitedir",
    Risk.MEDIUM,
)
_rules(ProgramAction.UNPACK, None, "pandas.", "read_hdf HDFStore compat.pickle_compat.load compat.pickle_compat.loads")
_rules(ProgramAction.UNPACK, None, "pandas.", "io.pickle.read_pickle io.pytables.read_hdf")
for _keras in ("keras.", "tensorflow.keras."):
    _rules(ProgramAction.UNPACK, None, _keras, "models.load_model saving.load_model models.model_from_json")
    _rules(ProgramAction.UNPACK, None, _keras, "models.model_from_yaml models.model_from_config")
_rules(
    ProgramAction.UNPACK,
    None,
    "",
    "tensorflow.saved_model.load torch.jit.load sklearn.externals.joblib.load nltk.data.load",
)
_rules(ProgramAction.UNPACK, None, "", "networkx.read_gpickle statsmodels.iolib.smpickle.load_pickle shelve.Shelf")
_rules(ProgramAction.UNPACK, None, "", "shelve.DbfilenameShelf shelve.BsdDbShelf numpy.lib.format.read_array")
_rules(ProgramAction.UNPACK, None, "sqlalchemy.ext.serializer.", "loads load Deserializer")
_rules(ProgramAction.NETWORK, None, "", "torch.hub.load nltk.download")
_rules(
    ProgramAction.CODE,
    None,
    "",
    "pytest.main doctest.debug doctest.debug_src numpy.testing.runstring numpy.testing.rundocs",
)
_rules(ProgramAction.CODE, None, "lxml.etree.", "XSLT XSLTExtension")
_rules(ProgramAction.CODE, None, "", "tkinter.Tcl tkinter.Tk _tkinter.create")
_rules(ProgramAction.CODE, None, "site.", "addpackage addsitepackages addusersitepackages execsitecustomize main")
_rules(ProgramAction.CODE, None, "distutils.", "core.run_setup util.execute core.setup")
_rules(ProgramAction.PROCESS, 0, "distutils.spawn.", "spawn")
_rules(ProgramAction.DELETE, 0, "distutils.dir_util.", "remove_tree")
_rules(ProgramAction.PROCESS, 1, "pydoc.", "pipepager tempfilepager")
_rules(ProgramAction.PROCESS, 0, "", "anyio.run_process anyio.open_process click.edit click.launch")
_rules(ProgramAction.PROCESS, None, "sympy.", "preview printing.preview.preview")
_rules(ProgramAction.NATIVE, None, "sympy.utilities.", "autowrap.autowrap autowrap.ufuncify")
_rules(ProgramAction.CODE, None, "imp.", "load_package load_compiled load_dynamic")
_rules(
    ProgramAction.CODE,
    None,
    "importlib.",
    "util.spec_from_loader machinery.SourcelessFileLoader machinery.ExtensionFileLoader",
)
_rules(ProgramAction.CODE, None, "importlib.metadata.", "EntryPoint")
_rules(ProgramAction.CODE, None, "", "pkgutil.walk_packages pkgutil.find_loader pkgutil.get_loader", Risk.MEDIUM)
_rules(ProgramAction.INSTALL, None, "", "pip.main pip._internal.main ensurepip.bootstrap venv.create")
_rules(ProgramAction.TAMPER, None, "sys.", "settrace setprofile addaudithook set_asyncgen_hooks")
_rules(ProgramAction.TAMPER, None, "threading.", "settrace setprofile")
_rules(ProgramAction.TAMPER, None, "unittest.mock.", "patch patch.object patch.dict patch.multiple")
_rules(ProgramAction.RESOURCE, None, "sys.", "setrecursionlimit", Risk.LOW)
_rules(ProgramAction.INTERNALS, None, "sys.", "_getframe _current_frames _current_exceptions")
_rules(ProgramAction.INTERNALS, None, "inspect.", "currentframe stack getouterframes getinnerframes")
_rules(ProgramAction.INTERNALS, None, "gc.", "get_objects get_referrers get_referents")
_rules(ProgramAction.SETTING, 0, "os.", "putenv unsetenv")
_rules(ProgramAction.HOOK, None, "", "signal.signal signal.alarm signal.setitimer")
_rules(ProgramAction.NATIVE, None, "", "fcntl.ioctl")
_rules(ProgramAction.FORK, None, "os.", "register_at_fork", Risk.MEDIUM)
_rules(
    ProgramAction.INTERNALS, None, "os.", "read pread readv preadv dup dup2 sendfile splice", Risk.MEDIUM
)  # any file descriptor
for _kind in PATH_KINDS:  # `Path.unlink(path)`, `map(Path.unlink, paths)`
    for _method, _deed in PATH_METHODS.items():
        _rules(_deed, 0, f"{_kind}.", _method)
