"""Data-flow analysis: which answers of tools the arguments of a call and the output are made of."""
