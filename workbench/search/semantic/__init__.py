"""The optional sentence model of the search: building, quantization, cache and queries.

Without it, the search uses the word vectors that come with the app.
"""
