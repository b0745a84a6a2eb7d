"""Results that show themselves: as text, in notebooks, as figures, frames and JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, TypeVar

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
        A row for each arm, goal or evaluation of the result.

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

    def __str__(self) -> str:
        return str(self._state()["text"])

    def _repr_html_(self) -> str:
        from html import escape

        svg = self._state()["svg"]
        return f"<pre>{escape(str(self))}</pre>{svg or ''}"

    def __reduce__(self) -> tuple[Any, ...]:
        state = self._state()
        return (restored, (type(self), {key: state[key] for key in ("json", "text", "svg")}))


class _Made(dict[str, Any]):
    """What was made of a native report so far."""

    def __init__(self, report: _native.Report | None) -> None:
        super().__init__()
        self.report = report

    def __missing__(self, key: str) -> Any:
        report = self.report
        if report is None:
            raise ValueError("this result was made by hand, and knows its fields alone")
        if key == "svg":
            made = report.figure("svg").decode() if report.has_figure() else None
        else:
            made = getattr(report, key)()
        return self.setdefault(key, made)


def shown(kind: type[_R], report: _native.Report) -> _R:
    """The result of this kind that a native report holds."""
    from ._build import build

    result: _R = build(kind, json.loads(report.json()))
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
    for key in ("arms", "curves", "results"):
        rows = document.get(key)
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            return rows
    return [document]
