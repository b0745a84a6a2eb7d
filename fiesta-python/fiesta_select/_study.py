"""Studies in files: the program's runner from Python."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._build import build
from ._native import StudyError
from ._shown import shown

if TYPE_CHECKING:
    from pathlib import Path

    from .results import EvaluationLog, Status


def program() -> str:
    """
    The program `fiesta` that this package brought.

    Returns
    -------
    str
        Its path.

    Raises
    ------
    FileNotFoundError
        If it is not where packages put programs, nor on ``PATH``.
    """
    import shutil
    import sysconfig

    places = [os.path.dirname(sys.executable), sysconfig.get_path("scripts")]
    places.append(sysconfig.get_path("scripts", f"{os.name}_user"))
    for place in places:
        path = os.path.join(place, "fiesta")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("fiesta")
    if found is None:
        raise FileNotFoundError(
            f"the program `fiesta` is not in {', '.join(places)} nor on PATH: install the package again"
        )
    return found


class Study:
    """
    A study in a file, whose arms are commands on this machine or on others.

    Parameters
    ----------
    path : path
        The study file.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> study = fiesta.Study("study.toml")
    >>> found = study.run()  # doctest: +SKIP
    >>> found.leader  # doctest: +SKIP
    'boosted-trees'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def __repr__(self) -> str:
        return f"Study({self.path!r})"

    def run(
        self,
        *,
        accept_changes: bool = False,
        retry: Sequence[str] = (),
        again: Sequence[str] = (),
        progress: bool | None = None,
    ) -> Status:
        """
        Starts the study, or goes on where it stopped: ``fiesta run``.

        Parameters
        ----------
        accept_changes : bool
            Go on although the study file or a file of an arm changed, where that is possible.
        retry : sequence of str
            Arms that come back which had been retired for failing.
        again : sequence of str
            Arms that are asked anew: their earlier evaluations are set aside.
        progress : bool, optional
            Show what ``fiesta run`` shows on standard error (default: on a terminal).

        Returns
        -------
        Status
            What is known at the end, also of a study that ended short of its confidence.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C: the first waits for the jobs that run, the second stops them.
        StudyError
            If the study cannot be run, with the program's message; ``exit_code`` is its own.
        """
        shows = sys.stderr.isatty() if progress is None else progress
        arguments = ["run", self.path, "--format", "json"]
        arguments += [] if shows else ["--quiet"]
        arguments += ["--accept-changes"] if accept_changes else []
        for arm in retry:
            arguments += ["--retry", arm]
        for arm in again:
            arguments += ["--again", arm]
        # 3: short of the goal; 5: an arm was retired, or all of them.
        printed = _call(arguments, shows=shows, allowed=(0, 3, 5))
        if not printed or json.loads(printed)["state"] != "finished":
            raise StudyError(f"every arm of {self.path} failed: see `Study.log` of its evaluations")
        return self.status()

    def status(self) -> Status:
        """
        Where the study stands, from its ledger alone, also while it runs: ``fiesta status``.

        Returns
        -------
        Status
            What is known now.

        Raises
        ------
        ValueError
            If there is no such study, or its file is wrong.
        StudyError
            If its ledger cannot be read.
        """
        from .results import Status

        return shown(Status, _native.study_status(self.path))

    def log(self, number: int) -> EvaluationLog:
        """
        What an evaluation printed and how its runs ended: ``fiesta log``.

        Parameters
        ----------
        number : int
            The evaluation, from 1.

        Returns
        -------
        EvaluationLog
            Its attempts, with what each printed.

        Raises
        ------
        StudyError
            If there is no such evaluation.
        """
        from .results import EvaluationLog

        printed = _call(["log", self.path, str(number), "--format", "json"])
        made: EvaluationLog = build(EvaluationLog, json.loads(printed))
        return made

    def report(self, directory: str | os.PathLike[str]) -> Path:
        """
        Writes the report: one page, with every figure and table as files of their own.

        Parameters
        ----------
        directory : path
            Where they go.

        Returns
        -------
        pathlib.Path
            The page.

        Raises
        ------
        StudyError
            If nothing is known of the study yet, or a file cannot be written.
        """
        from pathlib import Path

        _call(["report", self.path, "-o", os.fspath(directory)])
        return Path(directory, "report.html")

    def records(self) -> list[dict[str, Any]]:
        """
        The evaluations, a dict each, as :func:`belief` and the others take them: ``fiesta export``.

        Returns
        -------
        list of dict
            With ``arm``, the score under its metric's name, ``split``, ``seed``, ``cost``, ….
        """
        printed = _call(["export", self.path, "--format", "jsonl"])
        return [json.loads(line) for line in printed.splitlines()]


def _call(arguments: Sequence[str], *, shows: bool = False, allowed: Sequence[int] = (0,)) -> str:
    """What the program prints on standard output; its messages are in the error."""
    import subprocess

    with subprocess.Popen(
        [program(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if shows else subprocess.PIPE,
        # Ctrl-C on a terminal reaches this process alone, which passes on each.
        start_new_session=True,
        text=True,
    ) as process:
        interrupted = False
        while True:
            try:
                printed, said = process.communicate()
                break
            except KeyboardInterrupt:
                import signal

                interrupted = True
                process.send_signal(signal.SIGINT)
    if interrupted:
        raise KeyboardInterrupt
    if process.returncode not in allowed:
        message = (said or "").removeprefix("error: ").strip()
        error = StudyError(message or f"fiesta {arguments[0]} ended with {process.returncode}")
        error.exit_code = process.returncode  # type: ignore[attr-defined]
        raise error
    return printed
