"""The command line: one file per group of commands, chosen by `main.py`. It knows the API's client and records."""
