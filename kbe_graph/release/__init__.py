"""Releases of a benchmark: frozen, compared, and split into parallel forms."""
