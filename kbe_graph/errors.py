"""The error tree; the command line prints any of these as one line, without a traceback.

KbeError
├── InputError          the user can fix it
│   ├── DatasetError    a benchmark or annotation file: file, line, field
│   │   └── PictureError  an unreadable image: its sample is dropped
│   ├── ConfigError     a setting
│   └── ResourceError   a missing file, program or package
├── ModelError
│   ├── ModelUnavailable  retryable
│   ├── QuotaReached      the account is exhausted: stops the run
│   └── ReplyError        .reply keeps the text, .kind is the counted name
├── BudgetReached         stops cleanly, exit code 3; re-running the command resumes
├── ReplyAwaited          the call is in a batch file; its reply comes later
├── StoreError          retryable if the driver says so
├── SourceError         a knowledge source is unavailable, or its reply is unreadable
└── NoCandidate         nothing left to evolve: counted by reason, not a fault
"""

from collections.abc import Mapping


class KbeError(Exception):
    """Base class of all errors. The message names the fault, the value, and then the remedy.

    It names arguments and methods as in Python (``run``); the command line prints its own options (``--run``).

    >>> issubclass(kbe.InputError, kbe.KbeError)
    True
    """

    retryable = False

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, whatever the arguments of the subclass's constructor."""
        return _error_of, (type(self), self.args, self.__dict__)


def _error_of(kind: type[KbeError], args: tuple[object, ...], values: Mapping[str, object]) -> KbeError:
    error = kind.__new__(kind, *args)
    error.args = args
    error.__dict__.update(values)
    return error


class KbeWarning(UserWarning):
    """The work goes on, but the outcome may not be what you expect. The command line prints it as one line.

    >>> warnings.filterwarnings("error", category=kbe.KbeWarning)  # doctest: +SKIP
    """


class InputError(KbeError):
    """An error that the user can fix.

    >>> try:
    ...     work.run("nobody")
    ... except kbe.InputError as error:
    ...     print(error)
    no run 'nobody'; the only run is 'demo'
    """


class DatasetError(InputError):
    """A benchmark or annotation file is invalid.

    >>> try:
    ...     work.load("nowhere.csv")
    ... except kbe.DatasetError as error:
    ...     print(error)
    nowhere.csv: no such file; check the path
    """

    def __init__(self, file: object, problem: str, *, line: int | None = None) -> None:
        where = f"{file} line {line}" if line is not None else f"{file}"
        super().__init__(f"{where}: {problem}")
        self.where, self.problem = where, problem


class PictureError(DatasetError):
    """An image cannot be read."""


class ConfigError(InputError):
    """A setting is missing or invalid.

    >>> try:
    ...     kbe.Workspace("nowhere", create=False)
    ... except kbe.ConfigError as error:
    ...     print(error)
    no workspace at 'nowhere'; ...
    """


class ResourceError(InputError):
    """A required file, program or package is missing.

    >>> issubclass(kbe.ResourceError, kbe.InputError)
    True
    """


class ModelError(KbeError):
    """A model endpoint failed.

    >>> issubclass(kbe.QuotaReached, kbe.ModelError)
    True
    """


class ModelUnavailable(ModelError):
    """The endpoint cannot be reached at the moment. Retrying may help.

    >>> kbe.ModelUnavailable.retryable
    True
    """

    retryable = True


class QuotaReached(ModelError):
    """The account at the endpoint has no credit left. Retrying does not help.

    >>> kbe.QuotaReached.retryable
    False
    """


class ReplyError(ModelError):
    """An unusable reply. ``reply`` is its text; ``kind`` is the counted name (``cut``, ``refused``, ``invalid``).

    >>> kbe.ReplyError("no answer", reply="I cannot see it.", kind="refused").reply
    'I cannot see it.'
    """

    def __init__(self, problem: str, *, reply: str, kind: str = "invalid") -> None:
        super().__init__(problem)
        self.reply = reply
        self.kind = kind


class BudgetReached(KbeError):
    """The limit of dollars or calls is reached. Paid calls are stored; repeat the same command or call to continue.

    >>> kbe.BudgetReached.exit_code  # of the command line
    3
    """

    exit_code = 3


class ReplyAwaited(KbeError):
    """The call is in a batch file and its reply has not been imported yet. ``call`` is its hash."""

    def __init__(self, call: str) -> None:
        super().__init__(
            f"call {call[:12]!r} is waiting in a batch file; import its reply, then run the same command again"
        )
        self.call = call


class StoreError(KbeError):
    """The graph engine failed.

    >>> try:
    ...     work.graph.cypher("MATCH")
    ... except kbe.StoreError as error:
    ...     print(error)
    the graph in ...
    """

    def __init__(self, problem: str, *, retryable: bool = False) -> None:
        super().__init__(problem)
        self.retryable = retryable


class SourceError(KbeError):
    """A knowledge source cannot be reached, or its answer cannot be read. Earlier answers are kept.

    >>> kbe.SourceError.retryable
    True
    """

    retryable = True


class NoCandidate(KbeError):
    """Nothing is left to evolve for a sample. ``reason`` is the name that is counted."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail
