"""English words: WordNet, inflection, number, proper names, frequencies, and spaCy's model if installed."""
