"""Sheets for people: the questions, and their answers."""
