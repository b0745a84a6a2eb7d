"""Beliefs about measures beside the score: the cheapest that is good enough, and limits."""

import pandas as pd
import pytest

import fiesta_select as fiesta

#: Two arms on forty items, with a price each and seconds that vary.
ROWS = [
    {
        "arm": arm,
        "item": n,
        "score": int(n < right),
        "cost": cost,
        "seconds": seconds * (1 + n % 7 / 10),
    }
    for n in range(40)
    for arm, right, cost, seconds in (("large", 36, 5, 3), ("small", 35, 1, 1))
]


@pytest.mark.parametrize("scores", [ROWS, pd.DataFrame(ROWS)])
def test_the_cheapest_that_is_good_enough(scores):
    found = fiesta.belief(scores, cheapest_within=0.03, at_most={"seconds": 2}).measures
    assert (found.verdict, found.arm, found.by) == ("arm", "small", "cost")
    small = found.arms[1]
    assert 0.95 < small.probability < 1 and small.probability_feasible < 1
    total = sum(arm.probability for arm in found.arms) + found.probability_none_feasible
    assert total == pytest.approx(1)
    assert fiesta.belief(scores).measures is None
    found = fiesta.belief(scores, at_most={"cost": 0.5}, known=["cost"])
    assert found.measures.verdict == "none_feasible"


def test_what_is_no_request_is_refused():
    with pytest.raises(ValueError, match="its measures are cost and seconds"):
        fiesta.belief(ROWS, at_most={"second": 2})
    with pytest.raises(ValueError, match="0 or more"):
        fiesta.belief(ROWS, cheapest_within=-1)
    with pytest.raises(ValueError, match="cheapest_within="):
        fiesta.belief(ROWS, by="cost")
    with pytest.raises(ValueError, match="no measure beside the score"):
        fiesta.belief({"a": [1, 2, 3], "b": [2, 3, 5]}, cheapest_within=0.1)
