"""Kernel locks that a child puts on itself: namespaces, capabilities, Landlock, seccomp, limits. Standard library."""
