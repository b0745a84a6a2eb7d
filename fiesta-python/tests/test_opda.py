"""Curves and bands beside those of PyPI's opda, to 1e-12."""

from __future__ import annotations

import csv
import decimal
import math
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fiesta_select as fiesta

np = pytest.importorskip("numpy")
opda = pytest.importorskip("opda.nonparametric")
opda_utils = pytest.importorskip("opda.utils")

BOUNDS = (0.0, 1.0)
CONFIDENCE = 0.95
TOLERANCE = 1e-12
# Ours by opda's names.
METHODS = {
    "dkw": "dkw",
    "ks": "ks",
    "ld_equal_tailed": "equal-tailed",
    "ld_highest_density": "highest-density",
}
# At so many n a time: opda computes a matrix of n by scores.
ROWS = 500


def shared() -> Path | None:
    """The folder of data that are no part of this project: beside the repository, or named."""
    if "FIESTA_SHARED" in os.environ:
        return Path(os.environ["FIESTA_SHARED"])
    for folder in Path(__file__).resolve().parents:
        if (folder / "shared" / "data").is_dir():
            return folder / "shared"
    return None


def recorded() -> dict[str, list[float]]:
    """The scores of each arm of the FIESTA authors' study, 500 of each; none where they are not."""
    folder = shared()
    file = folder and folder / "data" / "tdsa_macro_f1.csv"
    if not file or not file.is_file():
        return {}
    arms: dict[str, list[float]] = {}
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            arms.setdefault(row["arm"], []).append(float(row["score"]))
    return arms


def made_up(count: int) -> list[float]:
    return np.random.default_rng(20261123).beta(14, 6, count).tolist()


