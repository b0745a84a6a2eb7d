"""``belief`` copies nothing that it need not: its peak of memory beside a million NumPy scores."""

import pathlib
import subprocess
import sys

import pytest

#: MB beside 7.6 MB of scores: arms, posterior, rows as splits, and the bound.
CASES = [
    (10, "pooled", "", 1.0),
    (10, "paired", "", 1.0),
    (2, "paired", "", 1.0),
    # Of more arms than the exact posterior takes, it holds the scores on splits of their own.
    (100, "paired", "", 12.0),
    (10, "paired", "paired_rows", 1.0),
    (2, "paired", "paired_rows", 1.0),
]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("arms", "posterior", "rows", "most"), CASES)
def test_belief_borrows(arms, posterior, rows, most):
    # Draws take memory of their own, which does not depend on the scores.
    draws = "160" if posterior == "paired" and arms <= 50 else ""
    assert megabytes("1000000", str(arms), posterior, rows, draws) < most


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("scores", ["1000", "1000000"])
def test_draws_are_bounded(scores):
    assert megabytes(scores, "10", "paired", "paired_rows", "") < 130.0


def megabytes(*arguments):
    script = pathlib.Path(__file__).with_name("memory.py")
    command = [sys.executable, script, *arguments]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
