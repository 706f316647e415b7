"""A package that adds a format, annotations, a knowledge source, a check and an export, and is no part of kbe_graph."""
