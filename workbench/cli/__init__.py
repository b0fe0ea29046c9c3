"""The door for scripts: one file a group of commands; `main.py` chooses. It decides nothing and knows no room."""
