"""``compare`` against SciPy, on shared splits, on other splits and on items."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fiesta_select as fiesta

stats = pytest.importorskip("scipy.stats")


def two(rng, n, m, paired):
    base = rng.normal(0.6, 0.05, max(n, m)) if paired else np.zeros(max(n, m))
    return (
        base[:n] + rng.normal(0.01, 0.02, n),
        base[:m] + rng.normal(0, 0.03, m),
    )


@given(st.integers(2, 40), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_shared_splits_are_ttest_rel(n, seed):
    a, b = two(np.random.default_rng(seed), n, n, True)
    # A posterior without draws, which would take most of the time.
    asked = {"paired_rows": True, "confidence": 0.9, "posterior": "pooled"}
    found = fiesta.compare({"a": a, "b": b}, "a", "b", **asked)
    expected = stats.ttest_rel(a, b)
    interval = expected.confidence_interval(0.9)
    assert (found.test, found.shared_splits) == ("paired t", n)
    assert found.difference == pytest.approx(np.mean(a) - np.mean(b), abs=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert found.degrees_of_freedom == expected.df


@given(st.integers(2, 40), st.integers(2, 40), st.integers(0, 2**32))
@settings(deadline=None, max_examples=50)
def test_other_splits_are_welch(n, m, seed):
    a, b = two(np.random.default_rng(seed), n, m, False)
    found = fiesta.compare({"a": a, "b": b}, "a", "b")
    expected = stats.ttest_ind(a, b, equal_var=False)
    interval = expected.confidence_interval(0.95)
    assert (found.test, found.shared_splits) == ("welch t", None)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx((interval.low, interval.high), rel=1e-7)
    assert found.degrees_of_freedom == pytest.approx(expected.df, rel=1e-9)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=3, max_size=60))
@settings(deadline=None, max_examples=60)
def test_items_are_binomial(answers):
    rows = [
        {"arm": arm, "item": f"q{item}", "score": pair[place]}
        for item, pair in enumerate(answers)
        for place, arm in enumerate("ab")
    ]
    found = fiesta.compare(rows, "a", "b")
    only_a = [f"q{item}" for item, pair in enumerate(answers) if pair == (1, 0)]
    only_b = [f"q{item}" for item, pair in enumerate(answers) if pair == (0, 1)]
    assert (found.only_a, found.only_b) == (only_a, only_b)
    differing = len(only_a) + len(only_b)
    expected = stats.binomtest(len(only_a), differing).pvalue if differing else 1.0
    assert found.mcnemar.p_value == pytest.approx(expected, rel=1e-9)


def test_p_better_is_that_of_the_belief():
    a, b = two(np.random.default_rng(3), 30, 30, True)
    scores = {"a": a, "b": b}
    for direction, posterior in [("maximize", "paired"), ("minimize", "pooled")]:
        asked = {"direction": direction, "posterior": posterior, "paired_rows": True}
        found = fiesta.compare(scores, "a", "b", **asked)
        belief = fiesta.belief(scores, **asked)
        assert found.probability_better == pytest.approx(belief.arms[0].probability_best, abs=0.03)


def test_the_best_two_without_names():
    scores = {"a": [0.5, 0.6, 0.4], "b": [0.9, 0.8, 0.7], "c": [0.6, 0.7, 0.6]}
    found = fiesta.compare(scores)
    assert (found.a.name, found.b.name) == ("b", "c")
    assert "best means of 3 arms" in found.notes[0]
    lowest = fiesta.compare(scores, direction="minimize")
    assert (lowest.a.name, lowest.b.name) == ("a", "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a",), "name both"),
        (("a", "a"), "compared with itself"),
        (("a", "z"), "there is no arm `z`"),
    ],
)
def test_what_cannot_be_compared(arguments, message):
    with pytest.raises(ValueError, match=message):
        fiesta.compare({"a": [1, 2], "b": [2, 3]}, *arguments)
    with pytest.raises(ValueError, match="confidence"):
        fiesta.compare({"a": [1, 2], "b": [2, 3]}, confidence=2)


def test_pairs():
    rng = np.random.default_rng(5)
    scores = {f"arm{k}": rng.normal(0.5 + 0.1 * k, 0.02, 20) for k in range(8)}
    few = fiesta.compare(scores, pairs=True, arms=["arm0", "arm1", "arm2"])
    assert [arm.name for arm in few.arms] == ["arm2", "arm1", "arm0"]
    assert (few.adjusted_over, len(few.pairs)) == (3, 3)
    assert {pair.result for pair in few.pairs} == {"better"}
    # Holm: the largest of the p-values is as it was, the smallest is multiplied by the number of pairs.
    p = sorted((pair.p_value, pair.p_adjusted) for pair in few.pairs)
    assert p[0][1] == pytest.approx(3 * p[0][0]) and p[-1][1] >= p[-1][0]
    assert list(few.to_frame()["p_adjusted"]) == [pair.p_adjusted for pair in few.pairs]
    many = fiesta.compare(scores, pairs=True)
    assert (many.adjusted_over, len(many.pairs)) == (28, 7)
    assert "arms=" in many.notes[0] and "--" not in str(many)
    assert many.svg().startswith("<svg")
    wide = fiesta.compare(scores, pairs=True, tolerance=10)
    assert {pair.result for pair in wide.pairs} == {"tie"} and wide.tolerance == 10
    with pytest.raises(TypeError, match="leave a and b out"):
        fiesta.compare(scores, "arm0", "arm1", pairs=True)
    with pytest.raises(ValueError, match="tolerance=-1"):
        fiesta.compare(scores, pairs=True, tolerance=-1)
    with pytest.raises(ValueError, match="there is no arm `z`"):
        fiesta.compare(scores, pairs=True, arms=["arm0", "z"])


@pytest.mark.parametrize("unit", [1e-300, 7.1e-154, 1e-100, 1e100])
def test_tiny_and_huge_scores(unit):
    found = fiesta.compare({"a": [0.0, 0.0], "b": [0.0, unit]}, "a", "b")
    assert 0 <= found.p_value <= 1
