"""Tables of modules, functions, methods and commands with their actions."""
