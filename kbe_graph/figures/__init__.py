"""Figures of answers: accuracy by hop with intervals and tests, items, memory, perturbed questions, and guessing."""
