"""Puts a question about a key path into words, by rule (KBE, section 3.2, expression)."""
