"""Static analysis: parses and interprets the text of a program and predicts its effects. Pure functions.

`reading.read` is the entry point: text in, `Reading` out. Its verdict informs the user and decides whether the program
needs approval. The security boundary is the sandbox, not this package.
"""
