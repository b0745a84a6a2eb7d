"""What `fiesta_select.compat.fiesta_nlp` does where the original samples, loops for ever or fails."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable
from typing import Any

import pytest

np = pytest.importorskip("numpy")

from fiesta_select.compat import fiesta_nlp as fiesta
from fiesta_select.compat.fiesta_nlp import util

FIXED_CONFIDENCE = [fiesta.TTTS, fiesta.non_adaptive_fc]
FIXED_BUDGET = [fiesta.sequential_halving, fiesta.non_adaptive_fb]
Model = Callable[[Any, Any], float]


def split(data: Any) -> tuple[Any, Any]:
    return data, data


def normal(mean: float, sd: float = 0.02) -> Model:
    return lambda train, test: float(np.random.normal(mean, sd))


def constant(score: float) -> Model:
    return lambda train, test: score


# P(best) by quadrature.


# So that no piece hides a narrow step at either end.
LEVELS = [0, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-3, 1 - 1e-6, 1 - 1e-9, 1]


def reference(means: list[float], variances: list[float], counts: list[int]) -> list[float]:
    """P(best) by SciPy's adaptive quadrature of density times distribution functions."""
    integrate = pytest.importorskip("scipy.integrate")
    stats = pytest.importorskip("scipy.stats")
    arms = [
        stats.t(n - 2, loc=mean, scale=math.sqrt(variance / (n - 2)))
        for mean, variance, n in zip(means, variances, counts, strict=True)
    ]
    # In levels of the arm itself: all of its distribution is between 0 and 1, with its tails.
    found = []
    for arm in arms:
        others = [other for other in arms if other is not arm]

        def integrand(level: float, arm: Any = arm, others: Any = others) -> float:
            at = arm.ppf(level)
            return math.prod(other.cdf(at) for other in others)

        pieces = itertools.pairwise(LEVELS)
        found.append(
            math.fsum(
                integrate.quad(integrand, low, high, epsabs=1e-12, epsrel=0, limit=500)[0]
                for low, high in pieces
            )
        )
    return found


@pytest.mark.parametrize(
    ("means", "variances", "counts"),
    [
        ([0.50, 0.52], [0.01, 0.02], [3, 3]),
        ([0.50, 0.52, 0.49], [0.01, 0.002, 0.03], [3, 4, 12]),
        ([10.0, 3.0, 8.0], [1.7, 0.1, 1.2], [10, 6, 12]),
        ([0.60, 0.61, 0.62, 0.63, 0.64], [4e-4, 5e-4, 3e-4, 4e-4, 2e-4], [5, 9, 6, 20, 7]),
    ],
)
def test_belief_is_exact(means: list[float], variances: list[float], counts: list[int]) -> None:
    pi = util.belief_calc(np.array(means), np.array(variances), np.array(counts))
    assert pi == pytest.approx(reference(means, variances, counts), abs=2e-9)


def test_belief_takes_no_draws_and_needs_no_samples() -> None:
    arguments = [np.array([0.6, 0.61]), np.array([0.01, 0.02]), np.array([4, 5])]
    np.random.seed(3)
    assert util.belief_calc(*arguments, samples=1) == util.belief_calc(*arguments, 10**9)
    first = np.random.uniform()
    np.random.seed(3)
    assert first == np.random.uniform()


def test_belief_takes_lists_and_one_value_for_all() -> None:
    expected = util.belief_calc(np.array([0.6, 0.61]), np.full(2, 0.01), np.array([4, 5]))
    assert util.belief_calc([0.6, 0.61], [0.01, 0.01], [4, 5]) == expected
    assert util.belief_calc([0.6, 0.61], 0.01, [4, 5]) == expected


def test_belief_of_arms_that_are_known_to_rounding() -> None:
    # Three equal scores of 0.1 have a variance of 1e-34, not 0.
    scores = [0.1, 0.1, 0.1]
    assert np.var(scores) > 0
    pi = util.belief_calc([np.mean(scores)] * 3, [np.var(scores)] * 3, [3] * 3)
    assert pi == [1, 0, 0]


