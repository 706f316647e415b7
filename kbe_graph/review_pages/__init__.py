"""The pages of `kbe review`: people approve, reject and revise questions in the browser."""
