"""Statistics of a benchmark's knowledge as pandas frames: relations across samples, and questions by hop."""
