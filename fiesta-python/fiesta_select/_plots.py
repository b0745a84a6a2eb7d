"""Figures of results: as SVG, and as axes of matplotlib where it is installed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._shown import Shown

#: The height of an arm's row in inches.
_INCHES_OF_ARM = 0.35


class Svg(str):
    """The text of an SVG file, which notebooks show as a figure."""

    def _repr_svg_(self) -> str:
        return str(self)


def draw(result: Shown, drawn: list[tuple[str, float, list[float]]], ax: Any) -> Any:
    """
    Draws a result on axes of matplotlib; new ones without any.

    None if the kind of result is drawn as SVG alone.
    """
    document = result.to_dict()
    drawers = {
        "BeliefReport": _intervals,
        "ComparisonReport": _intervals,
        "PairsReport": _intervals,
        "CurveReport": _curves,
        "SimulationReport": _shares,
    }
    drawer = drawers.get(type(result).__name__)
    if drawer is None:
        return None
    if ax is None:
        from matplotlib import pyplot

        rows = len(document.get("arms", [0, 0])) if drawer is _intervals else 12
        _, ax = pyplot.subplots(figsize=(6.4, 1.2 + _INCHES_OF_ARM * min(max(rows, 2), 100)))
    drawer(ax, document, drawn)
    return ax


def _intervals(ax: Any, document: dict[str, Any], drawn: list[Any]) -> None:
    """Means with their intervals, the best above, named as in the SVG."""
    if "arms" in document and "pairs" not in document:
        rows = [(name, ends) for name, _, ends in drawn]
        what = "mean, 95 % interval"
    else:
        arms = document["arms"] if "pairs" in document else [document["a"], document["b"]]
        rows = [(arm["name"], [arm["lower"], arm["mean"], arm["upper"]]) for arm in arms]
        rows.sort(key=lambda row: row[1][1], reverse=document["direction"] == "minimize")
        what = f"mean, {100 * document['confidence']:.4g} % interval"
    for place, (_, ends) in enumerate(rows):
        value = ends[1]
        below, above = (0 if end is None else abs(end - value) for end in map(_finite, ends[::2]))
        ax.errorbar([value], [place], xerr=([below], [above]), fmt="o", capsize=3, color="C0")
    ax.set_yticks(range(len(rows)), [_plain(name) for name, _ in rows])
    ax.set_xlabel(_plain(f"{document['metric']} ({what})"))


def _curves(ax: Any, document: dict[str, Any], _: list[Any]) -> None:
    """The mean or the median of the best of n, whichever has bands; else one standard deviation."""
    curves = document["curves"]
    banded = any(curve["bands"] != "none" for curve in curves)
    centre = document["band_of"] if banded else "mean"
    ends = ("lower", "upper") if banded else ("mean_minus_sd", "mean_plus_sd")
    for number, curve in enumerate(curves):
        color = f"C{number % 10}"
        values = {key: [_number(value) for value in curve[key]] for key in (centre, *ends)}
        label = _plain(f"{curve['name']} ({curve['trials']} trials)")
        ax.plot(curve["n"], values[centre], color=color, label=label)
        ax.fill_between(
            curve["n"], values[ends[0]], values[ends[1]], color=color, alpha=0.2, linewidth=0
        )
    ax.set_xscale("log")
    ax.set_xlabel("trials n")
    band = f"{100 * document['confidence']:.4g} % bands" if banded else "one standard deviation"
    best = "median best" if centre == "median" else "expected best"
    ax.set_ylabel(_plain(f"{best} {document['metric']} ({band})"))
    ax.legend()


def _shares(ax: Any, document: dict[str, Any], drawn: list[Any]) -> None:
    """The share of runs that named the best arm against evaluations, with Wilson intervals."""
    places = [place for _, place, _ in drawn]
    values = [value for _, _, (_, value, _) in drawn]
    below = [value - lower for _, _, (lower, value, _) in drawn]
    above = [upper - value for _, _, (_, value, upper) in drawn]
    label = _plain(document["policy"])
    ax.errorbar(places, values, yerr=(below, above), fmt="o-", capsize=3, label=label)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel("mean number of evaluations")
    ax.set_ylabel("runs that named the best arm (95 % Wilson intervals)")
    ax.legend()


def _finite(value: float | None) -> float | None:
    """A number, or none of what is open."""
    return value if value is not None and math.isfinite(value) else None


def _number(value: float | None) -> float:
    """A number, NaN of what is unknown: nothing is drawn there."""
    return math.nan if value is None else value


def _plain(text: str) -> str:
    """A text without what matplotlib takes for formulas."""
    return text.replace("$", r"\$")
