"""The explorer: pages in the browser, served from this machine, that show the content of a workspace."""
