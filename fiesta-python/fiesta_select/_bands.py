"""Simultaneous confidence bands of the distribution of a score, at every score."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from . import _native

Kind = Literal["equal-tailed", "highest-density", "dkw", "ks"]


@dataclass(frozen=True)
class DistributionBand:
    """
    A band that holds the whole distribution function of a score with its confidence.

    With F the distribution function and x₁ ≤ … ≤ x_B the scores, ``lower[i] ≤ F(scores[i])`` and
    ``F(x) ≤ upper[i]`` for x < ``scores[i]``, for all i and x at once, whatever F is.
    """

    kind: Kind
    """
    Which intervals it consists of.
    """
    confidence: float
    """
    The probability with which all of F is within; of ``dkw`` at least.
    """
    critical: float
    """
    The coverage of the interval of a single order statistic; of ``dkw`` and ``ks`` half the width.
    """
    scores: list[float]
    """
    The scores, ascending.
    """
    lower: list[float]
    """
    F is no less than ``lower[i]`` from ``scores[i]`` on.
    """
    upper: list[float]
    """
    F is no more than ``upper[i]`` before ``scores[i]``.
    """

    def at(self, score: float) -> tuple[float, float]:
        """
        Between which values F is at any score.

        Parameters
        ----------
        score : float
            In the unit of the scores; it need not be one of them.

        Returns
        -------
        lower, upper : float
            0 before the first score, and 1 from the last one on, are known of no F.

        Examples
        --------
        >>> import fiesta_select as fiesta
        >>> band = fiesta.bands([.6, .7, .65, .72], kind="dkw")
        >>> [round(end, 4) for end in band.at(.7)]
        [0.0709, 1.0]
        """
        below = bisect_right(self.scores, score)
        lower = self.lower[below - 1] if below else 0.0
        upper = self.upper[below] if below < len(self.upper) else 1.0
        return lower, upper


def bands(
    scores: Iterable[float], *, kind: Kind = "equal-tailed", confidence: float = 0.95
) -> DistributionBand:
    """
    A simultaneous confidence band of the distribution of a score.

    Bands of the expected or median best of n trials, which follow from it, are those of
    :func:`curve`.

    Parameters
    ----------
    scores : iterable of float, B of them
        Scores of independent trials, in any order.
    kind : {"equal-tailed", "highest-density", "dkw", "ks"}
        The intervals of the order statistics of B uniform variables, Beta(i, B + 1 − i): from the
        α/2- to the (1 − α/2)-quantile, the shortest that leave out α, or of one width by the
        inequality of Dvoretzky, Kiefer and Wolfowitz or by Kolmogorov's statistic. All but ``dkw``
        are exact: computed, not simulated.
    confidence : float
        The probability with which the whole distribution function is within, between 0 and 1.

    Returns
    -------
    DistributionBand
        With a value for each score.

    Raises
    ------
    TypeError
        If a score is not a number.
    ValueError
        If there is no score, one is not finite, the confidence is not between 0 and 1, or there are
        more than 100,000 scores for a band that is exact.

    Notes
    -----
    Sources: Learned-Miller & DeStefano, "A probabilistic upper bound on differential entropy" (IEEE
    Transactions on Information Theory, 2008); Lourie, Cho & He, "Show your work with confidence"
    (NAACL 2024); Massart, "The tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality" (1990).

    Examples
    --------
    >>> import fiesta_select as fiesta
    >>> band = fiesta.bands([.6, .7, .65, .72])
    >>> band.scores
    [0.6, 0.65, 0.7, 0.72]
    >>> [round(end, 4) for end in band.upper]
    [0.7074, 0.8735, 0.9642, 0.9982]
    """
    values = _sorted(scores)
    critical, lower, upper = _native.distribution_band(len(values), kind, confidence)
    return DistributionBand(kind, confidence, critical, values, lower, upper)


def _sorted(scores: Iterable[float]) -> list[float]:
    """Finite scores, ascending."""
    from math import isfinite

    in_array: Any = getattr(scores, "tolist", None)
    values = list(scores) if in_array is None else in_array()
    if not isinstance(values, list):
        raise TypeError("one number is no list of scores: give a list or a vector")
    for place, value in enumerate(values, 1):
        try:
            finite = isfinite(value)
        except TypeError:
            raise TypeError(f"score {place} is {value!r}, which is no number") from None
        if not finite:
            raise ValueError(f"score {place} is {value}, which is no finite number")
    return sorted(float(value) for value in values)
