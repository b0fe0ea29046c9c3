"""The project's files that programs and people share, confined so that no name leads out of the folder."""
