"""Gate: may a new version replace the old one? As a result, and as an assertion of a test."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _native
from ._analyses import Direction, call, column_names, score_of, selected
from ._shown import shown
from ._versions import versions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .results import GateReport


def gate(
    old: Any,
    new: Any = None,
    margin: float | None = None,
    *,
    better_by: float | None = None,
    confidence: float | None = None,
    target: Literal["these items", "items like these"] | None = None,
    baseline: str | None = None,
    clusters: str | None = None,
    arms: Sequence[str] | None = None,
    metric: str | None = None,
    score: str | None = None,
    arm: str | None = None,
    split: str | None = None,
    item: str | None = None,
    seed: str | None = None,
    direction: Direction | None = None,
    bounds: tuple[float, float] | None = None,
    paired_rows: bool = False,
    gold: str | None = None,
    texts: bool = True,
) -> GateReport:
    """
    May a new version replace the old one? What ``fiesta gate OLD NEW`` answers.

    Parameters
    ----------
    old : path, frame, dict, list, array
        The answers of the old version: the path of a table or of a log of lm-eval, Inspect AI or
        promptfoo (of several files a list of paths); a frame, a dict of columns or a list of dicts
        with an item and a score; or a list or an array of scores, with ``paired_rows=True``. A
        dict with the version alone, ``{"v1": answers}``, gives it a name.
    new : as ``old``, optional
        The answers of the new version; of several candidates a dict of their names, or a list of
        paths. Without it, ``old`` holds all versions in any form that :func:`belief` takes, and
        ``baseline`` names the old one.
    margin : float, optional
        How much worse a candidate's mean may be, in the unit of the score, above 0. There is no
        default: without it and ``better_by`` there is no verdict, but the smallest margin that
        these items could decide.
    better_by : float, optional
        In its place: by more than how much a candidate has to be better; 0 for any lead.
    confidence : float, optional
        One less the share of gates that may let a worse candidate pass, or block a good one
        (default: .95).
    target : {"these items", "items like these"}, optional
        Which items the verdict is of: many more that are drawn as these were (default), or these
        alone, which are counted.
    baseline : str, optional
        The name of the old version (default: that of ``old``).
    clusters : str, optional
        The column that says which items belong together, such as questions on one text.
    arms : sequence of str, optional
        Only these versions.
    metric, score, arm, split, item, direction, bounds, paired_rows, gold
        As of :func:`belief`. Versions have the names of the column ``arm`` if these differ, else
        those of their files, or ``old`` and ``new``.
    seed : str, optional
        The column of the seeds; nothing is drawn.
    texts : bool
        Whether the result shows the texts of items and answers.

    Returns
    -------
    GateReport
        ``verdict`` is ``"ships"``, ``"blocked"`` or ``"undecided"`` over all ``candidates``, of
        which each has its own, with ``difference``, ``lower``, ``upper``, p-values, numbers of
        items and the ``flipped`` ones. ``str()`` is what the program prints, ``markdown()`` a
        comment for a pull request.

    Raises
    ------
    TypeError, ValueError
        As of :func:`belief`; and if nothing says which answers belong together, or the margin is
        none.

    Notes
    -----
    With Δ = mean(new) − mean(old), a candidate ships if Δ > −margin is shown, and is blocked if
    Δ ≤ −margin is, each at (1 − confidence)/(number of candidates). Answers that are right or wrong
    get an exact paired test with the score statistic of Tango ("Equivalence test and confidence
    interval for the difference in proportions for the paired-sample design", 1998), others a t test
    that is corrected for skewness. The items are to be a sample whose size was set beforehand. An
    answer that failed or is missing counts as the worst score of a candidate, and as the best of
    the old version.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> old = [{"item": k, "score": int(k % 8 > 0)} for k in range(400)]
    >>> new = [{"item": k, "score": int(k % 9 > 0)} for k in range(400)]
    >>> found = fiesta.gate(old, new, margin=0.1)
    >>> found.verdict, found.candidates[0].regressions, found.candidates[0].fixed
    ('ships', 39, 44)
    """
    from .results import GateReport

    of = versions(
        old,
        new,
        arms=arms,
        metric=score_of(metric, score),
        bounds=bounds,
        paired_rows=paired_rows,
        columns=column_names(arm, item, split, seed),
        gold=gold,
    )
    if new is None and baseline is None:
        raise ValueError(
            "one table does not say which version is the old one: name it with baseline=, one of "
            + ", ".join(of.arms)
        )
    report = call(
        _native.gate,
        of,
        arms=selected(old, arms),
        margin=margin,
        better_by=better_by,
        baseline=baseline,
        confidence=confidence,
        target=target,
        clusters=clusters,
        bounds=bounds,
        direction=direction,
        texts=texts,
    )
    return shown(GateReport, report)


class GateKeywords(TypedDict, total=False):
    """The keywords of :func:`gate` but for the margin."""

    better_by: float | None
    confidence: float | None
    target: Literal["these items", "items like these"] | None
    baseline: str | None
    clusters: str | None
    arms: Sequence[str] | None
    metric: str | None
    score: str | None
    arm: str | None
    split: str | None
    item: str | None
    seed: str | None
    direction: Direction | None
    bounds: tuple[float, float] | None
    paired_rows: bool
    gold: str | None
    texts: bool


def assert_not_worse(
    old: Any,
    new: Any = None,
    margin: float | None = None,
    *,
    undecided: Literal["fail", "skip", "pass"] = "fail",
    **keywords: Unpack[GateKeywords],
) -> GateReport:
    """
    Fails a test unless a new version may replace the old one, for pytest and unittest.

    Parameters
    ----------
    old, new, margin
        As of :func:`gate`. Here a margin, or ``better_by``, has to be given.
    undecided : {"fail", "skip", "pass"}
        What becomes of the test if the gate is undecided.
    **keywords
        As of :func:`gate`.

    Returns
    -------
    GateReport
        The gate, if it ships, or is undecided and may pass.

    Raises
    ------
    AssertionError
        If a candidate is blocked, or the gate is undecided: what the program would print, with the
        items that flipped.
    unittest.SkipTest
        If the gate is undecided, with ``undecided="skip"``; pytest takes it as a skip, too.
    TypeError, ValueError
        As of :func:`gate`; and without a margin.

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> old = [{"item": k, "score": int(k % 8 > 0)} for k in range(400)]
    >>> new = [{"item": k, "score": int(k % 9 > 0)} for k in range(400)]
    >>> fiesta.assert_not_worse(old, new, margin=0.1).verdict
    'ships'
    """
    # pytest leaves this function out of its traceback: the test's own line is what failed.
    __tracebackhide__ = True
    if undecided not in ("fail", "skip", "pass"):
        raise ValueError(f"undecided={undecided!r} is none of fail, skip and pass")
    if margin is None and keywords.get("better_by") is None:
        raise ValueError(
            "nothing says how much worse the new version may be: give margin=, or better_by= if it "
            "has to be better"
        )
    found = gate(old, new, margin, **keywords)
    if found.verdict == "ships" or (found.verdict, undecided) == ("undecided", "pass"):
        return found
    if found.verdict == "blocked":
        raise AssertionError(str(found))
    if undecided == "skip":
        sentences = [own.sentence for own in found.candidates if own.verdict == "undecided"]
        raise unittest.SkipTest("; ".join(sentences))
    raise AssertionError(
        f'{found}\n\nundecided fails: ask more items, allow more, or say undecided="skip" or "pass"'
    )