@pytest.mark.parametrize("scale", [1e-120, 1e-30, 1.0, 1e30, 1e120])
def test_belief_does_not_depend_on_the_unit(scale: float) -> None:
    means, variances = np.array([0.5, 0.0, 0.48]), np.array([0.01, 0.0, 0.03])
    counts = np.array([5, 3, 8])
    pi = util.belief_calc(means * scale, variances * scale * scale, counts)
    assert pi == pytest.approx(util.belief_calc(means, variances, counts), abs=1e-8)
    assert sum(pi) == pytest.approx(1, abs=1e-12)


def test_belief_of_a_thousand_arms() -> None:
    generator = np.random.default_rng(1)
    scores = generator.normal(0.6, 0.02, (1000, 5))
    pi = util.belief_calc(scores.mean(axis=1), scores.var(axis=1), np.full(1000, 5))
    assert len(pi) == 1000 and sum(pi) == pytest.approx(1, abs=1e-12) and min(pi) >= 0


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (([], [], []), "shape"),
        (([[0.5]], [0.1], [[3]]), "shape"),
        (([0.5, 0.6], [0.1, 0.1, 0.1], [3, 3]), "est_variances"),
        (([0.5, 0.6, 0.7], [0.1, 0.1], [3, 3]), "est_means"),
        (([0.5, math.nan], [0.1, 0.1], [3, 3]), "arm 1 is NaN"),
        (([0.5, math.inf], [0.1, 0.1], [3, 3]), "arm 1 is inf"),
        (([0.5, 0.6], [0.1, -0.1], [3, 3]), "variance of arm 1"),
        (([0.5, 0.6], [0.1, math.nan], [3, 3]), "variance of arm 1"),
        (([0.5, 0.6], [0.1, 0.1], [3, math.nan]), "greater than 2"),
        (([0.5, 0.6], [0.1, 0.1], [3, math.inf]), "arm 1 has inf scores"),
        ((["a", "b"], [0.1, 0.1], [3, 3]), "could not convert"),
    ],
)
def test_belief_refuses_what_has_none(arguments: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        util.belief_calc(*arguments)


# Ends where the original has none.


@pytest.mark.parametrize("select", FIXED_CONFIDENCE)
def test_a_p_value_of_zero_ends(select: Any) -> None:
    np.random.seed(4)
    began = time.monotonic()
    pi, _, total, _ = select([], [normal(0.5), normal(0.9), normal(0.6)], split, 0)
    assert np.argmax(pi) == 1
    assert 1 - 1e-9 <= pi[1] < 1, "as soon as it cannot be told from 1"
    assert total < 1000 and time.monotonic() - began < 5


def test_the_other_model_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    draws: list[tuple[Any, int]] = []
    choice = np.random.choice

    def recorded(models: Any, p: Any) -> Any:
        draws.append((np.array(p), choice(models, p=p)))
        return draws[-1][1]

    monkeypatch.setattr(np.random, "choice", recorded)
    monkeypatch.setattr(np.random, "uniform", lambda low, high: 1.0)
    np.random.seed(4)
    fiesta.TTTS([], [normal(0.60), normal(0.62), normal(0.61)], split, 0.05)
    assert len(draws) > 4
    for (before, first), (after, _) in zip(draws[::2], draws[1::2], strict=True):
        assert after[first] == 0
        assert after == pytest.approx(
            np.where(np.arange(3) == first, 0, before) / (1 - before[first])
        )


def test_the_other_model_is_drawn_where_the_first_has_all_the_probability() -> None:
    # Almost all is one model's from the beginning: drawing until another comes would take 10⁸ draws.
    np.random.seed(4)
    scores = iter([0.5, 0.5000001, 0.4999999])
    known: Model = lambda train, test: next(scores, 0.5)
    began = time.monotonic()
    pi, _, total, evaluations = fiesta.TTTS([], [normal(0.9, 1e-6), known], split, 1e-14)
    assert np.argmax(pi) == 0 and time.monotonic() - began < 5
    assert total == sum(map(len, evaluations))


@pytest.mark.parametrize("select", FIXED_CONFIDENCE)
@pytest.mark.parametrize("score", [0.1, 0.5, 0.8, 0.0])
def test_models_that_always_score_the_same(select: Any, score: float) -> None:
    pi, props, total, evaluations = select([], [constant(score)] * 3, split, 0.05)
    assert pi == [1, 0, 0] and total == 9 and evaluations == [[score] * 3] * 3
    assert props == pytest.approx([1 / 3] * 3)


@pytest.mark.parametrize("select", FIXED_CONFIDENCE)
def test_one_model_is_the_best(select: Any) -> None:
    pi, props, total, evaluations = select([], [normal(0.5)], split, 0.05)
    assert (pi, props, total, len(evaluations[0])) == ([1], [1], 3, 3)


def test_one_model_takes_no_halving() -> None:
    assert fiesta.sequential_halving([], [normal(0.5)], split, 5) == (0, [0.0], [[]])


@pytest.mark.parametrize("select", [*FIXED_CONFIDENCE, *FIXED_BUDGET])
def test_no_model(select: Any) -> None:
    with pytest.raises(ValueError, match="there is no model"):
        select([], [], split, 1)


@pytest.mark.parametrize("select", FIXED_CONFIDENCE)
def test_a_p_value_that_is_no_number(select: Any) -> None:
    with pytest.raises(ValueError, match="p value nan"):
        select([], [normal(0.5), normal(0.6)], split, math.nan)


@pytest.mark.parametrize("select", [*FIXED_CONFIDENCE, *FIXED_BUDGET])
def test_a_score_that_is_no_number_is_not_the_best(select: Any) -> None:
    last = 0.1 if select in FIXED_CONFIDENCE else 8
    with pytest.raises(ValueError, match="model 1 gave the score nan"):
        select([], [normal(0.5), constant(math.nan)], split, last)


@pytest.mark.parametrize("select", FIXED_CONFIDENCE)
def test_a_belief_needs_finite_scores(select: Any) -> None:
    with pytest.raises(ValueError, match="evaluation 1 of model 1 gave the score inf"):
        select([], [normal(0.5), constant(1.0)], split, 0.1, logit_transform=True)


@pytest.mark.parametrize("select", FIXED_BUDGET)
def test_means_may_be_infinite(select: Any) -> None:
    best = select([], [normal(0.5), constant(1.0)], split, 8, logit_transform=True)[0]
    assert best == 1


@pytest.mark.parametrize("select", [*FIXED_CONFIDENCE, *FIXED_BUDGET])
@pytest.mark.parametrize("score", [-0.1, 71.5, math.nan])
def test_scores_that_have_no_logit(select: Any, score: float) -> None:
    last = 0.1 if select in FIXED_CONFIDENCE else 8
    with pytest.raises(ValueError, match="model 0 gave the score"):
        select([], [constant(score), normal(0.5)], split, last, logit_transform=True)


@pytest.mark.parametrize("stats", [util.fc_func_stats, util.fb_func_stats])
def test_statistics_of_no_selection(stats: Any) -> None:
    name = "TTTS" if stats is util.fc_func_stats else "non_adaptive_fb"
    with pytest.raises(ValueError, match="N is 0"):
        stats(0, 0, name)


# Beside the original and what it rests on, where they are installed.


def test_the_logit_is_scipys_to_the_last_bit() -> None:
    special = pytest.importorskip("scipy.special")
    scores = np.random.default_rng(2).uniform(size=2000).tolist() + [0.3, 0.5, 0.65, 1e-300]
    turn = iter(scores)
    models = [lambda train, test: next(turn)]
    _, evaluations = fiesta.non_adaptive_fb([], models, split, len(scores), logit_transform=True)
    assert evaluations[0] == special.logit(np.array(scores)).tolist()


def test_numbers_of_evaluations_are_those_of_the_original() -> None:
    original = pytest.importorskip("fiesta")
    means = {select: [] for select in ["ours", "theirs"]}
    np.random.seed(5)
    for name, package in [("ours", fiesta), ("theirs", original)]:
        for _ in range(60):
            models = [normal(0.60), normal(0.64), normal(0.61)]
            means[name].append(package.TTTS([], models, split, 0.2, samples=2000)[2])
    ours, theirs = np.array(means["ours"]), np.array(means["theirs"])
    error = math.sqrt(ours.var() / len(ours) + theirs.var() / len(theirs))
    assert abs(ours.mean() - theirs.mean()) < 4 * error
