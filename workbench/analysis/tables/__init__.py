"""What the analysis knows by name: modules, functions, methods, commands, and what each of them does."""
