"""Results that show themselves: as text, in notebooks, as figures, frames and JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from . import _native

_R = TypeVar("_R", bound="Shown")


class Shown:
    """
    A result of an analysis, of the shape of the program's JSON.

    ``str(result)`` is what the program prints; in notebooks the text is shown with the figure.
    """

    def to_dict(self) -> dict[str, Any]:
        """
        The JSON document that the program prints, as a dict.

        Returns
        -------
        dict
            What ``--format json`` has, with the same keys and numbers.
        """
        return json.loads(self._state()["json"])  # type: ignore[no-any-return]

    def to_frame(self) -> Any:
        """
        A row for each arm, candidate, pair, goal or evaluation of the result; of curves one for each n.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Of pandas where it is installed, else of polars.

        Raises
        ------
        ImportError
            If neither is installed.
        """
        rows = rows_of(self.to_dict())
        try:
            import pandas

            return pandas.DataFrame(rows)
        except ImportError:
            pass
        try:
            import polars

            return polars.DataFrame(rows)
        except ImportError:
            raise ImportError(
                "a frame is one of pandas or polars, and neither is installed: install one, or "
                "take `to_dict()`"
            ) from None

    def svg(self) -> str:
        """
        The result's figure.

        Returns
        -------
        str
            The text of an SVG file.

        Raises
        ------
        ValueError
            If the result has no figure, or nothing in it can be drawn.
        """
        svg = self._state()["svg"]
        if svg is None:
            raise ValueError(f"a {type(self).__name__} has no figure")
        return str(svg)

    def plot(self, ax: Any = None, *, backend: Literal["svg", "matplotlib"] | None = None) -> Any:
        """
        The result's figure: means with intervals, tuning curves with bands, shares of runs.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw (default: axes of a new figure).
        backend : {"svg", "matplotlib"}, optional
            What is returned (default: matplotlib's axes where it is installed, else SVG).

        Returns
        -------
        matplotlib.axes.Axes or Svg
            The axes that were drawn on; or the text of :meth:`svg`, which notebooks show as a
            figure.

        Raises
        ------
        ImportError
            If matplotlib is asked for and not installed.
        ValueError
            If the result has no figure, or axes are given and ``backend="svg"``.

        Examples
        --------
        >>> import fiesta_select as fiesta
        >>> found = fiesta.belief({"lstm": [.71, .73, .70], "gru": [.69, .70, .69]})
        >>> found.plot(backend="svg")[:4]
        '<svg'
        """
        if backend not in (None, "svg", "matplotlib"):
            raise ValueError(f"{backend!r} is no backend of plots: use svg or matplotlib")
        if backend == "svg" and ax is not None:
            raise ValueError("axes are matplotlib's: leave backend= out, or the axes")
        from ._plots import Svg, draw

        figure = Svg(self.svg())
        if backend == "svg":
            return figure
        if ax is None:
            try:
                import matplotlib  # noqa: F401
            except ImportError:
                if backend == "matplotlib":
                    raise
                return figure
        return draw(self, self._state()["drawn"], ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """
        Writes the result's figure to a file.

        Parameters
        ----------
        path
            A name that ends in ``.svg``, ``.png`` (3 pixels to one of CSS) or ``.pdf``.

        Raises
        ------
        ValueError
            If it ends otherwise, or there is no figure.
        """
        from pathlib import Path

        format_ = Path(path).suffix.lower().lstrip(".")
        report = self.__dict__.get("_report")
        if report is None and format_ == "svg":
            Path(path).write_text(self.svg(), encoding="utf-8")
            return
        if report is None:
            raise ValueError(
                "a result that was unpickled has its figure as SVG alone: name a file .svg"
            )
        Path(path).write_bytes(report.figure(format_))

    def _state(self) -> dict[str, Any]:
        """JSON, text and figure of the result, each made when it is asked for first."""
        return self.__dict__.setdefault("_made", _Made(self.__dict__.get("_report")))  # type: ignore[no-any-return]

    def _kept(self) -> tuple[str, ...]:
        """What is kept of a native report when the result is pickled."""
        return ("json", "text", "svg", "drawn")

    def __str__(self) -> str:
        if "_report" not in self.__dict__ and "_made" not in self.__dict__:
            return repr(self)  # made by hand
        return str(self._state()["text"])

    def _repr_html_(self) -> str:
        from html import escape

        svg = None
        if "_report" in self.__dict__ or "_made" in self.__dict__:
            svg = self._state()["svg"]
        return f'<pre style="white-space: pre-wrap">{escape(str(self))}</pre>{svg or ""}'

    def __reduce__(self) -> tuple[Any, ...]:
        state = self._state()
        return (
            restored,
            (type(self), {key: state[key] for key in self._kept()}),
        )


class ShownGate(Shown):
    """A result of a gate, which can also be a comment for a pull request."""

    def markdown(self) -> str:
        """
        The gate as a comment for a pull request, as ``fiesta gate --markdown`` writes it.

        Returns
        -------
        str
            At most 65,536 characters of Markdown; texts of models and files are no markup in it.
        """
        return str(self._state()["markdown"])

    def _kept(self) -> tuple[str, ...]:
        return (*super()._kept(), "markdown")


class _Made(dict[str, Any]):
    """What was made of a native report so far."""

    def __init__(self, report: _native.Report | None) -> None:
        super().__init__()
        self.report = report

    def __missing__(self, key: str) -> Any:
        report = self.report
        if report is None:
            raise ValueError("this result was made by hand, and knows its fields alone")
        made: Any
        if key == "svg":
            try:
                made = report.figure("svg").decode() if report.has_figure() else None
            except ValueError:  # nothing in it can be drawn, as `save` says
                made = None
        else:
            made = getattr(report, key)()
        return self.setdefault(key, made)


def shown(kind: type[_R], report: _native.Report) -> _R:
    """The result of this kind that a native report holds."""
    from ._build import build

    result: _R = build(kind, report.value())
    result.__dict__["_report"] = report
    return result


def restored(kind: type[_R], state: dict[str, Any]) -> _R:
    """A result that was pickled."""
    from ._build import build

    result: _R = build(kind, json.loads(state["json"]))
    made = _Made(None)
    made.update(state)
    result.__dict__["_made"] = made
    return result


def rows_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a JSON document: its list of objects, else itself."""
    if "curves" in document:
        return [row for curve in document["curves"] for row in _rows_of_curve(curve)]
    if "only_a" in document:
        return [document["a"], document["b"]]
    for key in ("pairs", "candidates", "arms", "results"):
        rows = document.get(key)
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            return rows
    return [document]


def _rows_of_curve(curve: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each n of a curve."""
    lists = {key: value for key, value in curve.items() if isinstance(value, list)}
    rows = [dict(zip(lists, values)) for values in zip(*lists.values())]
    return [{"name": curve["name"], **row} for row in rows]
