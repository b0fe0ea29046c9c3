"""Runs one program in a locked child and carries its requests; whether a request is allowed is decided elsewhere.

The core calls `sandbox.Sandbox`. A launcher process forks locked children; `process/native_backend.py` or
`process/bubblewrap_backend.py` builds their namespaces and mounts, `locks/lockdown.py` takes their rights away, and
`inside/runner.py` runs the program.
"""
