"""Statistics of a benchmark's knowledge: of its relations across samples, of its questions by hop; pandas frames."""
