"""Kernel restrictions that a child applies to itself: namespaces, capabilities, Landlock, seccomp, resource limits.

Uses only the standard library.
"""
