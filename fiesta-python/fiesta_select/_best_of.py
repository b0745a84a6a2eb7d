"""The best of several functions: a study whose arms are callables, with a ledger."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._calls import Asked, Processes, Threads
from ._document import StudyKeywords, document
from ._identity import version_of
from ._progress import bar_for
from ._shown import shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .results import Status

logger = logging.getLogger("fiesta_select")


def best_of(
    arms: Mapping[str, Callable[..., Any]],
    *,
    ledger: str | os.PathLike[str] | None = None,
    run_in: Literal["threads", "processes"] = "threads",
    progress: bool | None = None,
    accept_changes: bool = False,
    retry: Sequence[str] = (),
    again: Sequence[str] = (),
    **keywords: Unpack[StudyKeywords],
) -> Status:
    """
    Evaluates functions until the best of them is known.

    Parameters
    ----------
    arms : dict of str to callable
        The candidates. A function is called with those of ``arm``, ``split``, ``seed``, ``item``,
        ``item_id``, ``checkpoint`` and ``directory`` that its parameters name, and returns its
        score, or a dict with the metric's name (and, if it likes, ``cost``) as keys. What it
        raises is a failure of the arm.
    ledger : path, optional
        The directory where the study is kept, such as ``"study.fiesta"``: the same call goes on
        where an earlier one stopped, also after ``kill -9``, and ``fiesta status study.toml``
        (the study file is written beside it), ``report``, ``log`` and ``export`` know the study.
        Without, nothing is kept.
    run_in : {"threads", "processes"}
        Where functions are called. Functions for processes can be pickled, which lambdas cannot;
        each process is new (spawned), and is kept from one call to the next.
    progress : bool, optional
        Show a bar (default: on a terminal and in notebooks): tqdm's where it is installed.
    accept_changes : bool
        Go on with an earlier study although keywords changed, if they concern only how functions
        are called, or extend the study. Where a function was edited, this says that its scores are
        the same as before.
    retry : sequence of str
        Arms that come back which had been retired for failing.
    again : sequence of str
        Arms that are asked anew, as their functions were edited: their earlier evaluations are set
        aside.
    **keywords
        As of :class:`Selector`; ``parallel`` says how many functions are called at once (default:
        1), ``retries`` how often a call is made again that was lost with its process.

    Returns
    -------
    Status
        What is known at the end: ``leader``, ``confidence``, ``arms``, …; ``str()`` of it is what
        ``fiesta run`` prints.

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C: the first waits for the functions that run, and the second leaves them. The
        same call goes on from there if there is a ledger.
    StudyError
        If the study cannot go on: every arm failed, or its ledger is in use or of another study.
    TypeError, ValueError
        For arms that are no functions, parameters that are none of the above, and keywords that
        :class:`Selector` refuses.

    Examples
    --------
    >>> import random
    >>> import fiesta_select as fiesta
    >>> def guess(seed):
    ...     return random.Random(seed).gauss(.60, .02)
    >>> def knowledge(seed):
    ...     return random.Random(seed).gauss(.70, .02)
    >>> found = fiesta.best_of({"guess": guess, "knowledge": knowledge}, confidence=.99)
    >>> found.leader
    'knowledge'
    """
    functions = {name: Asked(name, function) for name, function in arms.items()}
    kinds = {"threads": Threads, "processes": Processes}
    if run_in not in kinds:
        raise ValueError(f"run_in= is 'threads' or 'processes', and not {run_in!r}")
    if ledger is not None:
        return _run(
            functions,
            _study_file(ledger),
            kinds[run_in],
            progress,
            (accept_changes, retry, again),
            keywords,
        )
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="fiesta-", ignore_cleanup_errors=True) as directory:
        path = os.path.join(directory, "study.toml")
        changes = (accept_changes, retry, again)
        return _run(functions, path, kinds[run_in], progress, changes, keywords)


def _study_file(ledger: str | os.PathLike[str]) -> str:
    """The study file beside the directory of a ledger."""
    path = os.fspath(ledger)
    stem, extension = os.path.splitext(path.rstrip("/"))
    if extension not in (".fiesta", ".toml"):
        raise ValueError(
            f"a ledger is kept in a directory whose name ends in .fiesta, and not in {path!r}: "
            f'give ledger="{stem}.fiesta"'
        )
    return stem + ".toml"


def _run(
    functions: Mapping[str, Asked],
    path: str,
    kind: type[Threads],
    progress: bool | None,
    changes: tuple[bool, Sequence[str], Sequence[str]],
    keywords: Mapping[str, Any],
) -> Status:
    """Runs a study of functions to its end, or until somebody wants it to stop."""
    from .results import Status

    for part in ("policy", "posterior", "stopping"):
        if not isinstance(keywords.get(part), (str, type(None))):
            raise TypeError(
                f"{part}= is a name in a study with a ledger; for an object take Selector"
            )
    name = os.path.splitext(os.path.basename(path))[0]
    versions = {arm: version_of(asked.function) for arm, asked in functions.items()}
    accept_changes, retry, again = changes
    run = _native.FunctionRun(
        document(name, functions, keywords, versions),
        path,
        accept_changes,
        list(retry),
        list(again),
    )
    callers = kind(run, functions)
    bar = bar_for(run, progress)
    heeded = 0
    try:
        with _interrupts() as asked, bar:
            while (report := run.wait(0.15)) is None:
                # One at a time: the runner takes two within a tenth of a second for one.
                if heeded < asked():
                    heeded += 1
                    run.stop()
                    logger.warning(
                        "waiting for the functions that run; Ctrl-C again leaves them"
                        if heeded == 1
                        else "leaving the functions that run"
                    )
                    if heeded > 1:
                        callers.leave()
                bar.show(run.progress())
            bar.show(run.progress())
            return shown(Status, report)
    except InterruptedError as error:
        raise KeyboardInterrupt(_left(error)) from None
    except KeyboardInterrupt:
        # Somebody else's handler raised it: no time is left to wait.
        run.stop()
        callers.leave()
        raise
    finally:
        callers.close()


@contextlib.contextmanager
def _interrupts() -> Iterator[Callable[[], int]]:
    """
    How often Ctrl-C was pressed.

    The exception that Python raises for it could come between any two steps, also between those
    that heed another one. Where signals are not Python's own affair (in another thread than the
    main one, or with a handler of the program's), nothing is counted.
    """
    import signal
    import threading

    count = 0

    def note(*_: object) -> None:
        nonlocal count
        count += 1

    before = signal.getsignal(signal.SIGINT)
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and before is signal.default_int_handler
    )
    if is_ours:
        signal.signal(signal.SIGINT, note)
    try:
        yield lambda: count
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, before)


def _left(error: InterruptedError) -> str:
    """What is said of a study that was interrupted."""
    left = error.args[0] if error.args else 0
    return f"the study stopped, and left {left} functions running" if left else "the study stopped"
