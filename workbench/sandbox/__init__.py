"""Runs a program in a locked child process and forwards its requests to the core, which decides about them.

The core calls `sandbox.Sandbox`. A launcher process forks locked children. `process/native_backend.py` or
`process/bubblewrap_backend.py` builds their namespaces and mounts, `locks/lockdown.py` drops their privileges, and
`inside/runner.py` runs the program.
"""
