"""Progress of a study on terminals and in notebooks."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from . import _native

if TYPE_CHECKING:
    from typing_extensions import Self

logger = logging.getLogger("fiesta_select")


class Bar:
    """No bar: notices go to the log."""

    def show(self, progress: _native.Progress) -> None:
        """Shows where the study stands."""
        for notice in progress["notices"]:
            logger.warning("%s", notice)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Line(Bar):
    """A line on a terminal that is written anew."""

    def __init__(self, run: _native.FunctionRun) -> None:
        self.run = run
        self.width = 0

    def show(self, progress: _native.Progress) -> None:
        if progress["notices"]:
            self._write("")
        super().show(progress)
        self._write(f"{words(self.run, progress)} · {progress['ended']} evaluations")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def __exit__(self, *_: object) -> None:
        if self.width:
            sys.stderr.write("\n")
            self.width = 0


class Tqdm(Bar):
    """A bar of tqdm, of evaluations."""

    def __init__(self, run: _native.FunctionRun, tqdm: Any) -> None:
        self.run = run
        self.tqdm = tqdm
        self.bar: Any = None

    def show(self, progress: _native.Progress) -> None:
        super().show(progress)
        if self.bar is None:
            self.bar = self.tqdm(total=None, unit=" evaluations", initial=progress["ended"])
        self.bar.set_description_str(words(self.run, progress), refresh=False)
        self.bar.update(progress["ended"] - self.bar.n)
        self.bar.refresh()

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def words(run: _native.FunctionRun, progress: _native.Progress) -> str:
    """Where a study stands, in a line."""
    leader, probability = progress["leader"], progress["probability"]
    parts = []
    if leader is not None:
        of = "" if run.confidence is None else f" of {100 * run.confidence:g} %"
        share = "" if probability is None else f" P(best) {100 * probability:.1f} %{of}"
        parts.append(f"{leader}{share}")
    parts.append(f"{progress['running']} running")
    return " · ".join(parts)


def bar_for(run: _native.FunctionRun, wanted: bool | None) -> Bar:
    """The bar for wherever this runs; none if nobody wants one or looks."""
    in_notebook = "ipykernel" in sys.modules
    if wanted is None:
        wanted = in_notebook or sys.stderr.isatty()
    if not wanted:
        return Bar()
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Line(run)
    return Tqdm(run, tqdm)
