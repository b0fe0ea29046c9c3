"""The conveyor: a run, the one road it travels, and the one broker that reaches real servers."""
