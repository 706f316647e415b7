"""The command line: one file a command, each a shell over one library call."""
