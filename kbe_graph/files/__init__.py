"""Reads records, tables and streams, writes files whole or not at all, and finds the packaged ones."""
