"""The workspace in the window: its files, what runs changed in them, and taking that back."""
