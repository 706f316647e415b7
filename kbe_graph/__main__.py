"""Entry point of ``kbe`` and ``python -m kbe_graph``; a signal ends it with a single line, even during start-up."""

from kbe_graph.cli.signals import leave_at_once


def main() -> None:
    """Run the command line; it is imported after the signal handlers are in place."""
    leave_at_once()
    from kbe_graph.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
