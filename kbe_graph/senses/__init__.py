"""Decides which concept an answer means, and whether it is a noun at all."""
