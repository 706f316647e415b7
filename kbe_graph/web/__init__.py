"""Web pages: the server, access control, and the values of a request."""
