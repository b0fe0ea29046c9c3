"""Runs one program in a locked child process and carries its frames; nothing in here says yes or no to a call.

The core speaks to `sandbox.Sandbox`. A small launcher process forks the locked children, `native` or `bubblewrap`
builds their world, `lockdown` takes away what they do not need, and `runner` is what lives inside.
"""
