"""The code editor: where a person writes programs, and where proposed ones are shown."""
