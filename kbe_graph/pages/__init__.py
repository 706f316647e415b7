"""HTML report pages, and the same figures as files for papers and programs."""
