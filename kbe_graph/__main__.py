"""``python -m kbe_graph``: the command line."""

from kbe_graph.cli.main import main

if __name__ == "__main__":
    main()
