"""Entry point of ``kbe`` and ``python -m kbe_graph``."""

import signal


def main() -> None:
    """Run the command line; until it is imported, and after its end, Ctrl+C ends the process at once."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from kbe_graph.cli.main import main as run_command

    run_command()


if __name__ == "__main__":
    main()
