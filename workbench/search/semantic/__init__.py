"""The optional sentence model of the search: built, quantised, cached, queried.

Without it the search uses the word vectors that come with the app.
"""