RECORDED = recorded()
SAMPLES = {**RECORDED, "made-up": made_up(10_000), "few": made_up(7), "one": [0.5]}
NAMES = [
    *(RECORDED or [pytest.param("none", marks=pytest.mark.skip("no shared/data/tdsa_macro_f1.csv"))]),
    "made-up",
    "few",
    "one",
]  # fmt: skip


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """opda warns of scores that are equal, of which bands hold more often than they say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def ours(scores: list[float], **options: Any) -> Any:
    return fiesta.curve({"arm": scores}, bounds=BOUNDS, **options).curves[0]


def in_rows(curve: Any, ns: Any) -> Any:
    """A curve of opda at many n, by part."""
    parts = [curve(ns[start : start + ROWS]) for start in range(0, len(ns), ROWS)]
    return np.concatenate(parts)


def some(count: int) -> Any:
    """All n up to a thousand, and some beyond."""
    return np.unique(np.r_[1 : min(count, 1000) + 1, np.geomspace(1, count, 200).astype(int)])


def close(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= TOLERANCE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_curve_of_means_is_opdas(name: str, direction: str) -> None:
    scores, minimize = SAMPLES[name], direction == "minimize"
    n = some(len(scores))
    theirs = opda.EmpiricalDistribution(scores)
    curve = ours(scores, bands="none", direction=direction)
    mean = np.array(curve.mean)[n - 1]
    close(mean, in_rows(lambda ns: theirs.average_tuning_curve(ns, minimize), n))
    close(mean, in_rows(lambda ns: theirs.v_tuning_curve(ns, minimize), n))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_unbiased_curve_is_opdas(name: str, direction: str) -> None:
    scores, minimize = SAMPLES[name], direction == "minimize"
    # Its binomial coefficients overflow beyond.
    n = np.array([n for n in some(len(scores)) if has_coefficients(len(scores), n)])
    theirs = opda.EmpiricalDistribution(scores)
    curve = ours(scores, bands="none", estimator="unbiased", direction=direction)
    found, expected = np.array(curve.mean)[n - 1], theirs.u_tuning_curve(n, minimize)
    if len(scores) <= 500:
        close(found, expected)
    else:
        # opda subtracts neighbouring coefficients: 5e-12 of 10,000 scores, see the next test.
        assert np.abs(found - expected).max() <= 1e-11


@pytest.mark.parametrize("n", [1, 2, 40, 700, 9999])
def test_the_unbiased_curve_is_that_of_fifty_digits(n: int) -> None:
    scores = sorted(SAMPLES["made-up"])
    count = len(scores)
    with decimal.localcontext() as context:
        context.prec = 50
        # P(the i-th is the best of n) = C(i - 1, n - 1) / C(B, n), from the last one down.
        share, mean = decimal.Decimal(n) / count, decimal.Decimal(0)
        for i in range(count, n - 1, -1):
            mean += share * decimal.Decimal(scores[i - 1])
            share *= decimal.Decimal(i - n) / max(i - 1, 1)
    found = ours(scores, bands="none", estimator="unbiased").mean[n - 1]
    assert found == pytest.approx(float(mean), abs=1e-15)


def has_coefficients(count: int, n: int) -> bool:
    log = math.lgamma(count + 1) - math.lgamma(n + 1) - math.lgamma(count - n + 1)
    return log < 700


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_curve_of_medians_is_opdas(name: str, direction: str) -> None:
    scores, minimize = SAMPLES[name], direction == "minimize"
    n = some(len(scores))
    theirs = opda.EmpiricalDistribution(scores)
    curve = ours(scores, bands="none", direction=direction)
    expected = in_rows(lambda ns: theirs.quantile_tuning_curve(ns, 0.5, minimize), n)
    found = np.array(curve.median)[n - 1]
    levels = len(scores) * 0.5 ** (1 / n)
    # A median that rounding decides: the level is a whole number of scores, as at n = 1.
    decided = np.abs(levels - np.round(levels)) > 1e-9
    close(found[decided], expected[decided])


def of_opda(scores: list[float], method: str) -> tuple[Any, Any]:
    """The lower and the upper band of opda, at the exact level where its own is an approximation.

    opda simulates the levels of both `ld` bands, and takes that of `ks` from SciPy, which of 500
    scores is off by 7e-9: see the tests of levels.
    """
    if method == "dkw":
        lower, _, upper = opda.EmpiricalDistribution.confidence_bands(
            scores, CONFIDENCE, *BOUNDS, method=method
        )
        return lower, upper
    count = len(scores)
    critical = fiesta.bands(scores, kind=METHODS[method], confidence=CONFIDENCE).critical
    order = np.arange(1, count + 1)
    if method == "ks":
        low, high = order / count - critical, (order - 1) / count + critical
    elif method == "ld_equal_tailed":
        low, high = opda_utils.beta_equal_tailed_interval(order, count + 1 - order, critical)
    else:
        # Its default precision is 1e-10.
        low, high = opda_utils.beta_highest_density_interval(
            order, count + 1 - order, critical, atol=1e-17
        )
    low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
    points = np.r_[BOUNDS[0], np.sort(scores), BOUNDS[1]]
    weights = np.diff(np.r_[0, 0, low, 1]), np.diff(np.r_[0, high, 1, 1])
    lower, upper = (opda.EmpiricalDistribution(points, ws, *BOUNDS) for ws in weights)
    return lower, upper


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_the_band_of_the_distribution_is_opdas(name: str, method: str) -> None:
    scores = SAMPLES[name]
    if name == "one" and method == "ld_highest_density":
        pytest.skip("opda has no shortest interval of a uniform variable")
    lower, upper = of_opda(scores, method)
    band = fiesta.bands(scores, kind=METHODS[method], confidence=CONFIDENCE)
    # At every score, between two, and beyond all.
    ordered = np.unique(scores)
    at = np.r_[0.0, ordered, (ordered[1:] + ordered[:-1]) / 2, 1.0 - 1e-9]
    ends = np.array([band.at(score) for score in at])
    close(ends[:, 0], lower.cdf(at))
    close(ends[:, 1], upper.cdf(at))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_band_of_means_is_opdas(name: str, method: str, direction: str) -> None:
    scores, minimize = SAMPLES[name], direction == "minimize"
    if name == "one" and method == "ld_highest_density":
        pytest.skip("opda has no shortest interval of a uniform variable")
    lower, upper = of_opda(scores, method)
    curve = ours(scores, bands=METHODS[method], confidence=CONFIDENCE, direction=direction)
    n = some(len(scores))
    # Where the distribution function is highest, scores are lowest.
    close(
        np.array(curve.lower)[n - 1],
        in_rows(lambda ns: upper.average_tuning_curve(ns, minimize), n),
    )
    close(
        np.array(curve.upper)[n - 1],
        in_rows(lambda ns: lower.average_tuning_curve(ns, minimize), n),
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("method", METHODS)
def test_the_band_of_medians_is_opdas(name: str, method: str) -> None:
    scores = SAMPLES[name]
    if name == "one" and method == "ld_highest_density":
        pytest.skip("opda has no shortest interval of a uniform variable")
    lower, upper = of_opda(scores, method)
    curve = ours(scores, bands=METHODS[method], confidence=CONFIDENCE, band_of="median")
    n = some(len(scores))
    close(np.array(curve.lower)[n - 1], in_rows(upper.quantile_tuning_curve, n))
    close(np.array(curve.upper)[n - 1], in_rows(lower.quantile_tuning_curve, n))


@pytest.mark.parametrize(
    ("kind", "coverage"),
    [
        ("equal-tailed", "beta_equal_tailed_coverage"),
        ("highest-density", "beta_highest_density_coverage"),
    ],
)
def test_the_level_that_opda_simulates_is_the_exact_one(kind: Any, coverage: str) -> None:
    # All of 50 sorted uniform variables are within their intervals as often as it says.
    count, draws = 50, 10_000
    sample = np.sort(np.random.default_rng(7).random((draws, count)), axis=1)
    order = np.arange(1, count + 1)
    most = np.max(getattr(opda_utils, coverage)(order, count + 1 - order, sample), axis=1)
    inside = np.mean(most <= fiesta.bands(range(count), kind=kind, confidence=CONFIDENCE).critical)
    assert inside == pytest.approx(CONFIDENCE, abs=4 * math.sqrt(0.95 * 0.05 / draws))


@pytest.mark.parametrize("count", [7, 50, 120])
def test_the_level_of_kolmogorov_is_exact(count: int) -> None:
    critical = fiesta.bands(range(count), kind="ks", confidence=CONFIDENCE).critical
    assert kolmogorov(count, critical) == pytest.approx(CONFIDENCE, abs=1e-13)


def kolmogorov(count: int, width: float) -> float:
    """P(an empirical distribution is within this width of its own): Marsaglia, Tsang & Wang 2003."""
    with decimal.localcontext() as context:
        context.prec = 60
        one, d = decimal.Decimal(1), decimal.Decimal(width)
        k = int(count * d) + 1
        size, h = 2 * k - 1, k - count * d
        matrix = [
            [one / math.factorial(i - j + 1) if i - j + 1 >= 0 else 0 * one for j in range(size)]
            for i in range(size)
        ]
        for i in range(size):
            matrix[i][0] -= h ** (i + 1) / math.factorial(i + 1)
            matrix[-1][i] -= h ** (size - i) / math.factorial(size - i)
        if 2 * h > 1:
            matrix[-1][0] += (2 * h - 1) ** size / math.factorial(size)
        row = [one if j == k - 1 else 0 * one for j in range(size)]
        for step in range(count):
            row = [sum(row[i] * matrix[i][j] for i in range(size)) for j in range(size)]
            row = [value * (step + 1) / count for value in row]
        return float(row[k - 1])


def test_the_level_of_kolmogorov_by_scipy_is_an_approximation() -> None:
    theirs = pytest.importorskip("scipy.stats").kstwo(500).ppf(CONFIDENCE)
    exact = fiesta.bands(range(500), kind="ks", confidence=CONFIDENCE).critical
    assert theirs == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize(
    ("scores", "options", "error", "match"),
    [
        ([], {}, ValueError, "no score"),
        ([0.1, math.nan], {}, ValueError, "score 2 is nan"),
        ([0.1, math.inf], {}, ValueError, "score 2 is inf"),
        ([0.1, "0.2"], {}, TypeError, "score 2 is '0.2'"),
        ([0.1], {"kind": "exact"}, ValueError, "`exact` is no band"),
        ([0.1], {"confidence": 1.0}, ValueError, "not between 0 and 1"),
        ([0.1] * 100_001, {}, ValueError, "may take minutes"),
    ],
)
def test_bands_refuse(scores: Any, options: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        fiesta.bands(scores, **options)
