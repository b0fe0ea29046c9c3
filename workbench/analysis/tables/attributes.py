"""Special attributes: those that lead from an object into the interpreter, and those that are harmless on their own."""

from __future__ import annotations

from workbench.analysis.tables.word_sets import names

WALKS = names(
    """__subclasses__ __globals__ __builtins__ __closure__ __code__ __loader__ __getattribute__ __reduce__
    __reduce_ex__ __import__ __class_getitem__ __subclasshook__ __init_subclass__ gi_frame cr_frame ag_frame
    tb_frame f_globals f_builtins f_locals f_back f_code gi_code cr_code ag_code co_code"""
)
# Seen in honest code too: high when part of a chain or on a module, medium alone.
SOFT = names("__dict__ mro __mro__ __bases__ __base__ __self__ __func__ __traceback__ __wrapped__ __spec__")
SPECIAL = WALKS | SOFT
# Asked for by a pattern, which reaches attributes without a dot, or by a field of a format text.
IN_PATTERNS = SPECIAL | {"__class__", "__init__", "__module__"}
# Methods that answer operators and copying; a class made from a table of names can hide what they call.
HOOKS = names(
    "__reduce__ __reduce_ex__ __getstate__ __setstate__ __getnewargs__ __getnewargs_ex__ __copy__ __deepcopy__"
)
# Names that, fetched by text from an object nobody can see, are worth a question.
TELLING_NAMES = names(
    "system popen Popen execv execve posix_spawn fork check_output getoutput eval exec __import__ rmtree"
)
# Builtins that reach an attribute by its name.
FORBIDDEN_WRITES = WALKS | {"__class__", "__bases__", "__dict__"}
