"""The explorer: local web pages that show the content of a workspace."""
