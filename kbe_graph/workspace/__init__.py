"""The face of the package: a workspace and its runs, as a person works with them."""
