"""Code that runs in the sandbox. It provides no protection, because a program may change all of it.

Uses only the standard library. `modules/` holds the modules that programs import by their own names.
"""
