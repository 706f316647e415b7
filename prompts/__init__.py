"""The prompts, one a file."""
