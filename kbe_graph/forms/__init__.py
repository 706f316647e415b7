"""Closed question forms: multiple choice, choose all, fill in, true or false (MDK12, question types)."""
