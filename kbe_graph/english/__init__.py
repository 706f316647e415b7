"""Knows English words: WordNet, inflection, number, proper names, frequency, and spaCy's model where there is one."""
