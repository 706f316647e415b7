"""Sense disambiguation of answers: which concept an answer means, and whether it is a noun."""
