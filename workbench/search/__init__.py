"""Search over tools, resources, prompts and skills: lexical ranking, word vectors, learning from use."""
