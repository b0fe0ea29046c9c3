"""Special attributes: those that lead from an object into the interpreter, and those that are soft on their own."""

from __future__ import annotations

from workbench.policy.tables.names import names

WALKS = names(
    """__subclasses__ __globals__ __builtins__ __closure__ __code__ __loader__ __getattribute__ __reduce__
    __reduce_ex__ __import__ __class_getitem__ __subclasshook__ __init_subclass__ gi_frame cr_frame ag_frame
    tb_frame f_globals f_builtins f_locals f_back f_code gi_code cr_code ag_code co_code"""
)
# Seen in honest code too: high when part of a chain or on a module, medium alone.
SOFT = names("__dict__ mro __mro__ __bases__ __base__ __self__ __func__ __traceback__ __wrapped__ __spec__")
SPECIAL = WALKS | SOFT
# Builtins that reach an attribute by its name.
FORBIDDEN_WRITES = WALKS | {"__class__", "__bases__", "__dict__"}
