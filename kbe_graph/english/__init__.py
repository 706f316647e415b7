"""Knows English words: WordNet, inflection, number, proper names, frequency, and spaCy's model if there is one."""
