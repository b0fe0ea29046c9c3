"""What runs inside the sandbox. Standard library only; nothing here protects anybody: a program may change all of it.

`modules/` holds the modules that programs import by their own names.
"""
