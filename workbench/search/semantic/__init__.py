"""The sentence model of the search, for who wants it: fetched, made small, kept, and asked.

Nothing of it is needed: without it the search reads meaning from the word vectors that come with the app.
"""
