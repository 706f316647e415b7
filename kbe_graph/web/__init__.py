"""Serves pages to browsers: the server, who is let in, and what a request holds."""
