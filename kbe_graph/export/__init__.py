"""Export of questions to files for other programs."""
