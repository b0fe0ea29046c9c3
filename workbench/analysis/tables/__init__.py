"""What the analysis knows of Python and its libraries, as data."""
