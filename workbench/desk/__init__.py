"""Answers a person's questions from the rooms. No agent and no sandbox reaches it. One file a topic."""
