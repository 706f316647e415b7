"""Twins: the words of a question, asked about another picture of the workspace where the answer differs."""
