"""The skill library: drafts, kept and retired skills, each a folder that other Agent Skills clients can read."""
