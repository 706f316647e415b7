"""``kbe`` and ``python -m kbe_graph``: the command line, which a signal ends with one line from its first moment on."""

from kbe_graph.cli.signals import leave_at_once


def main() -> None:
    """Run the command line, which is imported only once a signal that comes meanwhile is looked after."""
    leave_at_once()
    from kbe_graph.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
